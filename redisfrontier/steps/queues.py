"""What operators do with queues and URIs: snooze, wake, retire, unretire, budgets, deletion; long work in bounded calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from redisfrontier.crawl.live import Live
from redisfrontier.errors import BadArgument, RecordError
from redisfrontier.record.codec import decode
from redisfrontier.record.record import UriRecord
from redisfrontier.steps import inspect
from redisfrontier.steps.claim import split_id
from redisfrontier.store.drive import Steps, refuse
from redisfrontier.store.ops import HEAD, Ask, text
from redisfrontier.uri.fingerprint import check_queue_name

#: Queues or URIs moved by one call.
PER_CALL = 100
#: Is a URI meant?
Test = Callable[[UriRecord], bool]
#: A year: no operator means a longer snooze.
MAX_SNOOZE_MS = 31_536_000_000


def one(ask: Ask) -> Steps[Any]:
    """The reply to one ask; raises what the server refused."""
    (reply,) = yield [ask]
    if isinstance(reply, Exception):
        refuse(reply)
    return reply


def home(live: Live, queue: str) -> Steps[int]:
    """The partition of a queue: by its name, or, if a group has moved it, the one that has it; raises BadArgument."""
    check_queue_name(queue)
    found = yield from inspect.partition_with(live, queue)
    if found is not None:
        return found
    raise BadArgument(f"no queue {queue!r} in crawl {live.name!r}", remedy="list the queues with `redisfrontier queues ls`")


def snooze(live: Live, queue: str, for_ms: int) -> Steps[tuple[int, bool]]:
    """Until when (ms), and whether that counts as long."""
    if not 0 <= for_ms <= MAX_SNOOZE_MS:
        raise BadArgument(f"snooze of {for_ms} ms: out of range 0…{MAX_SNOOZE_MS}")
    p = yield from home(live, queue)
    reply = yield from one(live.ops.snooze(p, queue, int(for_ms)))
    return int(reply[HEAD]), bool(reply[HEAD + 1])


def wake(live: Live, queue: str | None) -> Steps[int]:
    """How many snoozes or retry delays were ended."""
    if queue is not None:
        p = yield from home(live, queue)
        reply = yield from one(live.ops.wake(p, queue, 0, 1))
        return int(reply[HEAD])
    woken = 0
    for p in range(live.partitions):
        skip = 0
        while skip >= 0:
            reply = yield from one(live.ops.wake(p, "", skip, PER_CALL))
            woken, skip = woken + int(reply[HEAD]), int(reply[HEAD + 1])
    return woken


def retire(live: Live, queue: str, why: str) -> Steps[bool]:
    """False if it was retired already."""
    p = yield from home(live, queue)
    reply = yield from one(live.ops.retire(p, queue, why))
    return bool(reply[HEAD])


def unretire(live: Live, queue: str | None, *, budget_only: bool = False) -> Steps[int]:
    """How many queues came back."""
    if queue is not None:
        p = yield from home(live, queue)
        reply = yield from one(live.ops.unretire(p, queue, budget_only, 0, 0, 1))
        return int(reply[HEAD])
    back = 0
    for p in range(live.partitions):
        upto = skip = 0
        while skip >= 0:
            reply = yield from one(live.ops.unretire(p, "", budget_only, upto, skip, PER_CALL))
            back, upto, skip = back + int(reply[HEAD]), int(reply[HEAD + 1]), int(reply[HEAD + 2])
    return back


def budget(live: Live, queue: str, total: int | None, reset: bool, precedence: int | None) -> Steps[dict[str, Any]]:
    """Spent, total budget and state after the change."""
    if total is not None and total < -2:
        raise BadArgument(f"budget {total}: not -2 (as set), -1 (none) or more")
    if precedence is not None and not -1 <= precedence <= 255:
        raise BadArgument(f"precedence {precedence}: not -1 (as set) or 0…255; low runs first")
    p = yield from home(live, queue)
    reply = yield from one(live.ops.budget(p, queue, total, reset, precedence))
    return {"spent": int(reply[HEAD]), "total_budget": int(reply[HEAD + 1]), "state": text(reply[HEAD + 2])}


def delete(live: Live, queues: Callable[[str], bool], uris: Test | None, how: str = "deleted") -> Steps[Counter[str]]:
    """Delete what was admitted before now in the queues (and of the URIs) that match; how many, per queue.

    Covers pending, leased and dated URIs in every kind of queue, retired ones too. May be stopped and started again.
    """
    gone: Counter[str] = Counter()

    def drop(p: int, upto: int, page: list[tuple[str, str]]) -> Steps[None]:
        yield from _drop(live, p, how, upto, page, gone)

    yield from _over(live, queues, uris, drop)
    return gone


@dataclass(frozen=True, slots=True)
class Place:
    """Where in their queues URIs are put; None leaves a part as it is.  Raises BadArgument."""

    directive: int | None = None
    """0 highest, 1 high, 2 medium, 3 normal; goes before precedence."""
    precedence: int | None = None
    """0 to 255, low is given out first."""

    def __post_init__(self) -> None:
        if self.directive is not None and not 0 <= self.directive <= 3:
            raise BadArgument(f"directive {self.directive}: not 0 (highest) to 3 (normal)")
        if self.precedence is not None and not 0 <= self.precedence <= 255:
            raise BadArgument(f"precedence {self.precedence}: not 0 to 255; low runs first")


def reorder(live: Live, queues: Callable[[str], bool], uris: Test | None, to: Place) -> Steps[Counter[str]]:
    """Put the URIs that match elsewhere in their queues; how many moved, per queue.  Covers what `delete` covers."""
    moved: Counter[str] = Counter()

    def move(p: int, upto: int, page: list[tuple[str, str]]) -> Steps[None]:
        yield from _move(live, p, to, page, moved)

    yield from _over(live, queues, uris, move)
    return moved


def reorder_ids(live: Live, ids: Iterable[tuple[str, str]], to: Place) -> Steps[Counter[str]]:
    """The same for single URIs, given as ("partition:number", queue)."""
    moved: Counter[str] = Counter()
    for id_, queue in ids:
        p, number = split_id(id_)
        yield from _move(live, p, to, [(queue, number)], moved)
    return moved


def _move(live: Live, p: int, to: Place, uris: list[tuple[str, str]], moved: Counter[str]) -> Steps[None]:
    for start in range(0, len(uris), PER_CALL):
        part = uris[start : start + PER_CALL]
        reply = yield from one(live.ops.reorder(p, to.directive, to.precedence, part))
        for (queue, _), was in zip(part, reply[HEAD:], strict=True):
            moved[queue] += int(was)


_Page = list[tuple[str, str]]


def _over(
    live: Live, queues: Callable[[str], bool], uris: Test | None, do: Callable[[int, int, _Page], Steps[None]]
) -> Steps[None]:
    """Every pending, leased and dated URI that matches, in pages; `do(partition, newest id before, page)`."""
    for p in range(live.partitions):
        upto = yield from inspect.newest_id(live, p)
        for pages in (inspect.pending_pages, inspect.leased_pages, inspect.dated_pages):
            paging = pages(live, p, queues)
            page: _Page | None = None
            while (page := (yield from paging.next(page))) is not None:
                if uris is not None:
                    page = yield from _matching(live, p, page, uris)
                yield from do(p, upto, page)


def delete_ids(live: Live, ids: Iterable[tuple[str, str]], how: str = "deleted") -> Steps[Counter[str]]:
    """Delete single URIs, given as ("partition:number", queue)."""
    gone: Counter[str] = Counter()
    for id_, queue in ids:
        p, number = split_id(id_)
        yield from _drop(live, p, how, 0, [(queue, number)], gone)
    return gone


def _drop(live: Live, p: int, how: str, upto: int, uris: list[tuple[str, str]], gone: Counter[str]) -> Steps[None]:
    for start in range(0, len(uris), PER_CALL):
        part = uris[start : start + PER_CALL]
        reply = yield from one(live.ops.delete(p, how, upto, part))
        for (queue, _), was in zip(part, reply[HEAD:], strict=True):
            gone[queue] += int(was)


def _matching(live: Live, p: int, page: list[tuple[str, str]], uris: Callable[[UriRecord], bool]) -> Steps[list[tuple[str, str]]]:
    records = yield from inspect.records(live, p, [number for _, number in page])
    found = []
    for (queue, number), packed in zip(page, records, strict=True):
        try:
            if packed and uris(decode(packed)):
                found.append((queue, number))
        except RecordError:
            continue
    return found
