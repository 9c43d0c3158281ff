"""Reading the dates that Java's `Date.toString` writes, such as `Mon Feb 09 13:20:36 CST 2015`, in whatever locale we run."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final

_MONTHS: Final = {m: i for i, m in enumerate(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1)}
_JAVA: Final = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([0-9]{1,2}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) (\S{1,12}) ([0-9]{4,6})"
)
_ISO: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?")
_OFFSET: Final = re.compile(r"(?:GMT|UTC)?([+-])([0-9]{2}):?([0-9]{2})")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: Offsets in hours of the abbreviations that stand for one zone only. CST, IST, BST, AST … are not here: each names several.
_HOURS: Final[dict[str, float]] = {
    "UTC": 0, "GMT": 0, "UT": 0, "Z": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MET": 1, "MEST": 2, "EET": 2, "EEST": 3, "MSK": 3,
    "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10, "NST": -3.5,
    "NDT": -2.5, "BRT": -3, "ART": -3, "JST": 9, "KST": 9, "HKT": 8, "SGT": 8, "WIB": 7,
    "PKT": 5, "NPT": 5.75, "SAST": 2, "CAT": 2, "EAT": 3, "WAT": 1,
    "AWST": 8, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13,
}  # fmt: skip


class JavaDates:
    """Parses dates to ms since the epoch, and remembers which zone abbreviations it had to guess.

    `zone` is the zone of the machine that wrote the dates: it decides abbreviations that are unknown or name several zones
    (CST, IST …). Without it those are taken as UTC and noted in `guessed`.
    """

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone
        self.guessed: set[str] = set()

    def parse(self, text: str) -> int:
        """The ms since the epoch; takes Java's form, ISO 8601 (UTC without an offset) and whole ms; raises ValueError."""
        text = text.strip()
        found = _JAVA.fullmatch(text)
        if found:
            return _ms(self._java(*found.groups()))
        if _ISO.fullmatch(text):
            when = datetime.fromisoformat(text)
            return _ms(when if when.tzinfo else when.replace(tzinfo=UTC))
        if re.fullmatch(r"-?[0-9]{1,15}", text):
            return int(text)
        raise ValueError(f"not a date: {text[:60]!r}")

    def _java(self, month: str, day: str, hour: str, minute: str, second: str, zone: str, year: str) -> datetime:
        if month not in _MONTHS:
            raise ValueError(f"not a month: {month}")
        when = datetime(int(year), _MONTHS[month], int(day), int(hour), int(minute), min(int(second), 59))  # noqa: DTZ001 - zone follows
        known = _zone(zone)
        if known is not None:
            return when.replace(tzinfo=known)
        if self.zone is None:
            if len(self.guessed) < 100:
                self.guessed.add(zone)
            return when.replace(tzinfo=UTC)
        local = when.replace(tzinfo=self.zone)
        later = local.replace(fold=1)  # the hour that the end of summer time repeats: its abbreviation tells which one
        return later if local.tzname() != zone and later.tzname() == zone else local


def _zone(name: str) -> tzinfo | None:
    if name in _HOURS:
        return timezone(timedelta(hours=_HOURS[name]))
    offset = _OFFSET.fullmatch(name)
    if offset is None or int(offset[2]) > 18 or int(offset[3]) > 59:
        return None
    span = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
    return timezone(-span if offset[1] == "-" else span)


def _ms(when: datetime) -> int:
    try:
        return (when - _EPOCH) // timedelta(milliseconds=1)
    except OverflowError:
        raise ValueError("a date out of range") from None
