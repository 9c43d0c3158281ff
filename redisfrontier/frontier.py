"""The sync facade: a crawl's frontier for threads and scripts.  Same operations as `aio.AsyncFrontier`, run by the same steps."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self, TypeVar

import redis

from redisfrontier.candidates import Preparer
from redisfrontier.crawl.definition import CrawlDefinition
from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.outcome import Admission, Claim, Claims, Finished, Outcome, Settled
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.settings import Settings
from redisfrontier.steps import crawl, listing, queues
from redisfrontier.steps.session import Session, counted, default_worker
from redisfrontier.steps.waiting import Nap, channels
from redisfrontier.store.connect import adopt, connect
from redisfrontier.store.drive import Driver, OnWait, Steps
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.fitness import check_server, look
from redisfrontier.store.retry import Backoff

T = TypeVar("T")


class Frontier:
    """One crawl's frontier.  Thread-safe as far as each thread uses its own; closing gives the connections back."""

    def __init__(
        self,
        client: redis.Redis,
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
        self._driver = Driver(self.client, backoff or Backoff(), on_wait)
        self._embedded = embedded
        self._ears: Any = None

    @classmethod
    def connect(cls, url: str, crawl: str, **options: Any) -> Self:
        """The frontier of an existing crawl; checks the server and reads the crawl (ServerUnfit, NoCrawl, SchemaMismatch)."""
        client = connect(url)
        frontier = cls(client, crawl, **options)
        frontier._check()
        frontier.run(frontier.session.live())
        return frontier

    @classmethod
    def embedded(cls, path: str | os.PathLike[str], crawl: str, **options: Any) -> Self:
        """The same on a private server in directory `path`, started unless it is up; the last user stops it."""
        server = Embedded.start(path)
        try:
            return cls.connect(server.url, crawl, embedded=server, **options)
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
        """
        definition = definition_of(crawl, settings, partitions, scope)
        frontier = cls(connect(url), definition.name, embedded=embedded, **options)
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
        if self._ears is not None:
            self._ears.close()
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
        ears = self._listen()
        while True:
            got = self.run(self.session.claim(n, per_queue, worker, lease_ms, queue))
            if got or nap.over:
                return got
            nap.begin(got)
            while (seconds := nap.seconds) > 0:
                message = ears.get_message(ignore_subscribe_messages=True, timeout=seconds)
                if message is not None:
                    nap.heard(message["data"], got.now_ms)

    def _listen(self) -> Any:
        if self._ears is None:
            live = self.run(self.session.live())
            self._ears = self.client.pubsub()
            self._ears.subscribe(*channels(live))
        return self._ears

    def finish(self, outcomes: Iterable[Outcome]) -> list[Settled]:
        """Give outcomes (`claim.outcome(200, duration_ms=120)`); one answer each.  Repeating it is harmless."""
        return self.run(self.session.finish(outcomes))

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

    # -- what operators do --

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
