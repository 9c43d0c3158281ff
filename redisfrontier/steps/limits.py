"""Crawl-wide limits over several partitions: each is exact in its own script; together they are looked at once a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from redisfrontier.crawl.live import Live
from redisfrontier.steps import crawl
from redisfrontier.steps.stats import stats
from redisfrontier.store.drive import Steps

_LOOK_SECONDS = 0.9


class Limits:
    """Stops a crawl of several partitions when they reach a limit together, or when one of them has stopped alone."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._looked = float("-inf")

    def watch(self, live: Live) -> Steps[None]:
        """Look, if a second has passed; called after each claim."""
        if live.partitions == 1 or not limited(live) or self._clock() - self._looked < _LOOK_SECONDS:
            return
        self._looked = self._clock()
        found = yield from stats(live)
        why = reached(live, found)
        if why and live.run_state != "FINISH":
            yield from crawl.run_state(live, "FINISH", why)


def limited(live: Live) -> bool:
    """Has the crawl any limit?"""
    s = live.settings
    return bool(s.max_documents_download or s.max_bytes_download or s.max_time_seconds)


def reached(live: Live, found: Mapping[str, Any]) -> str:
    """The limit that is reached, by its name (all of them ≥, as Heritrix' CrawlLimitEnforcer), or the reason of one partition."""
    s = live.settings
    if found["finish_reason"] in ("max_documents_download", "max_bytes_download", "max_time_seconds"):
        return str(found["finish_reason"])
    if 0 < s.max_documents_download <= found["succeeded"]:
        return "max_documents_download"
    if 0 < s.max_bytes_download <= found["bytes"]:
        return "max_bytes_download"
    return "max_time_seconds" if 0 < s.max_time_seconds * 1000 <= found["running_ms"] else ""
