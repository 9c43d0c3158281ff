"""One process' connection to one crawl: what it knows of it, kept fresh, and every operation as steps."""

from __future__ import annotations

import os
import re
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Concatenate, ParamSpec, TypeVar

from redisfrontier.candidates import Preparer
from redisfrontier.crawl.live import Live, load
from redisfrontier.errors import BadArgument
from redisfrontier.policy.scope.build import build_sequence, stock_rules
from redisfrontier.policy.scope.sequence import DecideRuleSequence
from redisfrontier.policy.scope.surt_rules import SeedSurts
from redisfrontier.record.outcome import Admission, Claim, Claims, Finished, Outcome, Settled
from redisfrontier.record.record import Candidate
from redisfrontier.settings import Settings
from redisfrontier.steps import claim, crawl, finish, include, inspect, leases, relocate, schedule, show, stats
from redisfrontier.steps.limits import Limits
from redisfrontier.steps.together import together
from redisfrontier.store import crawl_ops
from redisfrontier.store.drive import Steps
from redisfrontier.uri.canonical import Canonicalizer
from redisfrontier.uri.fingerprint import check_queue_name, partition_of

P = ParamSpec("P")
T = TypeVar("T")
#: Longest shared robots.txt.
ROBOTS_BYTES = 65_536
_WORKER = re.compile(r"[^\s\x00-\x1f\x7f]{1,128}")


def default_worker() -> str:
    """host-process, as workers are named that are given no name."""
    return re.sub(r"\s", "-", f"{socket.gethostname()}-{os.getpid()}")[:128]


def checked_worker(name: str) -> str:
    """`name`, or BadArgument: 1 to 128 characters without blanks."""
    if not _WORKER.fullmatch(name):
        raise BadArgument(f"worker name {name[:80]!r}: not 1 to 128 characters without blanks")
    return name


