"""Looking without changing anything: statistics, queues, URIs, leases, in pages of bounded size."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from redisfrontier.crawl.live import Live
from redisfrontier.errors import WrongKeyType
from redisfrontier.store import keys
from redisfrontier.store.crawl_ops import read
from redisfrontier.store.drive import Steps, refuse
from redisfrontier.store.ops import Ask, pairs, text, texts
from redisfrontier.uri.fingerprint import partition_of

#: Entries of one page.
PAGE = 500
Match = Callable[[str], bool]


def replies_of(asks: Sequence[Ask]) -> Steps[list[Any]]:
    """The replies; raises the first refusal."""
    replies = yield asks
    for ask, reply in zip(asks, replies, strict=True):
        if isinstance(reply, Exception):
            if not ask.script and str(reply).startswith("WRONGTYPE"):
                raise WrongKeyType(f"key {text(ask.args[1])} is of a type that {text(ask.args[0])} cannot read")
            refuse(reply)
    return replies


def queue_exists(live: Live, p: int, queue: str) -> Ask:
    """Is there such a queue in the partition?"""
    return read("EXISTS", keys.queue_state(live.name, p, queue))


def partition_with(live: Live, queue: str) -> Steps[int | None]:
    """The partition that has a queue: looked for by its name first, else (a group has moved it) in the others; None: no such queue."""
    first = partition_of(queue, live.partitions)
    order = [first, *(p for p in range(live.partitions) if p != first)]
    replies = yield from replies_of([queue_exists(live, p, queue) for p in order])
    return next((p for p, reply in zip(order, replies, strict=True) if reply), None)


def newest_id(live: Live, p: int) -> Steps[int]:
    """The id that was given last."""
    (reply,) = yield from replies_of([read("HGET", keys.of(live.name, p, "n"), "id")])
    return int(reply or 0)


def records(live: Live, p: int, numbers: Sequence[str]) -> Steps[list[bytes | None]]:
    """The stored records of these ids."""
    asks = [read("HGET", keys.records(live.name, p, int(number)), number) for number in numbers]
    return (yield from replies_of(asks))


def queue_names(live: Live, p: int, cursor: str) -> Steps[tuple[str, list[str]]]:
    """A page of the queues ever seen, and the next cursor ("0": that was the last)."""
    (reply,) = yield from replies_of([read("ZSCAN", keys.of(live.name, p, "queues"), cursor, "COUNT", PAGE)])
    return text(reply[0]), [text(name) for name, _ in pairs(reply[1])]


def queue_hashes(live: Live, p: int, names: Iterable[str]) -> Steps[list[dict[str, Any]]]:
    """The queues in plain text: name, partition and the fields of m:<queue>, numbers as numbers; `trouble` where it is a foreign key."""
    names = list(names)
    replies = yield [read("HGETALL", keys.queue_state(live.name, p, name)) for name in names]
    rows = []
    for name, reply in zip(names, replies, strict=True):
        fields = {"trouble": f"{keys.queue_state(live.name, p, name)}: {reply}"} if isinstance(reply, Exception) else _plain(reply)
        rows.append({"queue": name, "partition": p, **fields})
    return rows


def _plain(reply: Any) -> dict[str, Any]:
    return {name: _value(value) for name, value in texts(reply).items()}


def _value(shown: str) -> int | str:
    return int(shown) if shown.removeprefix("-").isdigit() else shown


class Paging(ABC):
    """Pages of (queue, id) that may be deleted from while they are read: what stays is passed over, what went is not missed."""

    def __init__(self, live: Live, p: int, wanted: Match) -> None:
        self.live, self.p, self.wanted = live, p, wanted
        self.cursor: str | None = "0"

    @abstractmethod
    def next(self, last: list[tuple[str, str]] | None) -> Steps[list[tuple[str, str]] | None]:
        """The next page, None at the end; `last` is the page given before."""


class _Pending(Paging):
    """Queue by queue, in the order of claims."""

    def __init__(self, live: Live, p: int, wanted: Match) -> None:
        super().__init__(live, p, wanted)
        self.names: list[str] = []
        self.upto = "+inf"

    def next(self, last: list[tuple[str, str]] | None) -> Steps[list[tuple[str, str]] | None]:
        while True:
            if self.names:
                name = self.names[0]
                key = keys.queue(self.live.name, self.p, name)
                ask = read("ZRANGE", key, self.upto, "-inf", "BYSCORE", "REV", "LIMIT", 0, PAGE, "WITHSCORES")
                (reply,) = yield from replies_of([ask])
                found = pairs(reply)
                if len(found) < PAGE:
                    self.names.pop(0)
                    self.upto = "+inf"
                else:
                    self.upto = f"({float(found[-1][1])!r}"
                if found:
                    return [(name, text(id_)) for id_, _ in found]
            elif self.cursor is None:
                return None
            else:
                cursor, names = yield from queue_names(self.live, self.p, self.cursor)
                self.names = [n for n in dict.fromkeys(names) if self.wanted(n)]
                self.cursor = None if cursor == "0" else cursor


class _Scanned(Paging):
    """Entries of one hash whose value names the queue at a fixed place."""

    key = ""
    place = 0

    def next(self, last: list[tuple[str, str]] | None) -> Steps[list[tuple[str, str]] | None]:
        while self.cursor is not None:
            (reply,) = yield from replies_of([read("HSCAN", keys.of(self.live.name, self.p, self.key), self.cursor, "COUNT", PAGE)])
            self.cursor = None if text(reply[0]) == "0" else text(reply[0])
            found = [(text(value).split(" ")[self.place], id_) for id_, value in texts(reply[1]).items()]
            if page := [(name, id_) for name, id_ in found if self.wanted(name)]:
                return page
        return None


class _Leased(_Scanned):
    key, place = "own", 4


class _Dated(_Scanned):
    key, place = "lat", 0


def pending_pages(live: Live, p: int, wanted: Match) -> Paging:
    """Pending URIs of the wanted queues."""
    return _Pending(live, p, wanted)


def leased_pages(live: Live, p: int, wanted: Match) -> Paging:
    """Leased URIs of the wanted queues."""
    return _Leased(live, p, wanted)


def dated_pages(live: Live, p: int, wanted: Match) -> Paging:
    """URIs of the wanted queues that wait for a date of their own."""
    return _Dated(live, p, wanted)


def leases(live: Live, p: int, cursor: str) -> Steps[tuple[str, list[dict[str, Any]]]]:
    """A page of leases: id, token, worker, since_ms, queue, attempts, lost_leases, deleted, expires_ms."""
    (reply,) = yield from replies_of([read("HSCAN", keys.of(live.name, p, "own"), cursor, "COUNT", PAGE)])
    owned = texts(reply[1])
    expiries = yield from replies_of([read("ZSCORE", keys.of(live.name, p, "lease"), id_) for id_ in owned])
    rows = [_lease(p, id_, own, expiry) for (id_, own), expiry in zip(owned.items(), expiries, strict=True)]
    return text(reply[0]), rows


def _lease(p: int, id_: str, own: str, expiry: Any) -> dict[str, Any]:
    token, worker, since, _, queue, attempts, lost, deleted = own.split(" ")
    return {
        "id": f"{p}:{id_}",
        "token": token,
        "worker": worker,
        "since_ms": int(since),
        "expires_ms": None if expiry is None else int(float(expiry)),
        "queue": queue,
        "attempts": int(attempts),
        "lost_leases": int(lost),
        "deleted": deleted == "1",
    }
