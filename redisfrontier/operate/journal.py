"""The lines of frontier.recover.gz: writes and reads them as Heritrix does (Heritrix §7.1)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from redisfrontier.uri.parse import parse as parse_uri

TIMESTAMP_EVERY = 10_000
"""Lines after which a `T` line follows."""


class Tag(StrEnum):
    """The three characters a URI's line starts with."""

    ADDED = "F+ "
    EMITTED = "Fe "
    INCLUDED = "Fi "
    DISREGARDED = "Fd "
    REENQUEUED = "Fr "
    SUCCEEDED = "Fs "
    FAILED = "Ff "


_TAGS = frozenset(t.value for t in Tag)
_WITH_PATH = frozenset({Tag.ADDED, Tag.SUCCEEDED, Tag.FAILED})
# White space as Java's \s knows it; anything else inside a URI is no separator.
_GAP = re.compile(r"[ \t\n\x0b\f\r]+")
_JAVA_BLANKS = "".join(map(chr, range(0x21)))
_UNSAFE = re.compile(r"[\x00-\x20\x7f\x85\u2028\u2029]")
_LOOKS_LIKE_A_LINE = re.compile(r"^(?=(?:F[-+a-z]|[TE]) )")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line read: `tag` is its first three characters as they stand, URIs are in escaped form."""

    tag: str
    uri: str
    path: str
    via: str | None
    context: str | None


def write(tag: Tag | str, uri: str, path: str = "", via: str | None = None) -> str:
    """One line with its end: URI, hop path and via where Heritrix writes them (F+, Fs, Ff), else the URI alone.

    Blanks and control characters in the parts are percent-encoded, so that no part can start a line or field of its own.
    """
    kind = Tag(tag)
    if kind not in _WITH_PATH:
        return f"{kind}{_safe(uri)}\n"
    return f"{kind}{_safe(uri)} {_safe(path)} {_safe(via or '')}\n"


def write_timestamp(at_ms: int) -> str:
    """The line that tells the time, written after each 10,000 others; `at_ms` since the epoch."""
    return f"T {log_time(at_ms)}\n"


def write_error(message: str, at_ms: int) -> str:
    """The lines of a serious error: its own lines, then an empty one.

    A line of the message that would read as a journal line is moved in by a blank: text from the web
    may not forge URIs into a recovery.
    """
    head, *rest = message.split("\n")
    safe = [head, *(_LOOKS_LIKE_A_LINE.sub(" ", line) for line in rest)]
    return f"E {log_time(at_ms)} " + "\n".join(safe).replace("\r", " ") + "\n\n"


def log_time(at_ms: int) -> str:
    """A time as Heritrix' logs show it, e.g. 2024-05-01T12:00:00Z."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Journal:
    """Hands journal lines to `put` and adds a time line after each 10,000 of them; `clock` gives ms since the epoch."""

    __slots__ = ("_clock", "_lines", "_put")

    def __init__(self, put: Callable[[str], object], clock: Callable[[], int]) -> None:
        self._put = put
        self._clock = clock
        self._lines = 0

    def line(self, tag: Tag | str, uri: str, path: str = "", via: str | None = None) -> None:
        """Write one URI's line."""
        self._emit(write(tag, uri, path, via))

    def error(self, message: str) -> None:
        """Write a serious error."""
        self._emit(write_error(message, self._clock()))

    def _emit(self, text: str) -> None:
        self._put(text)
        self._lines += 1
        if self._lines % TIMESTAMP_EVERY == 0:
            self._put(write_timestamp(self._clock()))


def parse(line: str, trim: bool = True) -> Entry | None:
    """What a line says; None when it is shorter than a tag and one more character.

    `trim` drops blanks around what follows the tag (importRecoverFormat does, the JSON import does not).
    Raises InvalidUri when URI or via is none; such lines (`T`, `E` too) are left out by their tag before, see `is_uri_line`.
    Two blanks after the URI stand for an empty hop path, so a via may follow it (Heritrix takes that via for the path).
    """
    line = line.rstrip("\r\n")
    if len(line) < 4:
        return None
    tag, rest = line[:3], line[3:]
    if trim:
        rest = rest.strip(_JAVA_BLANKS)
    uri, path, via, context = _fields(rest)
    has_via = len(via) > 1
    return Entry(
        tag=tag,
        uri=parse_uri(uri).text,
        path=path,
        via=parse_uri(via).text if has_via else None,
        context=context if has_via and context else None,
    )


def is_uri_line(line: str) -> bool:
    """Does the line start with one of the tags that carry a URI?"""
    return line[:3] in _TAGS


def _fields(rest: str) -> tuple[str, str, str, str]:
    parts = _GAP.split(rest, maxsplit=4)
    uri = parts[0]
    after = parts[1:]
    if after and rest.startswith("  ", len(uri)) and _SCHEME.match(after[0]):
        after.insert(0, "")
    path, via, context = [*after, "", "", ""][:3]
    return uri, path, via, context


def _safe(text: str) -> str:
    if text.isascii() and text.isprintable() and " " not in text:
        return text
    return _UNSAFE.sub(_percent, text)


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{b:02X}" for b in match[0].encode())