class Session:
    """`randoms(n)` gives n random bytes, `clock()` the seconds since the epoch of this machine (no decision hangs on it).

    `scope_log` takes the lines of scope.log, if the crawl's `scope_log_to_file` is set.
    """

    def __init__(
        self,
        name: str,
        worker: str,
        randoms: Callable[[int], bytes] = os.urandom,
        clock: Callable[[], float] = time.time,
        scope_log: Callable[[str], None] | None = None,
    ) -> None:
        self.name, self.worker = name, checked_worker(worker)
        self.randoms, self._clock = randoms, clock
        self._live: Live | None = None
        self._preparer: Preparer | None = None
        self._scope_log = scope_log
        self._new_prefixes: dict[str, None] = {}
        self._limits = Limits(clock)

    def live(self) -> Steps[Live]:
        """The crawl as it is now: read at first, and again whenever a reply has told of another version."""
        live = self._live
        if live is None or live.stale:
            known, live = live, (yield from load(self.name))
            if known is not None and known.version <= live.version:
                live.behind = known.behind
            self.adopt(live)
        return live

    def adopt(self, live: Live) -> None:
        """Work with this state of the crawl."""
        self._live = live
        self._preparer = None

    @property
    def preparer(self) -> Preparer:
        """Prepares candidates by the crawl's policies (after `live`)."""
        live = self._live
        if live is None:
            raise BadArgument("the crawl has not been read yet")
        if self._preparer is None:
            self._preparer = Preparer(
                live.settings,
                scope_of(live),
                live.sheets,
                Canonicalizer(live.canonicalization),
                live.partitions,
                on_new_seed=lambda _, prefix: self._new_prefixes.update({prefix: None}),
                scope_log=self._scope_log,
                now_ms=lambda: int(self._clock() * 1000),
            )
        return self._preparer

    def schedule(self, uris: Iterable[str | Candidate]) -> Steps[list[Admission]]:
        """Seeds widen the scope, here and for every worker, before anything is scheduled."""
        live = yield from self.live()
        return (yield from schedule.schedule(live, self.preparer, uris, lambda: self._tell_prefixes(live)))

    def _tell_prefixes(self, live: Live) -> Steps[None]:
        """They stay until they are stored: another call that runs meanwhile may not schedule before that either."""
        if news := list(self._new_prefixes):
            yield from self._put_surts(live, [f"={prefix}" for prefix in news])
            for prefix in news:
                self._new_prefixes.pop(prefix, None)

    def direct(self, lines: Iterable[str]) -> Steps[None]:
        """SURT directives: "+prefix" lets the scope's ACCEPT rules take it, "-prefix" its REJECT rules."""
        live = yield from self.live()
        scope, news = self.preparer.scope, []
        if scope is not None:
            news += [line for line in lines if scope.widen(line[1:], line[0])]
        if news:
            yield from self._put_surts(live, news)

    def _put_surts(self, live: Live, lines: list[str]) -> Steps[None]:
        expected = live.version
        for start in range(0, len(lines), 1000):
            yield from crawl.put_document(live, "surts", "SADD", lines[start : start + 1000])
            expected += 1
        if live.seen_version == expected:  # nobody else has changed anything, and this process has widened its own scope already
            live.version = expected

    def claim(self, n: int, per_queue: int, worker: str | None, lease_ms: int | None, queue: str | None) -> Steps[Claims]:
        """Lease URIs; raises BadArgument."""
        if n < 1 or per_queue < 1 or (lease_ms is not None and lease_ms < 1):
            raise BadArgument(f"claim of {n} queues × {per_queue} URIs for {lease_ms} ms: all must be at least 1")
        if queue is not None:
            check_queue_name(queue)
        live = yield from self.live()
        start = int.from_bytes(self.randoms(2), "big") % live.partitions if live.partitions > 1 else 0
        got = yield from claim.claim(
            live,
            checked_worker(worker or self.worker),
            n,
            min(per_queue, 1000),
            lease_ms or 0,
            queue or "",
            lambda: self.randoms(8).hex(),
            start,
        )
        yield from self._limits.watch(live)
        return got

    def finish(self, outcomes: Iterable[Outcome]) -> Steps[list[Settled]]:
        """Take outcomes."""
        live = yield from self.live()
        return (yield from finish.finish(live, self.preparer, outcomes, self._clock() * 1000))

    def exchange(
        self, outcomes: Iterable[Outcome], n: int, per_queue: int, worker: str | None, lease_ms: int | None
    ) -> Steps[tuple[list[Settled], Claims]]:
        """Take outcomes, then lease; what was leased is given back if the outcomes failed."""
        live = yield from self.live()
        settled, got = yield from together(live.ops, self.finish(outcomes), self.claim(n, per_queue, worker, lease_ms, None))
        if isinstance(settled, Exception):
            if not isinstance(got, Exception):
                yield from self.release(got, None)
            raise settled
        if isinstance(got, Exception):
            raise got
        return settled, got

    def release(self, claims: Iterable[Claim], queue: str | None) -> Steps[list[Finished]]:
        """Give claims back."""
        live = yield from self.live()
        if queue is None:
            return (yield from claim.release(live, claims))
        return (yield from relocate.relocate(live, self.preparer, claims, queue))

    def release_worker(self, worker: str | None) -> Steps[int]:
        """Give back everything that a worker holds; how many."""
        live = yield from self.live()
        return (yield from leases.release_worker(live, worker or self.worker))

    def extend(self, claims: Iterable[Claim], lease_ms: int | None) -> Steps[list[Finished]]:
        """Keep claims longer."""
        live = yield from self.live()
        return (yield from claim.extend(live, claims, lease_ms or 0))

    def forget(self, uris: Iterable[str | Candidate]) -> Steps[list[str]]:
        """Let URIs be found again."""
        live = yield from self.live()
        return (yield from show.forget(live, self.preparer, uris))

    def include(self, uris: Iterable[str | Candidate]) -> Steps[list[Admission]]:
        """Note URIs as fetched by an earlier crawl."""
        live = yield from self.live()
        return (yield from include.include(live, self.preparer, uris))

    def show(self, uri: str) -> Steps[dict[str, Any]]:
        """All that is known of a URI or id."""
        live = yield from self.live()
        return (yield from show.show(live, self.preparer, uri))

    def stats(self) -> Steps[dict[str, Any]]:
        """The numbers of the crawl."""
        live = yield from self.live()
        return (yield from stats.stats(live))

    def settings(self) -> Steps[Settings]:
        """The settings as they are now."""
        live = yield from load(self.name)
        self.adopt(live)
        return live.settings

    def with_live(self, operation: Callable[Concatenate[Live, P], Steps[T]], *args: P.args, **kwargs: P.kwargs) -> Steps[T]:
        """An operation of steps/queues.py, steps/inspect.py or steps/crawl.py on this crawl."""
        live = yield from self.live()
        return (yield from operation(live, *args, **kwargs))

    def change(self, values: Mapping[str, object]) -> Steps[None]:
        """Change settings; a budget that is raised brings its queues back."""
        live = yield from self.live()
        yield from crawl.change(live, values)
        if _BUDGETS & values.keys():
            from redisfrontier.steps.queues import unretire

            yield from unretire(live, None, budget_only=True)

    def robots_get(self, authority: str) -> Steps[str | None]:
        """The shared robots.txt of an authority."""
        live = yield from self.live()
        place = partition_of(authority, live.partitions)
        (reply,) = yield from inspect.replies_of([crawl_ops.robots_get(self.name, place, authority)])
        return None if reply is None else bytes(reply).decode("utf-8", "replace")

    def robots_put(self, authority: str, text: str, ttl_seconds: int) -> Steps[None]:
        """Share a robots.txt, cut at 64 KiB."""
        live = yield from self.live()
        cut = text.encode("utf-8", "replace")[:ROBOTS_BYTES].decode("utf-8", "ignore")
        place = partition_of(authority, live.partitions)
        yield from inspect.replies_of([crawl_ops.robots_put(self.name, place, authority, cut, max(1, ttl_seconds))])


_BUDGETS = {"queue_total_budget", "max_documents_per_queue", "max_bytes_per_queue"}


def scope_of(live: Live) -> DecideRuleSequence:
    """The scope of a crawl: its rules, or the ten stock ones, with the SURTs of seeds and directives."""
    by_sign: dict[str, list[str]] = {"=": [], "+": [], "-": []}
    for line in live.surts:
        by_sign.get(line[:1], []).append(line[1:])
    seeds = SeedSurts(tuple(by_sign["="]), tuple(by_sign["+"]), tuple(by_sign["-"]))
    return build_sequence(live.scope_rules or stock_rules(live.settings), seeds, log_to_file=live.settings.scope_log_to_file)


def counted(gone: Counter[str]) -> dict[str, int]:
    """Per queue, without the queues that lost nothing."""
    return {queue: n for queue, n in sorted(gone.items()) if n}
