"""What operators ask of a crawl, sync: queues, deletion, run state, settings, and looking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
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


class Operators(ABC):
    """The operator's half of Frontier."""

    session: Session

    @abstractmethod
    def run(self, steps: Steps[T]) -> T:
        """Run the steps of an operation (redisfrontier.steps) that has no method here."""

    def snooze(self, queue: str, for_ms: int) -> tuple[int, bool]:
        """Keep a queue from being claimed; until when (ms), and whether that is a long snooze."""
        return self.run(self.session.with_live(queues.snooze, queue, for_ms))

    def wake(self, queue: str | None = None) -> int:
        """End the snooze or retry delay of a queue, or of all; politeness stays."""
        return self.run(self.session.with_live(queues.wake, queue))

    def retire(self, queue: str, reason: str = "operator") -> bool:
        """Take a queue out of the crawl; its URIs stay.  False if it was retired already."""
        return self.run(self.session.with_live(queues.retire, queue, reason))

    def unretire(self, queue: str | None = None) -> int:
        """Bring a retired queue, or all, back; how many."""
        return self.run(self.session.with_live(queues.unretire, queue))

    def budget(
        self, queue: str, total: int | None = None, *, reset: bool = False, precedence: int | None = None
    ) -> dict[str, Any]:
        """Set a queue's total budget (-1 none, -2 as the settings say) or precedence (-1 likewise), or forget what it spent."""
        return self.run(self.session.with_live(queues.budget, queue, total, reset, precedence))

    def delete(
        self,
        queue: Callable[[str], bool],
        uri: Callable[[UriRecord], bool] | None = None,
        *,
        excluded: bool = False,
    ) -> dict[str, int]:
        """Delete the URIs (admitted so far) for which both tests hold; how many per queue.  `excluded`: they stay known."""
        how = "excluded" if excluded else "deleted"
        return counted(self.run(self.session.with_live(queues.delete, queue, uri, how)))

    def include(self, uris: Iterable[str | Candidate]) -> list[Admission]:
        """Note URIs that an earlier crawl fetched: known from now on, their cost charged."""
        return self.run(self.session.include(uris))

    def forget(self, uris: Iterable[str | Candidate]) -> list[str]:
        """Let finished (or maybe seen) URIs be found again: forgotten, unknown, pending, leased or dated."""
        return self.run(self.session.forget(uris))

    def start(self) -> None:
        """Let the crawl run."""
        self.run(self.session.with_live(crawl.run_state, "RUN"))

    resume = start

    def pause(self) -> None:
        """Give out no more URIs; all else goes on."""
        self.run(self.session.with_live(crawl.run_state, "PAUSE"))

    def stop(self, reason: str = "ended by operator") -> None:
        """Give out and take in no more URIs; finishes are still taken."""
        self.run(self.session.with_live(crawl.run_state, "FINISH", reason))

    def delete_crawl(self) -> int:
        """Stop the crawl and remove all its keys; how many."""
        return self.run(self.session.with_live(crawl.remove))

    def settings(self) -> Settings:
        """The crawl's settings as they are now."""
        return self.run(self.session.settings())

    def set_settings(self, values: Mapping[str, object]) -> None:
        """Change settings; every worker follows with its next call.  Raises SettingError before anything is changed."""
        self.run(self.session.change(values))

    def set_sheet(self, sheet: Sheet) -> None:
        """Add or replace a sheet."""
        self.run(self.session.with_live(crawl.put_sheet, sheet, sheet.name))

    def remove_sheet(self, name: str) -> None:
        """Remove a sheet."""
        self.run(self.session.with_live(crawl.put_sheet, None, name))

    def load_seeds(self, source: SeedSource) -> Iterator[tuple[SeedBatch, list[Admission]]]:
        """Add the seeds of a source, batch by batch; its SURT lines and bad lines are in each batch, with one answer a seed.

        The scope learns of them first.  Run the iterator to its end; the crawl may be started after a batch that is `ready`.
        """
        first = self.run(self.session.with_live(seeds.next_index))
        for batch in batches(source, first_index=first):
            yield batch, self.run(seeds.add(self.session, batch))

    def set_clock(self, now_ms: int) -> None:
        """Set the time of a crawl made with `test_clock`."""
        self.run(self.session.with_live(listing.set_clock, now_ms))

    # -- looking --

    @property
    def policy(self) -> Preparer:
        """The crawl's rules for candidates: scope, queues, outlinks, prerequisites."""
        self.run(self.session.live())
        return self.session.preparer

    def metadata(self) -> Mapping[str, str]:
        """Who runs the crawl, and how to reach them."""
        return self.run(self.session.live()).metadata

    def stats(self) -> dict[str, Any]:
        """State, counters, queues by state, what it waits for (design §9)."""
        return self.run(self.session.stats())

    def queue(self, name: str) -> dict[str, Any]:
        """One queue in plain text; raises BadArgument."""
        return self.run(self.session.with_live(listing.queue, name))

    def queues(self, state: str | None = None, match: Callable[[str], bool] | None = None) -> Iterator[dict[str, Any]]:
        """Queues, of one `state` if given, read in pages."""
        yield from self._pages(listing.queue_pages(state, match))

    def uris(self, queue: str | None = None) -> Iterator[dict[str, Any]]:
        """Pending URIs, queue by queue in the order of claims, read in pages."""
        yield from self._pages(listing.uri_pages(queue))

    def leases(self, worker: str | None = None) -> Iterator[dict[str, Any]]:
        """What is out: id, worker, queue, since_ms, expires_ms …"""
        yield from self._pages(listing.lease_pages(worker))

    def _pages(self, pages: listing.Pages) -> Iterator[dict[str, Any]]:
        live = self.run(self.session.live())
        while (page := self.run(pages.next(live))) is not None:
            yield from page

    def show(self, uri: str) -> dict[str, Any]:
        """All that is known of a URI, or of an id "partition:number"."""
        return self.run(self.session.show(uri))
