"""One private Redis server for a run of vectors, and a fresh crawl with a test clock for each case."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path

from redisfrontier.crawl.definition import CrawlDefinition
from redisfrontier.frontier import Frontier
from redisfrontier.policy.sheets import Sheet
from redisfrontier.settings import Settings, Value
from redisfrontier.store.embedded import Embedded

#: Long enough that no golden case meets its end.
LEASE_MS = 10**12


class RealServer:
    """Started on the first use; `stop` ends it. Cases of one file share it."""

    def __init__(self) -> None:
        self._server: Embedded | None = None
        self._directory = ""
        self._numbers = count(1)

    def start(self) -> None:
        """Have it up."""
        if self._server is None:
            self._directory = tempfile.mkdtemp(prefix="rf-")
            self._server = Embedded.start(Path(self._directory), overrides={"appendonly": "no"})

    def stop(self) -> None:
        """End it and remove what it wrote."""
        if self._server is not None:
            self._server.close()
            shutil.rmtree(self._directory, ignore_errors=True)
            self._server = None

    def crawl(self, settings: Mapping[str, Value], sheets: Iterable[Sheet] = ()) -> Frontier:
        """A new crawl that takes every URI, runs, and stands at time 0; uniqueness is exact."""
        self.start()
        assert self._server is not None
        chosen = Settings().changed({"uniqueness": "exact", **settings})
        definition = CrawlDefinition(name=f"c{next(self._numbers)}", settings=chosen, scope=({"rule": "accept"},), sheets=tuple(sheets))
        frontier = Frontier.create(self._server.url, definition, test_clock=True)
        frontier.set_clock(0)
        frontier.start()
        return frontier
