"""Each op of a partition, described once for the sync and the async facade: its keys, arguments and reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from redisfrontier.store import keys
from redisfrontier.store.scripts import load, often_read

#: Every reply of a partition's op begins with version, run state, server time.
HEAD = 3
#: In place of a queue (whose name has no blank): the URI has been admitted in another partition.
MOVED = " "


@dataclass(frozen=True, slots=True)
class Ask:
    """One command to be sent: a script (by name) or, with an empty name, a plain reading command."""

    script: str
    keys: Sequence[str]
    args: Sequence[Any]

    def wire(self) -> tuple[Any, ...]:
        """What goes over the connection."""
        if not self.script:
            return tuple(self.args)
        return ("EVALSHA", load(self.script).sha, len(self.keys), *self.keys, *self.args)


@dataclass(frozen=True, slots=True)
class Head:
    """What every reply tells: version of the crawl's settings, run state, server time."""

    version: int
    run_state: str
    now_ms: int


class Schedulable(Protocol):
    """What `schedule` needs of a prepared URI (candidates.Prepared has it)."""

    @property
    def queue(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def directive(self) -> int: ...
    @property
    def precedence(self) -> int: ...
    @property
    def cost(self) -> int: ...
    @property
    def force(self) -> bool: ...
    @property
    def source_tag(self) -> str: ...
    @property
    def fingerprint(self) -> bytes: ...
    @property
    def record(self) -> bytes: ...


def head(reply: Sequence[Any]) -> Head:
    """The beginning of a reply."""
    return Head(int(reply[0]), text(reply[1]), int(reply[2]))


def text(value: Any) -> str:
    """A reply value as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def exchanged(reply: Any) -> tuple[Any, Any]:
    """The reply of `exchange` as those of finish and claim; an error is that of both."""
    return (reply, reply) if isinstance(reply, Exception) else ([*reply[:HEAD], *reply[HEAD]], reply[HEAD + 1])


def pairs(reply: Any) -> list[tuple[Any, Any]]:
    """Fields with their values, or members with their scores, of a reading command's reply: a dict, pairs, or one after the other."""
    if isinstance(reply, dict):
        return list(reply.items())
    if not reply or isinstance(reply[0], tuple | list):
        return [tuple(pair) for pair in reply]
    return list(zip(reply[::2], reply[1::2], strict=True))


def texts(reply: Any) -> dict[str, str]:
    """The reply of HGETALL and its like as texts."""
    return {text(name): text(value) for name, value in pairs(reply)}


def score_class(directive: int, precedence: int) -> int:
    """Directive and precedence as the scripts take them; over 255 counts as 255, below 0 as 0 (design §9)."""
    return (0 if directive < 0 else 3 if directive > 3 else directive) * 256 + (
        0 if precedence < 0 else 255 if precedence > 255 else precedence
    )


def tag_text(source_tag: str | None) -> str:
    """A source tag as schedule and finish take it: `-` for none, `;` as %3B, since that ends a value there."""
    return source_tag.replace(";", "%3B") if source_tag else "-"


class Ops:
    """The ops of one crawl."""

    __slots__ = ("crawl",)

    def __init__(self, crawl: str) -> None:
        self.crawl = crawl

    def _ask(self, script: str, partition: int, args: Sequence[Any]) -> Ask:
        return Ask(script, keys.fixed(self.crawl, partition), args)

    def schedule(self, partition: int, uris: Iterable[tuple[Schedulable, int]]) -> Ask:
        """Admit prepared URIs, each with the number of its sheet combination; replies after HEAD: see `admission`."""
        args: list[Any] = []
        for u, sheet in uris:
            at: int | str = score_class(u.directive, u.precedence)
            if u.force or sheet or u.group or u.source_tag:
                at = f"{at} {1 if u.force else 0} {sheet} {u.group or '-'} {tag_text(u.source_tag)}"
            args += (u.queue, at, u.fingerprint, u.record)
        return self._ask("schedule", partition, args)

    def include(self, partition: int, uris: Iterable[tuple[Schedulable, int]]) -> Ask:
        """Note prepared URIs as fetched, each with the number of its sheet combination; replies after HEAD: included, =HOW, !REASON."""
        args: list[Any] = []
        for u, sheet in uris:
            args += (u.queue, u.group, sheet, u.cost, u.fingerprint, u.record)
        return self._ask("include", partition, args)

    def adopt(self, partition: int, uris: Iterable[tuple[Schedulable, int, int | None, str, str]]) -> Ask:
        """Take in (prepared, sheet, due ms or None, verdict, result); replies after HEAD: +ID, ., =HOW, !REASON."""
        args: list[Any] = []
        for u, sheet, due, verdict, result in uris:
            at = score_class(u.directive, u.precedence)
            args += (u.queue, u.group, sheet, at, u.fingerprint, u.record, "" if due is None else due, verdict, result)
        return self._ask("adopt", partition, args)

    def claim(self, partition: int, token: str, worker: str, n: int, per_queue: int, lease_ms: int, queue: str = "") -> Ask:
        """Lease up to `per_queue` URIs of up to `n` queues; see `claims`."""
        return self._ask("claim", partition, (token, worker, n, per_queue, lease_ms, queue))

    def finish(self, partition: int, outcomes: Iterable[Sequence[Any]]) -> Ask:
        """Outcomes as (id, token, status, duration, size, extras, record); replies after HEAD: +VERDICT, GONE, STALE, !REASON."""
        return self._ask("finish", partition, [value for outcome in outcomes for value in outcome])

    def exchange(self, finish: Ask, claim: Ask) -> Ask:
        """What `finish` and then `claim` of the same partition ask, as one; its reply: see `exchanged`."""
        return Ask("exchange", claim.keys, [*claim.args[:5], *finish.args])

    def release(self, partition: int, leases: Iterable[tuple[str, str]], queue: str = "", group: str = "") -> Ask:
        """Give (id, token) back, to another `queue` (of a group) or as MOVED; replies after HEAD: OK, GONE, STALE, !REASON."""
        return self._ask("release", partition, [value for id_, token in leases for value in (id_, token, queue, group)])

    def extend(self, partition: int, leases: Iterable[tuple[str, str]], lease_ms: int) -> Ask:
        """Keep (id, token) longer; replies after HEAD: +EXPIRY, GONE, STALE."""
        return self._ask("extend", partition, [lease_ms, *(value for lease in leases for value in lease)])

    def snooze(self, partition: int, queue: str, for_ms: int) -> Ask:
        """Reply after HEAD: until ms, long (0/1)."""
        return self._ask("snooze", partition, (queue, for_ms))

    def wake(self, partition: int, queue: str, skip: int, limit: int) -> Ask:
        """Reply after HEAD: woken, next skip (-1: done)."""
        return self._ask("wake", partition, (queue, skip, limit))

    def retire(self, partition: int, queue: str, why: str) -> Ask:
        """Reply after HEAD: 1 retired, 0 it was."""
        return self._ask("retire", partition, (queue, why))

    def unretire(self, partition: int, queue: str, budget_only: bool, upto: int, skip: int, limit: int) -> Ask:
        """Reply after HEAD: how many came back, upto, next skip (-1: done)."""
        return self._ask("unretire", partition, (queue, int(budget_only), upto, skip, limit))

    def budget(self, partition: int, queue: str, total: int | None, reset: bool, precedence: int | None) -> Ask:
        """Reply after HEAD: spent, total budget, state."""
        values = ("" if total is None else total, int(reset), "" if precedence is None else precedence)
        return self._ask("budget", partition, (queue, *values))

    def delete(self, partition: int, how: str, upto: int, uris: Iterable[tuple[str, str]]) -> Ask:
        """Take (queue, id) out; how: deleted or excluded; replies after HEAD: 1 gone, 0 not there."""
        return self._ask("delete", partition, [how, upto, *(value for uri in uris for value in uri)])

    def reorder(self, partition: int, directive: int | None, precedence: int | None, uris: Iterable[tuple[str, str]]) -> Ask:
        """Give (queue, id) another directive or precedence; replies after HEAD: 1 moved, 0 not."""
        to = ("" if directive is None else directive, "" if precedence is None else precedence)
        return self._ask("reorder", partition, [*to, *(value for uri in uris for value in uri)])

    def forget(self, partition: int, fingerprints: Iterable[bytes]) -> Ask:
        """Let fingerprints be found again; replies after HEAD: one word each."""
        return self._ask("forget", partition, list(fingerprints))

    def look(self, partition: int, *, fingerprint: bytes = b"", id_: str = "", queue: str = "") -> Ask:
        """Reply after HEAD: how known, id, record, attempts, result, lease, date, score."""
        return self._ask("look", partition, (fingerprint, id_, queue))

    def stats(self, partition: int) -> Ask:
        """Reply after HEAD: names and numbers in turn."""
        return self._ask("stats", partition, ())

    def examine(self, partition: int, queues: Iterable[str]) -> Ask:
        """Hold counters against what is there; replies after HEAD: queue, what, counted, found of each difference."""
        return self._ask("examine", partition, list(queues))

    def run_state(self, partition: int, state: str, why: str, version: int) -> Ask:
        """Let it RUN, PAUSE or FINISH."""
        return self._ask("run_state", partition, (state, why, version))

    def configure(self, partition: int, version: int, sheet: int, values: Iterable[tuple[str, str]]) -> Ask:
        """Change settings of the crawl (sheet 0) or of a sheet combination."""
        return self._ask("configure", partition, [version, sheet, *(part for pair in values for part in pair)])

    def create(self, partition: int, values: Iterable[tuple[str, str]]) -> Ask:
        """Make the partition."""
        often = often_read()
        return self._ask("create", partition, [part for pair in sorted(values, key=lambda v: -often[v[0]]) for part in pair])

    def prepare(self, partition: int, page: int) -> Ask:
        """Make one page of the bitfield filter; reply: 1 more follow, 0 done."""
        return self._ask("prepare", partition, (page,))

    def self_test(self, partition: int, rate: float, capacity: int, fingerprints: Iterable[bytes]) -> Ask:
        """Make RedisBloom's filter and try either; reply: 1 if the first is found after it was added, how many of the others are."""
        return self._ask("self_test", partition, [repr(rate), capacity, *fingerprints])

    def set_clock(self, partition: int, now_ms: int) -> Ask:
        """Set the test clock."""
        return self._ask("set_clock", partition, (now_ms,))
