"""The state machine: every call of the facade against the real frontier and the model, compared after each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

import hypothesis.strategies as st
import redis
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from redisfrontier.errors import WrongState
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Claim, Outcome
from redisfrontier.record.record import Candidate
from tests.model.model import Result
from tests.model.ops import Model
from tests.model.settings import Rules
from tests.model.snapshot import Stored, broken, differences, told

HOSTS = ("a", "b")
URIS = tuple(f"http://{host}.example/{i}" for host in HOSTS for i in range(5))
FIRSTS = tuple(f"http://{host}.example/robots.txt" for host in HOSTS)
QUEUES = tuple(f"example,{host}," for host in HOSTS)
#: Where URIs are relocated to.
OTHER_QUEUES = (*QUEUES, "other")


def queue_of(uri: str) -> str:
    """The queue that the policy gives."""
    return f"example,{uri.split('/')[2].split('.')[0]},"


rules_of = st.builds(
    Rules,
    uniqueness=st.sampled_from(["exact"] * 9 + ["bitfield"]),
    session_budget=st.sampled_from([3000, 0, 1, 2]),
    total_budget=st.sampled_from([-1, -1, -1, 2, 5, 0]),
    max_retries=st.sampled_from([1, 2, 3, 30]),
    retry_delay_ms=st.sampled_from([9000, 9000, 0]),
    retry_scope=st.sampled_from(["queue", "queue", "uri"]),
    retry_statuses=st.sampled_from([(), (), (500, 503)]),
    max_in_flight=st.sampled_from([1, 1, 2, 3]),
    max_lost=st.sampled_from([0, 1, 3]),
    floor=st.sampled_from([255, 255, 4]),
    policy=st.sampled_from(["base", "base", "success_counts", "highest_uri"]),
    retention=st.sampled_from(["pending", "pending", "keep"]),
    lease_ms=st.sampled_from([4000, 20_000, 60_000]),
)
offers = st.tuples(st.sampled_from(URIS + FIRSTS), st.integers(0, 3), st.sampled_from([1, 1, 2, 200]), st.sampled_from([1, 1, 0, 2]))
delays = st.sampled_from([0, 0, None, None, 1000, 5000])
results = st.builds(
    Result,
    status=st.sampled_from([200, 200, 200, 404, 503, 429, 500, 304, 401, -1, -2, -3, -4, -50, 0, -9998, -5000, 1]),
    delay_ms=delays,
    duration_ms=st.sampled_from([None, 0, 100, 3000, 60_000]),
    crawl_delay_seconds=st.sampled_from([None, None, 0.5, 4.25, 600]),
    retry_after_ms=st.sampled_from([0, 0, 9000, 10**9]),
    force_retire=st.sampled_from([False] * 9 + [True]),
    credential=st.sampled_from([False, False, True]),
    robots_unreachable=st.sampled_from([False] * 7 + [True]),
    refetch_ms=st.sampled_from([None] * 6 + [0, 5000, 50_000]),
)
#: What the fetches of one example come to: few different ends, so that runs of them happen.
FINE = Result(200, 0)
THEMES = (
    (Result(-2, robots_unreachable=True), Result(503, robots_unreachable=True), FINE),
    (Result(503), Result(429, retry_after_ms=9000), Result(404), FINE),
    (Result(-2), Result(-3), FINE),
    (Result(-50), FINE),
    (Result(200, 0, refetch_ms=0), Result(200, 0, refetch_ms=5000), FINE),
    (FINE,),
)
themes = st.one_of(st.sampled_from(THEMES), st.lists(results, min_size=1, max_size=5).map(tuple))
ends = st.integers(0, 9)
a_turn = st.tuples(st.lists(ends, min_size=1, max_size=3), st.sampled_from([0, 1, 1, 30_000]))
some_queue = st.sampled_from(QUEUES)
which = st.integers(0, 1000)


def operation(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[str, tuple[Any, ...]]]:
    """A method of the machine and what it is called with."""
    return st.tuples(st.just(name), st.tuples(*arguments))


new_settings = [("total_budget", -1), ("total_budget", 4), ("total_budget", 8), ("max_in_flight", 1), ("max_in_flight", 3)]
new_settings += [("floor", 255), ("floor", 4), ("session_budget", 3000), ("session_budget", 1)]
operations = st.one_of(
    operation("include", st.sampled_from(URIS), st.integers(0, 3)),
    operation("snooze", some_queue, st.sampled_from([0, 4000, 30_000])),
    operation("wake", st.one_of(st.none(), some_queue)),
    operation("retire", some_queue),
    operation("unretire", st.one_of(st.none(), some_queue)),
    operation("budget", some_queue, st.sampled_from([None, -2, -1, 0, 3, 9]), st.booleans(), st.sampled_from([None, None, -1, 0, 7])),
    operation("delete", st.one_of(st.just(frozenset(URIS + FIRSTS)), st.frozensets(st.sampled_from(URIS), max_size=6)), st.booleans()),
    operation("delete_queue", some_queue),
    operation("release_worker", st.sampled_from(["w1", "w2"])),
    st.sampled_from(new_settings).map(lambda pair: ("change_settings", pair)),
    operation("pause"),
    operation("resume"),
    operation("resume"),
    operation("resume"),
    st.integers(0, 5).map(lambda n: ("resume", ()) if n else ("stop", ())),
)


class FrontierMachine(RuleBasedStateMachine):
    """One crawl of two hosts."""

    client: ClassVar[redis.Redis]
    url: ClassVar[str]
    numbers: ClassVar[Any] = count(1)

    def __init__(self) -> None:
        super().__init__()
        self.held: list[tuple[Claim, int, int]] = []  # claim, id, which claim of the model; some are no longer good

    @initialize(rules=rules_of, theme=themes, runs=st.sampled_from([True, True, True, False]))
    def begin(self, rules: Rules, theme: tuple[Result, ...], runs: bool) -> None:
        self.theme = theme
        if not rules.exact:  # finished records are kept with `exact` only
            rules = replace(rules, retention="pending")
        self.crawl = f"m{next(self.numbers)}"
        self.frontier = Frontier.create(self.url, self.crawl, rules.real(), scope=[{"rule": "accept"}], test_clock=True, worker="w1")
        self.frontier.set_clock(1)
        self.model = Model(rules)
        self.model.now = 1
        if runs:
            self.resume()

    def teardown(self) -> None:
        if hasattr(self, "frontier"):
            self.frontier.close()
            self.client.flushall()

    # -- what crawlers do --

    @rule(offered=st.lists(offers, min_size=1, max_size=4), force=st.sampled_from([False, False, False, True]))
    def schedule(self, offered: list[tuple[str, int, int, int]], force: bool) -> None:
        candidates = [Candidate(u, directive=d, precedence=p, cost=c, force_fetch=force) for u, d, p, c in offered]
        if self.model.run_state == "FINISH":
            assert raises(WrongState, lambda: self.frontier.schedule(candidates))
            return
        want = [self.model.schedule(u, queue_of(u), (d, p), c, force) for u, d, p, c in offered]
        assert [(str(a.outcome), a.reason) for a in self.frontier.schedule(candidates)] == want

    @rule(n=st.sampled_from([1, 1, 2, 5]), per_queue=st.integers(1, 3), worker=st.sampled_from(["w1", "w2"]))
    def claim(self, n: int, per_queue: int, worker: str) -> None:
        got = self.frontier.claim(n, per_queue=per_queue, worker=worker)
        self._claimed(got, *self.model.claim(n, per_queue, worker), n)

    @rule(queue=some_queue, per_queue=st.integers(1, 3))
    def claim_by_name(self, queue: str, per_queue: int) -> None:
        got = self.frontier.claim(per_queue=per_queue, queue=queue)
        self._claimed(got, *self.model.claim(1, per_queue, "w1", queue), 1)

    def _claimed(self, got: Any, want: list[Any], wait: int | None, n: int) -> None:
        given = [(c.id, c.queue, c.uri, c.attempts, c.lost_leases) for c in got]
        wanted = [(f"0:{u.number}", u.queue, u.uri, u.attempts, u.lost) for u in want]
        assert given == wanted, f"claimed {given}, model {wanted}"
        if len({u.queue for u in want}) < n:
            assert got.wait_ms == wait, f"wait {got.wait_ms}, model {wait}"
        self.held += [(c, u.number, u.holder) for c, u in zip(got, want, strict=True)]

    def _pick(self, at: int) -> tuple[Claim, int, int]:
        """The newer half mostly: what is no longer good stays in the list for a while."""
        good = [h for h in self.held if self.model.refused(h[1], h[2]) == ""]
        return good[at % len(good)] if good and at % 10 else self.held[at % len(self.held)]

    @rule(turns=st.lists(a_turn, min_size=1, max_size=5), n=st.sampled_from([1, 1, 3]))
    def crawl(self, turns: list[tuple[list[int], int]], n: int) -> None:
        """A worker for some turns: claims, finishes, and waits as long as it is told, or longer."""
        for ends_of_turn, waits in turns:
            before = len(self.held)
            self.claim(n, 2, "w1")
            for held, end in zip(self.held[before:], ends_of_turn, strict=False):
                self._finish(*held, self._result(end), True, end)
            if waits and (ms := self.model.wait("")):
                self.time_passes(ms + waits - 1)

    def _result(self, end: int) -> Result:
        return self.theme[end % len(self.theme)]

    @precondition(lambda self: self.held)
    @rule(at=which, end=ends, need=st.booleans())
    def finish(self, at: int, end: int, need: bool) -> None:
        self._finish(*self._pick(at), self._result(end), need, at)

    def _finish(self, claim: Claim, number: int, holder: int, result: Result, need: bool, at: int) -> None:
        first, wanted = None, None
        if result.status == -50 and need and claim.uri not in FIRSTS:
            wanted = FIRSTS[at % 2] if at % 4 == 0 else claim.uri.rpartition("/")[0] + "/robots.txt"  # (now and then another host's)
            first = self.frontier.policy.prerequisite(claim.record, wanted)
        result = replace(result, prerequisite=wanted or "")
        want = self.model.finish(number, holder, result)
        (got,) = self.frontier.finish([self._outcome(claim, result, first)])
        assert (str(got.answer), got.verdict) == want

    @precondition(lambda self: self.held)
    @rule(at=which, end=ends, n=st.sampled_from([1, 1, 3]))
    def exchange(self, at: int, end: int, n: int) -> None:
        """What finish and claim do one after the other."""
        claim, number, holder = self._pick(at)
        result = self._result(end)
        want, then = self.model.finish(number, holder, result), self.model.claim(n, 2, "w1")
        (settled,), got = self.frontier.exchange([self._outcome(claim, result, None)], n, per_queue=2, worker="w1")
        assert (str(settled.answer), settled.verdict) == want
        self._claimed(got, *then, n)

    def _outcome(self, claim: Claim, result: Result, first: Candidate | None) -> Outcome:
        return claim.outcome(
            result.status,
            delay_ms=result.delay_ms,
            duration_ms=result.duration_ms,
            crawl_delay_seconds=result.crawl_delay_seconds,
            retry_after_ms=result.retry_after_ms or None,
            force_retire=result.force_retire,
            http_credential=result.credential,
            robots_unreachable=result.robots_unreachable,
            refetch_in_ms=result.refetch_ms,
            prerequisite=first,
        )

    @precondition(lambda self: self.held)
    @rule(at=which, queue=st.sampled_from([None, None, *OTHER_QUEUES]))
    def release(self, at: int, queue: str | None) -> None:
        claim, number, holder = self._pick(at)
        want = self.model.release(number, holder, queue or "")
        assert [str(a) for a in self.frontier.release([claim], queue=queue)] == [want]

    def release_worker(self, worker: str) -> None:
        mine = [u for u in self.model.links.values() if u.place == "out" and u.worker == worker]
        if len(mine) > 1:  # in the order of a hash: as many orders as there are leases
            return
        assert self.frontier.release_worker(worker) == len(mine)
        for u in mine:
            self.model.release(u.number, u.holder)

    @precondition(lambda self: self.held)
    @rule(at=which, lease_ms=st.sampled_from([1, 10_000, 90_000]))
    def extend(self, at: int, lease_ms: int) -> None:
        claim, number, holder = self._pick(at)
        want = self.model.extend(number, holder, lease_ms)
        assert [str(a) for a in self.frontier.extend([claim], lease_ms)] == [want]

    @rule(ms=st.sampled_from([1, 1000, 3000, 5000, 9000, 20_000, 70_000]))
    def time_passes(self, ms: int) -> None:
        self.model.now += ms
        self.frontier.set_clock(self.model.now)

    # -- what operators do --

    @rule(operation=operations)
    def operate(self, operation: tuple[str, tuple[Any, ...]]) -> None:
        getattr(self, operation[0])(*operation[1])

    def include(self, uri: str, cost: int) -> None:
        if self.model.run_state == "FINISH":
            assert raises(WrongState, lambda: self.frontier.include([uri]))
            return
        (got,) = self.frontier.include([Candidate(uri, cost=cost)])
        assert (str(got.outcome), got.reason) == self.model.include(uri, queue_of(uri), cost)

    def _known(self, queue: str) -> bool:
        return queue in self.model.queues

    def snooze(self, queue: str, for_ms: int) -> None:
        if self._known(queue):
            self.model.snooze(queue, for_ms)
            assert self.frontier.snooze(queue, for_ms)[0] == self.model.now + for_ms

    def wake(self, queue: str | None) -> None:
        if queue is None or self._known(queue):
            assert self.frontier.wake(queue) == self.model.wake(queue or "")

    def retire(self, queue: str) -> None:
        if self._known(queue):
            assert self.frontier.retire(queue) == self.model.retire(queue)

    def unretire(self, queue: str | None) -> None:
        if queue is None or self._known(queue):
            assert self.frontier.unretire(queue) == self.model.unretire(queue or "")

    def budget(self, queue: str, total: int | None, reset: bool, precedence: int | None) -> None:
        if self._known(queue):
            self.model.budget(queue, total, reset, precedence)
            got = self.frontier.budget(queue, total, reset=reset, precedence=precedence)
            q = self.model.queues[queue]
            assert got == {"spent": q.spent, "total_budget": self.model.total_budget(q), "state": q.state}

    def delete(self, uris: frozenset[str], excluded: bool) -> None:
        want = self.model.delete(self.model.queues.keys(), uris, excluded)
        assert self.frontier.delete(lambda queue: True, lambda record: record.uri in uris, excluded=excluded) == want

    def delete_queue(self, queue: str) -> None:
        want = self.model.delete((queue,), URIS + FIRSTS, False)
        assert self.frontier.delete(lambda name: name == queue) == want

    def change_settings(self, name: str, value: int) -> None:
        real = {"total_budget": "queue_total_budget", "floor": "precedence_floor", "session_budget": "balance_replenish_amount"}
        self.model.rules = replace(self.model.rules, **{name: value})
        self.frontier.set_settings({real.get(name, name): value})
        if name == "total_budget":
            self.model.budgets_changed()

    def pause(self) -> None:
        self.frontier.pause()
        self.model.run_state = "PAUSE"

    def resume(self) -> None:
        self.frontier.start()
        self.model.run_state = "RUN"

    def stop(self) -> None:
        self.frontier.stop()
        self.model.run_state = "FINISH"

    @invariant()
    def the_same(self) -> None:
        if hasattr(self, "frontier"):
            stored = Stored(self.client, self.crawl)
            bad = broken(stored) or differences(told(self.model), stored.comparable())
            assert not bad, "; ".join(bad)


def raises(error: type[Exception], call: Callable[[], object]) -> bool:
    """Does the call raise this?"""
    try:
        call()
    except error:
        return True
    return False
