"""Patterns and limits of the lists: regular expressions that cannot hang, and the best rows of a list of any length."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import Any

from redisfrontier.policy.regexes import full_matcher

Row = dict[str, Any]


def matcher(pattern: str | None) -> Callable[[str], bool] | None:
    """Does the regex (RE2) occur in a text? None for no pattern; raises SettingError for a bad one."""
    return full_matcher(f"(?s).*(?:{pattern}).*") if pattern else None


def largest(rows: Iterable[Row], name: str, limit: int) -> list[Row]:
    """The `limit` rows (0: all) with the greatest values of a field, greatest first, holding no more than these in memory."""
    key = _key(name)
    return heapq.nlargest(limit, rows, key) if limit else sorted(rows, key=key, reverse=True)


def smallest(rows: Iterable[Row], name: str, limit: int) -> list[Row]:
    """The same from the least on."""
    key = _key(name)
    return heapq.nsmallest(limit, rows, key) if limit else sorted(rows, key=key)


def _key(name: str) -> Callable[[Row], tuple[float, str]]:
    """Numbers by size, texts after them by letters."""

    def key(row: Row) -> tuple[float, str]:
        value = row.get(name, 0)
        return (float(value), "") if isinstance(value, int | float) else (float("inf"), str(value))

    return key
