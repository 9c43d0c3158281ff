"""Why a URI is not being fetched: one reason of a closed list, with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.errors import BadArgument, InvalidUri, RecordError
from redisfrontier.policy.scope.decision import subject_of
from redisfrontier.record.codec import decode
from redisfrontier.record.record import Candidate
from redisfrontier.steps import inspect, listing, show
from redisfrontier.steps.stats import stats
from redisfrontier.store import keys
from redisfrontier.store.crawl_ops import read
from redisfrontier.store.drive import Steps
from redisfrontier.uri.parse import parse

#: Records of a queue that are searched where only a filter knows the URI.
SEARCHED = 20_000


class Reason(StrEnum):
    """The closed list."""

    INVALID = "invalid"
    OUT_OF_SCOPE = "out_of_scope"
    UNKNOWN = "unknown"
    MAYBE_SEEN = "maybe_seen"
    FINISHED = "finished"
    LEASED = "leased"
    DATED = "dated"
    CRAWL_STOPPED = "crawl_stopped"
    CRAWL_PAUSED = "crawl_paused"
    QUEUE_RETIRED = "queue_retired"
    BELOW_FLOOR = "below_floor"
    QUEUE_SNOOZED = "queue_snoozed"
    QUEUE_POLITE = "queue_polite"
    QUEUE_BUSY = "queue_busy"
    TURN = "turn"


_WORDS = {
    Reason.INVALID: "it is no URI that can be crawled",
    Reason.OUT_OF_SCOPE: "the scope rejects it, found like this",
    Reason.UNKNOWN: "it is in scope, but nobody has offered it (or it was forgotten or deleted)",
    Reason.MAYBE_SEEN: "the filter knows it: it is finished, or it was refused wrongly (a Bloom filter may err); `uris retry` brings it in",
    Reason.FINISHED: "it is finished; `uris retry` fetches it again",
    Reason.LEASED: "a worker has it",
    Reason.DATED: "it waits for a date of its own",
    Reason.CRAWL_STOPPED: "the crawl is stopped",
    Reason.CRAWL_PAUSED: "the crawl is paused",
    Reason.QUEUE_RETIRED: "its queue is retired",
    Reason.BELOW_FLOOR: "its queue's precedence is at or past precedence_floor",
    Reason.QUEUE_SNOOZED: "its queue is snoozed, or waits to be tried again",
    Reason.QUEUE_POLITE: "its host rests from the last fetch (politeness or back-off)",
    Reason.QUEUE_BUSY: "as many URIs of its queue are out as may be at once",
    Reason.TURN: "it waits for its turn: other URIs of its queue, or other queues, come first",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """`facts` are what the reason rests on: rule, queue, times in ms, who has it, how many are before it."""

    reason: Reason
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The reason as a sentence."""
        return _WORDS[self.reason]


def explain(live: Live, preparer: Preparer, c: Candidate) -> Steps[Explanation]:
    """Why `c` is not being fetched now.  Changes nothing."""
    try:
        prepared = show.unscoped(preparer, c)
    except (InvalidUri, BadArgument) as error:
        return Explanation(Reason.INVALID, {"why": str(error)})
    found = yield from show.show(live, preparer, prepared.uri)
    facts: dict[str, Any] = {"uri": prepared.uri, "queue": prepared.queue}
    if found["how"] == "unknown":
        return _never_offered(preparer, c, prepared, facts)
    if found["how"] == "maybe_seen":
        found |= yield from _search(live, prepared)
    facts["id"] = found["id"]
    if found["how"] in ("pending", "leased", "dated"):
        return (yield from _held(live, found, facts))
    return Explanation(Reason.MAYBE_SEEN if found["how"] == "maybe_seen" else Reason.FINISHED, facts | _result(found))


