"""Find the SURT prefixes of a URI in a time that does not depend on how many prefixes there are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator


class SurtPrefixSet:
    """A set of SURT prefixes kept minimal: an entry that begins with another is redundant and left out."""

    __slots__ = ("_sorted",)

    def __init__(self, prefixes: Iterable[str] = ()) -> None:
        self._sorted: list[str] = []
        self.update(prefixes)

    def add(self, prefix: str) -> bool:
        """Add one prefix; False if it, or a shorter one, was there."""
        if self.match(prefix) is not None:
            return False
        start = bisect_left(self._sorted, prefix)
        end = start
        while end < len(self._sorted) and self._sorted[end].startswith(prefix):
            end += 1
        self._sorted[start:end] = [prefix]
        return True

    def update(self, prefixes: Iterable[str]) -> None:
        """Add many prefixes at once, in one sort."""
        merged: list[str] = []
        for prefix in sorted({*self._sorted, *prefixes}):
            if not merged or not prefix.startswith(merged[-1]):
                merged.append(prefix)
        self._sorted = merged

    def matches(self, surt: str) -> bool:
        """Whether any prefix begins `surt`."""
        return self.match(surt) is not None

    def match(self, surt: str) -> str | None:
        """The one prefix that begins `surt`, or None."""
        place = bisect_right(self._sorted, surt)
        if place and surt.startswith(self._sorted[place - 1]):
            return self._sorted[place - 1]
        return None

    def __iter__(self) -> Iterator[str]:
        return iter(self._sorted)

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, prefix: object) -> bool:
        return isinstance(prefix, str) and self.match(prefix) == prefix


class SurtPrefixIndex:
    """A fixed set of SURT prefixes that may lie inside each other, as sheets bind to them."""

    __slots__ = ("_outer", "_sorted")

    def __init__(self, prefixes: Iterable[str] = ()) -> None:
        self._sorted = sorted(set(prefixes))
        #: For each entry the place of the longest other entry that begins it, or -1.
        self._outer: list[int] = []
        open_entries: list[int] = []
        for place, prefix in enumerate(self._sorted):
            while open_entries and not prefix.startswith(self._sorted[open_entries[-1]]):
                open_entries.pop()
            self._outer.append(open_entries[-1] if open_entries else -1)
            open_entries.append(place)

    def all(self, surt: str) -> tuple[str, ...]:
        """Every prefix that begins `surt`, shortest first."""
        found: list[str] = []
        # What begins `surt` also begins its greatest smaller entry, so it lies on that entry's way outwards.
        place = bisect_right(self._sorted, surt) - 1
        while place >= 0:
            if surt.startswith(self._sorted[place]):
                found.append(self._sorted[place])
            place = self._outer[place]
        found.reverse()
        return tuple(found)

    def longest(self, surt: str) -> str | None:
        """The longest prefix that begins `surt`, or None."""
        found = self.all(surt)
        return found[-1] if found else None

    def __len__(self) -> int:
        return len(self._sorted)
