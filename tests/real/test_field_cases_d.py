"""Field cases D: politeness broken."""

from __future__ import annotations

import itertools

import pytest

from redisfrontier.errors import BadArgument
from redisfrontier.frontier import Frontier
from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.record import Candidate
from tests.real.conftest import Make, balanced, later

A = "example,a,"
URIS = [f"http://a.example/{i}" for i in range(8)]


def rest_after(frontier: Frontier, status: int = 200, **outcome: object) -> int:
    """Ms for which the host of the next URI rests."""
    (claim,) = frontier.claim()
    frontier.finish([claim.outcome(status, **outcome)])
    stats = frontier.stats()
    return int(frontier.queue(claim.queue)["not_before"]) - int(stats["now_ms"])


def test_d1_a_claim_by_name_obeys_what_the_general_one_obeys(make: Make) -> None:
    frontier = make(queue_total_budget=2)
    frontier.schedule(URIS)
    frontier.snooze(A, 5000)
    assert (len(frontier.claim(queue=A)), frontier.claim(queue=A).wait_ms) == (0, 5000)
    later(frontier, 5000)
    (claim,) = frontier.claim(queue=A)
    assert not frontier.claim(queue=A)  # one is out
    frontier.finish([claim.outcome(200, delay_ms=3000)])
    assert (len(frontier.claim(queue=A)), frontier.claim(queue=A).wait_ms) == (0, 3000)
    later(frontier, 3000)
    frontier.finish([frontier.claim(queue=A)[0].outcome(200, delay_ms=0)])
    assert not frontier.claim(queue=A)
    assert frontier.queue(A)["state"] == "retired"
    frontier.unretire(A)
    frontier.budget(A, 9)
    frontier.retire(A)
    assert not frontier.claim(queue=A)


def test_d2_what_one_client_sets_every_other_obeys(make: Make, redis_url: str) -> None:
    frontier = make()
    frontier.schedule(URIS)
    with Frontier.connect(redis_url, crawl="c") as other:
        frontier.snooze(A, 7000)
        assert (len(other.claim()), other.claim().wait_ms) == (0, 7000)
        frontier.wake(A)
        frontier.set_settings({"max_in_flight": 3})
        assert len(other.claim(per_queue=9)) == 3
    nowhere = "example,none,"
    for change in (lambda: frontier.snooze(nowhere, 1), lambda: frontier.wake(nowhere), lambda: frontier.retire(nowhere)):
        with pytest.raises(BadArgument):
            change()


def test_d3_an_empty_queue_remembers_its_delay(make: Make) -> None:
    frontier = make()
    frontier.schedule(URIS[:1])
    assert rest_after(frontier, delay_ms=5000) == 5000
    later(frontier, 100)
    frontier.schedule(URIS[1:2])
    assert frontier.claim().wait_ms == 4900
    later(frontier, 4899)
    assert not frontier.claim()
    later(frontier, 1)
    assert len(frontier.claim()) == 1


@pytest.mark.parametrize(
    ("crawl_delay", "ms"), [(0.2, 3000), (3.5, 3500), (4.2567, 4256), (None, 3000), (-1.0, 3000), (float("nan"), 3000)]
)
def test_d4_a_crawl_delay_never_undercuts_the_floor_and_keeps_its_fractions(make: Make, crawl_delay: float | None, ms: int) -> None:
    frontier = make(min_delay_ms=3000)
    frontier.schedule(URIS[:1])
    assert rest_after(frontier, duration_ms=10, crawl_delay_seconds=crawl_delay) == ms


@pytest.mark.parametrize(("crawl_delay", "ms"), [(299, 299_000), (301, 300_000), (600, 300_000), (1e300, 300_000)])
def test_d5_a_long_crawl_delay_is_kept_up_to_the_cap_and_fails_nothing(make: Make, crawl_delay: float, ms: int) -> None:
    frontier = make()
    frontier.schedule(URIS[:2])
    assert rest_after(frontier, duration_ms=10, crawl_delay_seconds=crawl_delay) == ms
    assert frontier.stats()["succeeded"] == 1
    assert frontier.stats()["pending"] == 1


def test_d6_a_host_whose_robots_txt_is_unreachable_waits_and_then_retires(make: Make) -> None:
    frontier = make()
    frontier.schedule(URIS)
    (claim,) = frontier.claim()
    wanted = frontier.policy.prerequisite(claim.record, "/robots.txt")
    frontier.finish([claim.outcome(-50, prerequisite=wanted)])
    for turn in range(4):
        (claim,) = frontier.claim()
        assert (claim.uri, claim.attempts) == ("http://a.example/robots.txt", turn)
        assert frontier.finish([claim.outcome(503, robots_unreachable=True)])[0].verdict == "retry"
        later(frontier, 299_999)
        assert not frontier.claim()
        later(frontier, 1)
    queue = frontier.queue(A)
    assert (queue["state"], queue["retired_why"]) == ("retired", "robots unreachable")
    assert frontier.stats()["pending"] == len(URIS) + 1
    frontier.unretire(A)
    assert frontier.claim()[0].uri == "http://a.example/robots.txt"