def _never_offered(preparer: Preparer, c: Candidate, prepared: Prepared, facts: dict[str, Any]) -> Explanation:
    if preparer.scope is None:
        return Explanation(Reason.UNKNOWN, facts)
    via = parse(c.via) if c.via else None
    subject = subject_of(parse(c.uri), c.path, via, is_seed=c.is_seed, source_tag=c.source_tag, queue=prepared.queue)
    verdict = preparer.scope.decide(subject)
    facts["rule"] = f"{verdict.index} {verdict.rule}" if verdict.rule else "none decides"
    return Explanation(Reason.UNKNOWN if verdict.accepts else Reason.OUT_OF_SCOPE, facts)


def _search(live: Live, u: Prepared) -> Steps[dict[str, Any]]:
    """Where a URI is that only a filter knows: its queue is searched, then what is out of it and dated in it."""
    places = (("pending", inspect.pending_pages), ("leased", inspect.leased_pages), ("dated", inspect.dated_pages))
    for how, pages in places:
        paging, left = pages(live, u.partition, u.queue.__eq__), SEARCHED
        page: list[tuple[str, str]] | None = None
        while left > 0 and (page := (yield from paging.next(page))) is not None:
            left -= len(page)
            for (_, number), packed in zip(page, (yield from inspect.records(live, u.partition, [n for _, n in page])), strict=True):
                if packed and _is(packed, u):
                    return {"how": how, "id": f"{u.partition}:{number}"}
    return {}


def _is(packed: bytes, u: Prepared) -> bool:
    try:
        return decode(packed).fingerprint == u.fingerprint[:8]
    except RecordError:
        return False


def _held(live: Live, found: dict[str, Any], facts: dict[str, Any]) -> Steps[Explanation]:
    p, _, number = str(found["id"]).partition(":")
    if found["how"] == "leased":
        rows = yield from inspect.replies_of([read("HGET", keys.of(live.name, int(p), "own"), number)])
        worker = (rows[0] or b"? ?").decode("utf-8", "replace").split(" ")[1]
        return Explanation(Reason.LEASED, facts | {"worker": worker})
    if found["how"] == "dated":
        (at,) = yield from inspect.replies_of([read("ZSCORE", keys.of(live.name, int(p), "later"), number)])
        return Explanation(Reason.DATED, facts | ({"until_ms": int(float(at))} if at else {}))
    (before,) = yield from inspect.replies_of([read("ZREVRANK", keys.queue(live.name, int(p), facts["queue"]), number)])
    row, now = (yield from listing.queue(live, facts["queue"])), (yield from stats(live))
    return _waiting(live, row, now, facts | {"before_it_in_the_queue": before})


def _waiting(live: Live, row: Mapping[str, Any], now: Mapping[str, Any], facts: dict[str, Any]) -> Explanation:
    snoozed, polite = int(row.get("snoozed_until", 0)), int(row.get("not_before", 0))
    facts["state_of_the_queue"] = row.get("state", "")
    if now["state"] == "FINISH":
        return Explanation(Reason.CRAWL_STOPPED, facts | {"why": now["finish_reason"]})
    if row.get("state") == "retired":
        return Explanation(Reason.QUEUE_RETIRED, facts | {"why": row.get("retired_why", "")})
    if now["state"] == "PAUSE":
        return Explanation(Reason.CRAWL_PAUSED, facts)
    if int(row.get("precedence", 0)) >= live.settings.precedence_floor:
        return Explanation(Reason.BELOW_FLOOR, facts | {"precedence": row["precedence"], "floor": live.settings.precedence_floor})
    if max(snoozed, polite) > now["now_ms"]:
        return Explanation(Reason.QUEUE_SNOOZED if snoozed >= polite else Reason.QUEUE_POLITE, facts | {"until_ms": max(snoozed, polite)})
    if row.get("state") == "in_process":
        return Explanation(Reason.QUEUE_BUSY, facts | {"in_flight": row.get("in_flight", 0)})
    return Explanation(Reason.TURN, facts)


def _result(found: Mapping[str, Any]) -> dict[str, Any]:
    return {"result": found["result"]} if "result" in found else {}
