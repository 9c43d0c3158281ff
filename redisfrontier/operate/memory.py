"""What a crawl's keys take in Redis, by kind, estimated from a bounded sample of them (field cases E1, E3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from redisfrontier.crawl.live import Live
from redisfrontier.steps.inspect import replies_of
from redisfrontier.steps.stats import stats
from redisfrontier.store import bloom, keys
from redisfrontier.store.crawl_ops import read
from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import text

#: Keys of one kind and partition that are measured; of queues, as many of the longest besides.
SAMPLE = 200
#: Keys of one pipeline.
AT_ONCE = 100
_KINDS = ("records", "queues", "uniqueness", "leases and dates", "other")
_FIXED = {
    **dict.fromkeys(("unseen", "bf"), "uniqueness"),
    **dict.fromkeys(("lease", "own", "later", "lat", "w"), "leases and dates"),
    **dict.fromkeys(("queues", "due", "ready", "inactive", "retired"), "queues"),
}


def memory(live: Live) -> Steps[dict[str, Any]]:
    """Bytes by kind, in all, per pending and per known URI; a queue, a record bucket … stands for many others."""
    total: dict[str, float] = dict.fromkeys(_KINDS, 0.0)
    for p in range(live.partitions):
        (reply,) = yield from replies_of([read("HMGET", keys.of(live.name, p, "n"), "id", "ix_level", "ix_split", "slice")])
        newest, level, split, newest_slice = (int(float(value or 0)) for value in reply)
        for make in (keys.records, keys.attempts, keys.results):
            total["records"] += yield from _evenly(
                [make(live.name, p, n) for n in _spread(newest + 1, keys.PER_BUCKET)], newest // keys.PER_BUCKET + 1
            )
        buckets = 2**level + split
        total["uniqueness"] += yield from _evenly([keys.index_bucket(live.name, p, n) for n in _spread(buckets)], buckets)
        total["uniqueness"] += yield from _filter(live, p, newest_slice)
        total["queues"] += yield from _queues(live, p)
        for name in keys.FIXED:
            total[_FIXED.get(name, "other")] += sum((yield from _sizes([keys.of(live.name, p, name)])))
    total["other"] += sum((yield from _sizes([keys.crawl_wide(live.name, name) for name in keys.DOCUMENTS])))
    return _told(total, (yield from stats(live)))


def _told(total: dict[str, float], found: dict[str, Any]) -> dict[str, Any]:
    in_all = sum(total.values())
    # The filter grows with what is expected, the rest with what waits.
    waiting = found["pending"] + found["in_flight"] + found["later"]
    held = in_all - total["uniqueness"]
    return {
        "bytes": {kind: round(size) for kind, size in total.items()},
        "total_bytes": round(in_all),
        "waiting": waiting,
        "bytes_per_waiting": round(held / waiting, 1) if waiting else None,
        "admitted": found["admitted"],
        "uniqueness_bytes_per_admitted": round(total["uniqueness"] / found["admitted"], 1) if found["admitted"] else None,
    }


def _spread(count: int, step: int = 1) -> Iterable[int]:
    """At most SAMPLE numbers below `count`, evenly spread, multiples of `step`."""
    slots = -(-count // step)
    return (i * slots // min(slots, SAMPLE) * step for i in range(min(slots, SAMPLE)))


def _evenly(sample: Sequence[str], count: int) -> Steps[float]:
    """The size of `count` keys of which the sample is a fair one; those that are gone count as nothing."""
    sizes = yield from _sizes(sample)
    return sum(sizes) * count / len(sizes) if sizes else 0.0


def _filter(live: Live, p: int, newest: int) -> Steps[float]:
    """The pages of a bitfield filter: equal in size, but for those that no one has needed yet."""
    size = 0.0
    if live.settings.uniqueness != "bitfield":
        return size
    shapes = bloom.slices(-(-live.settings.expected_uris // live.partitions), live.settings.false_positive_rate)
    for number, (blocks, _, _) in enumerate(shapes[: newest + 2]):
        pages = -(-blocks // bloom.PAGE_BLOCKS)
        size += yield from _evenly([keys.bloom_page(live.name, p, number, page) for page in _spread(pages)], pages)
    return size


def _queues(live: Live, p: int) -> Steps[float]:
    """The longest queues one by one, the others by a sample."""
    all_ = keys.of(live.name, p, "queues")
    count, longest, others = yield from replies_of(
        [read("ZCARD", all_), read("ZRANGE", all_, 0, SAMPLE - 1, "REV"), read("ZRANDMEMBER", all_, 2 * SAMPLE)]
    )
    top = {text(name) for name in longest}
    rest = [name for name in map(text, others) if name not in top][:SAMPLE]
    size = 0.0
    for make in (keys.queue, keys.queue_state):
        size += sum((yield from _sizes([make(live.name, p, name) for name in top])))
        size += yield from _evenly([make(live.name, p, name) for name in rest], int(count) - len(top))
    return size


def _sizes(names: Sequence[str]) -> Steps[list[int]]:
    found: list[int] = []
    for start in range(0, len(names), AT_ONCE):
        replies = yield from replies_of([read("MEMORY USAGE", key, "SAMPLES", 5) for key in names[start : start + AT_ONCE]])
        found += (int(reply or 0) for reply in replies)
    return found
