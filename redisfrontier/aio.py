"""The asyncio facade.  Same operations as `frontier.Frontier`, run by the same steps."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from redisfrontier.aio_operators import AsyncOperators
from redisfrontier.crawl.definition import CrawlDefinition
from redisfrontier.frontier import creation, definition_of
from redisfrontier.record.outcome import Admission, Claim, Claims, Finished, Outcome, Settled
from redisfrontier.record.record import Candidate
from redisfrontier.settings import Settings
from redisfrontier.steps.session import Session, default_worker
from redisfrontier.steps.waiting import Nap, channels
from redisfrontier.store.connect import AsyncClient, adopt, connect_async
from redisfrontier.store.drive import AsyncDriver, OnWait, Steps
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.fitness import check_server, look_async
from redisfrontier.store.retry import Backoff, RedisTrouble

T = TypeVar("T")


class AsyncFrontier(AsyncOperators):
    """One crawl's frontier.  One per event loop; closing gives the connections back."""

    def __init__(
        self,
        client: AsyncClient,
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
        self._driver = AsyncDriver(self.client, backoff or Backoff(), on_wait)
        self._embedded = embedded
        self._ears: Any = None

    @classmethod
    async def connect(cls, url: str, crawl: str, **options: Any) -> Self:
        """The frontier of an existing crawl; checks the server and reads the crawl (ServerUnfit, NoCrawl, SchemaMismatch)."""
        client = connect_async(url)
        frontier = cls(client, crawl, **options)
        await frontier._check()
        await frontier.run(frontier.session.live())
        return frontier

    @classmethod
    async def embedded(cls, path: str | os.PathLike[str], crawl: str, *, create: bool = True, **options: Any) -> Self:
        """The same on a private server in directory `path`, started unless it is up; the last user stops it.

        With `create`, a crawl that is not there is made, with default settings (else NoCrawl).
        """
        server = await asyncio.to_thread(Embedded.start, path)
        try:
            opened = cls.create if create else cls.connect
            return await opened(server.url, crawl, embedded=server, **options)
        except BaseException:
            await asyncio.to_thread(server.close)
            raise

    @classmethod
    async def create(
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
        frontier = cls(connect_async(url), definition.name, embedded=embedded, **options)
        await frontier._check()
        await frontier._make(definition, test_clock)
        return frontier

    async def _make(self, definition: CrawlDefinition, test_clock: bool) -> None:
        self.session.adopt(await self.run(creation(definition, test_clock, self.session)))

    async def _check(self) -> None:
        info, config = await self._driver.backoff.call_async(lambda: look_async(self.client))
        check_server(info, config)

    async def run(self, steps: Steps[T]) -> T:
        """The result of an operation of `session` or steps/ that has no method here: `run(session.with_live(operation, …))`."""
        return await self._driver.run(steps)

    async def close(self) -> None:
        """Give connections (and an embedded server) back."""
        await self._deafen()
        await self.client.aclose()
        if self._embedded is not None:
            await asyncio.to_thread(self._embedded.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    # -- what crawlers do --

    async def schedule(self, uris: Iterable[str | Candidate]) -> list[Admission]:
        """Offer URIs; one answer each, in order.  Raises Full or WrongState when nothing was taken at all."""
        return await self.run(self.session.schedule(uris))

    async def claim(
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
            return await self.run(self.session.claim(n, per_queue, worker, lease_ms, queue))
        nap = Nap(wait, time.monotonic, random.random)
        await self._patiently(self._listen)
        while True:
            got = await self.run(self.session.claim(n, per_queue, worker, lease_ms, queue))
            if got or nap.over:
                return got
            nap.begin(got)
            await self._patiently(partial(self._doze, nap, got.now_ms))

    async def _doze(self, nap: Nap, now_ms: int) -> None:
        """Sleep until the nap is over; at once awake after an outage, in which a notification may have been missed."""
        if await self._listen():
            return
        try:
            while (seconds := nap.seconds) > 0:
                message = await self._ears.get_message(ignore_subscribe_messages=True, timeout=seconds)
                if message is not None:
                    nap.heard(message["data"], now_ms)
        except RedisTrouble:
            await self._deafen()
            raise

    async def _listen(self) -> bool:
        """Subscribe to the crawl's notifications, unless this process has; whether it had to."""
        if self._ears is not None:
            return False
        ears = self.client.pubsub()
        try:
            await ears.subscribe(*channels(await self.run(self.session.live())))
        except BaseException:
            await ears.aclose()
            raise
        self._ears = ears
        return True

    async def _deafen(self) -> None:
        ears, self._ears = self._ears, None
        if ears is not None:
            with contextlib.suppress(RedisTrouble, OSError):
                await ears.aclose()

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        return await self._driver.backoff.call_async(ask, self._driver.on_wait)

    async def finish(self, outcomes: Iterable[Outcome]) -> list[Settled]:
        """Give outcomes (`claim.outcome(200, duration_ms=120)`); one answer each.  Repeating it is harmless."""
        return await self.run(self.session.finish(outcomes))

    async def exchange(
        self, outcomes: Iterable[Outcome], n: int = 1, *, per_queue: int = 1, worker: str | None = None, lease_ms: int | None = None
    ) -> tuple[list[Settled], Claims]:
        """Give outcomes and claim the next, in one round trip: half of them for a worker that takes one URI at a time.

        When it fails, either half may have taken effect: give the outcomes again, which is harmless.
        """
        return await self.run(self.session.exchange(outcomes, n, per_queue, worker, lease_ms))

    async def release(self, claims: Iterable[Claim], *, queue: str | None = None) -> list[Finished]:
        """Give claims back untried, or relocate them to another `queue` of their partition."""
        return await self.run(self.session.release(claims, queue))

    async def release_worker(self, worker: str | None = None) -> int:
        """Give back all that a worker (this one) holds, as after its restart; how many."""
        return await self.run(self.session.release_worker(worker))

    async def extend(self, claims: Iterable[Claim], lease_ms: int | None = None) -> list[Finished]:
        """Keep claims for `lease_ms` (the setting) from now."""
        return await self.run(self.session.extend(claims, lease_ms))

    async def robots_get(self, authority: str) -> str | None:
        """The robots.txt text that a worker shared, if it is still believed."""
        return await self.run(self.session.robots_get(authority))

    async def robots_put(self, authority: str, text: str, ttl_seconds: int) -> None:
        """Share a robots.txt text."""
        await self.run(self.session.robots_put(authority, text, ttl_seconds))
