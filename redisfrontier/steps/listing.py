"""Lists for people and programs: queues, pending URIs, leases, in pages over all partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redisfrontier.crawl.live import Live
from redisfrontier.errors import RecordError
from redisfrontier.record.codec import decode
from redisfrontier.steps import inspect
from redisfrontier.steps.queues import home
from redisfrontier.store.drive import Steps

Rows = list[dict[str, Any]]


class Pages:
    """Pages of rows, partition by partition; `read(live, p, cursor)` gives the next cursor ("" at the end) and rows."""

    def __init__(self, read: Callable[[Live, int, Any], Steps[tuple[Any, Rows]]], first: Any = "0") -> None:
        self._read, self._first = read, first
        self._partition, self._cursor = 0, first

    def next(self, live: Live) -> Steps[Rows | None]:
        """The next page; None at the end."""
        if self._partition >= live.partitions:
            return None
        cursor, rows = yield from self._read(live, self._partition, self._cursor)
        self._cursor = cursor
        if cursor == "":
            self._partition, self._cursor = self._partition + 1, self._first
        return rows


def queue(live: Live, name: str) -> Steps[dict[str, Any]]:
    """One queue; raises BadArgument."""
    p = yield from home(live, name)
    (found,) = yield from inspect.queue_hashes(live, p, [name])
    return shown(found)


def shown(found: dict[str, Any]) -> dict[str, Any]:
    """A queue as people see it: an empty one, wherever it stands, is exhausted unless it is retired."""
    if found.get("pending", 0) == 0 and found.get("state") in ("due", "ready", "inactive"):
        return {**found, "state": "exhausted", "stands_in": found["state"]}
    return found


def queue_pages(state: str | None, match: Callable[[str], bool] | None) -> Pages:
    """Queues, of one state."""

    def read(live: Live, p: int, cursor: str) -> Steps[tuple[Any, Rows]]:
        cursor, names = yield from inspect.queue_names(live, p, cursor)
        wanted = [n for n in names if match is None or match(n)]
        rows = [shown(found) for found in (yield from inspect.queue_hashes(live, p, wanted))]
        return "" if cursor == "0" else cursor, [row for row in rows if state is None or row.get("state") == state]

    return Pages(read)


def lease_pages(worker: str | None) -> Pages:
    """Leases, of one worker."""

    def read(live: Live, p: int, cursor: str) -> Steps[tuple[Any, Rows]]:
        cursor, rows = yield from inspect.leases(live, p, cursor)
        return "" if cursor == "0" else cursor, [row for row in rows if worker is None or row["worker"] == worker]

    return Pages(read)


def uri_pages(queue_name: str | None) -> Pages:
    """Pending URIs: id, queue, uri, path, via, directive, precedence."""

    def read(live: Live, p: int, paging: Any) -> Steps[tuple[Any, Rows]]:
        paging = paging or inspect.pending_pages(live, p, lambda n: queue_name is None or n == queue_name)
        page = yield from paging.next(None)
        if page is None:
            return "", []
        records = yield from inspect.records(live, p, [number for _, number in page])
        return paging, [_row(p, name, number, packed) for (name, number), packed in zip(page, records, strict=True)]

    return Pages(read, None)


def _row(p: int, name: str, number: str, packed: bytes | None) -> dict[str, Any]:
    row: dict[str, Any] = {"id": f"{p}:{number}", "queue": name}
    try:
        record = decode(packed or b"")
    except RecordError as error:
        return {**row, "error": str(error)}
    return {
        **row,
        "uri": record.uri,
        "path": record.path,
        "via": record.via,
        "directive": record.directive,
        "precedence": record.precedence,
        "cost": record.cost,
        "source_tag": record.source_tag,
    }


def set_clock(live: Live, now_ms: int) -> Steps[None]:
    """Set the test clock of every partition."""
    yield from inspect.replies_of([live.ops.set_clock(p, now_ms) for p in range(live.partitions)])
