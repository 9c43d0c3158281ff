"""A claim over several partitions gives what was asked for and no more, wherever it lies, in few round trips."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redisfrontier.frontier import Frontier
from redisfrontier.store import scripts
from tests.real.conftest import Make, balanced

PARTITIONS = 8


class Counting:
    """Counts the round trips of a frontier."""

    def __init__(self, frontier: Frontier, monkeypatch: pytest.MonkeyPatch) -> None:
        self.trips = 0
        send = frontier._driver._send

        def counted(commands):
            self.trips += 1
            return send(commands)

        monkeypatch.setattr(frontier._driver, "_send", counted)


def test_a_claim_of_one_gives_one_wherever_it_lies(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = make(partitions=PARTITIONS)
    uris = [f"http://h{i}.example/" for i in range(20)]
    for op in ("claim", "release"):
        frontier.client.script_load(scripts.load(op).text)
    frontier.schedule(uris)
    counting = Counting(frontier, monkeypatch)
    got = []
    for _ in uris:
        before = counting.trips
        (claim,) = frontier.claim()
        assert counting.trips - before <= 3  # the first partition, all others, what came beyond
        got.append(claim)
    assert sorted(c.uri for c in got) == sorted(uris)
    assert {(c.attempts, c.lost_leases) for c in got} == {(0, 0)}
    before = counting.trips
    nothing = frontier.claim()
    assert counting.trips - before <= 2
    assert (len(nothing), nothing.wait_ms) == (0, 1_200_000)
    assert balanced(frontier)
    frontier.finish([c.outcome(200) for c in got])
    assert frontier.stats()["succeeded"] == 20


@given(hosts=st.integers(0, 30), wanted=st.lists(st.integers(1, 12), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_no_claim_gives_more_queues_than_it_was_asked_for(make: Make, hosts: int, wanted: list[int]) -> None:
    frontier = make(partitions=PARTITIONS)
    frontier.schedule(f"http://h{host}.example/{i}" for host in range(hosts) for i in range(3))
    left = {f"example,h{host},": 3 for host in range(hosts)}
    for n in wanted:
        ready = sum(pending > 0 for pending in left.values())
        claims = frontier.claim(n)
        by_queue: dict[str, int] = {}
        for claim in claims:
            by_queue[claim.queue] = by_queue.get(claim.queue, 0) + 1
        assert len(by_queue) == min(n, ready)
        assert set(by_queue.values()) <= {1}
        frontier.finish([c.outcome(200, delay_ms=0) for c in claims])
        for queue, count in by_queue.items():
            left[queue] -= count
    assert frontier.stats()["in_flight"] == 0
    assert balanced(frontier)
    frontier.delete_crawl()


def test_a_queue_of_a_group_is_claimed_by_its_name_where_the_group_lives(make: Make) -> None:
    frontier = make(partitions=PARTITIONS, queue_group="all")
    frontier.schedule([f"http://h{i}.example/" for i in range(12)])
    assert len({row["partition"] for row in frontier.queues()}) == 1
    (claim,) = frontier.claim(queue="example,h7,")
    assert claim.uri == "http://h7.example/"
    assert len(frontier.claim(queue="example,nowhere,")) == 0
