"""Durations as people write and read them: 500ms, 30s, 5m, 2h, 1d, 1h30m; in words when shown."""

from __future__ import annotations

import re
from typing import Any

import click

_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_PART = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)(ms|[smhdw])")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")


def has_unit(text: str) -> bool:
    """Is it a duration with units, rather than a bare number or anything else?"""
    return bool(_WHOLE.fullmatch(text.strip().lower()))


def milliseconds(text: str) -> int:
    """The ms of a duration; a bare number is seconds; raises ValueError."""
    flat = text.strip().lower().replace(" ", "")
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", flat):
        return round(float(flat) * 1000)
    if not _WHOLE.fullmatch(flat):
        raise ValueError(text)
    return round(sum(float(number) * _UNITS_MS[unit] for number, unit in _PART.findall(flat)))


def spoken(ms: int) -> str:
    """A duration in words, to two units: 1 h 30 min."""
    if abs(ms) < 1000:
        return f"{ms} ms"
    left = abs(ms)
    parts: list[str] = []
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        count, left = divmod(left, size)
        if count or parts:
            parts.append(f"{count} {unit}" if count else "")
    words = " ".join(p for p in parts[:2] if p)
    return f"-{words}" if ms < 0 else words


class Duration(click.ParamType[int]):
    """An option that takes a duration and gives ms."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Ms; fails with what is taken."""
        if isinstance(value, int):
            return value
        try:
            return milliseconds(str(value))
        except ValueError:
            self.fail(f"{value!r} is no duration; write 30s, 5m, 2h, 1d or 1h30m", param, ctx)


DURATION = Duration()
