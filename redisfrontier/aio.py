"""The asyncio facade.  Same operations as `frontier.Frontier`, run by the same steps."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import redis.asyncio

from redisfrontier.candidates import Preparer
from redisfrontier.crawl.definition import CrawlDefinition
from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.outcome import Admission, Claim, Claims, Finished, Outcome, Settled
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.settings import Settings
from redisfrontier.frontier import creation, definition_of
from redisfrontier.steps import crawl, listing, queues
from redisfrontier.steps.session import Session, counted, default_worker
from redisfrontier.steps.waiting import Nap, channels
from redisfrontier.store.connect import adopt, connect_async
from redisfrontier.store.drive import AsyncDriver, OnWait, Steps
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.fitness import check_server, look_async
from redisfrontier.store.retry import Backoff

T = TypeVar("T")


class AsyncFrontier:
    """One crawl's frontier.  One per event loop; closing gives the connections back."""

    def __init__(
        self,
        client: redis.asyncio.Redis,
        crawl: str,
        *,
        worker: str | None = None,
        backoff: Backoff | None = None,
        on_wait: OnWait | None = None,
        randoms: Callable[[int], bytes] = os.urandom,
        clock: Callable[[], float] = time.time,
        embedded: Embedded | None = None,
    ) -> None:
        """Use `connect`, `embedded` or `create`, or give a client of your own (binary answers)."""
        self.client = adopt(client)
        self.session = Session(crawl, worker or default_worker(), randoms, clock)
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
    async def embedded(cls, path: str | os.PathLike[str], crawl: str, **options: Any) -> Self:
        """The same on a private server in directory `path`, started unless it is up; the last user stops it."""
        server = await asyncio.to_thread(Embedded.start, path)
        try:
            return await cls.connect(server.url, crawl, embedded=server, **options)
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
        if self._ears is not None:
            await self._ears.aclose()
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
        ears = await self._listen()
        while True:
            got = await self.run(self.session.claim(n, per_queue, worker, lease_ms, queue))
            if got or nap.over:
                return got
            nap.begin(got)
            while (seconds := nap.seconds) > 0:
                message = await ears.get_message(ignore_subscribe_messages=True, timeout=seconds)
                if message is not None:
                    nap.heard(message["data"], got.now_ms)

    async def _listen(self) -> Any:
        if self._ears is None:
            live = await self.run(self.session.live())
            self._ears = self.client.pubsub()
            await self._ears.subscribe(*channels(live))
        return self._ears

    async def finish(self, outcomes: Iterable[Outcome]) -> list[Settled]:
        """Give outcomes (`claim.outcome(200, duration_ms=120)`); one answer each.  Repeating it is harmless."""
        return await self.run(self.session.finish(outcomes))

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

    # -- what operators do --

    async def snooze(self, queue: str, for_ms: int) -> tuple[int, bool]:
        """Keep a queue from being claimed; until when (ms), and whether that is a long snooze."""
        return await self.run(self.session.with_live(queues.snooze, queue, for_ms))

    async def wake(self, queue: str | None = None) -> int:
        """End the snooze or retry delay of a queue, or of all; politeness stays."""
        return await self.run(self.session.with_live(queues.wake, queue))

    async def retire(self, queue: str, reason: str = "operator") -> bool:
        """Take a queue out of the crawl; its URIs stay.  False if it was retired already."""
        return await self.run(self.session.with_live(queues.retire, queue, reason))

    async def unretire(self, queue: str | None = None) -> int:
        """Bring a retired queue, or all, back; how many."""
        return await self.run(self.session.with_live(queues.unretire, queue))

    async def budget(
        self, queue: str, total: int | None = None, *, reset: bool = False, precedence: int | None = None
    ) -> dict[str, Any]:
        """Set a queue's total budget (-1 none, -2 as the settings say) or precedence (-1 likewise), or forget what it spent."""
        return await self.run(self.session.with_live(queues.budget, queue, total, reset, precedence))

    async def delete(
        self,
        queue: Callable[[str], bool],
        uri: Callable[[UriRecord], bool] | None = None,
        *,
        excluded: bool = False,
    ) -> dict[str, int]:
        """Delete the URIs (admitted so far) for which both tests hold; how many per queue.  `excluded`: they stay known."""
        how = "excluded" if excluded else "deleted"
        return counted(self.run(self.session.with_live(queues.delete, queue, uri, how)))

    async def include(self, uris: Iterable[str | Candidate]) -> list[Admission]:
        """Note URIs that an earlier crawl fetched: known from now on, their cost charged."""
        return await self.run(self.session.include(uris))

    async def forget(self, uris: Iterable[str | Candidate]) -> list[str]:
        """Let finished (or maybe seen) URIs be found again: forgotten, unknown, pending, leased or dated."""
        return await self.run(self.session.forget(uris))

    async def start(self) -> None:
        """Let the crawl run."""
        await self.run(self.session.with_live(crawl.run_state, "RUN"))

    resume = start

    async def pause(self) -> None:
        """Give out no more URIs; all else goes on."""
        await self.run(self.session.with_live(crawl.run_state, "PAUSE"))

    async def stop(self, reason: str = "ended by operator") -> None:
        """Give out and take in no more URIs; finishes are still taken."""
        await self.run(self.session.with_live(crawl.run_state, "FINISH", reason))

    async def delete_crawl(self) -> int:
        """Stop the crawl and remove all its keys; how many."""
        return await self.run(self.session.with_live(crawl.remove))

    async def settings(self) -> Settings:
        """The crawl's settings as they are now."""
        return await self.run(self.session.settings())

    async def set_settings(self, values: Mapping[str, object]) -> None:
        """Change settings; every worker follows with its next call.  Raises SettingError before anything is changed."""
        await self.run(self.session.change(values))

    async def set_sheet(self, sheet: Sheet) -> None:
        """Add or replace a sheet."""
        await self.run(self.session.with_live(crawl.put_sheet, sheet, sheet.name))

    async def remove_sheet(self, name: str) -> None:
        """Remove a sheet."""
        await self.run(self.session.with_live(crawl.put_sheet, None, name))

    async def set_clock(self, now_ms: int) -> None:
        """Set the time of a crawl made with `test_clock`."""
        await self.run(self.session.with_live(listing.set_clock, now_ms))

    # -- looking --

    @property
    def policy(self) -> Preparer:
        """The crawl's rules for candidates: scope, queues, outlinks, prerequisites."""
        return self.session.preparer

    async def metadata(self) -> Mapping[str, str]:
        """Who runs the crawl, and how to reach them."""
        return (await self.run(self.session.live())).metadata

    async def stats(self) -> dict[str, Any]:
        """State, counters, queues by state, what it waits for (design §9)."""
        return await self.run(self.session.stats())

    async def queue(self, name: str) -> dict[str, Any]:
        """One queue in plain text; raises BadArgument."""
        return await self.run(self.session.with_live(listing.queue, name))

    async def queues(self, state: str | None = None, match: Callable[[str], bool] | None = None) -> AsyncIterator[dict[str, Any]]:
        """Queues, of one `state` if given, read in pages."""
        async for row in self._pages(listing.queue_pages(state, match)):
            yield row

    async def uris(self, queue: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """Pending URIs, queue by queue in the order of claims, read in pages."""
        async for row in self._pages(listing.uri_pages(queue)):
            yield row

    async def leases(self, worker: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """What is out: id, worker, queue, since_ms, expires_ms …"""
        async for row in self._pages(listing.lease_pages(worker)):
            yield row

    async def _pages(self, pages: listing.Pages) -> AsyncIterator[dict[str, Any]]:
        live = await self.run(self.session.live())
        while (page := await self.run(pages.next(live))) is not None:
            for row in page:
                yield row

    async def show(self, uri: str) -> dict[str, Any]:
        """All that is known of a URI, or of an id "partition:number"."""
        return await self.run(self.session.show(uri))

