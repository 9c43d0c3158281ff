"""What operators ask of a crawl, asyncio: queues, deletion, run state, settings, and looking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, TypeVar

from redisfrontier.candidates import Preparer
from redisfrontier.crawl.seeds import SeedBatch, SeedSource, batches
from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.outcome import Admission
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.settings import Settings
from redisfrontier.steps import crawl, listing, queues, seeds
from redisfrontier.steps.session import Session, counted
from redisfrontier.store.drive import Steps

T = TypeVar("T")


class AsyncOperators(ABC):
    """The operator's half of AsyncFrontier."""

    session: Session

    @abstractmethod
    async def run(self, steps: Steps[T]) -> T:
        """Run the steps of an operation (redisfrontier.steps) that has no method here."""

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
        return counted(await self.run(self.session.with_live(queues.delete, queue, uri, how)))

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

    async def load_seeds(self, source: SeedSource) -> AsyncIterator[tuple[SeedBatch, list[Admission]]]:
        """Add the seeds of a source, batch by batch; its SURT lines and bad lines are in each batch, with one answer a seed.

        The scope learns of them first.  Run the iterator to its end; the crawl may be started after a batch that is `ready`.
        """
        first = await self.run(self.session.with_live(seeds.next_index))
        for batch in batches(source, first_index=first):
            yield batch, await self.run(seeds.add(self.session, batch))

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
