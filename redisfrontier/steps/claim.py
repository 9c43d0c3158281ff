"""Claiming over all partitions, extending and releasing leases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from redisfrontier.crawl.live import Live
from redisfrontier.log import logger
from redisfrontier.record.outcome import Claim, Claims, Finished
from redisfrontier.store.drive import Steps, refuse
from redisfrontier.store.ops import HEAD, Ask, Head, head, text
from redisfrontier.uri.fingerprint import partition_of

#: Queues that one call looks at; at about 20 µs each it holds Redis for some 4 ms.
QUEUES_PER_CALL = 200
#: Fields of each URI in a claim's reply, after version, state, time, wait, expired, troubles.
_FIELDS = 5
_BEFORE_URIS = HEAD + 3


def split_id(id_: str) -> tuple[int, str]:
    """Partition and number of an id "partition:number"."""
    partition, _, number = id_.partition(":")
    return int(partition), number


def claim(
    live: Live, worker: str, n: int, per_queue: int, lease_ms: int, queue: str, token: Callable[[], str], start: int
) -> Steps[Claims]:
    """Lease up to `n` queues' next URIs, going round the partitions from `start`; short answers are made up for by the others."""
    order = [(start + i) % live.partitions for i in range(live.partitions)] if not queue else [partition_of(queue, live.partitions)]
    items: list[Claim] = []
    waits: list[int] = []
    last = Head(live.version, live.run_state, 0)
    while order and n > 0:
        share = min(QUEUES_PER_CALL, -(-n // len(order)))
        tokens = [token() for _ in order]
        replies = yield [
            live.ops.claim(p, t, worker, share, per_queue, lease_ms, queue) for p, t in zip(order, tokens, strict=True)
        ]
        more = []
        for p, t, reply in zip(order, tokens, replies, strict=True):
            if isinstance(reply, Exception):
                refuse(reply)
            last = head(reply)
            live.heard(last)
            got = _claims(p, t, reply, lease_ms or live.settings.lease_ms)
            _tell(reply)
            items += got
            n -= len({c.queue for c in got})
            if len({c.queue for c in got}) >= share or int(reply[HEAD]) == 0:
                more.append(p)
            else:
                waits.append(int(reply[HEAD]))
        if len(more) == len(order) and not items:  # only bounds were met: the caller comes again at once
            waits.append(0)
            break
        order = more
    known = [w for w in waits if w >= 0]
    return Claims(tuple(items), min(known, default=0 if order else None), last.run_state, last.now_ms, live.seen_version)


def _claims(partition: int, token: str, reply: Sequence[Any], lease_ms: int) -> list[Claim]:
    until = int(reply[2]) + lease_ms
    found = []
    for i in range(_BEFORE_URIS, len(reply), _FIELDS):
        id_, queue, attempts, lost, record = reply[i : i + _FIELDS]
        found.append(Claim(f"{partition}:{text(id_)}", token, text(queue), int(attempts), int(lost), until, record))
    return found


def _tell(reply: Sequence[Any]) -> None:
    for expired in reply[HEAD + 1]:
        id_, worker, queue = text(expired).split(" ")
        logger().warning("lease_expired", id=id_, worker=worker, queue=queue)
    for trouble in reply[HEAD + 2]:
        logger().error("claim_trouble", reason=text(trouble))


def release(live: Live, claims: Iterable[Claim], queue: str) -> Steps[list[Finished]]:
    """Give claims back untried, or relocate them to `queue` (of their partition)."""
    return (yield from _each(live, claims, lambda p, pairs: live.ops.release(p, pairs, queue)))


def extend(live: Live, claims: Iterable[Claim], lease_ms: int) -> Steps[list[Finished]]:
    """Keep claims longer."""
    return (yield from _each(live, claims, lambda p, pairs: live.ops.extend(p, pairs, lease_ms)))


def _each(
    live: Live, claims: Iterable[Claim], ask: Callable[[int, list[tuple[str, str]]], Ask]
) -> Steps[list[Finished]]:
    parts: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
    count = 0
    for count, c in enumerate(claims, 1):
        p, number = split_id(c.id)
        parts[p].append((count - 1, number, c.token))
    answers = [Finished.GONE] * count
    calls = [(p, part[i : i + QUEUES_PER_CALL]) for p, part in parts.items() for i in range(0, len(part), QUEUES_PER_CALL)]
    replies = yield [ask(p, [(number, token) for _, number, token in part]) for p, part in calls]
    for (_, part), reply in zip(calls, replies, strict=True):
        if isinstance(reply, Exception):
            refuse(reply)
        live.heard(head(reply))
        for (at, _, _), answer in zip(part, reply[HEAD:], strict=True):
            answers[at] = _finished(text(answer))
    return answers


def _finished(answer: str) -> Finished:
    if answer == "GONE":
        return Finished.GONE
    if answer == "STALE":
        return Finished.STALE
    return Finished.REFUSED if answer.startswith("!") else Finished.OK
