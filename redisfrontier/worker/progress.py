"""Shows a worker's progress: a bar on a terminal, else a log event now and then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Protocol

import structlog
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from redisfrontier.errors import FrontierError
from redisfrontier.worker.ports import FrontierPort
from redisfrontier.worker.settle import Tally

BAR_SECONDS = 1.0
EVENT_SECONDS = 10.0


class Display(Protocol):
    """Something that shows numbers."""

    def show(self, tally: Tally, in_flight: int, stats: Mapping[str, object]) -> None:
        """Show the newest numbers."""
        ...

    def close(self) -> None:
        """Show no more."""
        ...


class Bar:
    """A rich progress bar: finished of admitted for the whole crawl, pages a second and fetches of this worker."""

    def __init__(self, console: Console | None = None) -> None:
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console or Console(stderr=True),
        )
        self._task = self._bar.add_task("crawling", total=None)
        self._bar.start()

    def show(self, tally: Tally, in_flight: int, stats: Mapping[str, object]) -> None:
        """Move the bar."""
        final = sum(_number(stats, n) for n in ("succeeded", "failed", "disregarded", "excluded", "deleted"))
        text = f"{tally.finished} here, {in_flight} in flight, {tally.body_bytes / 1e6:.1f} MB"
        self._bar.update(self._task, completed=final, total=_number(stats, "admitted") or None, description=text)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._bar.stop()


class Events:
    """A `progress` log event."""

    def __init__(self, log: structlog.typing.FilteringBoundLogger) -> None:
        self._log = log

    def show(self, tally: Tally, in_flight: int, stats: Mapping[str, object]) -> None:
        """Log the numbers."""
        crawl = {n: _number(stats, n) for n in ("admitted", "pending", "in_flight", "succeeded", "failed")}
        self._log.info("progress", finished=tally.finished, retried=tally.retried, body_bytes=tally.body_bytes, here=in_flight, crawl=crawl)

    def close(self) -> None:
        """Nothing to do."""


def _number(stats: Mapping[str, object], name: str) -> int:
    value = stats.get(name, 0)
    return value if isinstance(value, int) else 0


class Reporter:
    """Feeds a display while the worker runs (an async context manager); a Redis that is away only leaves the crawl's numbers old."""

    def __init__(self, frontier: FrontierPort, display: Display, tally: Tally, in_flight: Callable[[], int], seconds: float) -> None:
        self._frontier, self._display, self._tally, self._in_flight = frontier, display, tally, in_flight
        self._seconds = seconds
        self._stats: Mapping[str, object] = {}
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Reporter:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._task is not None:
            self._task.cancel()
        self._display.show(self._tally, self._in_flight(), self._stats)
        self._display.close()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            with suppress(FrontierError):  # only a display: the loop itself meets and handles the same trouble
                self._stats = await self._frontier.stats()
            self._display.show(self._tally, self._in_flight(), self._stats)
