"""What the crawler asks of a frontier, and how it waits out a Redis that is away."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol, TypeVar

import structlog

from redisfrontier.candidates import Link
from redisfrontier.errors import Full, Unavailable
from redisfrontier.record.outcome import Admission, Claim, Claims, Finished, Outcome, Settled
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.settings import Settings
from redisfrontier.store.retry import is_unavailable
from redisfrontier.uri.parse import Uri

T = TypeVar("T")
MAX_PAUSE_SECONDS = 5.0


class FrontierPort(Protocol):
    """The part of AsyncFrontier that a crawler needs; tests bring their own."""

    async def schedule(self, uris: Iterable[str | Candidate]) -> list[Admission]:
        """Offer links."""
        ...

    async def claim(self, n: int = 1, *, worker: str | None = None, lease_ms: int | None = None, wait: float | None = None) -> Claims:
        """Lease up to n URIs; `wait`: seconds to block when there are none."""
        ...

    async def finish(self, outcomes: Iterable[Outcome]) -> list[Settled]:
        """Hand outcomes in."""
        ...

    async def release(self, claims: Iterable[Claim]) -> list[Finished]:
        """Give claims back untried."""
        ...

    async def release_worker(self, worker: str) -> int:
        """Give everything back that a worker holds."""
        ...

    async def extend(self, claims: Iterable[Claim], lease_ms: int | None = None) -> list[Finished]:
        """Prolong leases."""
        ...

    async def stats(self) -> dict[str, object]:
        """The crawl's counters and state."""
        ...

    async def robots_get(self, authority: str) -> str | None:
        """Shared robots.txt text."""
        ...

    async def robots_put(self, authority: str, text: str, ttl_seconds: int) -> object:
        """Share a robots.txt text."""
        ...


class Policy(Protocol):
    """What a crawl's settings, sheets and scope say to a crawler; candidates.Preparer is one."""

    def effective(self, uri: Uri) -> Settings:
        """The settings that hold for a URI."""
        ...

    def outlinks(self, parent: UriRecord, links: Iterable[Link], base: str | None = None) -> tuple[list[Candidate], int]:
        """The links of a page as candidates, and how many were over max_outlinks."""
        ...

    def prerequisite(self, parent: UriRecord, raw: str) -> Candidate:
        """What must be fetched before `parent`."""
        ...


class GivenUp(Exception):
    """The crawler is stopping and Redis has not come back in time."""


class Patience:
    """Repeats calls while Redis is away, with a pause that doubles up to some seconds; never fails for that (cases F1, F2).

    After `hurry()` it waits no longer than `grace_seconds` in all, then raises GivenUp.
    A full Redis (admission stopped) is waited for `full_seconds`, then errors.Full is raised.
    """

    def __init__(
        self,
        log: structlog.typing.FilteringBoundLogger,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        grace_seconds: float = 5.0,
        full_seconds: float = 60.0,
    ) -> None:
        self._log, self._sleep, self._jitter = log, sleep, jitter
        self._grace, self._full = grace_seconds, full_seconds
        self._hurried = False
        self.away = False
        """Is Redis away just now?"""

    def hurry(self) -> None:
        """From now on wait only for the grace time."""
        self._hurried = True

    async def call(self, what: str, operation: Callable[[], Awaitable[T]]) -> T:
        """The result of `operation`, repeated while it raises errors.Unavailable or errors.Full."""
        waited, pause = 0.0, 0.1
        while True:
            try:
                result = await operation()
            except Exception as e:
                if not isinstance(e, Unavailable | Full) and not is_unavailable(e):
                    raise
                if isinstance(e, Full) and waited >= self._full:
                    raise
                if self._hurried and waited >= self._grace:
                    raise GivenUp(f"{what}: {e}") from e
                self._note(what, e)
            else:
                if self.away:
                    self.away = False
                    self._log.info("redis_back", op=what)
                return result
            nap = pause * (0.75 + self._jitter() / 2)
            await self._sleep(nap)
            waited, pause = waited + nap, min(pause * 2, MAX_PAUSE_SECONDS)

    def _note(self, what: str, error: Exception) -> None:
        if not self.away:
            self._log.warning("redis_away", op=what, error=str(error))
        self.away = True


class PatientRobots:
    """The shared robots.txt cache of a frontier, asked with patience."""

    def __init__(self, frontier: FrontierPort, patience: Patience) -> None:
        self._frontier, self._patience = frontier, patience

    async def robots_get(self, authority: str) -> str | None:
        """The text stored for an authority."""
        return await self._patience.call("robots_get", lambda: self._frontier.robots_get(authority))

    async def robots_put(self, authority: str, text: str, ttl_seconds: int) -> object:
        """Store a text for some time."""
        return await self._patience.call("robots_put", lambda: self._frontier.robots_put(authority, text, ttl_seconds))
