"""Reads seed lists, inline, from files or standard input, line by line and without ever writing them (Heritrix §8.3)."""

from __future__ import annotations

import gzip
import io
import re
import sys
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import BinaryIO

from redisfrontier.errors import DefinitionError, InvalidUri
from redisfrontier.policy.directive import MEDIUM
from redisfrontier.policy.scope.surt_rules import SeedSurts
from redisfrontier.record.record import Candidate
from redisfrontier.uri.parse import parse
from redisfrontier.uri.surt import directive_prefix, implied_prefix

MAX_LINE = 131_072
"""Characters of one line; the rest of a longer one is skipped and the line reported."""

SEED_INDEX = "seed_index"
"""Metadata key under which a seed's number, from 0, stays on its record (field case I2)."""

STANDARD_INPUT = "-"

_BLANKS = " \t\n\x0b\f\r"
# Java's `.` stops at these separators, so a text with one of them has no scheme, as in Heritrix.
_HAS_SCHEME = re.compile(r"[a-zA-Z][\w+\-]+:[^\n\r\x85\u2028\u2029]*", re.ASCII)
_LETTER_OR_DIGIT = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"})


class LineKind(StrEnum):
    """What a line of a seed list is."""

    SEED = "seed"
    DIRECTIVE = "directive"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class SeedSource:
    """Where a crawl's seeds come from: inline `text` first, then `files` in their order."""

    text: str = ""
    files: tuple[str, ...] = ()
    """Paths; `-` is standard input, a name in .gz is unpacked while it is read."""
    source_tag_seeds: bool = False
    """Tag every URI with the seed line that it comes from."""
    block_awaiting_seed_lines: int = -1
    """-1: the crawl waits for all lines; n: it starts after n lines, the rest streams in behind."""


@dataclass(frozen=True, slots=True)
class SeedLine:
    """One line that is neither blank nor a comment."""

    number: int
    """From 1, in its source."""
    kind: LineKind
    text: str
    """The entry as written; of a directive with its sign; of a bad URI with the scheme that was put in front."""
    uri: str = ""
    """Seeds: the escaped URI."""
    reason: str = ""
    """Bad lines: why."""
    source: str = ""
    """File name, `-`, or empty for inline text."""

    def candidate(self, index: int, source_tag: bool = False) -> Candidate:
        """The seed as it is offered to the frontier; `index` stays with it for good."""
        tag = self.text if source_tag else None
        return Candidate(self.uri, is_seed=True, source_tag=tag, directive=MEDIUM, metadata={SEED_INDEX: index})

    def __str__(self) -> str:
        where = f"{self.source or 'seeds'}:{self.number}"
        return f"{where}: {self.reason}: {self.text[:200]!r}" if self.reason else f"{where}: {self.text[:200]!r}"


@dataclass(frozen=True, slots=True)
class SeedBatch:
    """Some lines, sorted by kind; schedule `seeds` after the scope has taken `surt_lines`."""

    seeds: tuple[Candidate, ...] = ()
    surt_lines: tuple[SeedLine, ...] = field(default=(), repr=False)
    """Seeds and directives, in order: what the scope learns from (`seed_surts`)."""
    bad: tuple[SeedLine, ...] = ()
    ready: bool = False
    """The lines that the crawl waits for are in: it may start once this batch is scheduled."""
    next_index: int = 0
    """The number the next seed would get."""


def read(source: SeedSource, stdin: BinaryIO | None = None) -> Iterator[SeedLine]:
    """All lines of a source, one at a time; raises DefinitionError when a file cannot be opened."""
    if source.text:
        yield from read_stream(io.BytesIO(source.text.encode("utf-8", "replace")))
    for name in source.files:
        with _opened(name, stdin) as stream:
            yield from read_stream(stream, name)


def read_stream(stream: BinaryIO, name: str = "") -> Iterator[SeedLine]:
    """The lines of one open byte stream: UTF-8 with or without BOM, ended by LF, CR LF or CR; bad bytes become U+FFFD."""
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline=None)
    number = 0
    try:
        while line := text.readline(MAX_LINE):
            number += 1
            if len(line) == MAX_LINE and not line.endswith("\n"):
                _skip_rest(text)
                yield SeedLine(number, LineKind.BAD, line[:200], reason=f"longer than {MAX_LINE - 1} characters", source=name)
            elif (found := read_line(line.rstrip("\n"), number, name)) is not None:
                yield found
    except (EOFError, zlib.error, gzip.BadGzipFile) as e:
        yield SeedLine(number + 1, LineKind.BAD, "", reason=f"the packed file is damaged from here on ({e})", source=name)
    finally:
        text.detach()


