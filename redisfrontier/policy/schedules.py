"""When a finished URI is fetched again: none, fixed, fixed rate, Nutch' adaptive and StormCrawler's schedules, as pure functions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from redisfrontier.settings import Settings

#: Nutch waits one day before a retry, whatever the count.
RETRY_SECONDS: Final = 86_400
#: No interval is longer than ten years, whatever a record or setting says; so a due time always fits a double.
MAX_INTERVAL_SECONDS: Final = 315_360_000
#: A time in ms that never comes: the due time of a URI that is not fetched again, where a number is needed.
NEVER_MS: Final = 8_640_000_000_000_000


class Change(IntEnum):
    """What a fetch told about the page, by its signature or a 304."""

    UNKNOWN = 0
    MODIFIED = 1
    NOTMODIFIED = 2


@dataclass(frozen=True, slots=True)
class Visit:
    """What a schedule knows of the page that was just fetched."""

    at_ms: int
    """The instant of the fetch."""
    interval_seconds: int = 0
    """The interval so far; 0: the default."""
    modified_ms: int = 0
    """When the page last changed; 0: unknown."""
    retries: int = 0
    """Failed fetches in a row before this one."""
    change: Change = Change.UNKNOWN
    planned_ms: int = 0
    """When the fetch was due; 0: unknown."""
    fixed_seconds: int | None = None
    """An interval that nothing changes (metadata FIXED_INTERVAL_KEY); below 0: never again."""


@dataclass(frozen=True, slots=True)
class Next:
    """When a page is due again (None: never) and what its record then says."""

    due_ms: int | None
    interval_seconds: int
    modified_ms: int
    retries: int
    forget_signature: bool = False
    """Drop the signature, so that the next fetch is compared with nothing."""


class Schedule:
    """Nutch' rules that all its schedules share; subclasses say what follows a fetch that succeeded."""

    __slots__ = ("settings",)

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @property
    def retry_max(self) -> int:
        """Failed fetches in a row after which a page counts as gone."""
        return self.settings.db_fetch_retry_max

    def initialise(self, now_ms: int) -> Next:
        """A new page: due at once, with the default interval."""
        return Next(now_ms, self.settings.fetch_interval_seconds, 0, 0)

    def fetched(self, visit: Visit) -> Next:
        """After a success, a redirect or a 304: due one interval after the fetch (Nutch' DefaultFetchSchedule).

        The time of change becomes that of the fetch when it was unknown or the page has changed.
        """
        if visit.fixed_seconds is not None:
            return _fixed(visit, visit.fixed_seconds)
        interval = self._interval(visit)
        changed = visit.modified_ms <= 0 or visit.change is Change.MODIFIED
        return self._next(visit, interval, self._due(visit, interval), visit.at_ms if changed else visit.modified_ms)

    def retry(self, visit: Visit) -> Next:
        """After a fetch to be repeated: one day later; the interval stays, the count grows."""
        interval = self._interval(visit)
        return Next(visit.at_ms + RETRY_SECONDS * 1000, interval, max(0, visit.modified_ms), visit.retries + 1)

    def gone(self, visit: Visit) -> Next:
        """After a final failure: the interval grows by half, or is 0.9 of the maximum if it would reach that."""
        grown, top = self._interval(visit) * 1.5, self.settings.max_fetch_interval_seconds
        interval = max(1, half_up(grown if grown < top else 0.9 * top))
        if visit.fixed_seconds is not None and visit.fixed_seconds < 0:
            return Next(None, interval, max(0, visit.modified_ms), visit.retries)
        return Next(visit.at_ms + interval * 1000, interval, max(0, visit.modified_ms), visit.retries)

    def _interval(self, visit: Visit) -> int:
        if visit.interval_seconds <= 0:
            return self.settings.fetch_interval_seconds
        return min(visit.interval_seconds, MAX_INTERVAL_SECONDS)

    def _due(self, visit: Visit, interval: int) -> int:
        return visit.at_ms + interval * 1000

    def _next(self, visit: Visit, interval: int, due_ms: int, modified_ms: int) -> Next:
        if due_ms <= visit.at_ms:  # a next fetch in the past would come back at once, for ever (field case NUTCH-1564)
            due_ms = visit.at_ms + self.settings.adaptive_min_interval_seconds * 1000
        return Next(min(due_ms, visit.at_ms + MAX_INTERVAL_SECONDS * 1000), min(interval, MAX_INTERVAL_SECONDS), modified_ms, 0)


