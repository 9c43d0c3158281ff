"""Cutting the text of a Nutch dump (`readdb -dump`, its CSV form, `readseg -dump`) into blocks of named fields, one at a time."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

MAX_LINE_BYTES: Final = 131_072
MAX_FIELDS: Final = 32
MAX_METADATA: Final = 64
MAX_VALUE_CHARS: Final = 4096

_HEAD: Final = re.compile(r"([^\t]+)\tVersion: *([0-9]{1,3}) *")
_VERSION: Final = re.compile(r"Version: *([0-9]{1,3}) *")
_URL: Final = re.compile(r"URL::? *(\S.*)")
_FIELD: Final = re.compile(r"([A-Z][A-Za-z ]{2,30}):(.*)")
#: Sections of a segment dump that hold what a server sent: such text can imitate any block, so nothing after it is believed.
_FOREIGN: Final = re.compile(r"(?:Content|ParseData|ParseText)::")
#: Metadata on one line, as Nutch wrote it up to 1.8: keys are told from values by what they look like.
_INLINE_KEY: Final = re.compile(r"(_[a-z]+_|Content-Type|nutch\.[\w.]+|fixedInterval): ?")
_CSV_START: Final = "Url,Status code"
_CSV_NAMES: Final = {
    "status code": "Status",
    "fetch time": "Fetch time",
    "modified time": "Modified time",
    "retries since fetch": "Retries since fetch",
    "retry interval seconds": "Retry interval",
    "score": "Score",
    "signature": "Signature",
}


@dataclass(slots=True)
class Block:
    """One record as text, or, with a `problem`, what could not be cut into one."""

    line: int
    """Where it begins; with a problem, where that is."""
    uri: str = ""
    version: int | None = None
    """None: the form does not tell, so it is today's."""
    fields: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)
    problem: str = ""
    text: str = ""
    """The line with the problem."""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    damage: str = ""


def blocks(stream: BinaryIO) -> Iterator[Block]:
    """The blocks of a dump in their order; memory is bounded by one block, whatever the input.

    Text behind a segment's page contents is not read: servers wrote it.
    """
    lines = _lines(stream)
    first = next(lines, None)
    if first is None:
        return
    if first.text.startswith(_CSV_START):
        yield from _rows(first.text, lines)
        return
    cutter = _Cutter()
    yield from cutter.feed(first)
    for line in lines:
        if line.text.endswith("::") and _FOREIGN.fullmatch(line.text):
            yield from cutter.close()
            yield Block(line.number, problem="page contents: dump the segment with -nocontent -noparsedata -noparsetext", text=line.text)
            return
        yield from cutter.feed(line)
    yield from cutter.close()


def _lines(stream: BinaryIO) -> Iterator[_Line]:
    number = 0
    while raw := stream.readline(MAX_LINE_BYTES):
        number += 1
        if len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n"):
            while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            yield _Line(number, "", f"a line of {MAX_LINE_BYTES} bytes or more")
            continue
        try:
            yield _Line(number, raw.decode().rstrip("\r\n"))
        except UnicodeDecodeError:
            yield _Line(number, raw.decode(errors="replace").rstrip("\r\n"), "not UTF-8")


class _Cutter:
    """The text form: a header line opens a block; what fits nowhere is reported once and skipped up to the next header."""

    def __init__(self) -> None:
        self._open: Block | None = None
        self._in_metadata = False
        self._stray = False
        self._uri = ""

    def close(self) -> Iterator[Block]:
        """The open block, if there is one."""
        if self._open is not None:
            yield self._open
        self._open, self._in_metadata = None, False

    def feed(self, line: _Line) -> Iterator[Block]:
        """Takes one line; yields what it ends."""
        text = line.text
        if line.damage:
            yield from self._lost(line, line.damage)
        elif self._in_metadata and text.startswith(("\t", " \t")):
            self._entry(*text.strip().partition("=")[::2])
        elif "\tVersion:" in text and (head := _HEAD.fullmatch(text)) and head[1].strip():
            yield from self._begin(line, head[1].strip(), head[2])
        elif text.startswith("URL:") and (found := _URL.fullmatch(text)):
            yield from self.close()
            self._uri, self._stray = found[1].strip(), False
        elif self._uri and (version := _VERSION.fullmatch(text)):
            yield from self._begin(line, self._uri, version[1])
        elif text.startswith("Recno::"):
            yield from self.close()
            self._uri, self._stray = "", False
        elif text.strip() and text.strip() != "CrawlDatum::":
            yield from self._field(line)

    def _begin(self, line: _Line, uri: str, version: str) -> Iterator[Block]:
        yield from self.close()
        self._open, self._stray = Block(line.number, uri, int(version)), False

    def _lost(self, line: _Line, why: str) -> Iterator[Block]:
        """A line that cannot be placed: perhaps a header, so nothing up to the next one belongs to the block before."""
        if self._open is not None and not self._in_metadata:
            self._open = None  # its fields may not be whole
        yield from self.close()
        self._uri = ""
        if not self._stray:
            self._stray = True
            yield Block(line.number, problem=why, text=line.text)

    def _field(self, line: _Line) -> Iterator[Block]:
        found, block = _FIELD.fullmatch(line.text.strip()), self._open
        if block is None or self._in_metadata or found is None:
            yield from self._lost(line, "a line that belongs to no record")
        elif found[1] == "Metadata":
            self._in_metadata = True
            self._inline(found[2].strip())
        elif found[1] in block.fields or len(block.fields) >= MAX_FIELDS:
            yield from self._lost(line, f"a second {found[1]!r} in the record of line {block.line}")
        else:
            block.fields[found[1]] = found[2].strip()[:MAX_VALUE_CHARS]

    def _inline(self, text: str) -> None:
        parts = _INLINE_KEY.split(text)
        for key, value in zip(parts[1::2], parts[2::2], strict=True):
            self._entry(key, value)

    def _entry(self, key: str, value: str) -> None:
        if self._open is not None and key and len(key) + len(value) <= MAX_VALUE_CHARS and len(self._open.metadata) < MAX_METADATA:
            self._open.metadata[key] = value.strip()


def _rows(header: str, lines: Iterator[_Line]) -> Iterator[Block]:
    """The CSV form: one record a line, its columns named by the header."""
    names = [name.strip().lower() for name in header.split(",")]
    for line in lines:
        if not line.text.strip() and not line.damage:
            continue
        try:
            row = next(csv.reader([line.text], strict=True), [])
        except csv.Error as e:
            yield Block(line.number, problem=f"not a row: {e}", text=line.text)
            continue
        if line.damage or len(row) != len(names) or not row[0].strip():
            yield Block(line.number, problem=line.damage or f"a row of {len(row)} columns, not {len(names)}", text=line.text)
            continue
        named = dict(zip(names, row, strict=True))
        fields = {ours: named[theirs][:MAX_VALUE_CHARS] for theirs, ours in _CSV_NAMES.items() if theirs in named}
        pairs = (entry.partition(":") for entry in named.get("metadata", "").split("|||")[:MAX_METADATA])
        yield Block(line.number, row[0].strip(), None, fields, {k: v for k, _, v in pairs if k and len(k) + len(v) <= MAX_VALUE_CHARS})
