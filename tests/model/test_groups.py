"""Queue groups, whatever is asked of them: one delay and one limit for all members, and no member is ever forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

import hypothesis.strategies as st
import pytest
import redis
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Claim
from redisfrontier.store import keys
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from tests.conftest import private_server
from tests.model.snapshot import Stored, broken

GROUP = "org,one,"
MEMBERS = tuple(f"org,one,{host}," for host in "abc")
URIS = tuple(f"http://{host}.one.org/{i}" for host in "abc" for i in range(4)) + tuple(f"http://other{i}.example/" for i in range(2))
some_queue = st.sampled_from(MEMBERS)


class GroupMachine(RuleBasedStateMachine):
    """Three hosts of one domain, and others."""

    client: ClassVar[redis.Redis]
    url: ClassVar[str]
    numbers: ClassVar[Any] = count(1)

    @initialize(limit=st.sampled_from([1, 1, 2]), per_queue=st.sampled_from([1, 2]), budget=st.sampled_from([-1, -1, 2]))
    def begin(self, limit: int, per_queue: int, budget: int) -> None:
        self.crawl, self.now, self.limit = f"g{next(self.numbers)}", 1, limit
        chosen = {
            "uniqueness": "exact",
            "queue_group": "domain",
            "group_max_in_flight": limit,
            "max_in_flight": per_queue,
            "queue_total_budget": budget,
            "lease_ms": 20_000,
            "max_lost_leases": 1000,
            "max_retries": 10_000,
        }
        self.frontier = Frontier.create(self.url, self.crawl, chosen, scope=[{"rule": "accept"}], test_clock=True)
        self.frontier.set_clock(self.now)
        self.frontier.start()
        self.held: list[Claim] = []

    def teardown(self) -> None:
        if hasattr(self, "frontier"):
            try:
                self._everything_is_fetched_in_the_end()
            finally:
                self.frontier.close()
                self.client.flushall()

    def _everything_is_fetched_in_the_end(self) -> None:
        self.frontier.set_settings({"queue_total_budget": -1})
        self.frontier.unretire()
        for _ in range(200):
            claims = self.frontier.claim(10)
            self.frontier.finish(c.outcome(200, delay_ms=1000) for c in claims)
            if self.frontier.stats()["state"] == "EMPTY":
                break
            self._pass(5000)
        assert self.frontier.stats()["state"] == "EMPTY", (self.frontier.stats(), list(self.frontier.queues()))

    def _pass(self, ms: int) -> None:
        self.now += ms
        self.frontier.set_clock(self.now)

    def _there(self, queue: str) -> bool:
        return bool(self.client.exists(keys.queue_state(self.crawl, 0, queue)))

    @rule(uris=st.lists(st.sampled_from(URIS), min_size=1, max_size=6))
    def schedule(self, uris: list[str]) -> None:
        self.frontier.schedule(uris)

    @rule(n=st.integers(1, 5), queue=st.sampled_from([None, None, *MEMBERS]))
    def claim(self, n: int, queue: str | None) -> None:
        rests_until = int(self.client.hget(keys.group(self.crawl, 0, GROUP), "not_before") or 0)
        got = self.frontier.claim(n, per_queue=2, queue=queue)
        if any(c.queue in MEMBERS for c in got):
            assert got.now_ms >= rests_until
        self.held += got

    @rule(at=st.integers(0, 99), status=st.sampled_from([200, 200, 404, -2, -50, 503]), force=st.sampled_from([False] * 7 + [True]))
    def finish(self, at: int, status: int, force: bool) -> None:
        if self.held:
            self.frontier.finish([self.held.pop(at % len(self.held)).outcome(status, delay_ms=1000, force_retire=force)])

    @rule(at=st.integers(0, 99), queue=st.sampled_from([None, *MEMBERS]))
    def release(self, at: int, queue: str | None) -> None:
        if self.held:
            claim = self.held.pop(at % len(self.held))  # (a host of another group would take the queue into that)
            self.frontier.release([claim], queue=queue if claim.queue in MEMBERS else None)

    @rule(ms=st.sampled_from([1, 999, 1000, 5000, 30_000]))
    def time_passes(self, ms: int) -> None:
        self._pass(ms)

    @rule(queue=some_queue, what=st.sampled_from(["snooze", "wake", "retire", "unretire", "budget", "delete"]), value=st.integers(0, 4))
    def operate(self, queue: str, what: str, value: int) -> None:
        if not self._there(queue):
            return
        if what == "snooze":
            self.frontier.snooze(queue, value * 2000)
        elif what == "budget":
            self.frontier.budget(queue, value - 2, reset=value % 2 == 0, precedence=value)
        elif what == "delete":
            self.frontier.delete(lambda name: name == queue)
        else:
            getattr(self.frontier, what)(queue)

    @invariant()
    def sound(self) -> None:
        if not hasattr(self, "frontier"):
            return
        stored = Stored(self.client, self.crawl)
        name = keys.group(self.crawl, 0, GROUP)
        parked = {q.decode() for q in self.client.zrange(keys.group_waiting(self.crawl, 0, GROUP), 0, -1)}
        bad = [b for b in broken(stored) if not ("is stuck: in_process" in b and b.split(" ")[0] in parked)]
        out = sum(stored.number(q, "in_flight") for q in MEMBERS if q in stored.queues)
        assert out == int(self.client.hget(name, "in_flight") or 0)
        assert out <= self.limit
        assert not bad, "; ".join(bad)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Embedded]:
    """A server for this test alone: it is emptied after every example."""
    with private_server(tmp_path / "redis") as server:
        yield server


@pytest.mark.timeout(600)
def test_groups(own_server: Embedded) -> None:
    GroupMachine.url = own_server.url
    GroupMachine.client = connect(own_server.url)
    chosen = settings(max_examples=settings().max_examples, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(GroupMachine, settings=chosen)
    GroupMachine.client.close()
