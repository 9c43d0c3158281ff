"""Reading Nutch dumps as neutral records: old status codes, dates, intervals and redirect targets become ours on the way."""

from __future__ import annotations

import bz2
import gzip
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import BinaryIO, Final, cast

from redisfrontier.errors import FrontierError, RecordError
from redisfrontier.operate.java_date import JavaDates
from redisfrontier.operate.nutch_blocks import Block, blocks
from redisfrontier.policy.merge import UriState
from redisfrontier.policy.schedules import MAX_INTERVAL_SECONDS, last_fetch_ms
from redisfrontier.record.record import Candidate, MetaValue
from redisfrontier.status import CURRENT_VERSION, FIXED_INTERVAL_KEY, REDIRECT_KEY, Status, has_db_status, read_code

MAX_URI_BYTES: Final = 65_535
#: Times beyond the year 9999 are no times.
MAX_TIME_MS: Final = 253_402_300_799_999

_STATUS: Final = re.compile(r"(-?[0-9]{1,3})(?: .*)?")
_NUMBER: Final = re.compile(r"-?[0-9]{1,19}(?:\.[0-9]{1,20})?(?:E-?[0-9]{1,3})?")
_INTERVAL: Final = re.compile(r"([0-9]{1,19}(?:\.[0-9]{1,20})?(?:E[0-9]{1,2})?)(?: *(seconds|days).*)?")
_SIGNATURE: Final = re.compile(r"(?:[0-9a-fA-F]{2}){1,256}")
#: The protocol status of a redirect carries the target as its message.
_MOVED: Final = re.compile(r"(?:temp_)?moved\(1[23]\), lastModified=-?[0-9]+: *(\S+)")
_PROTOCOL_KEY: Final = "_pst_"
_NUTCH_FIXED_KEY: Final = "fixedInterval"
_DAY: Final = 86_400
#: A page without a time of change is dumped with that of the epoch, in local time.
_ABOUT_EPOCH_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True)
class DumpRecord:
    """One record of a dump; `state.status` is in today's codes, whatever version wrote it."""

    uri: str
    state: UriState
    source: str = "-"
    line: int = 0

    @property
    def fetched_ms(self) -> int:
        """When it was fetched last; 0: never, or not known."""
        s = self.state
        if not has_db_status(s.status):
            return s.time_ms
        return max(0, last_fetch_ms(s.time_ms, s.interval_seconds, unfetched=s.status == Status.DB_UNFETCHED))

    def candidate(self) -> Candidate:
        """What is scheduled for it; redirect target and fixed interval stay, what only Nutch understands (`_…_`) does not."""
        return Candidate(self.uri, metadata={k: v for k, v in self.state.metadata.items() if not k.startswith("_")})


@dataclass(frozen=True, slots=True)
class BadBlock:
    """A piece of a dump that could not be read; what follows it was."""

    source: str
    line: int
    reason: str
    text: str = ""


class DumpReader:
    """Reads dumps one after the other; `read` and `bad` count, each bad piece goes to `on_bad`.

    `zone` is that of the machine that wrote the dumps; without it, zone abbreviations that are unknown or stand for several
    zones are read as UTC and noted in `dates.guessed`.
    """

    def __init__(self, on_bad: Callable[[BadBlock], None] = lambda bad: None, *, zone: tzinfo | None = None) -> None:
        self.dates = JavaDates(zone)
        self.read = 0
        self.bad = 0
        self._on_bad = on_bad

    def files(self, paths: Iterable[str | Path]) -> Iterator[DumpRecord]:
        """The records of dump files and of output directories (`part-*`); a file that breaks off is reported, the others go on."""
        for path in list(_dump_files(paths)):
            try:
                with _opened(path) as stream:
                    yield from self.stream(stream, str(path))
            except (OSError, EOFError, zlib.error) as e:
                self._refuse(BadBlock(str(path), 0, f"cannot be read (further): {e}"))

    def stream(self, stream: BinaryIO, source: str = "-") -> Iterator[DumpRecord]:
        """The records of one dump, as text blocks or CSV; `source` names it in reports."""
        for block in blocks(stream):
            if block.problem:
                self._refuse(BadBlock(source, block.line, block.problem, block.text[:200]))
                continue
            try:
                record = DumpRecord(_uri(block), _state(block, self.dates), source, block.line)
            except (RecordError, ValueError) as e:
                self._refuse(BadBlock(source, block.line, str(e), block.uri[:200]))
                continue
            self.read += 1
            yield record

    def _refuse(self, bad: BadBlock) -> None:
        self.bad += 1
        self._on_bad(bad)