class NoRecrawl(Schedule):
    """A finished page does not come back; one whose fetch is to be retried does."""

    __slots__ = ()

    def fetched(self, visit: Visit) -> Next:
        """Never again."""
        return Next(None, self._interval(visit), visit.modified_ms or visit.at_ms, 0)

    def gone(self, visit: Visit) -> Next:
        """Never again."""
        return Next(None, self._interval(visit), max(0, visit.modified_ms), visit.retries)


class Fixed(Schedule):
    """The same interval after each fetch (Nutch' default schedule); a late fetch shifts all later ones."""

    __slots__ = ()


class FixedRate(Schedule):
    """The same interval from the planned time on: a late fetch does not shift the next, one missed wholly is left out."""

    __slots__ = ()

    def _due(self, visit: Visit, interval: int) -> int:
        step = interval * 1000
        late = visit.at_ms - visit.planned_ms
        if visit.planned_ms <= 0 or late < 0:  # nothing planned, or forced before its time
            return visit.at_ms + step
        return visit.planned_ms + (late // step + 1) * step


class NutchAdaptive(Schedule):
    """Nutch' AdaptiveFetchSchedule: changed pages sooner, unchanged ones later, drawn towards the time of change."""

    __slots__ = ()

    def fetched(self, visit: Visit) -> Next:
        """The interval by the change seen, then by the age of the page, within the adaptive bounds."""
        if visit.fixed_seconds is not None:
            return _fixed(visit, visit.fixed_seconds)
        s, interval = self.settings, float(self._interval(visit))
        modified = visit.modified_ms if visit.modified_ms > 0 else visit.at_ms
        if visit.change is Change.MODIFIED:
            interval, modified = interval * (1 - s.adaptive_dec_rate), visit.at_ms
        elif visit.change is Change.NOTMODIFIED:
            interval *= 1 + s.adaptive_inc_rate
        offset_ms = 0
        if s.adaptive_sync_delta:
            interval, offset_ms = self._synchronised(interval, visit.at_ms - modified)
        interval = min(max(interval, s.adaptive_min_interval_seconds), s.adaptive_max_interval_seconds)
        return self._next(visit, half_up(interval), visit.at_ms - offset_ms + half_up(interval * 1000), modified)

    def _synchronised(self, interval: float, unchanged_ms: int) -> tuple[float, int]:
        """The interval, not below the age of the page, and by how much the next fetch is drawn forward.

        An offset beyond the maximum is cut in proportion, as Nutch' comment says; its integer division makes it 0.
        """
        if unchanged_ms <= 0:
            return interval, 0
        if unchanged_ms > interval * 1000:
            interval = unchanged_ms // 1000
        offset, top = half_up(unchanged_ms * self.settings.adaptive_sync_delta_rate), self.settings.adaptive_max_interval_seconds * 1000
        return interval, offset if offset <= top else half_up(offset / unchanged_ms * top)


class StormCrawlerDefault(Schedule):
    """StormCrawler's DefaultScheduler: an interval by result; failures are counted, and after the last one it is left alone."""

    __slots__ = ()

    @property
    def retry_max(self) -> int:
        """`max_fetch_errors`."""
        return self.settings.max_fetch_errors

    def retry(self, visit: Visit) -> Next:
        """A fetch error: again after `fetch_error_interval_seconds`; never, from the `max_fetch_errors`th in a row on."""
        errors = visit.retries + 1
        never = errors >= self.retry_max or (visit.fixed_seconds is not None and visit.fixed_seconds < 0)
        due = None if never else visit.at_ms + self.settings.fetch_error_interval_seconds * 1000
        return Next(due, self.settings.fetch_interval_seconds, 0, errors, forget_signature=True)

    def gone(self, visit: Visit) -> Next:
        """A fetch error as well: StormCrawler does not tell a 404 from a server that fails."""
        return self.retry(visit)

    def _interval(self, visit: Visit) -> int:
        return self.settings.fetch_interval_seconds


class StormCrawlerAdaptive(StormCrawlerDefault):
    """StormCrawler's AdaptiveScheduler: an unchanged page's interval grows by a share, a changed one's falls towards the minimum."""

    __slots__ = ()

    def _interval(self, visit: Visit) -> int:
        """By the change seen; with nothing to compare it is the default again."""
        s, interval = self.settings, Schedule._interval(self, visit)
        if visit.change is Change.NOTMODIFIED:
            return self._grown(interval)
        if visit.change is Change.MODIFIED:
            dec = s.adaptive_dec_rate
            return max(1, int((1 - dec) * interval + dec * s.adaptive_min_interval_seconds))
        return s.fetch_interval_seconds

    def _grown(self, interval: int) -> int:
        rate = self.settings.adaptive_inc_rate
        grown = int(interval * (1 + rate))
        if rate > 0 and grown == interval:  # whole numbers would never grow from 1
            grown += 1
        return min(grown, self.settings.adaptive_max_interval_seconds)


SCHEDULES: Final[Mapping[str, type[Schedule]]] = {
    "none": NoRecrawl,
    "fixed": Fixed,
    "fixed_rate": FixedRate,
    "nutch_adaptive": NutchAdaptive,
    "stormcrawler": StormCrawlerDefault,
    "stormcrawler_adaptive": StormCrawlerAdaptive,
}


def schedule_of(settings: Settings) -> Schedule:
    """The schedule that `recrawl_schedule` names."""
    return SCHEDULES[settings.recrawl_schedule](settings)


def half_up(number: float) -> int:
    """The nearest whole number, halves upward, as Java rounds; halves to the even one would shorten intervals by a second."""
    return math.floor(number + 0.5)


def last_fetch_ms(due_ms: int, interval_seconds: int, *, unfetched: bool) -> int:
    """When a page due at `due_ms` was fetched last; 0: never."""
    return 0 if unfetched else due_ms - interval_seconds * 1000


def should_fetch(due_ms: int, interval_seconds: int, now_ms: int, settings: Settings) -> tuple[bool, int, int]:
    """Is the page due, and its due time and interval: one due further ahead than the longest interval is pulled in to now."""
    if due_ms - now_ms > settings.max_fetch_interval_seconds * 1000:
        due_ms, interval_seconds = now_ms, _below_maximum(interval_seconds, settings)
    return due_ms <= now_ms, due_ms, interval_seconds


def force_refetch(due_ms: int, interval_seconds: int, now_ms: int, settings: Settings, *, asap: bool) -> Next:
    """As if never fetched: no signature, no time of change, no retries; `asap` also makes it due now."""
    return Next(now_ms if asap else due_ms, _below_maximum(interval_seconds, settings), 0, 0, forget_signature=True)


def _below_maximum(interval_seconds: int, settings: Settings) -> int:
    top = settings.max_fetch_interval_seconds
    return max(1, half_up(0.9 * top)) if interval_seconds > top else interval_seconds


def _fixed(visit: Visit, seconds: int) -> Next:
    if seconds < 0:
        return Next(None, 0, visit.modified_ms, 0)
    interval = max(1, min(seconds, MAX_INTERVAL_SECONDS))
    return Next(visit.at_ms + interval * 1000, interval, visit.modified_ms, 0)
