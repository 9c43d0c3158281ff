"""Finishing: raw outcomes to the arguments of the script, and its answers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.errors import RecordError
from redisfrontier.record.codec import is_metadata, updated
from redisfrontier.record.outcome import Claim, Finished, Outcome, Settled
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.status import REDIRECT_KEY, Status, fetch_code
from redisfrontier.steps.claim import split_id
from redisfrontier.store.drive import Steps, refuse
from redisfrontier.store.ops import HEAD, Ask, head, score_class, tag_text, text

#: At about 20-25 µs an outcome, a call of this many holds Redis for some 5 ms.
OUTCOMES_PER_CALL = 200
#: A prerequisite that is out of scope or invalid (Heritrix: PREREQUISITE_UNSCHEDULABLE_FAILURE).
UNSCHEDULABLE = -63
_DEFERRED = -50
#: Answers of a server that has looked at the page anew (a 304 confirms what it said before), and what holds until the next of them.
_ANSWERS = frozenset({Status.FETCH_SUCCESS, Status.FETCH_REDIR_TEMP, Status.FETCH_REDIR_PERM})
_OF_ONE_ANSWER = frozenset({REDIRECT_KEY, "etag", "last_modified"})
#: No delay, size or date is greater; beyond it (infinity too) a number tells nothing.
_GREATEST = 1e300


def finish(live: Live, preparer: Preparer, outcomes: Iterable[Outcome], now_ms: float) -> Steps[list[Settled]]:
    """One answer an outcome, in order; `now_ms` (this machine's) only reads Retry-After dates of servers that tell no Date."""
    parts: dict[int, list[tuple[int, Outcome]]] = defaultdict(list)
    total = 0
    for total, outcome in enumerate(outcomes, 1):
        parts[split_id(outcome.claim.id)[0]].append((total - 1, outcome))
    answers: list[Settled | None] = [None] * total
    calls = [(p, part[i : i + OUTCOMES_PER_CALL]) for p, part in parts.items() for i in range(0, len(part), OUTCOMES_PER_CALL)]
    asks: list[Ask] = []
    for p, part in calls:
        if asks:
            yield ()
        asks.append(live.ops.finish(p, [arguments(live, preparer, o, now_ms) for _, o in part]))
    replies = yield asks
    for (_, part), reply in zip(calls, replies, strict=True):
        if isinstance(reply, Exception):
            refuse(reply)
        live.heard(head(reply))
        for (at, o), answer in zip(part, reply[HEAD:], strict=True):
            answers[at] = _settled(o.claim.id, text(answer))
    return answers  # type: ignore[return-value]  # every place was filled above


def arguments(live: Live, preparer: Preparer, o: Outcome, now_ms: float) -> tuple[Any, ...]:
    """The seven arguments of one outcome (lua/finish.lua)."""
    extras: list[str] = []
    status, record = o.fetch_status, b""
    if o.prerequisite is not None and status == _DEFERRED:
        prepared = _prerequisite(preparer, o, o.prerequisite)
        if isinstance(prepared, Prepared):
            extras += (f"class={score_class(prepared.directive, prepared.precedence)}", f"fp={prepared.fingerprint.hex()}")
            record = prepared.record
        else:
            status = UNSCHEDULABLE
    elif live.settings.retention == "keep" or o.refetch_in_ms is not None:
        record = _new_record(o, live.settings.max_record_bytes)
    if o.crawl_delay_seconds is not None or o.retry_after is not None or o.digest or o.modified_ms is not None:
        _told(extras, o, now_ms)
    _overrides(extras, o, live)
    number = split_id(o.claim.id)[1]
    return (number, o.claim.token, _status(status), _number(o.duration_ms), _number(o.size_bytes), ";".join(extras), record)


def retry_after_ms(value: str | float, http_date: str | None, now_ms: float) -> float | None:
    """A Retry-After header as ms from now: seconds, or a date read against the answer's own Date; None for nonsense or the past."""
    try:
        wait = float(value) * 1000
    except OverflowError:
        return None
    except (TypeError, ValueError):
        try:
            now = parsedate_to_datetime(http_date).timestamp() * 1000 if http_date else now_ms
            wait = parsedate_to_datetime(str(value)[:100]).timestamp() * 1000 - now
        except (TypeError, ValueError, OverflowError):
            return None
    return wait if math.isfinite(wait) and wait > 0 else None


def _prerequisite(preparer: Preparer, o: Outcome, wanted: Candidate) -> object:
    parent = _readable(o.claim)
    better = max((parent.directive if parent else 3) - 1, 0) if wanted.directive is None else wanted.directive
    return preparer.prepare(
        replace(wanted, queue=o.claim.queue, directive=better, prerequisite=True, force_fetch=True)
    )


def _new_record(o: Outcome, most: int) -> bytes:
    """The record with what the answer has told; empty, so that it stays as it is: nothing told, not readable, longer than `most`."""
    told: dict[str, Any] = {k: v for k, v in (o.metadata or {}).items() if v is None or is_metadata(k, v)}
    told |= {k: v for k, v in ((REDIRECT_KEY, o.redirect), ("etag", o.etag), ("last_modified", o.last_modified)) if v and is_metadata(k, v)}
    status: object = o.fetch_status
    try:
        if isinstance(status, int) and fetch_code(status) in _ANSWERS:
            told = dict.fromkeys(_OF_ONE_ANSWER & o.claim.record.metadata.keys()) | told
        record = updated(o.claim.packed, told) if told else b""
    except (ValueError, OverflowError):  # RecordError, a text that is none, a number of more than 64 bits
        return b""
    return record if len(record) <= most else b""


def _told(extras: list[str], o: Outcome, now_ms: float) -> None:
    wait = None if o.retry_after is None else retry_after_ms(o.retry_after, o.http_date, now_ms)
    for name, value in (("crawl_delay", o.crawl_delay_seconds), ("retry_after", wait), ("modified", o.modified_ms)):
        if (shown := _number(value)) != "":
            extras.append(f"{name}={shown}")
    if o.digest:
        extras.append("digest=" + "".join(c for c in o.digest[:128] if c.isalnum() or c in "+/=:_-").replace(";", ""))


def _overrides(extras: list[str], o: Outcome, live: Live) -> None:
    past = isinstance(o.refetch_in_ms, int | float) and o.refetch_in_ms < 0  # a date in the past is now
    for name, value in (("delay", o.delay_ms), ("refetch", 0 if past else o.refetch_in_ms), ("retry_after", o.retry_after_ms)):
        if value is not None and (shown := _number(value)) != "":
            extras.append(f"{name}={shown}")
    flags = ("r" if o.force_retire else "") + ("c" if o.http_credential else "") + ("u" if o.robots_unreachable else "")
    if flags:
        extras.append(f"flags={flags}")
    if live.settings.max_documents_per_source_tag >= 0 and (record := _readable(o.claim)) and record.source_tag:
        extras.append("tag=" + tag_text(record.source_tag))


def _readable(claim: Claim) -> UriRecord | None:
    """The record, or None for one of another version or none at all: its outcome counts like any other."""
    try:
        return claim.record
    except RecordError:
        return None


def _number(value: object) -> float | str:
    """A number that makes sense, or empty: not told."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _GREATEST:
        return ""
    return value if isinstance(value, int) and value < 2**53 else float(value)


def _status(value: object) -> int | str:
    """A whole number of few digits, or empty: the script refuses it."""
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9 else ""


def _settled(id_: str, answer: str) -> Settled:
    if answer.startswith("+"):
        return Settled(id_, Finished.OK, answer[1:])
    if answer.startswith("!"):
        return Settled(id_, Finished.REFUSED, reason=answer[1:])
    return Settled(id_, Finished(answer.lower()))
