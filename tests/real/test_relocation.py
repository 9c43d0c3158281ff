"""Claims given back to another queue: of the same partition, of another one, of a group, by someone who no longer has them."""

from __future__ import annotations

from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Finished
from redisfrontier.uri.fingerprint import partition_of
from tests.real.conftest import Make, balanced, later

A = "http://a.example/"


def elsewhere(partitions: int, queue: str) -> str:
    """The name of a queue in another partition."""
    return next(name for name in (f"q{i}" for i in range(99)) if partition_of(name, partitions) != partition_of(queue, partitions))


def test_within_a_partition_it_keeps_its_id_and_attempts(make: Make) -> None:
    frontier = make(retry_delay_seconds=0)
    frontier.schedule([A, f"{A}2"])
    frontier.finish([frontier.claim()[0].outcome(-2)])
    (claim,) = frontier.claim()
    assert frontier.release([claim], queue="other") == [Finished.OK]
    (again,) = frontier.claim(queue="other")
    assert (again.id, again.attempts, again.uri) == (claim.id, 1, A)
    assert (frontier.queue("example,a,")["admitted"], frontier.queue("other")["admitted"]) == (1, 1)
    assert frontier.queue("example,a,")["spent"] == 1
    assert balanced(frontier)


def test_into_another_partition_it_is_admitted_there_and_known_here(make: Make) -> None:
    frontier = make(partitions=4)
    frontier.schedule([A])
    (claim,) = frontier.claim()
    other = elsewhere(4, claim.queue)
    assert frontier.release([claim], queue=other) == [Finished.OK]
    assert (frontier.stats()["admitted"], frontier.stats()["pending"], frontier.stats()["in_flight"]) == (1, 1, 0)
    assert str(frontier.schedule([A])[0].outcome) == "known"
    (again,) = frontier.claim(queue=other)
    assert (again.uri, again.id != claim.id) == (A, True)
    assert frontier.finish([again.outcome(200)])[0].verdict == "succeeded"
    assert frontier.stats()["state"] == "EMPTY"
    assert balanced(frontier)


def test_one_that_is_no_longer_held_is_not_doubled(make: Make) -> None:
    frontier = make(partitions=4, lease_ms=1000, min_delay_ms=0)
    frontier.schedule([A])
    (lost,) = frontier.claim(worker="w1")
    later(frontier, 1000)
    (held,) = frontier.claim(worker="w2")
    assert frontier.release([lost], queue=elsewhere(4, lost.queue)) == [Finished.STALE]
    assert frontier.release([lost], queue="example,a,+1") == [Finished.STALE]
    frontier.finish([held.outcome(200)])
    assert frontier.release([held], queue=elsewhere(4, lost.queue)) == [Finished.GONE]
    assert (frontier.stats()["admitted"], frontier.stats()["state"]) == (1, "EMPTY")


def test_a_queue_of_a_group_that_a_relocation_makes_belongs_to_it(make: Make) -> None:
    frontier: Frontier = make(queue_group="domain")
    frontier.schedule([f"{A}{i}" for i in range(3)])
    (claim,) = frontier.claim()
    assert frontier.release([claim], queue="example,a,+7") == [Finished.OK]
    assert frontier.queue("example,a,+7")["group"] == frontier.queue("example,a,")["group"] != ""
    assert len(frontier.claim(10)) == 1
