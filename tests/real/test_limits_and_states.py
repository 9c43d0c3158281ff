"""Limits of a crawl, quotas of its queues and source tags, its run states, and what it says it waits for."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from redisfrontier.errors import WrongState
from redisfrontier.frontier import Frontier
from redisfrontier.record.record import Candidate
from redisfrontier.store import keys
from redisfrontier.uri.fingerprint import partition_of
from tests.real.conftest import Make, balanced, later

A = "http://a.example/"
QUEUE = "example,a,"


def fetch(frontier: Frontier, n: int = 1, **told: Any) -> int:
    """Claim up to n hosts once and finish well; how many."""
    claims = frontier.claim(n)
    frontier.finish([c.outcome(200, delay_ms=0, **told) for c in claims])
    return len(claims)


def drain(frontier: Frontier, n: int = 1, **told: Any) -> int:
    """Fetch until nothing comes."""
    done = 0
    while got := fetch(frontier, n, **told):
        done += got
        later(frontier, 1)
    return done


def ended(frontier: Frontier) -> tuple[str, str]:
    stats = frontier.stats()
    return stats["state"], stats["finish_reason"]


def hosts_by_partition(partitions: int, each: int) -> dict[int, list[str]]:
    """Host names, `each` for each partition."""
    found: dict[int, list[str]] = {p: [] for p in range(partitions)}
    for i in range(1000):
        p = partition_of(f"example,h{i},", partitions)
        if len(found[p]) < each:
            found[p].append(f"h{i}.example")
    return found


# -- limits of a crawl of one partition --


@pytest.mark.parametrize(
    ("limit", "told", "fetched"),
    [
        ({"max_documents_download": 4}, {}, 4),
        ({"max_bytes_download": 1000}, {"size_bytes": 250}, 4),
        ({"max_bytes_download": 1001}, {"size_bytes": 250}, 5),
        ({"max_bytes_download": 1000, "max_documents_download": 2}, {"size_bytes": 250}, 2),
        ({"max_documents_download": 0, "max_bytes_download": 0, "max_time_seconds": 0}, {"size_bytes": 10**9}, 9),
    ],
)
def test_the_crawl_ends_exactly_at_its_limit(make: Make, limit: dict[str, int], told: dict[str, int], fetched: int) -> None:
    frontier = make(**limit)
    frontier.schedule(f"{A}{i}" for i in range(9))
    assert drain(frontier, **told) == fetched
    reason = next((name for name in ("max_documents_download", "max_bytes_download") if fetched < 9 and limit.get(name)), "")
    assert ended(frontier) == (("FINISH", reason) if fetched < 9 else ("EMPTY", ""))
    assert balanced(frontier)


def test_only_successes_count_as_documents(make: Make) -> None:
    frontier = make(max_documents_download=2)
    frontier.schedule(f"{A}{i}" for i in range(9))
    for status in (-4, -9998, 404, -5, 200):
        assert ended(frontier)[0] == "RUN"
        frontier.finish([c.outcome(status, delay_ms=0) for c in frontier.claim()])
        later(frontier, 1)
    assert ended(frontier) == ("FINISH", "max_documents_download")  # a 404 is an answer (Heritrix: a success)


def test_what_is_out_when_the_limit_is_reached_may_finish(make: Make) -> None:
    frontier = make(max_documents_download=1)
    frontier.schedule(f"http://h{i}.example/" for i in range(4))
    claims = frontier.claim(4)
    settled = frontier.finish([c.outcome(200) for c in claims[:2]])
    assert [s.verdict for s in settled] == ["succeeded"] * 2
    assert ended(frontier) == ("FINISH", "max_documents_download")
    with pytest.raises(WrongState, match="stopped"):
        frontier.schedule([A])
    assert [str(a) for a in frontier.extend([claims[2]])] == ["ok"]
    assert [s.verdict for s in frontier.finish([claims[2].outcome(200)])] == ["succeeded"]
    assert [str(a) for a in frontier.release([claims[3]])] == ["ok"]
    assert len(frontier.claim(4)) == 0
    stats = frontier.stats()
    assert (stats["succeeded"], stats["pending"], stats["in_flight"]) == (3, 1, 0)
    assert balanced(frontier)


def test_a_raised_limit_lets_a_crawl_that_is_started_again_go_on(make: Make) -> None:
    frontier = make(max_documents_download=2)
    frontier.schedule(f"{A}{i}" for i in range(9))
    drain(frontier)
    frontier.start()
    assert drain(frontier) == 0  # it ends at once again
    assert ended(frontier) == ("FINISH", "max_documents_download")
    frontier.set_settings({"max_documents_download": 5})
    assert drain(frontier) == 0
    frontier.start()
    assert frontier.stats()["finish_reason"] == ""
    assert drain(frontier) == 3
    assert ended(frontier) == ("FINISH", "max_documents_download")


def test_time_counts_only_while_it_runs(make: Make) -> None:
    frontier = make(max_time_seconds=10, runs=False)
    frontier.schedule([A, f"{A}2"])
    later(frontier, 10**6)
    assert frontier.stats()["running_ms"] == 0
    for _ in range(3):
        frontier.start()
        later(frontier, 3000)
        frontier.pause()
        later(frontier, 10**6)
    assert frontier.stats()["running_ms"] == 9000
    frontier.start()
    frontier.start()  # twice does not count twice
    later(frontier, 999)
    assert fetch(frontier) == 1
    later(frontier, 1)
    assert len(frontier.claim()) == 0
    assert ended(frontier) == ("FINISH", "max_time_seconds")
    later(frontier, 10**6)
    assert frontier.stats()["running_ms"] == 10_000


# -- several partitions --


class Clock:
    """The clock of a client, which paces how often it looks at all partitions."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def partitioned(make: Make, **limit: int) -> tuple[Frontier, Clock]:
    clock = Clock()
    return make(partitions=4, options={"clock": clock}, **limit), clock


