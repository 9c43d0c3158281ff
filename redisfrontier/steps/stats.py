"""The numbers of a crawl over all its partitions, and what it is waiting for (design §9, `stats --json`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from redisfrontier.crawl.live import Live
from redisfrontier.steps.inspect import replies_of
from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import HEAD, head, text

_PLACES = ("due", "ready", "inactive", "retired")
_COUNTS = ("admitted", "later", "succeeded", "failed", "disregarded", "excluded", "deleted", "bytes", "lost", "corrupt", "maybe_seen")
_HEADS = ("next_due", "next_later", "next_lease")


def stats(live: Live) -> Steps[dict[str, Any]]:
    """State, counters, queues by state, the next due time and what that is."""
    replies = yield from replies_of([live.ops.stats(p) for p in range(live.partitions)])
    parts = []
    for reply in replies:
        live.heard(head(reply))
        parts.append({text(k): text(v) for k, v in zip(reply[HEAD::2], reply[HEAD + 1 :: 2], strict=True)})
    total: Counter[str] = Counter()
    for part in parts:
        total.update({k: int(float(v)) for k, v in part.items() if k not in (*_HEADS, "finish_reason")})
    now = max(head(reply).now_ms for reply in replies)
    run_state = head(replies[0]).run_state
    reason = next((part["finish_reason"] for part in parts if part.get("finish_reason")), "")
    return {
        **_counts(total),
        "queues": queues(total),
        **_waiting(live, run_state, total, parts, now),
        "finish_reason": reason,
        "now_ms": now,
        "running_ms": total["running_ms"] // live.partitions,
        "version": live.seen_version,
    }


def _counts(total: Mapping[str, int]) -> dict[str, int]:
    """Shown as in flight are leases that have not expired; the others are pending again, though nobody has called since."""
    expired = total.get("expired", 0)
    counts = {name: total.get(name, 0) for name in _COUNTS}
    leased = total.get("in_flight", 0) - total.get("ghosts", 0)
    in_flight = max(0, leased - expired)
    return {**counts, "pending": total.get("pending", 0) + leased - in_flight, "in_flight": in_flight}


def queues(total: Mapping[str, int]) -> dict[str, int]:
    """Queues by state; an empty one shows as exhausted wherever it stands (design §8, lazy exhaustion)."""
    shown = {name: total.get(f"queues_{name}", 0) - (total.get(f"empty_{name}", 0) if name != "retired" else 0) for name in _PLACES}
    ineligible = min(shown["inactive"], total.get("queues_ineligible", 0))
    empty = sum(total.get(f"empty_{name}", 0) for name in _PLACES if name != "retired")
    return {
        **shown,
        "inactive": shown["inactive"] - ineligible,
        "ineligible": ineligible,
        "in_process": total.get("queues_in_process", 0),
        "exhausted": total.get("queues_exhausted", 0) + empty,
    }


def _waiting(live: Live, run_state: str, total: Mapping[str, int], parts: list[dict[str, str]], now: int) -> dict[str, Any]:
    heads = {name: min((int(float(p[name])) for p in parts if float(p[name]) >= 0), default=None) for name in _HEADS}
    known = {name: at for name, at in heads.items() if at is not None}
    next_due = min(known.values(), default=None)
    counts, places = _counts(total), queues(total)
    state = run_state
    if not live.settings.future_uris_keep_alive and not total.get("tried", 0):  # what is to be tried again always counts
        counts = {**counts, "later": 0}
    if run_state == "RUN" and is_empty(counts, places):
        state = "EMPTY"
    if state == "EMPTY" and counts["pending"]:
        why = "nothing: only retired queues are left"
    elif state != "RUN":
        why = "the operator: the crawl is paused" if state == "PAUSE" else "nothing"
    elif places["ready"] or places["inactive"]:
        why = "workers"
    elif next_due is None:
        why = "the operator: only retired or ineligible queues are left" if counts["pending"] else "nothing"
    else:
        name = min(known, key=lambda n: known[n])
        why = {"next_due": "politeness, retry or snooze of a queue", "next_later": "a URI with a date of its own"}.get(name, "a worker")
    return {"state": state, "next_due_ms": None if state != "RUN" or next_due is None else max(next_due, now), "waiting_for": why}


def is_empty(counts: Mapping[str, int], places: Mapping[str, int]) -> bool:
    """Nothing out, nothing dated, and what is pending stands in retired queues only (Heritrix: such a crawl ends).

    Queues at or past the precedence floor keep it alive: the floor may rise.
    """
    if counts["in_flight"] or counts["later"]:
        return False
    return counts["pending"] == 0 or not any(places[name] for name in ("ready", "due", "inactive", "ineligible", "in_process"))
