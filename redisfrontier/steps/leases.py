"""Leases seen from outside: all that a worker holds, given back at once."""

from __future__ import annotations

from redisfrontier.crawl.live import Live
from redisfrontier.steps.inspect import leases, replies_of
from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import HEAD, text


def release_worker(live: Live, worker: str) -> Steps[int]:
    """Give back every lease of a worker, untried; how many.  Others' stay untouched."""
    back = 0
    for p in range(live.partitions):
        cursor = ""
        while cursor != "0":
            cursor, rows = yield from leases(live, p, cursor or "0")
            mine = [(row["id"].partition(":")[2], row["token"]) for row in rows if row["worker"] == worker]
            if mine:
                (reply,) = yield from replies_of([live.ops.release(p, mine)])
                back += sum(text(answer) == "OK" for answer in reply[HEAD:])
    return back