def _dump_files(paths: Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        parts = sorted(p for p in path.iterdir() if p.name.startswith(("part-", "dump")) and p.suffix != ".crc" and p.is_file())
        if not parts:
            raise FrontierError(f"{path}: no part-* file of a Nutch dump in it", remedy="give the directory that readdb -dump wrote")
        yield from parts


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    with path.open("rb") as raw:
        magic = raw.read(3)
        raw.seek(0)
        if magic[:2] == b"\x1f\x8b":
            with gzip.open(raw) as unpacked:
                yield cast(BinaryIO, unpacked)
        elif magic == b"BZh":
            with bz2.open(raw) as opened:
                yield cast(BinaryIO, opened)
        else:
            yield raw


def _uri(block: Block) -> str:
    if len(block.uri.encode()) > MAX_URI_BYTES:
        raise ValueError(f"a URI of more than {MAX_URI_BYTES} bytes")
    return block.uri


def _state(block: Block, dates: JavaDates) -> UriState:
    """The record of a block; raises ValueError or RecordError that says what is wrong with which field."""
    fields = block.fields
    found = _STATUS.fullmatch(fields.get("Status", ""))
    if found is None:
        raise ValueError(f"no status code: {fields.get('Status', '')[:60]!r}")
    signature = fields.get("Signature", "null")
    if signature not in ("null", "") and not _SIGNATURE.fullmatch(signature):
        raise ValueError(f"not a signature: {signature[:60]!r}")
    status = read_code(int(found[1]), CURRENT_VERSION if block.version is None else block.version)
    return UriState(
        status=status,
        time_ms=_time(fields, "Fetch time", dates),
        interval_seconds=_interval(fields.get("Retry interval", "0")),
        retries=min(127, max(0, int(_number(fields, "Retries since fetch")))),
        modified_ms=_modified(fields, dates),
        signature=None if signature in ("null", "") else signature.lower(),
        score=_number(fields, "Score"),
        metadata=_metadata(block.metadata, status),
    )


def _time(fields: Mapping[str, str], name: str, dates: JavaDates) -> int:
    if name not in fields:
        raise ValueError(f"no {name!r}")
    ms = dates.parse(fields[name])
    if not -_ABOUT_EPOCH_MS <= ms <= MAX_TIME_MS:
        raise ValueError(f"{name}: out of range: {fields[name][:60]!r}")
    return max(0, ms)


def _modified(fields: Mapping[str, str], dates: JavaDates) -> int:
    ms = _time(fields, "Modified time", dates) if "Modified time" in fields else 0
    return ms if ms > _ABOUT_EPOCH_MS else 0


def _number(fields: Mapping[str, str], name: str) -> float:
    text = fields.get(name, "0")
    if text in ("NaN", "Infinity", "-Infinity"):  # a scoring filter gone wrong is no reason to lose the URI
        return 0.0
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{name}: not a number: {text[:60]!r}")
    number = float(text)
    return number if math.isfinite(number) else 0.0


def _interval(text: str) -> int:
    """Seconds; Nutch before 0.9 wrote days, later versions both."""
    found = _INTERVAL.fullmatch(text)
    if found is None:
        raise ValueError(f"Retry interval: not an interval: {text[:60]!r}")
    seconds = float(found[1]) * (_DAY if found[2] == "days" else 1)
    return int(min(seconds, MAX_INTERVAL_SECONDS))


def _metadata(given: Mapping[str, str], status: int) -> Mapping[str, MetaValue]:
    """The metadata with Nutch' own ways of saying things turned into our keys."""
    metadata: dict[str, MetaValue] = {k: v for k, v in given.items() if k not in (_NUTCH_FIXED_KEY, REDIRECT_KEY, FIXED_INTERVAL_KEY)}
    fixed = given.get(_NUTCH_FIXED_KEY, "")
    if _NUMBER.fullmatch(fixed):
        metadata[FIXED_INTERVAL_KEY] = int(max(-1, min(float(fixed), MAX_INTERVAL_SECONDS)))
    moved = _MOVED.fullmatch(given.get(_PROTOCOL_KEY, ""))
    if moved and status in _REDIRECTS:
        metadata[REDIRECT_KEY] = moved[1]
    return metadata


_REDIRECTS: Final = frozenset({Status.DB_REDIR_TEMP, Status.DB_REDIR_PERM, Status.FETCH_REDIR_TEMP, Status.FETCH_REDIR_PERM})
