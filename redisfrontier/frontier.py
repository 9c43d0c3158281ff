"""The sync facade: a crawl's frontier for threads and scripts.  Same operations as `aio.AsyncFrontier`, run by the same steps."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from redisfrontier.crawl.definition import CrawlDefinition
from redisfrontier.operators import Operators
from redisfrontier.record.outcome import Admission, Claim, Claims, Finished, Outcome, Settled
from redisfrontier.record.record import Candidate
from redisfrontier.settings import Settings
from redisfrontier.steps import crawl
from redisfrontier.steps.session import Session, default_worker
from redisfrontier.steps.waiting import Nap, channels
from redisfrontier.store.connect import SyncClient, adopt, connect
from redisfrontier.store.drive import Driver, OnWait, Steps
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.fitness import check_server, look
from redisfrontier.store.retry import Backoff, RedisTrouble

T = TypeVar("T")


class Frontier(Operators):
    """One crawl's frontier.  Thread-safe as far as each thread uses its own; closing gives the connections back."""

    def __init__(
        self,
        client: SyncClient,
        crawl: str,
        *,
        worker: str | None = None,
        backoff: Backoff | None = None,
        on_wait: OnWait | None = None,
        randoms: Callable[[int], bytes] = os.urandom,
        clock: Callable[[], float] = time.time,
        scope_log: Callable[[str], None] | None = None,
        embedded: Embedded | None = None,
    ) -> None:
        """Use `connect`, `embedded` or `create`, or give a client of your own (binary answers)."""
        self.client = adopt(client)
        self.session = Session(crawl, worker or default_worker(), randoms, clock, scope_log)
        self._driver = Driver(self.client, backoff or Backoff(), on_wait)
        self._embedded = embedded
        self._ears: Any = None

    @classmethod
    def connect(cls, url: str, crawl: str, **options: Any) -> Self:
        """The frontier of an existing crawl; checks the server and reads the crawl (ServerUnfit, NoCrawl, SchemaMismatch)."""
        client = connect(url)
        frontier = cls(client, crawl, **options)
        frontier._driver.own_client()
        frontier._check()
        frontier.run(frontier.session.live())
        return frontier

    @classmethod
    def embedded(cls, path: str | os.PathLike[str], crawl: str, *, create: bool = True, **options: Any) -> Self:
        """The same on a private server in directory `path`, started unless it is up; the last user stops it.

        With `create`, a crawl that is not there is made, with default settings (else NoCrawl).
        """
        server = Embedded.start(path)
        try:
            opened = cls.create if create else cls.connect
            return opened(server.url, crawl, embedded=server, **options)
        except BaseException:
            server.close()
            raise

    @classmethod
    def create(
        cls,
        url: str,
        crawl: str | CrawlDefinition,
        settings: Settings | Mapping[str, object] | None = None,
        *,
        partitions: int | None = None,
        scope: Sequence[Mapping[str, Any]] | None = None,
        test_clock: bool = False,
        embedded: Embedded | None = None,
        **options: Any,
    ) -> Self:
        """Make a crawl (in PAUSE: `start` it) and return its frontier; an existing one of that name is taken as it is.

        `crawl` is a name with its `settings`, or a whole CrawlDefinition.  `scope` are rule configurations; none = the stock scope.
        Seeds of a definition are not loaded here: `load_seeds(definition.seeds)` tells of each batch.
        """
        definition = definition_of(crawl, settings, partitions, scope)
        frontier = cls(connect(url), definition.name, embedded=embedded, **options)
        frontier._driver.own_client()
        frontier._check()
        frontier._make(definition, test_clock)
        return frontier

    def _make(self, definition: CrawlDefinition, test_clock: bool) -> None:
        self.session.adopt(self.run(creation(definition, test_clock, self.session)))

    def _check(self) -> None:
        info, config = self._driver.backoff.call(lambda: look(self.client))
        check_server(info, config)

    def run(self, steps: Steps[T]) -> T:
        """The result of an operation of `session` or steps/ that has no method here: `run(session.with_live(operation, …))`."""
        return self._driver.run(steps)

    def close(self) -> None:
        """Give connections (and an embedded server) back."""
        self._deafen()
        self._driver.close()
        self.client.close()
        if self._embedded is not None:
            self._embedded.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # -- what crawlers do --

    def schedule(self, uris: Iterable[str | Candidate]) -> list[Admission]:
        """Offer URIs; one answer each, in order.  Raises Full or WrongState when nothing was taken at all."""
        return self.run(self.session.schedule(uris))

    def claim(
        self,
        n: int = 1,
        *,
        per_queue: int = 1,
        worker: str | None = None,
        lease_ms: int | None = None,
        queue: str | None = None,
        wait: float | None = None,
    ) -> Claims:
        """Lease up to `per_queue` URIs of up to `n` queues, or of one `queue`; with `wait`, sleep up to that many seconds for work.

        The sleep ends at the next due time, or when work arrives.
        """
        if wait is None:
            return self.run(self.session.claim(n, per_queue, worker, lease_ms, queue))
        nap = Nap(wait, time.monotonic, random.random)
        self._patiently(self._listen)
        while True:
            got = self.run(self.session.claim(n, per_queue, worker, lease_ms, queue))
            if got or nap.over:
                return got
            nap.begin(got)
            self._patiently(partial(self._doze, nap, got.now_ms))

    def _doze(self, nap: Nap, now_ms: int) -> None:
        """Sleep until the nap is over; at once awake after an outage, in which a notification may have been missed."""
        if self._listen():
            return
        try:
            while (seconds := nap.seconds) > 0:
                message = self._ears.get_message(ignore_subscribe_messages=True, timeout=seconds)
                if message is not None:
                    nap.heard(message["data"], now_ms)
        except RedisTrouble:
            self._deafen()
            raise

    def _listen(self) -> bool:
        """Subscribe to the crawl's notifications, unless this process has; whether it had to."""
        if self._ears is not None:
            return False
        ears = self.client.pubsub()
        try:
            ears.subscribe(*channels(self.run(self.session.live())))
        except BaseException:
            ears.close()
            raise
        self._ears = ears
        return True

    def _deafen(self) -> None:
        ears, self._ears = self._ears, None
        if ears is not None:
            with contextlib.suppress(RedisTrouble, OSError):
                ears.close()

    def _patiently(self, ask: Callable[[], T]) -> T:
        return self._driver.backoff.call(ask, self._driver.on_wait)

    def finish(self, outcomes: Iterable[Outcome]) -> list[Settled]:
        """Give outcomes (`claim.outcome(200, duration_ms=120)`); one answer each.  Repeating it is harmless."""
        return self.run(self.session.finish(outcomes))

    def exchange(
        self, outcomes: Iterable[Outcome], n: int = 1, *, per_queue: int = 1, worker: str | None = None, lease_ms: int | None = None
    ) -> tuple[list[Settled], Claims]:
        """Give outcomes and claim the next, in one round trip: half of them for a worker that takes one URI at a time.

        When it fails, either half may have taken effect: give the outcomes again, which is harmless.
        """
        return self.run(self.session.exchange(outcomes, n, per_queue, worker, lease_ms))

    def release(self, claims: Iterable[Claim], *, queue: str | None = None) -> list[Finished]:
        """Give claims back untried, or relocate them to another `queue` of their partition."""
        return self.run(self.session.release(claims, queue))

    def release_worker(self, worker: str | None = None) -> int:
        """Give back all that a worker (this one) holds, as after its restart; how many."""
        return self.run(self.session.release_worker(worker))

    def extend(self, claims: Iterable[Claim], lease_ms: int | None = None) -> list[Finished]:
        """Keep claims for `lease_ms` (the setting) from now."""
        return self.run(self.session.extend(claims, lease_ms))

    def robots_get(self, authority: str) -> str | None:
        """The robots.txt text that a worker shared, if it is still believed."""
        return self.run(self.session.robots_get(authority))

    def robots_put(self, authority: str, text: str, ttl_seconds: int) -> None:
        """Share a robots.txt text."""
        self.run(self.session.robots_put(authority, text, ttl_seconds))


def definition_of(
    name: str | CrawlDefinition,
    settings: Settings | Mapping[str, object] | None,
    partitions: int | None,
    scope: Sequence[Mapping[str, Any]] | None,
) -> CrawlDefinition:
    """The definition meant by the arguments of `create`."""
    if isinstance(name, CrawlDefinition):
        return name
    chosen = settings if isinstance(settings, Settings) else Settings().changed(settings or {})
    return CrawlDefinition(name=name, settings=chosen, scope=tuple(scope or ()), partitions=partitions or 1)


def creation(definition: CrawlDefinition, test_clock: bool, session: Session) -> Steps[Any]:
    """The steps that make a crawl from its definition."""
    return crawl.create(
        definition.name,
        definition.settings,
        partitions=definition.partitions,
        metadata={k: v for k, v in asdict(definition.metadata).items() if v},
        scope_rules=definition.scope,
        canonicalization=definition.canonicalization,
        sheets=definition.sheets,
        test_clock=test_clock,
        randoms=session.randoms,
    )
