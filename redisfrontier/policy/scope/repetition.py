"""Find a run of path segments that is repeated back to back, in a time that hostile URIs cannot blow up."""

from __future__ import annotations

import re


def has_repetition(text: str, times: int) -> bool:
    """Is there, after some slash of `text`, one group of segments (each ending in a slash) `times` times in a row?

    The same as a full match of `.*?/(.*?/)\\1{times-1,}.*` (Heritrix' PathologicalPath), without its back-reference.
    """
    if text.count("/") <= times:
        return False
    segments = text.split("/")[1:-1]
    if times > 1 and len(set(segments)) == len(segments):
        return False
    numbers = {segment: number for number, segment in enumerate(dict.fromkeys(segments))}
    return _has_power("".join(chr(numbers[s]) for s in segments), times)


def _has_power(letters: str, times: int) -> bool:
    """Does a word w exist with w repeated `times` times inside `letters`?

    Such a run of period p covers `times` letters p apart at multiples of p, which are equal; so looking at those finds
    every candidate, in len · log(len) steps, and only candidates are looked at closely.
    """
    if times < 2:
        return bool(letters)
    equal = re.compile(rf"(.)\1{{{times - 1}}}", re.DOTALL) if times <= 1000 else None
    for period in range(1, len(letters) // times + 1):
        grid = letters[::period]
        start = 0
        while True:
            start = _next_run(grid, start, times, equal)
            if start < 0:
                break
            if _repeats_around(letters, start * period, period, times):
                return True
            start += 1
    return False


def _next_run(grid: str, start: int, times: int, equal: re.Pattern[str] | None) -> int:
    """Where the next `times` equal letters begin in `grid`, or −1."""
    if equal is not None:
        found = equal.search(grid, start)
        return found.start() if found else -1
    while start + times <= len(grid):
        run = len(grid) - start - len(grid[start:].lstrip(grid[start]))
        if run >= times:
            return start
        start += run
    return -1


def _repeats_around(letters: str, at: int, period: int, times: int) -> bool:
    """Does a stretch of `times` periods that covers `at` agree with itself one period on?"""
    forward = _agreement(letters, at, period, (times - 1) * period)
    backward = 0
    while backward < period and at - backward > 0 and letters[at - backward - 1] == letters[at - backward - 1 + period]:
        backward += 1
    return forward + backward >= (times - 1) * period


def _agreement(letters: str, at: int, period: int, most: int) -> int:
    """How many letters from `at` on equal those one period further, up to `most`; by halving, so that C compares."""
    most = min(most, len(letters) - at - period)
    low, high = 0, max(most, 0)
    while low < high:
        middle = (low + high + 1) // 2
        if letters[at : at + middle] == letters[at + period : at + period + middle]:
            low = middle
        else:
            high = middle - 1
    return low
