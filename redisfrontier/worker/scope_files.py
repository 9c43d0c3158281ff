"""scope.log (which rule decided each URI) and the SURT dumps that rules ask for, in a worker's log directory."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TextIO

from redisfrontier.policy.scope.sequence import DecideRuleSequence


class ScopeLog:
    """scope.log, opened with its first line; written only in crawls that set `scope_log_to_file`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None

    def write(self, line: str) -> None:
        """Add one line (a URI in it is ASCII, escaped)."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a", encoding="ascii", errors="backslashreplace", buffering=1)
        self._file.write(line.replace("\n", " ") + "\n")

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            with contextlib.closing(self._file):
                self._file = None


def dump_surts(scope: DecideRuleSequence | None, directory: Path) -> list[Path]:
    """Write each rule's `surts_dump_file` into `directory` (names are cut to their last part); the files written."""
    written = []
    for name, text in scope.surt_dumps() if scope is not None else []:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / (Path(name).name or "surts.dump")
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written
