"""Field cases C: starvation, fairness, idle workers."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep
from typing import Any

import redis

from redisfrontier.frontier import Frontier
from tests.real.conftest import Make, balanced, later


def test_c1_a_site_with_very_many_uris_does_not_crowd_out_the_others(make: Make) -> None:
    frontier = make()
    frontier.schedule(f"http://big.example/{i}" for i in range(2000))
    frontier.schedule(f"http://h{i}.example/" for i in range(99))
    assert len({c.queue for c in frontier.claim(100)}) == 100


def _emptied(make: Make, hosts: int) -> Frontier:
    frontier = make()
    frontier.schedule(f"http://h{i}.example/" for i in range(hosts))
    while (claims := frontier.claim(200)) or claims.wait_ms == 0:  # 0: a bound stopped it, there may be more
        frontier.finish(c.outcome(200, delay_ms=0) for c in claims)
    frontier.schedule(["http://live.example/"])
    return frontier


def test_c2_very_many_exhausted_hosts_do_not_stand_in_the_way_of_one_that_lives(make: Make) -> None:
    frontier = _emptied(make, 1500)
    steps = frontier.client.info("commandstats")
    assert [c.uri for c in frontier.claim()] == ["http://live.example/"]
    after = frontier.client.info("commandstats")
    assert after["cmdstat_hmget"]["calls"] - steps["cmdstat_hmget"]["calls"] < 5  # it is not looked for among them
    assert frontier.stats()["queues"]["exhausted"] == 1500


def test_c2_a_queue_behind_many_emptied_ones_is_found_in_bounded_calls(make: Make) -> None:
    frontier = make(max_in_flight=2)
    frontier.schedule(f"http://h{i}.example/{j}" for i in range(250) for j in range(2))
    claims = [c for _ in range(2) for c in frontier.claim(250)]
    frontier.delete(lambda queue: True)
    frontier.finish(c.outcome(200, delay_ms=0) for c in claims)  # 250 empty queues stand in ready until their turn
    frontier.schedule(["http://live.example/"])
    got = [c.uri for _ in range(4) for c in frontier.claim()]
    assert got == ["http://live.example/"]
    assert balanced(frontier)


def test_c3_a_worker_with_a_slow_uri_gets_others_meanwhile(make: Make) -> None:
    frontier = make()
    frontier.schedule(["http://slow.example/", "http://a.example/", "http://b.example/"])
    assert [len(frontier.claim(worker="w")) for _ in range(4)] == [1, 1, 1, 0]


def test_c4_an_idle_worker_is_told_when_to_come_again(make: Make) -> None:
    frontier = make()
    frontier.schedule(["http://a.example/", "http://b.example/"])
    frontier.snooze("example,a,", 42_000)
    frontier.snooze("example,b,", 99_000)
    got = frontier.claim(10)
    assert (len(got), got.wait_ms) == (0, 42_000)


def test_c5_a_worker_may_not_hold_more_than_its_share(make: Make) -> None:
    frontier = make(max_in_flight_per_worker=3)
    frontier.schedule(f"http://h{i}.example/" for i in range(10))
    held = frontier.claim(10, worker="slow")
    assert (len(held), len(frontier.claim(10, worker="slow"))) == (3, 0)
    frontier.finish([held[0].outcome(200)])
    assert len(frontier.claim(10, worker="slow")) == 1
    assert len(frontier.claim(2, worker="other")) == 2


def test_c6_a_dead_host_with_very_many_seeds_backs_off_as_one(make: Make) -> None:
    frontier = make(retry_delay_seconds=60)
    frontier.schedule([f"http://dead.example/{i}" for i in range(200)])
    waits = []
    for _ in range(14):
        (claim,) = frontier.claim()
        frontier.finish([claim.outcome(-2)])
        waits.append(frontier.claim().wait_ms or 0)
        later(frontier, waits[-1])
    assert waits[:5] == [60_000, 60_000, 120_000, 240_000, 480_000]
    assert waits[-1] == 86_400_000
    (claim,) = frontier.claim()
    frontier.finish([claim.outcome(200, delay_ms=0)])  # any answer ends the run
    frontier.finish([frontier.claim()[0].outcome(-2)])
    assert frontier.claim().wait_ms == 60_000


def test_c3_a_worker_with_a_slow_uri_gets_later_work_of_its_other_hosts(make: Make) -> None:
    frontier = make(min_delay_ms=0)
    frontier.schedule(["http://slow.example/", *(f"http://quick.example/{i}" for i in range(5))])
    slow, quick = sorted(frontier.claim(2, worker="w"), key=lambda c: c.queue, reverse=True)
    for _ in range(4):
        frontier.finish([quick.outcome(200, delay_ms=0)])
        (quick,) = frontier.claim(2, worker="w")
    assert quick.queue == "example,quick,"
    assert slow.queue == "example,slow,"


def _idle(make: Make, how: str) -> None:
    """A crawl that has nothing to give, for one of several reasons."""
    frontier = make(how, real_time=True)
    if how != "empty":
        frontier.schedule(f"http://h{i}.example/{j}" for i in range(5) for j in range(2))
    if how == "snoozed":
        for row in list(frontier.queues()):
            frontier.snooze(row["queue"], 42_000)
    elif how == "paused":
        frontier.pause()
    elif how == "busy":
        frontier.claim(5, worker="other")
    elif how == "resting":
        frontier.finish(c.outcome(200, delay_ms=60_000) for c in frontier.claim(5, worker="other"))


class _Waiting(threading.Thread):
    """Waits for work, and counts what it sends."""

    def __init__(self, url: str, crawl: str) -> None:
        super().__init__(daemon=True)
        self.frontier = Frontier.connect(url, crawl=crawl, worker="idle")
        self.sent, self._send = 0, self.frontier._driver._send
        self.frontier._driver._send = self._counted  # type: ignore[method-assign]
        self.start()

    def _counted(self, commands: Any) -> list[Any]:
        self.sent += 1
        return self._send(commands)

    def run(self) -> None:
        assert not self.frontier.claim(wait=4.5)
        self.frontier.close()


def test_c4_an_idle_worker_asks_less_than_twice_a_second(make: Make, redis_url: str) -> None:
    reasons = ("empty", "snoozed", "paused", "busy", "resting")
    for how in reasons:
        _idle(make, how)
    workers = [_Waiting(redis_url, how) for how in reasons]
    sleep(1)  # asleep by now
    before = [worker.sent for worker in workers]
    sleep(3)
    asked = {how: worker.sent - n for how, worker, n in zip(reasons, workers, before, strict=True)}
    assert max(asked.values()) <= 6, asked
    assert min(before) >= 1
    for worker in workers:
        worker.join()


def test_c5_no_call_can_hand_a_worker_more_than_its_share(make: Make) -> None:
    frontier = make(max_in_flight_per_worker=7, max_in_flight=5, partitions=1)
    frontier.schedule(f"http://h{i}.example/{j}" for i in range(4) for j in range(5))
    got = [len(frontier.claim(10, per_queue=5, worker="w")), len(frontier.claim(1, queue="example,h3,", worker="w"))]
    assert got == [7, 0]
    assert len(list(frontier.leases("w"))) == 7
    assert frontier.release_worker("w") == 7
    assert len(frontier.claim(10, per_queue=5, worker="w")) == 7


@contextmanager
def _watched(client: redis.Redis, microseconds: int = 400) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """All script calls made meanwhile that took so long, as the slow log has them (which logs what they do inside as well)."""
    client.config_set("slowlog-max-len", 100_000)
    client.slowlog_reset()
    client.config_set("slowlog-log-slower-than", microseconds)
    try:
        yield lambda: [row for row in client.slowlog_get(100_000)[::-1] if row["command"].startswith(b"EVALSHA")]
    finally:
        client.config_set("slowlog-log-slower-than", -1)
        client.slowlog_reset()


def _arguments(call: dict[str, Any]) -> int:
    """How many words the command had: the slow log keeps 32 of them and says how many more there were."""
    cut = re.search(rb"\.\.\. \((\d+) more arguments\)$", call["command"])
    return len(call["command"].split()) if cut is None else 31 + int(cut[1])


def _cpu_ms(client: redis.Redis) -> float:
    """Processor time of the server so far: what else this machine does, does not count."""
    cpu = client.info("cpu")
    return 1000 * float(cpu["used_cpu_user"] + cpu["used_cpu_sys"])


def test_c7_a_call_with_very_many_links_is_cut_into_short_ones(make: Make, redis_client: redis.Redis) -> None:
    frontier = make()
    links = [f"http://h{i % 500}.example/some/longer/path/{i}" for i in range(50_000)]
    with _watched(redis_client) as calls:
        before = _cpu_ms(redis_client)
        answers = frontier.schedule(links)
        taken = _cpu_ms(redis_client) - before
        made = [call for call in calls() if _arguments(call) > 100]
    assert {str(a.outcome) for a in answers} == {"added"}
    assert len(made) == 200
    assert max(_arguments(call) for call in made) <= 18 + 4 * 250  # 250 URIs, four words a URI
    assert taken / len(made) < 20  # ms


def test_c7_others_get_their_turn_between_the_pieces(make: Make, redis_url: str, redis_client: redis.Redis) -> None:
    frontier, other = make(), Frontier.connect(redis_url, crawl="c")
    links = [f"http://h{i % 500}.example/{i}" for i in range(50_000)]
    work = threading.Thread(target=frontier.schedule, args=(links,))
    with _watched(redis_client, 40) as calls:
        work.start()
        while work.is_alive():
            other.finish(c.outcome(200, delay_ms=0) for c in other.claim())
        sizes = [_arguments(call) for call in calls()]
    runs, run = [], 0
    for size in sizes:
        run = run + 1 if size > 100 else 0
        runs.append(run)
    assert max(runs) <= 48  # never three pipelines in a row, though the other client is a thread of this very process
    other.close()


def test_g4_a_great_queue_is_dropped_in_short_calls(make: Make, redis_client: redis.Redis) -> None:
    frontier = make()
    frontier.schedule(f"http://big.example/{i}" for i in range(20_000))
    with _watched(redis_client) as calls:
        assert frontier.delete(lambda queue: True) == {"example,big,": 20_000}
        made = calls()
    assert max(_arguments(call) for call in made) <= 18 + 2 + 2 * 500
    assert len(made) >= 40
    assert balanced(frontier)
