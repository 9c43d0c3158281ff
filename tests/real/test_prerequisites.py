"""What must be fetched before a URI comes out next of its queue, once, and holds back the rest of it meanwhile."""

from __future__ import annotations

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Claim
from redisfrontier.record.record import Candidate
from tests.real.conftest import Make, balanced, later

A, ROBOTS, QUEUE = "http://a.example/", "http://a.example/robots.txt", "example,a,"


def defer(frontier: Frontier, claim: Claim, raw: str = "/robots.txt") -> None:
    """The URI needs something first."""
    (settled,) = frontier.finish([claim.outcome(-50, prerequisite=frontier.policy.prerequisite(claim.record, raw))])
    assert settled.verdict == "retry"


@pytest.mark.parametrize("directive", [0, 1, 2, 3])
def test_it_comes_next_whatever_the_directive_of_the_uri(make: Make, directive: int) -> None:
    frontier = make()
    frontier.schedule([Candidate(f"{A}{i}", directive=directive) for i in range(3)])
    defer(frontier, frontier.claim()[0])
    (first,) = frontier.claim()
    assert (first.uri, first.queue, first.path) == (ROBOTS, QUEUE, "P")
    frontier.finish([first.outcome(200, delay_ms=0)])
    assert (frontier.claim()[0].uri, frontier.queue(QUEUE)["spent"]) == (f"{A}0", 1)  # a deferral is free, the robots.txt is not


def test_it_comes_next_though_its_uri_was_moved_up(make: Make) -> None:
    frontier = make()
    frontier.schedule([f"{A}1", f"{A}2"])
    frontier.schedule([Candidate(f"{A}2", directive=1, force_fetch=True)])
    (claim,) = frontier.claim()
    assert claim.uri == f"{A}2"
    defer(frontier, claim)
    assert frontier.claim()[0].uri == ROBOTS


def test_while_it_is_out_its_queue_gives_nothing(make: Make) -> None:
    frontier = make(max_in_flight=5)
    frontier.schedule([f"{A}{i}" for i in range(3)])
    defer(frontier, frontier.claim()[0])
    (first,) = frontier.claim(per_queue=5)
    assert first.uri == ROBOTS
    assert not frontier.claim(per_queue=5)
    frontier.finish([first.outcome(200, delay_ms=0)])
    assert len(frontier.claim(per_queue=5)) == 3


def test_an_equal_one_is_not_doubled_but_moved_up(make: Make) -> None:
    frontier = make(max_in_flight=2)
    frontier.schedule([f"{A}1", f"{A}2", f"{A}3", ROBOTS])
    first, second = frontier.claim(per_queue=2)
    defer(frontier, first)
    defer(frontier, second)
    assert frontier.stats()["admitted"] == 4
    (robots,) = frontier.claim(per_queue=2)
    assert robots.uri == ROBOTS
    frontier.finish([robots.outcome(200, delay_ms=0)])
    assert [c.uri for c in frontier.claim(per_queue=2)] == [f"{A}1", f"{A}2"]


def test_one_that_was_fetched_before_is_fetched_again(make: Make) -> None:
    frontier = make()
    frontier.schedule([ROBOTS, A])
    frontier.finish([frontier.claim()[0].outcome(200, delay_ms=0)])
    defer(frontier, frontier.claim()[0])
    assert frontier.claim()[0].uri == ROBOTS


@pytest.mark.parametrize("end", ["failed", "deleted", "relocated", "lost"])
def test_however_it_ends_its_queue_goes_on(make: Make, end: str) -> None:
    frontier = make(max_in_flight=3, lease_ms=5000, min_delay_ms=0, max_lost_leases=0)
    frontier.schedule([f"{A}{i}" for i in range(3)])
    defer(frontier, frontier.claim()[0])
    (first,) = frontier.claim()
    if end == "failed":
        frontier.finish([first.outcome(-4, delay_ms=0)])
    elif end == "deleted":
        frontier.delete(lambda queue: True, lambda record: record.uri == ROBOTS)
        frontier.finish([first.outcome(200, delay_ms=0)])
    elif end == "relocated":
        frontier.release([first], queue="other")
        assert frontier.claim(queue="other")[0].uri == ROBOTS
    else:
        later(frontier, 5000)
        frontier.claim(queue="nothing")
    assert len(frontier.claim(per_queue=3, queue=QUEUE)) == 3
    assert balanced(frontier)


def test_one_that_cannot_be_scheduled_fails_the_uri(make: Make) -> None:
    frontier = make()
    frontier.schedule([A])
    (claim,) = frontier.claim()
    (settled,) = frontier.finish([claim.outcome(-50, prerequisite=Candidate("http://"))])
    assert (settled.verdict, frontier.queue(QUEUE)["last_error"]) == ("failed", -63)


def test_deferrals_count_as_attempts(make: Make) -> None:
    frontier = make(max_retries=2)
    frontier.schedule([A])
    defer(frontier, frontier.claim()[0])
    frontier.finish([frontier.claim()[0].outcome(200, delay_ms=0)])
    (claim,) = frontier.claim()
    assert claim.attempts == 1
    wanted = frontier.policy.prerequisite(claim.record, "/robots.txt")
    assert frontier.finish([claim.outcome(-50, prerequisite=wanted)])[0].verdict == "failed"
    assert frontier.stats()["pending"] == 0
