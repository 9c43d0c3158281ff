"""Ops on crawl-wide keys: the list of crawls, a crawl's documents, its robots cache, and its disappearance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from redisfrontier.store import keys
from redisfrontier.store.ops import Ask

#: Keys removed by one command when a crawl is deleted.
UNLINK_AT_ONCE = 500


def read(*args: Any) -> Ask:
    """A plain reading command."""
    return Ask("", (), args)


def make(crawl: str, values: Iterable[tuple[str, str]]) -> Ask:
    """Write the crawl-wide settings unless they are there; reply 1 made, 0 it was there."""
    return Ask("crawl_make", (keys.crawl_wide(crawl, "conf"),), [part for pair in values for part in pair])


def register(crawl: str) -> Ask:
    """Put the crawl into the list."""
    return Ask("", (), ("SADD", keys.CRAWLS, crawl))


def registered(crawl: str) -> Ask:
    """Is the crawl in the list?  It is put there when all else of it is made."""
    return read("SISMEMBER", keys.CRAWLS, crawl)


def unregister(crawl: str) -> Ask:
    """Take the crawl off the list."""
    return Ask("", (), ("SREM", keys.CRAWLS, crawl))


def put(crawl: str, document: str, command: str, values: Sequence[Any], *, bump: bool = True) -> Ask:
    """Change a crawl-wide document; reply: the version, counted up by one if `bump`."""
    where = (keys.crawl_wide(crawl, "conf"), keys.crawl_wide(crawl, document))
    return Ask("crawl_put", where, [command, int(bump), *values])


def combine(crawl: str, names: str, number: int | None = None) -> Ask:
    """Look up or reserve the number of a combination of sheets, or make a reserved one known; reply: number, 1 if known."""
    return Ask("combine", (keys.crawl_wide(crawl, "combos"),), (names, "" if number is None else number))


def documents(crawl: str, *names: str) -> list[Ask]:
    """Read crawl-wide hashes."""
    return [read("HGETALL", keys.crawl_wide(crawl, name)) for name in names]


def crawls() -> Ask:
    """Names of all crawls."""
    return read("SMEMBERS", keys.CRAWLS)


def unlink(names: Sequence[str]) -> Ask:
    """Remove keys of a deleted crawl."""
    return Ask("", (), ("UNLINK", *names))


def robots_get(crawl: str, partition: int, authority: str) -> Ask:
    """The shared robots.txt text, or nil."""
    return read("GET", keys.robots(crawl, partition, authority))


def robots_put(crawl: str, partition: int, authority: str, text: str, ttl_seconds: int) -> Ask:
    """Share a robots.txt text for a while."""
    return Ask("", (), ("SET", keys.robots(crawl, partition, authority), text, "EX", ttl_seconds))


def numbered(crawl: str, partition: int, counters: dict[str, int]) -> Iterable[str]:
    """Keys of a partition whose names are numbers: records, attempts, results, index, filter pages; from its counters `n`."""
    for number in range(0, counters.get("id", 0) + 1, keys.PER_BUCKET):
        yield keys.records(crawl, partition, number)
        yield keys.attempts(crawl, partition, number)
        yield keys.results(crawl, partition, number)
    for bucket in range(2 ** counters.get("ix_level", 0) + counters.get("ix_split", 0)):
        yield keys.index_bucket(crawl, partition, bucket)


def surts_page(crawl: str, cursor: str, count: int) -> Ask:
    """A page of the crawl's SURT lines; reply: cursor, lines."""
    return read("SSCAN", keys.crawl_wide(crawl, "surts"), cursor, "COUNT", count)