def test_d6_a_robots_txt_that_comes_after_all_ends_the_count(make: Make) -> None:
    frontier = make()
    frontier.schedule(["http://a.example/robots.txt"])
    for _ in range(3):
        frontier.finish([frontier.claim()[0].outcome(-2, robots_unreachable=True)])
        later(frontier, 300_000)
    frontier.finish([frontier.claim()[0].outcome(200, delay_ms=0)])
    assert frontier.queue(A)["robots_run"] == 0


def test_d7_a_host_that_asks_for_it_is_left_alone_longer_and_longer(make: Make) -> None:
    frontier = make()
    frontier.schedule(URIS)
    for seconds in (60, 120, 240, 480, 960, 1920):
        rest = rest_after(frontier, 503 if seconds % 120 else 429, duration_ms=10)
        assert 0.9 * seconds * 1000 <= rest <= 1.1 * seconds * 1000
        later(frontier, rest)
    later(frontier, 31 * 60_000)
    assert 54_000 <= rest_after(frontier, 429) <= 66_000


def test_d7_hosts_do_not_all_come_back_together(make: Make) -> None:
    frontier = make()
    frontier.schedule(f"http://h{i}.example/" for i in range(20))
    claims = frontier.claim(20)
    frontier.finish(c.outcome(503) for c in claims)
    assert len({frontier.queue(c.queue)["not_before"] for c in claims}) > 10


@pytest.mark.parametrize(
    ("retry_after", "low", "high"), [(3600, 3_600_000, 3_600_000), ("7200", 7_200_000, 7_200_000), (10**9, 86_400_000, 86_400_000)]
)
def test_d7_retry_after_counts_when_it_is_longer_up_to_a_day(make: Make, retry_after: object, low: int, high: int) -> None:
    frontier = make()
    frontier.schedule(URIS[:1])
    assert low <= rest_after(frontier, 503, retry_after=retry_after) <= high


@pytest.mark.parametrize("nonsense", ["", "soon", "-5", "1e400", "nan", "Tue, 01 Jan 1980 00:00:00 GMT", "9" * 500, -3.0, float("inf")])
def test_d7_a_retry_after_that_makes_no_sense_leaves_the_default(make: Make, nonsense: object) -> None:
    frontier = make()
    frontier.schedule(URIS[:1])
    assert 54_000 <= rest_after(frontier, 503, retry_after=nonsense) <= 66_000


@pytest.mark.parametrize("nonsense", [None, -1, float("nan"), float("inf"), -1e300])
def test_d8_a_finish_that_tells_no_delay_gets_the_default(make: Make, nonsense: float | None) -> None:
    frontier = make()
    frontier.schedule(URIS[:1])
    assert rest_after(frontier, delay_ms=nonsense) == 5000


def _group(make: Make, **settings: object) -> Frontier:
    frontier = make(queue_group="domain", **settings)
    for i in range(5):
        frontier.schedule(f"http://s{i}.europa.eu/{j}" for j in range(4))
    return frontier


def test_d9_hosts_of_a_group_share_one_delay_and_one_fetch_at_a_time(make: Make) -> None:
    frontier = _group(make)
    times, queues = [], set()
    while len(times) < 10:
        got = frontier.claim(10)
        assert len(got) <= 1
        for claim in got:
            assert not frontier.claim(10)
            times.append(got.now_ms)
            queues.add(claim.queue)
            frontier.finish([claim.outcome(200, delay_ms=1000)])
        later(frontier, 100)
    assert all(b - a >= 1000 for a, b in itertools.pairwise(times))
    assert len(queues) == 5  # in turn
    assert balanced(frontier)


def test_d9_each_host_of_a_group_keeps_its_own_budget(make: Make) -> None:
    frontier = _group(make, queue_total_budget=2)
    fetched = []
    for _ in range(400):
        for claim in frontier.claim():
            fetched.append(claim.queue)
            frontier.finish([claim.outcome(200, delay_ms=1000)])
        later(frontier, 500)
    assert {q: fetched.count(q) for q in fetched} == {f"eu,europa,s{i},": 2 for i in range(5)}
    assert frontier.stats()["queues"]["retired"] == 5


def test_d9_a_snoozed_empty_or_retired_member_does_not_block_the_others(make: Make) -> None:
    frontier = _group(make)
    frontier.snooze("eu,europa,s0,", 10**8)
    frontier.retire("eu,europa,s1,")
    frontier.delete(lambda queue: queue == "eu,europa,s2,")
    fetched = []
    for _ in range(100):
        for claim in frontier.claim():
            fetched.append(claim.queue)
            frontier.finish([claim.outcome(200, delay_ms=1000)])
        later(frontier, 1000)
    assert sorted(set(fetched)) == ["eu,europa,s3,", "eu,europa,s4,"]
    assert len(fetched) == 8


def test_d9_hosts_outside_the_group_are_not_touched(make: Make) -> None:
    frontier = make()
    frontier.set_sheet(Sheet("one server", {"queue_group": "box"}, ("http://(example,a,", "http://(example,b,")))
    frontier.schedule(f"http://{host}.example/{i}" for host in "abcd" for i in range(2))
    first = frontier.claim(10)
    assert len(first) == 3
    assert len({c.queue for c in first} & {"example,a,", "example,b,"}) == 1
    frontier.schedule([Candidate("http://e.example/")])
    assert [c.queue for c in frontier.claim(10)] == ["example,e,"]