def states(frontier: Frontier) -> list[str]:
    """The run state in each partition."""
    return [frontier.client.hget(keys.of("c", p, "conf"), "run_state").decode() for p in range(4)]


@pytest.mark.parametrize("limit", [{"max_documents_download": 4}, {"max_bytes_download": 400}])
def test_partitions_reach_a_limit_together_within_a_second(make: Make, limit: dict[str, int]) -> None:
    frontier, clock = partitioned(make, **limit)
    hosts = [host for part in hosts_by_partition(4, 2).values() for host in part]
    frontier.schedule(f"http://{host}/" for host in hosts)
    claims = frontier.claim(4)
    assert len({c.id.split(":")[0] for c in claims}) > 1
    frontier.finish([c.outcome(200, size_bytes=100) for c in claims])
    clock.seconds += 1
    assert len(frontier.claim(1)) == 1  # what it was given before it looked
    assert states(frontier) == ["FINISH"] * 4
    assert len(frontier.claim(8)) == 0
    assert ended(frontier) == ("FINISH", next(iter(limit)))
    with pytest.raises(WrongState):
        frontier.schedule([A])
    assert balanced(frontier)


def test_a_partition_that_reaches_the_limit_alone_stops_them_all(make: Make) -> None:
    frontier, clock = partitioned(make, max_documents_download=2)
    parts = hosts_by_partition(4, 2)
    frontier.schedule([f"http://{host}/" for host in parts[2]])
    frontier.claim(1)
    clock.seconds += 1
    claims = [*frontier.claim(2), *frontier.claim(2)]
    frontier.release(claims)
    claims = frontier.claim(2)
    frontier.finish([c.outcome(200) for c in claims])
    frontier.release_worker()
    frontier.finish([c.outcome(200) for c in frontier.claim(2)])
    assert states(frontier)[2] == "FINISH"
    clock.seconds += 1
    frontier.claim(1)
    assert states(frontier) == ["FINISH"] * 4
    assert ended(frontier) == ("FINISH", "max_documents_download")
    with pytest.raises(WrongState):
        frontier.schedule([f"http://{parts[0][0]}/"])


def test_another_client_hears_of_the_end_with_its_next_call(make: Make, redis_url: str) -> None:
    frontier, clock = partitioned(make, max_time_seconds=60)
    frontier.schedule([f"http://{host}/" for part in hosts_by_partition(4, 1).values() for host in part])
    with Frontier.connect(redis_url, "c") as other:
        assert other.claim(1).run_state == "RUN"
        later(frontier, 60_000)
        clock.seconds += 1
        frontier.claim(4)
        assert states(frontier) == ["FINISH"] * 4
        assert other.claim(1).run_state == "FINISH"


# -- quotas --


def test_a_quota_of_a_queue_may_come_from_its_sheet(make: Make) -> None:
    from redisfrontier.policy.sheets import Sheet

    frontier = make(max_documents_per_queue=3)
    frontier.set_sheet(Sheet("small", {"max_documents_per_queue": 1}, surt_prefixes=("http://(example,a,",)))
    frontier.schedule(f"http://{host}.example/{i}" for host in "ab" for i in range(5))
    drain(frontier, 2)
    assert {q["queue"]: (q["succeeded"], q["retired_why"]) for q in frontier.queues("retired")} == {
        QUEUE: (1, "documents"),
        "example,b,": (3, "documents"),
    }
    frontier.set_settings({"max_documents_per_queue": 4})
    assert drain(frontier, 2) == 1
    assert balanced(frontier)


