"""Field cases J: retry storms."""

from __future__ import annotations

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.record.record import Candidate
from tests.real.conftest import Make, later

A = "http://a.example/"


def test_j1_a_crawl_that_waits_for_a_retry_says_so(make: Make) -> None:
    frontier = make()
    frontier.schedule([A])
    frontier.finish([frontier.claim()[0].outcome(-2)])
    stats = frontier.stats()
    assert (stats["state"], stats["waiting_for"]) == ("RUN", "politeness, retry or snooze of a queue")
    assert stats["next_due_ms"] == stats["now_ms"] + 900_000


def test_j1_a_crawl_ends_when_its_time_is_over(make: Make) -> None:
    frontier = make(max_time_seconds=3600)
    frontier.schedule([A])
    frontier.finish([frontier.claim()[0].outcome(-2)])
    later(frontier, 3_600_000)
    assert not frontier.claim()
    assert (frontier.stats()["state"], frontier.stats()["finish_reason"]) == ("FINISH", "max_time_seconds")


def _attempt(frontier: Frontier) -> str:
    """One failed attempt, after whatever wait; the verdict."""
    while not (claims := frontier.claim()):
        later(frontier, claims.wait_ms or 0)
    (claim,) = claims
    return frontier.finish([claim.outcome(-2)])[0].verdict


@pytest.mark.parametrize("between", ["nothing", "lease", "release", "snooze", "restart"])
def test_j2_the_number_of_attempts_is_exact_whatever_happens_between(make: Make, redis_url: str, between: str) -> None:
    frontier = make(max_retries=3, max_lost_leases=5, lease_ms=10_000)
    frontier.schedule([A])
    verdicts = []
    for _ in range(3):
        verdicts.append(_attempt(frontier))
        if verdicts[-1] != "retry":
            break
        later(frontier, 900_000)
        if between == "lease":
            assert len(frontier.claim()) == 1
            later(frontier, 10_000)
        elif between == "release":
            frontier.release(frontier.claim())
        elif between == "snooze":
            frontier.snooze("example,a,", 60_000)
        elif between == "restart":
            frontier = Frontier.connect(redis_url, crawl="c")
            frontier.client.script_flush()
    assert verdicts == ["retry", "retry", "failed"]
    assert frontier.stats()["failed"] == 1


def test_j3_a_retried_uri_keeps_its_place_path_and_depth(make: Make) -> None:
    frontier = make()
    frontier.schedule(Candidate(f"{A}{i}", path="LL", via=A) for i in range(3))
    frontier.finish([frontier.claim()[0].outcome(-3)])
    later(frontier, 900_000)
    (claim,) = frontier.claim()
    assert (claim.uri, claim.path, claim.record.depth, claim.attempts) == (f"{A}0", "LL", 2, 1)


def test_j3_with_scope_uri_it_comes_back_later_behind_fresh_ones(make: Make) -> None:
    frontier = make(retry_scope="uri", retry_delay_seconds=60)
    frontier.schedule(Candidate(f"{A}{i}", path="LL", via=A) for i in range(3))
    frontier.finish([frontier.claim()[0].outcome(-3)])
    later(frontier, 60_000)
    got = []
    while claims := frontier.claim():
        got.append((claims[0].uri[-1], claims[0].path, claims[0].attempts))
        frontier.finish([claims[0].outcome(200, delay_ms=0)])
    assert got == [("1", "LL", 0), ("2", "LL", 0), ("0", "LL", 1)]


def test_j4_a_host_that_did_not_resolve_is_asked_again(make: Make) -> None:
    frontier = make()
    frontier.schedule([A])
    frontier.finish([frontier.claim()[0].outcome(-1)])
    assert (len(frontier.claim()), frontier.claim().wait_ms) == (0, 900_000)
    later(frontier, 900_000)
    assert [c.uri for c in frontier.claim()] == [A]


def test_j5_a_uri_whose_workers_keep_dying_fails(make: Make) -> None:
    frontier = make(max_lost_leases=2, lease_ms=1000, min_delay_ms=0)
    frontier.schedule([A, f"{A}next"])
    for lost in range(3):
        (claim,) = frontier.claim()
        assert (claim.uri, claim.lost_leases) == (A, lost)
        later(frontier, 1000)
    assert [c.uri for c in frontier.claim()] == [f"{A}next"]
    assert (frontier.stats()["failed"], frontier.queue("example,a,")["last_error"]) == (1, -3000)
