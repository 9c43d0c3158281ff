"""How long a worker without work sleeps: to the next due time, or until it hears of work; never so long that a lost call hurts."""

from __future__ import annotations

from collections.abc import Callable

from redisfrontier.crawl.live import Live
from redisfrontier.record.outcome import Claims
from redisfrontier.store import keys

#: Nobody sleeps longer than this without asking again: a notification may be lost, a lease of a dead worker may run out.
LONGEST_NAP_SECONDS = 5.0
#: Workers that are woken together come back spread over this time.
JITTER_SECONDS = 0.05


def channels(live: Live) -> list[str]:
    """Where a crawl tells of new work."""
    return [keys.wake(live.name, p) for p in range(live.partitions)]


class Nap:
    """The sleeps of one waiting claim, which ends `wait` seconds after it began."""

    def __init__(self, wait: float, clock: Callable[[], float], random: Callable[[], float]) -> None:
        self._clock, self._random = clock, random
        self._end = clock() + wait
        self._until = 0.0

    @property
    def over(self) -> bool:
        """Is the waiting time up?"""
        return self._clock() >= self._end

    @property
    def seconds(self) -> float:
        """Still to sleep."""
        return max(0.0, self._until - self._clock())

    def begin(self, got: Claims) -> None:
        """Sleep after an empty claim."""
        wait = LONGEST_NAP_SECONDS if got.wait_ms is None else got.wait_ms / 1000
        self._sleep(min(wait, LONGEST_NAP_SECONDS) if got.run_state == "RUN" else LONGEST_NAP_SECONDS)

    def heard(self, message: object, now_ms: int) -> None:
        """Work can be claimed now ("0"), or from a time on (ms)."""
        data = message if isinstance(message, bytes) else b""
        at = int(data) if data.isdigit() else 0
        self._sleep(min(self.seconds, max(0.0, (at - now_ms) / 1000) if at else 0.0))

    def _sleep(self, seconds: float) -> None:
        self._until = min(self._clock() + seconds + JITTER_SECONDS * self._random(), self._end)
