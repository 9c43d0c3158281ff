"""More of everything than one call moves: long work goes on over several bounded calls, and nothing is passed over."""

from __future__ import annotations

from itertools import pairwise

import pytest

from redisfrontier.frontier import Frontier
from tests.model.snapshot import Stored, broken
from tests.real.conftest import Make, balanced, later

HOSTS = 350


def crowd(make: Make, **settings: object) -> Frontier:
    frontier = make(min_delay_ms=0, **settings)
    frontier.schedule(f"http://h{i}.example/{j}" for i in range(HOSTS) for j in range(2))
    return frontier


def claim_all(frontier: Frontier) -> list[str]:
    """Everything that can be claimed now."""
    found: list[str] = []
    for _ in range(50):
        got = frontier.claim(1000)
        found += [c.uri for c in got]
        if not got and got.wait_ms != 0:
            return found
    raise AssertionError("it never ends")


def sound(frontier: Frontier) -> bool:
    return balanced(frontier) and broken(Stored(frontier.client, "c", buckets=40)) == []


def test_expired_leases(make: Make) -> None:
    frontier = crowd(make, lease_ms=5000)
    assert len(claim_all(frontier)) == HOSTS
    later(frontier, 5000)
    assert frontier.stats()["in_flight"] == 0
    assert len(claim_all(frontier)) == HOSTS
    assert frontier.stats()["lost"] == HOSTS
    assert sound(frontier)


def test_due_queues(make: Make) -> None:
    frontier = crowd(make)
    frontier.finish(c.outcome(200, delay_ms=1000) for c in frontier.claim(1000))
    assert claim_all(frontier) == []
    later(frontier, 1000)
    assert len(claim_all(frontier)) == HOSTS
    assert sound(frontier)


def test_dated_uris(make: Make) -> None:
    frontier = crowd(make)
    frontier.finish(c.outcome(200, delay_ms=0, refetch_in_ms=1000) for c in frontier.claim(1000))
    assert frontier.stats()["later"] == HOSTS
    later(frontier, 1000)
    assert len(claim_all(frontier)) == HOSTS
    assert frontier.stats()["later"] == 0
    assert sound(frontier)


def test_one_call_moves_a_bounded_number(make: Make) -> None:
    frontier = crowd(make)
    frontier.finish(c.outcome(200, delay_ms=0) for c in frontier.claim(1000))
    frontier.finish(c.outcome(200, delay_ms=1000) for c in frontier.claim(1000))
    later(frontier, 1000)
    sizes = []
    while (got := frontier.claim()).wait_ms == 0:
        assert not got
        sizes.append(frontier.stats()["queues"]["due"] + frontier.client.zcard("rf:{c:0}:due"))
    assert all(0 <= a - b <= 100 for a, b in pairwise(sizes))
    assert len(sizes) >= 3


@pytest.mark.parametrize("how", ["wake", "unretire", "budget", "delete", "release_worker"])
def test_what_operators_do_to_all(make: Make, how: str) -> None:
    frontier = crowd(make, queue_total_budget=1) if how == "budget" else crowd(make)
    if how == "wake":
        frontier.finish(c.outcome(-2) for c in frontier.claim(1000))
        assert frontier.wake() == HOSTS
    elif how == "unretire":
        for q in list(frontier.queues()):
            frontier.retire(q["queue"])
        assert frontier.unretire() == HOSTS
    elif how == "budget":
        frontier.finish(c.outcome(200, delay_ms=0) for c in frontier.claim(1000))
        assert claim_all(frontier) == []
        assert frontier.stats()["queues"]["retired"] == HOSTS
        frontier.set_settings({"queue_total_budget": 2})
    elif how == "release_worker":
        frontier.claim(1000, worker="w")
        assert frontier.release_worker("w") == HOSTS
    else:
        assert sum(frontier.delete(lambda queue: queue.startswith("example,h1")).values()) > 100
    left = len({row["queue"] for row in frontier.uris()})
    assert len(claim_all(frontier)) == left
    assert left == HOSTS or how == "delete"
    assert sound(frontier)


def test_a_great_schedule_call_is_answered_in_order(make: Make) -> None:
    frontier = make(partitions=3)
    offered = [f"http://h{i % 90}.example/{i}" for i in range(5000)]
    mixed = [uri for pair in zip(offered, offered[::-1], strict=True) for uri in pair]
    answers = frontier.schedule(mixed)
    assert [a.uri for a in answers] == mixed
    assert sum(a.accepted for a in answers) == frontier.stats()["admitted"] == 5000
    assert balanced(frontier)


def test_a_queue_of_very_many_uris_is_deleted_while_its_uris_are_out(make: Make) -> None:
    frontier = make(max_in_flight=10)
    frontier.schedule(f"http://a.example/{i}" for i in range(3000))
    claims = frontier.claim(per_queue=10)
    assert frontier.delete(lambda queue: True) == {"example,a,": 3000}
    assert (frontier.stats()["pending"], frontier.stats()["in_flight"]) == (0, 0)
    assert {s.verdict for s in frontier.finish(c.outcome(200) for c in claims)} == {"deleted"}
    assert frontier.stats()["state"] == "EMPTY"
    assert sound(frontier)