def read_line(line: str, number: int = 1, source: str = "") -> SeedLine | None:
    """One line without its end; None when it is blank or a comment (a BOM before either included)."""
    entry = line.strip(_BLANKS).lstrip(_BLANKS + "\ufeff")
    if not entry or entry[0] == "#":
        return None
    word, *behind = re.split(r"\s+", entry, maxsplit=1, flags=re.ASCII)
    if behind and behind[0][0] != "#":
        # The comment may have begun inside the word: `a.example#see below` is a seed.
        word = word[: max(word.rfind("#"), 0)]
    if not word:
        return SeedLine(number, LineKind.BAD, line, reason="more than one word; put a # before a comment", source=source)
    if unicodedata.category(word[0]) in _LETTER_OR_DIGIT:
        return _seed(word, number, source)
    reason = _why_no_directive(word)
    return SeedLine(number, LineKind.BAD if reason else LineKind.DIRECTIVE, word, reason=reason, source=source)


def seed_surts(lines: Iterable[SeedLine]) -> SeedSurts:
    """What the scope learns from a seed list: the SURT prefixes that its seeds imply, and those named after + and -."""
    seeds: list[str] = []
    signed: dict[str, list[str]] = {"+": [], "-": []}
    for line in lines:
        if line.kind is LineKind.SEED:
            seeds.append(implied_prefix(line.uri))
        elif line.kind is LineKind.DIRECTIVE:
            signed[line.text[0]].append(directive_prefix(line.text[1:]))
    return SeedSurts(*(tuple(filter(None, found)) for found in (seeds, signed["+"], signed["-"])))


def batches(source: SeedSource, *, size: int = 1000, first_index: int = 0, stdin: BinaryIO | None = None) -> Iterator[SeedBatch]:
    """A source in batches of at most `size` lines; `ready` says from which batch on the crawl may run.

    Seeds are numbered on from `first_index` (how many the crawl has already been given), so seeds added
    by a later call never take a number of an earlier one.
    """
    wait, index = source.block_awaiting_seed_lines, first_index
    chunk: list[SeedLine] = []
    if wait == 0:
        yield SeedBatch(ready=True, next_index=index)
    for count, line in enumerate(read(source, stdin), 1):
        chunk.append(line)
        if len(chunk) >= size or count == wait:
            batch = _batch(chunk, index, source.source_tag_seeds, ready=0 <= wait <= count)
            index = batch.next_index
            yield batch
            chunk = []
    yield _batch(chunk, index, source.source_tag_seeds, ready=True)


def _batch(lines: list[SeedLine], index: int, tag: bool, *, ready: bool) -> SeedBatch:
    seeds = [line for line in lines if line.kind is LineKind.SEED]
    return SeedBatch(
        seeds=tuple(line.candidate(index + i, tag) for i, line in enumerate(seeds)),
        surt_lines=tuple(line for line in lines if line.kind is not LineKind.BAD),
        bad=tuple(line for line in lines if line.kind is LineKind.BAD),
        ready=ready,
        next_index=index + len(seeds),
    )


def _seed(word: str, number: int, source: str) -> SeedLine:
    # `example.com:8080` has no scheme, `localhost:8080` has one: a dot is not in the class, as in Heritrix.
    text = word if _HAS_SCHEME.fullmatch(word) else "http://" + word
    try:
        return SeedLine(number, LineKind.SEED, word, parse(text).text, source=source)
    except InvalidUri as e:
        return SeedLine(number, LineKind.BAD, text, reason=f"not a URI ({e.reason})", source=source)


def _why_no_directive(word: str) -> str:
    if "\0" in word:
        return "contains zero bytes; save the file as UTF-8"
    if word[0] not in "+-":
        return "starts with neither a letter, a digit, + nor -"
    return "" if len(word) > 1 else "a sign with no SURT prefix behind it"


def _skip_rest(text: io.TextIOWrapper) -> None:
    while (rest := text.readline(MAX_LINE)) and not rest.endswith("\n"):
        pass


@contextmanager
def _opened(name: str, stdin: BinaryIO | None) -> Iterator[BinaryIO]:
    if name == STANDARD_INPUT:
        yield stdin or sys.stdin.buffer
        return
    try:
        raw = open(name, "rb")  # noqa: SIM115 (closed below, whatever wraps it)
    except OSError as e:
        remedy = "correct the file's name in [seeds]; its path counts from the crawl file"
        raise DefinitionError(f"seeds: cannot read {name}: {e.strerror}", remedy=remedy) from e
    with raw:
        if name.endswith(".gz"):
            with gzip.open(raw) as unpacked:
                yield io.BufferedReader(unpacked)
        else:
            yield raw
