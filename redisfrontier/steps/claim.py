"""Claiming over all partitions, extending and releasing leases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from redisfrontier.crawl.live import Live
from redisfrontier.log import logger
from redisfrontier.record.outcome import Claim, Claims, Finished
from redisfrontier.steps.inspect import partition_with
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
    """Lease the next URIs of up to `n` queues, going round the partitions from `start`; short answers are made up for by the others.

    The first round asks for `n` in all.  What a later one, which asks all that are left at once, brings beyond that is given back.
    """
    order = [(start + i) % live.partitions for i in range(live.partitions)]
    if queue and live.partitions > 1:
        home = yield from partition_with(live, queue)
        order = [partition_of(queue, live.partitions) if home is None else home]
    tally = _Tally(live, n)
    while order and tally.wanted > 0:
        shares = _shares(tally.wanted, len(order), exact=not tally.rounds)
        asked = [(p, token(), share) for p, share in zip(order, shares, strict=False)]
        replies = yield [live.ops.claim(p, t, worker, share, per_queue, lease_ms, queue) for p, t, share in asked]
        before = len(tally.items)
        lasts = lease_ms or live.settings.lease_ms
        answers = zip(asked, replies, strict=True)
        more = [p for (p, t, share), reply in answers if tally.take(_claims(p, t, reply, lasts), reply, share)]
        tally.rounds += 1
        if len(more) == len(order) and len(tally.items) == before:  # only bounds were met: the caller comes again at once
            tally.waits.append(0)
            break
        order = order[len(asked) :] + more
    if spare := tally.spare(n):
        yield [live.ops.release(p, pairs) for p, pairs in spare.items()]
    return tally.claims(left=bool(order))


def _shares(wanted: int, partitions: int, *, exact: bool) -> list[int]:
    """How many queues each partition is asked for; `exact`: as many as are wanted in all, so the last may not be asked."""
    base, extra = divmod(wanted, partitions)
    if not exact:
        return [min(QUEUES_PER_CALL, base + (extra > 0))] * partitions
    return [min(QUEUES_PER_CALL, base + (i < extra)) for i in range(partitions if base else extra)]


class _Tally:
    """What the rounds of one claim have brought so far."""

    def __init__(self, live: Live, wanted: int) -> None:
        self.live, self.wanted = live, wanted
        self.items: list[Claim] = []
        self.waits: list[int] = []
        self.error: Exception | None = None
        self.rounds = 0
        self.last = Head(live.version, live.run_state, 0)

    def take(self, got: list[Claim], reply: Any, share: int) -> bool:
        """Count one partition's answer; True if it may have more. What others have leased is not given up for one that fails."""
        if isinstance(reply, Exception):
            self.error = reply
            return False
        self.last = head(reply)
        self.live.heard(self.last)
        _tell(reply)
        self.items += got
        queues = len({c.queue for c in got})
        self.wanted -= queues
        if queues >= share or int(reply[HEAD]) == 0:
            return True
        self.waits.append(int(reply[HEAD]))
        return False

    def spare(self, n: int) -> dict[int, list[tuple[str, str]]]:
        """Take out what is beyond `n` queues: (number, token) of each, by partition."""
        if self.wanted >= 0:
            return {}
        kept = set(list(dict.fromkeys(c.queue for c in self.items))[:n])
        out: dict[int, list[tuple[str, str]]] = defaultdict(list)
        for c in self.items:
            if c.queue not in kept:
                p, number = split_id(c.id)
                out[p].append((number, c.token))
        self.items = [c for c in self.items if c.queue in kept]
        return out

    def claims(self, *, left: bool) -> Claims:
        """The answer; raises the failure of a partition if no other gave anything."""
        if self.error is not None and not self.items:
            refuse(self.error)
        known = [w for w in self.waits if w >= 0]
        wait = min(known, default=0 if left else None)
        return Claims(tuple(self.items), wait, self.last.run_state, self.last.now_ms, self.live.seen_version)


def _claims(partition: int, token: str, reply: Any, lease_ms: int) -> list[Claim]:
    if isinstance(reply, Exception):
        return []
    until = int(reply[2]) + lease_ms
    fields = iter(reply[_BEFORE_URIS:])
    rows = zip(*[fields] * _FIELDS, strict=True)
    return [
        Claim(f"{partition}:{text(id_)}", token, text(queue), int(attempts), int(lost), until, record)
        for id_, queue, attempts, lost, record in rows
    ]


def _tell(reply: Sequence[Any]) -> None:
    for expired in reply[HEAD + 1]:
        id_, worker, queue = text(expired).split(" ")
        logger().warning("lease_expired", id=id_, worker=worker, queue=queue)
    for trouble in reply[HEAD + 2]:
        logger().error("claim_trouble", reason=text(trouble))


def release(live: Live, claims: Iterable[Claim]) -> Steps[list[Finished]]:
    """Give claims back untried."""
    return (yield from _each(live, claims, lambda p, pairs: live.ops.release(p, pairs)))


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
            answers[at] = finished(text(answer))
    return answers


def finished(answer: str) -> Finished:
    """An answer of the server to one claim."""
    if answer == "GONE":
        return Finished.GONE
    if answer == "STALE":
        return Finished.STALE
    return Finished.REFUSED if answer.startswith("!") else Finished.OK
