"""Field cases C: starvation, fairness, idle workers."""

from __future__ import annotations

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
