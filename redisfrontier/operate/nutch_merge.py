"""Merging any number of Nutch dumps and segments, duplicates included, in bounded memory: sorted runs on disk, then one merge."""

from __future__ import annotations

import heapq
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from redisfrontier.operate.nutch_dump import DumpRecord
from redisfrontier.policy.merge import UriState, merge_all, order_key
from redisfrontier.settings import Settings

#: Rough size of the records that are held in memory before a sorted run is written; measured, Python needs about 1.3 times that.
RUN_BYTES: Final = 64 << 20
#: Runs of one size that are kept before they become one of the next size, so that few files are ever open.
RUNS_OF_ONE_SIZE: Final = 32
#: A URI with more records than this (of a hostile dump, say) has them folded as they come, so that none fills the memory.
MAX_GROUP_BYTES: Final = 16 << 20

_Keyed = tuple[str, DumpRecord]


def merged(
    records: Iterable[DumpRecord],
    settings: Settings,
    now_ms: int,
    *,
    key: Callable[[str], str] = str,
    run_bytes: int = RUN_BYTES,
    directory: str | Path | None = None,
) -> Iterator[DumpRecord]:
    """One database record for each URI, by the merge rules (policy.merge), in the order of their keys.

    `key` tells which URIs are one (it gives the canonical form, for instance); URI, source and line are those of the latest
    record. About `run_bytes` of records are in memory, the others lie in `directory` (default: that for temporary files) until
    the iteration ends; they take about as much room as the dumps. A URI of which only links are known comes as a new one, one
    of which only signatures or the like are known not at all (Nutch' rules).
    """
    with tempfile.TemporaryDirectory(prefix="redisfrontier-merge-", dir=directory) as place:
        runs = _Runs(Path(place))
        rest = _spill(((key(r.uri), r) for r in records), runs, run_bytes)
        for _, group in groupby(heapq.merge(*runs.read(), rest, key=_key), key=_key):
            one = _one((record for _, record in group), settings, now_ms)
            if one is not None:
                yield one


def _spill(records: Iterable[_Keyed], runs: _Runs, run_bytes: int) -> list[_Keyed]:
    """Writes sorted runs; what is left at the end stays in memory, sorted."""
    batch: list[_Keyed] = []
    held = 0
    for keyed in records:
        batch.append(keyed)
        held += _size(keyed[1])
        if held >= run_bytes:
            runs.add(sorted(batch, key=_key))
            batch, held = [], 0
    return sorted(batch, key=_key)


def _key(keyed: _Keyed) -> str:
    return keyed[0]


def _size(record: DumpRecord) -> int:
    metadata = record.state.metadata
    return 500 + 2 * len(record.uri) + sum(100 + len(k) + len(str(v)) for k, v in metadata.items())


def _one(records: Iterator[DumpRecord], settings: Settings, now_ms: int) -> DumpRecord | None:
    """The records of one URI as one; of a crowd only the latest of each status code are weighed."""
    held: list[DumpRecord] = []
    size = 0
    for record in records:
        held.append(record)
        size += _size(record)
        if size > MAX_GROUP_BYTES:
            held, size = _latest_of_each_status(held), 0
    state = merge_all((r.state for r in held), settings, now_ms)
    if state is None:
        return None
    newest = max(held, key=lambda r: (r.state.time_ms, r.state.status, r.uri, r.source, r.line))
    return DumpRecord(newest.uri, state, newest.source, newest.line)


def _latest_of_each_status(held: list[DumpRecord]) -> list[DumpRecord]:
    by_status: dict[int, DumpRecord] = {}
    for record in held:
        other = by_status.get(record.state.status)
        if other is None or order_key(other.state) < order_key(record.state):
            by_status[record.state.status] = record
    return list(by_status.values())


class _Runs:
    """Sorted runs as files of JSON lines, in sizes of which each holds RUNS_OF_ONE_SIZE runs of the one below."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._sizes: list[list[Path]] = []
        self._made = 0

    def add(self, records: Iterable[_Keyed], size: int = 0) -> None:
        """Writes a run; a full set of one size becomes one run of the next."""
        if size == len(self._sizes):
            self._sizes.append([])
        full = self._sizes[size]
        full.append(self._write(records))
        if len(full) >= RUNS_OF_ONE_SIZE:
            self.add(heapq.merge(*map(_read, full), key=_key), size + 1)
            for path in full:
                path.unlink()
            full.clear()

    def read(self) -> list[Iterator[_Keyed]]:
        """All runs."""
        return [_read(path) for paths in self._sizes for path in paths]

    def _write(self, records: Iterable[_Keyed]) -> Path:
        self._made += 1
        path = self._place / f"{self._made}.jsonl"
        with path.open("w", encoding="utf-8") as out:
            for key, r in records:
                s = r.state
                fields = (s.status, s.time_ms, s.interval_seconds, s.retries, s.modified_ms, s.signature, s.score, dict(s.metadata))
                out.write(json.dumps([key, r.uri, r.source, r.line, *fields]) + "\n")
        return path


def _read(path: Path) -> Iterator[_Keyed]:
    with path.open(encoding="utf-8") as run:
        for line in run:
            key, uri, source, number, *state = json.loads(line)
            yield key, DumpRecord(uri, UriState(*state), source, number)
