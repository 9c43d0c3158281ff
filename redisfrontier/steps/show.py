"""One URI: everything that is known of it, and forgetting it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.errors import BadArgument, InvalidUri, RecordError
from redisfrontier.record.codec import decode
from redisfrontier.record.record import Candidate
from redisfrontier.steps.claim import split_id
from redisfrontier.steps.inspect import queue_names, replies_of
from redisfrontier.store import keys
from redisfrontier.store.crawl_ops import read
from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import HEAD, text

_ID = re.compile(r"\d{1,4}:\d{1,16}")
_RESULT = ("status", "fetch_status", "fetched_ms", "modified_ms", "interval_s", "retries", "signature", "next_ms")
_OWN = ("token", "worker", "since_ms", "score", "queue", "attempts", "lost_leases", "deleted")


def show(live: Live, preparer: Preparer, uri: str) -> Steps[dict[str, Any]]:
    """`uri` is a URI (found in any mode; where it stands only with `exact`) or an id "partition:number"."""
    if _ID.fullmatch(uri):
        p, number = split_id(uri)
        queue = yield from _queue_of(live, preparer, p, number)
        ask = live.ops.look(p, id_=number, queue=queue)
    else:
        prepared = unscoped(preparer, uri)
        p, queue = prepared.partition, prepared.queue
        ask = live.ops.look(p, fingerprint=prepared.fingerprint, queue=queue)
    (reply,) = yield from replies_of([ask])
    return {"asked": uri, "queue": queue, "partition": p, **_plain(p, reply)}


def free_of_scope(preparer: Preparer) -> Preparer:
    """The same rules for candidates, without a scope."""
    return Preparer(preparer.settings, None, preparer.sheets, preparer.canonical, preparer.partitions)


def unscoped(preparer: Preparer, uri: str | Candidate) -> Prepared:
    """A URI prepared whether or not it is in scope; raises InvalidUri, BadArgument."""
    prepared = free_of_scope(preparer).prepare(uri)
    if isinstance(prepared, Prepared):
        return prepared
    if prepared.outcome == "invalid":
        raise InvalidUri(prepared.reason, prepared.uri)
    raise BadArgument(f"{prepared.uri}: {prepared.reason}")


def forget(live: Live, preparer: Preparer, uris: Iterable[str | Candidate]) -> Steps[list[str]]:
    """Per URI: forgotten, unknown, or pending, leased, dated (such stay; delete them instead)."""
    prepared = [unscoped(preparer, uri) for uri in uris]
    replies = yield from replies_of([live.ops.forget(u.partition, [u.fingerprint]) for u in prepared])
    return [text(reply[HEAD]) for reply in replies]


def _queue_of(live: Live, preparer: Preparer, p: int, number: str) -> Steps[str]:
    """Where the URI of an id stands: its lease or date says so, else its record and the policy, else the queues are searched."""
    own, dated, packed = yield from replies_of(
        [
            read("HGET", keys.of(live.name, p, "own"), number),
            read("HGET", keys.of(live.name, p, "lat"), number),
            read("HGET", keys.records(live.name, p, int(number)), number),
        ]
    )
    if own:
        return text(own).split(" ")[4]
    if dated:
        return text(dated).split(" ")[0]
    try:
        record = decode(packed) if packed else None
    except RecordError:
        record = None
    if record is None:
        return ""
    likely = record.queue or unscoped(preparer, Candidate(record.uri, record.path, record.via)).queue
    (there,) = yield from replies_of([read("ZSCORE", keys.queue(live.name, p, likely), number)])
    return likely if there is not None else (yield from _search(live, p, number)) or likely


def _search(live: Live, p: int, number: str) -> Steps[str]:
    cursor = ""
    while cursor != "0":
        cursor, names = yield from queue_names(live, p, cursor or "0")
        scores = yield from replies_of([read("ZSCORE", keys.queue(live.name, p, name), number) for name in names])
        for name, score in zip(names, scores, strict=True):
            if score is not None:
                return name
    return ""


def _plain(p: int, reply: list[Any]) -> dict[str, Any]:
    how, number, *rest = (value if isinstance(value, bytes) else text(value).encode() for value in reply[HEAD:])
    packed, tried, result, own, dated, score = (rest + [b""] * 6)[:6]
    found: dict[str, Any] = {"how": text(how), "id": f"{p}:{text(number)}" if number else ""}
    if packed:
        try:
            found["record"] = {k: v.hex() if isinstance(v, bytes) else v for k, v in asdict(decode(packed)).items()}
        except RecordError as error:
            found["record"] = {"error": str(error)}
    if tried:
        attempts, lost, status = text(tried).split(" ")
        found["tried"] = {"attempts": int(attempts), "lost_leases": int(lost), "last_fetch_status": status}
    if result:
        found["result"] = dict(zip(_RESULT, text(result).split(" "), strict=False))
    if own:
        found["lease"] = dict(zip(_OWN, text(own).split(" "), strict=False))
        found["how"] = found["how"] or "leased"
    if dated:
        found["dated"] = text(dated)
        found["how"] = found["how"] or "dated"
    if score:
        place = -int(float(text(score)))
        found["place"] = {"directive": place >> 51, "precedence": place >> 43 & 255, "ordinal": place & (1 << 43) - 1}
        found["how"] = found["how"] or "pending"
    return found