@pytest.mark.parametrize(("quota", "told"), [({"max_documents_per_queue": 0}, {}), ({"max_bytes_per_queue": 0}, {"size_bytes": 1})])
def test_a_quota_of_nothing_lets_nothing_through_and_below_0_is_none(make: Make, quota: dict[str, int], told: dict[str, int]) -> None:
    frontier = make(**quota)
    frontier.schedule([f"{A}{i}" for i in range(5)])
    assert drain(frontier, **told) == 0
    assert frontier.queue(QUEUE)["state"] == "retired"
    frontier.set_settings(dict.fromkeys(quota, -1))
    assert drain(frontier, **told) == 5


def test_a_source_tag_is_counted_by_its_successes(make: Make) -> None:
    frontier = make(max_documents_per_source_tag=2)
    tagged = [Candidate(f"{A}{i}", source_tag="http://seed.example/;x") for i in range(6)]
    assert {str(a.outcome) for a in frontier.schedule(tagged[:3])} == {"added"}
    for status in (404, -4, 200):
        frontier.finish([c.outcome(status, delay_ms=0) for c in frontier.claim()])
        later(frontier, 1)
    (full,) = frontier.schedule(tagged[3:4])
    assert (str(full.outcome), full.reason) == ("refused", "quota of its source tag reached")
    others = frontier.schedule([Candidate(f"{A}x", source_tag="other"), f"{A}y", tagged[0]])
    assert [str(a.outcome) for a in others] == ["added", "added", "known"]
    frontier.set_settings({"max_documents_per_source_tag": 3})
    assert frontier.schedule(tagged[3:4])[0].outcome == "added"
    assert balanced(frontier)


# -- run states --


def test_a_new_crawl_waits_to_be_started(make: Make) -> None:
    frontier = make(runs=False)
    assert frontier.schedule([A])[0].outcome == "added"
    nothing = frontier.claim()
    assert (len(nothing), nothing.run_state) == (0, "PAUSE")
    assert frontier.stats()["state"] == "PAUSE"
    frontier.start()
    assert len(frontier.claim()) == 1


def test_a_pause_gives_nothing_and_all_else_goes_on(make: Make) -> None:
    frontier = make(lease_ms=10_000)
    frontier.schedule([A, "http://b.example/", "http://c.example/"])
    first, second, third = frontier.claim(3)
    frontier.pause()
    assert frontier.schedule([f"{A}new"])[0].outcome == "added"
    assert [s.verdict for s in frontier.finish([first.outcome(200)])] == ["succeeded"]
    assert [str(a) for a in frontier.release([second])] == ["ok"]
    later(frontier, 10_001)
    assert len(frontier.claim(5)) == 0  # and reaps the third
    assert frontier.stats()["lost"] == 1
    assert [str(s.answer) for s in frontier.finish([third.outcome(200)])] == ["gone"]
    frontier.resume()
    later(frontier, 10_000)
    assert len(frontier.claim(5)) == 3
    assert balanced(frontier)


def test_a_stop_says_why_and_can_be_taken_back(make: Make) -> None:
    frontier = make()
    frontier.schedule([A, "http://b.example/"])
    (claim,) = frontier.claim()
    frontier.stop("enough")
    assert ended(frontier) == ("FINISH", "enough")
    assert len(frontier.claim()) == 0
    with pytest.raises(WrongState):
        frontier.schedule(["http://c.example/"])
    with pytest.raises(WrongState):
        frontier.include(["http://c.example/"])
    assert [s.verdict for s in frontier.finish([claim.outcome(200)])] == ["succeeded"]
    frontier.resume()
    assert ended(frontier) == ("RUN", "")
    assert len(frontier.claim(2)) == 1
    assert frontier.schedule(["http://c.example/"])[0].outcome == "added"


def test_empty_is_neither_claimed_nor_retrying_nor_dated_nor_in_another_partition(make: Make) -> None:
    frontier = make(partitions=4, retry_delay_seconds=10)
    assert ended(frontier)[0] == "EMPTY"
    frontier.schedule([A])
    assert ended(frontier)[0] == "RUN"
    (claim,) = frontier.claim()
    assert ended(frontier)[0] == "RUN"  # out
    frontier.finish([claim.outcome(-2)])
    assert ended(frontier)[0] == "RUN"  # to be tried again
    later(frontier, 10_000)
    (claim,) = frontier.claim()
    frontier.finish([claim.outcome(200, refetch_in_ms=5000)])
    assert ended(frontier)[0] == "RUN"  # dated
    later(frontier, 5000)
    frontier.snooze(QUEUE, 1000)
    assert ended(frontier)[0] == "RUN"
    later(frontier, 1000)
    (claim,) = frontier.claim()
    later(frontier, 1_300_000)  # its lease is over, though nobody has called since
    assert ended(frontier)[0] == "RUN"
    frontier.finish([claim.outcome(200)])
    assert ended(frontier)[0] == "EMPTY"


