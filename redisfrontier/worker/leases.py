"""Keeps the leases of slow fetches alive and tells when one is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from redisfrontier.record.outcome import Claim, Finished
from redisfrontier.worker.ports import FrontierPort, Patience


@dataclass(slots=True)
class _Lease:
    claim: Claim
    length_ms: int
    extend_at: float


class LeaseKeeper:
    """Extends each held lease when half of it is over; `on_lost` is told of claims that are no longer this worker's."""

    def __init__(
        self,
        frontier: FrontierPort,
        patience: Patience,
        on_lost: Callable[[Claim], None],
        ticks: Callable[[], float],
    ) -> None:
        self._frontier, self._patience, self._on_lost = frontier, patience, on_lost
        self._ticks, self._sooner = ticks, asyncio.Event()
        self._held: dict[tuple[str, str], _Lease] = {}

    def hold(self, claim: Claim, now_ms: int) -> None:
        """Watch over a fresh claim; `now_ms` is the server's clock when it was made."""
        length_ms = max(1, claim.lease_until_ms - now_ms)
        self._held[claim.id, claim.token] = _Lease(claim, length_ms, self._ticks() + length_ms / 2000)
        self._sooner.set()

    def drop(self, claim: Claim) -> None:
        """Watch over it no longer."""
        self._held.pop((claim.id, claim.token), None)

    async def run(self) -> None:
        """Extend for ever; to be cancelled."""
        while True:
            self._sooner.clear()
            nearest = min((h.extend_at for h in self._held.values()), default=None)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._sooner.wait(), None if nearest is None else max(0.005, nearest - self._ticks()))
            await self.extend_due()

    async def extend_due(self) -> None:
        """Extend what has used half of its lease; claims answered GONE or STALE are dropped and reported."""
        now = self._ticks()
        due = [h for h in self._held.values() if h.extend_at <= now]
        for length_ms in {h.length_ms for h in due}:
            batch = [h for h in due if h.length_ms == length_ms]
            claims = [h.claim for h in batch]
            answers = await self._patience.call("extend", lambda c=claims, ms=length_ms: self._frontier.extend(c, ms))  # type: ignore[misc]
            for held, answer in zip(batch, answers, strict=True):
                self._after(held, answer)

    def _after(self, held: _Lease, answer: Finished) -> None:
        if (held.claim.id, held.claim.token) not in self._held:
            return  # finished while the answer was under way
        if answer is Finished.OK:
            held.extend_at = self._ticks() + held.length_ms / 2000
        else:
            self.drop(held.claim)
            self._on_lost(held.claim)
