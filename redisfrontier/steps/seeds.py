"""Seeds of a live crawl: scheduled after the scope has learnt from them, and kept in their order under numbers that never change."""

from __future__ import annotations

from typing import Any

from redisfrontier.candidates import Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.crawl.seeds import LineKind, SeedBatch
from redisfrontier.errors import FrontierError
from redisfrontier.record.outcome import Admission, Admitted
from redisfrontier.steps.inspect import replies_of
from redisfrontier.steps.session import Session
from redisfrontier.steps.show import unscoped
from redisfrontier.store import crawl_ops, keys
from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import HEAD, pairs, text
from redisfrontier.uri.surt import directive_prefix

#: Seeds read or noted by one call.
PAGE = 500


def next_index(live: Live) -> Steps[int]:
    """The number that the next seed gets."""
    (reply,) = yield from replies_of([crawl_ops.read("ZRANGE", _key(live), 0, 0, "REV", "WITHSCORES")])
    return int(float(pairs(reply)[0][1])) + 1 if reply else 0


def add(session: Session, batch: SeedBatch) -> Steps[list[Admission]]:
    """Take a batch: directives first, then its seeds; one answer a seed, in order."""
    live = yield from session.live()
    signed = [line.text for line in batch.surt_lines if line.kind is LineKind.DIRECTIVE]
    yield from session.direct(sign[0] + directive_prefix(sign[1:]) for sign in signed)
    answers = yield from session.schedule(batch.seeds)
    first = batch.next_index - len(batch.seeds)
    good = [(first + i, a.uri) for i, a in enumerate(answers) if a.outcome not in (Admitted.INVALID, Admitted.REFUSED)]
    for start in range(0, len(good), PAGE):
        values: list[Any] = ["NX", *(value for pair in good[start : start + PAGE] for value in pair)]
        yield from replies_of([crawl_ops.put(live.name, "seeds", "ZADD", values, bump=False)])
    return answers


def page(live: Live, preparer: Preparer, start: int) -> Steps[list[dict[str, Any]]]:
    """Up to PAGE seeds from a place in their order: index, uri, queue, and how each is known (pending, leased, finished …)."""
    (reply,) = yield from replies_of([crawl_ops.read("ZRANGE", _key(live), start, start + PAGE - 1, "WITHSCORES")])
    rows = [{"index": int(float(score)), "uri": text(member)} for member, score in pairs(reply)]
    asks, asked = [], []
    for row in rows:
        try:
            prepared = unscoped(preparer, str(row["uri"]))
        except FrontierError as error:
            row["how"] = str(error)
            continue
        row["queue"] = prepared.queue
        asks.append(live.ops.look(prepared.partition, fingerprint=prepared.fingerprint, queue=prepared.queue))
        asked.append(row)
    for row, found in zip(asked, (yield from replies_of(asks)), strict=True):
        row["how"] = text(found[HEAD])
    return rows


def _key(live: Live) -> str:
    return keys.crawl_wide(live.name, "seeds")
