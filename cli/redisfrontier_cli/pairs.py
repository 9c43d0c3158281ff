"""NAME=VALUE arguments: metadata, and settings with durations as people write them."""

from __future__ import annotations

from collections.abc import Iterable

from redisfrontier.errors import BadArgument
from redisfrontier.settings import SPECS, Value, checked
from redisfrontier_cli.durations import has_unit, milliseconds


def assignments(given: Iterable[str]) -> dict[str, str]:
    """name=value texts as a dictionary; raises BadArgument for one without an equals sign."""
    found = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise BadArgument(f"{word[:80]!r} is not NAME=VALUE", remedy="for example min_delay_ms=2s")
        found[name.strip()] = value
    return found


def setting_values(given: Iterable[str]) -> dict[str, Value]:
    """The same for settings, checked; a value with a unit suits every setting in ms or seconds (min_delay_ms=2s)."""
    return {name: checked(name, _converted(name, raw)) for name, raw in assignments(given).items()}


def _converted(name: str, raw: str) -> object:
    if name in SPECS and SPECS[name]["type"] is int and has_unit(raw):
        if name.endswith("_ms"):
            return milliseconds(raw)
        if name.endswith("_seconds"):
            return milliseconds(raw) // 1000
    return raw