def test_refetches_need_not_keep_a_crawl_alive_but_retries_do(make: Make) -> None:
    frontier = make(future_uris_keep_alive=False, retry_scope="uri")
    frontier.schedule([A, "http://b.example/"])
    first, second = frontier.claim(2)
    frontier.finish([first.outcome(200, refetch_in_ms=10**6), second.outcome(-2)])
    assert frontier.stats()["later"] == 2
    assert ended(frontier)[0] == "RUN"
    later(frontier, 900_000)
    frontier.finish([c.outcome(200) for c in frontier.claim(2)])
    assert (ended(frontier)[0], frontier.stats()["later"]) == ("EMPTY", 1)
    frontier.set_settings({"future_uris_keep_alive": True})
    assert ended(frontier)[0] == "RUN"


# -- what it waits for --


def waits(frontier: Frontier) -> tuple[str, str, int | None]:
    stats = frontier.stats()
    due = stats["next_due_ms"]
    return stats["state"], stats["waiting_for"], None if due is None else due - stats["now_ms"]


def test_it_says_what_it_waits_for_and_until_when(make: Make) -> None:
    frontier = make(lease_ms=7000)
    assert waits(frontier) == ("EMPTY", "nothing", None)
    frontier.schedule([A, f"{A}2"])
    assert waits(frontier)[:2] == ("RUN", "workers")
    (claim,) = frontier.claim()
    assert waits(frontier) == ("RUN", "a worker", 7000)
    frontier.finish([claim.outcome(200, delay_ms=1234)])
    assert waits(frontier) == ("RUN", "politeness, retry or snooze of a queue", 1234)
    later(frontier, 1234)
    assert waits(frontier) == ("RUN", "politeness, retry or snooze of a queue", 0)
    (claim,) = frontier.claim()
    frontier.finish([claim.outcome(200, refetch_in_ms=100_000)])
    later(frontier, 50_000)
    frontier.claim()
    assert waits(frontier) == ("RUN", "a URI with a date of its own", 50_000)
    frontier.pause()
    assert waits(frontier) == ("PAUSE", "the operator: the crawl is paused", None)
    frontier.stop()
    assert waits(frontier) == ("FINISH", "nothing", None)


def test_a_crawl_of_retired_queues_is_at_its_end_and_says_so(make: Make) -> None:
    frontier = make(queue_total_budget=1, error_penalty_amount=0)
    frontier.schedule([A, f"{A}2", "http://b.example/"])
    assert drain(frontier, 2) == 2
    assert waits(frontier) == ("EMPTY", "nothing: only retired queues are left", None)
    assert frontier.stats()["pending"] == 1
    frontier.budget(QUEUE, 5)
    assert waits(frontier)[:2] == ("RUN", "workers")
    assert drain(frontier) == 1
    assert waits(frontier) == ("EMPTY", "nothing", None)


def test_queues_past_the_floor_keep_a_crawl_alive_for_its_operator(make: Make) -> None:
    frontier = make(precedence_floor=3)
    frontier.schedule([A])
    assert waits(frontier) == ("RUN", "the operator: only retired or ineligible queues are left", None)
    assert frontier.stats()["queues"]["ineligible"] == 1
    assert len(frontier.claim()) == 0
    frontier.set_settings({"precedence_floor": 255})
    assert waits(frontier)[:2] == ("RUN", "workers")
    assert drain(frontier) == 1


@pytest.mark.parametrize("protocol", [2, 3])
def test_a_client_of_ones_own_may_speak_either_protocol(redis_url: str, make: Make, protocol: int) -> None:
    make().close()
    client = redis.from_url(redis_url, protocol=protocol)
    with Frontier(client, "c") as frontier:
        frontier.schedule([A, f"{A}2", "http://b.example/"])
        claims = frontier.claim(5)
        assert [row["uri"] for row in frontier.uris()] == [f"{A}2"]
        assert {row["queue"] for row in frontier.queues()} == {QUEUE, "example,b,"}
        assert {row["id"] for row in frontier.leases()} == {c.id for c in claims}
        assert [s.verdict for s in frontier.finish([c.outcome(200) for c in claims])] == ["succeeded"] * 2
        assert frontier.delete(lambda queue: True) == {QUEUE: 1}
        assert frontier.show(A)["how"] == "finished s"
        assert frontier.stats()["succeeded"] == 2
