"""Plays the steps of a golden case against the real frontier, by its public facade and a clock set by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

from redisfrontier.errors import InvalidUri
from redisfrontier.frontier import Frontier
from redisfrontier.operate import journal
from redisfrontier.record.codec import decode
from redisfrontier.record.outcome import Admitted, Claim
from redisfrontier.record.record import Candidate
from redisfrontier.store import keys
from tests.vectors.heritrix_settings import nearest, precedences, settings_of, sheets_of
from tests.vectors.real_server import LEASE_MS, RealServer

Op = dict[str, Any]
_WORDS = {Admitted.ADDED: "new", Admitted.KNOWN: "seen", Admitted.REQUEUED: "queued_again"}
#: Heritrix' statistics of a queue that are kept here too.
_STATISTICS = {"fetchSuccesses": "succeeded", "fetchFailures": "failed", "fetchDisregards": "disregarded", "successBytes": "bytes"}
#: Heritrix counts only whole milliseconds; a golden time may be off by what a step took there.
TOLERANCE_MS = 500


class Replay:
    """One crawl; each step takes `tick` ms."""

    def __init__(self, server: RealServer, settings: dict[str, Any], tick: int) -> None:
        self.settings = dict(settings)
        self.frontier: Frontier = server.crawl(settings_of(settings), sheets_of(settings))
        self._client = self.frontier.client
        self._client.hset(self._key("n"), "followers", 1)  # the journal is kept while somebody follows it
        self.tick, self.now = tick, 0
        self.out: list[Claim] = []
        self.emitted: list[str] = []
        self.forgotten = 0
        self._prerequisites: dict[str, Candidate] = {}

    def close(self) -> None:
        """Remove the crawl."""
        self.frontier.delete_crawl()
        self.frontier.close()

    def _key(self, name: str) -> str:
        return keys.of(self.frontier.session.name, 0, name)

    def pass_time(self, ms: int) -> None:
        """Set the clock forward."""
        self.now += ms
        if ms:
            self.frontier.set_clock(self.now)

    def step(self, op: Op) -> Any:
        """The result of one step."""
        self.pass_time(self.tick)
        return _STEPS[op["op"]](self, op)

    # -- steps --

    def schedule(self, op: Op) -> str:
        """new, seen or queued_again."""
        given = op.get("precedence", 1) if self.settings.get("uriPrecedencePolicy") == "given" else None
        candidate = Candidate(
            op["uri"],
            path=op.get("path", ""),
            via=op.get("via") or None,
            is_seed=op.get("seed", False),
            force_fetch=op.get("force", False),
            directive=op.get("directive", 3),
            precedence=given,
            cost=op.get("cost"),
        )
        (answer,) = self.frontier.schedule([candidate])
        return _WORDS.get(answer.outcome, f"{answer.outcome} {answer.reason}")

    def claim(self) -> Claim | None:
        """The next URI; one that the policy has another queue for by now is relocated by the client, as it must."""
        while got := self.frontier.claim(lease_ms=LEASE_MS):
            claim = got[0]
            if not self._relocates or (queue := self._queue_now(claim)) == claim.queue:
                self.out.append(claim)
                self.emitted.append(claim.uri)
                return claim
            self.frontier.release([claim], queue=queue)
        return None

    @property
    def _relocates(self) -> bool:
        return self.settings.get("queueAssignmentPolicy", {}).get("config", {}).get("deferToPrevious") is False

    def _queue_now(self, claim: Claim) -> str:
        prepared: Any = self.frontier.policy.prepare(Candidate(claim.uri, path=claim.path, via=claim.via))
        return str(prepared.queue)

    def next(self, op: Op) -> dict[str, Any] | None:
        """The URI that is emitted, or None."""
        claim = self.claim()
        if claim is None:
            return None
        record = claim.record
        return {
            "uri": record.uri,
            "path": record.path,
            "class_key": claim.queue,
            "directive": record.directive,
            "precedence": record.precedence,
            "cost": record.cost,
            "attempts": claim.attempts,
        }

    def finish(self, op: Op) -> str:
        """ok; skipped when nothing is out."""
        held = [c for c in self.out if op.get("uri") in (None, c.uri)]
        if not held and op.get("if_any"):
            return "skipped"
        return self.settle(held[0], op)[0]

    def settle(self, claim: Claim, op: Op) -> tuple[str, str]:
        """Finish a claim as the step says: answer and verdict."""
        self.out.remove(claim)
        outcome = claim.outcome(
            op["status"],
            delay_ms=op.get("delay_ms", 0),
            size_bytes=max(op.get("content_size") or 0, 0),
            force_retire=op.get("force_retire", False),
            http_credential=op.get("http_credential", False),
            refetch_in_ms=op.get("reschedule_in_ms"),
            prerequisite=self._prerequisites.pop(claim.uri, None) if op["status"] == -50 else None,
        )
        (answer,) = self.frontier.finish([outcome])
        return str(answer.answer), answer.verdict

    def drain(self, op: Op) -> list[str]:
        """What is emitted and finished until nothing comes."""
        found: list[str] = []
        while len(found) < op.get("max", 10**9) and (claim := self.claim()):
            found.append(claim.uri)
            self.settle(claim, {"status": op["status"], "delay_ms": op.get("delay_ms", 0)})
            self.pass_time(self.tick)
        return found

    def advance(self, op: Op) -> None:
        """Time passes."""
        self.pass_time(op["ms"])

    def wake_all(self, op: Op) -> None:
        """All snoozed queues."""
        self.frontier.wake()

    def reconsider_retired(self, op: Op) -> None:
        """All retired queues."""
        self.frontier.unretire()

    def delete(self, op: Op) -> int:
        """How many are gone, those of retired queues not counted (as Heritrix answers)."""
        queue, uri = re.compile(op.get("queue_regex", ".*")), re.compile(op.get("uri_regex", ".*"))
        retired = {q["queue"] for q in self.frontier.queues("retired")}
        gone = self.frontier.delete(lambda name: bool(queue.fullmatch(name)), lambda record: bool(uri.fullmatch(record.uri)))
        self.forgotten += sum(gone.values())  # Heritrix' "seen" goes on counting them
        return sum(n for name, n in gone.items() if name not in retired)

    def set(self, op: Op) -> None:
        """Settings change while the crawl runs."""
        given = op["settings"]
        self.settings |= given
        fixed = {"queue_assignment_policy"}
        self.frontier.set_settings({n: v for n, v in settings_of(given).items() if n not in fixed})
        for sheet in sheets_of(given):
            self.frontier.set_sheet(sheet)
        for queue, value in precedences(given).items():  # those that exist keep their sheet: the operator sets theirs
            if any(q["queue"] == queue for q in self.frontier.queues()):
                self.frontier.budget(queue, precedence=nearest("base_precedence", value))  # type: ignore[arg-type]

    def include(self, op: Op) -> None:
        """A URI counts as fetched."""
        self.frontier.include([op["uri"]])

    def prerequisite(self, op: Op) -> dict[str, Any]:
        """What must come first; it is handed over with the finish that follows."""
        claim = next(c for c in self.out if c.uri == op["of"])
        wanted = self.frontier.policy.prerequisite(claim.record, op["prerequisite"])
        self._prerequisites[claim.uri] = wanted
        prepared: Any = self.frontier.policy.prepare(wanted)
        return {"uri": wanted.uri, "directive": wanted.directive, "class_key": prepared.queue}

    def pending(self, op: Op) -> list[str]:
        """Every URI that waits, queue by queue in the order of claims."""
        return [row["uri"] for row in sorted(self.frontier.uris(), key=lambda row: row["queue"])]

    def import_recover(self, op: Op) -> int:
        """Lines of an earlier journal: noted or scheduled."""
        for line in op["lines"]:
            entry = _entry(line, op.get("accept_tags", ".*"))
            if entry is None:
                continue
            candidate = Candidate(entry.uri, path=entry.path, via=entry.via, force_fetch=op.get("force", False), directive=3)
            if op.get("include_only"):
                self.frontier.include([candidate])
            else:
                self.frontier.schedule([candidate])
        return len(op["lines"])

    # -- looking --

    def after(self) -> dict[str, Any]:
        """Counters and queues in the words of the golden cases."""
        stats = self.frontier.stats()
        found = dict(self._queues())
        counted = self._client.hget(self._key("n"), "ix_count")
        return {
            "queued": sum(q["count"] for q in found.values() if q["state"] != "retired"),
            "future": stats["later"],
            "succeeded": stats["succeeded"],
            "failed": stats["failed"],
            "disregarded": stats["disregarded"],
            "seen": int(counted or 0) + self.forgotten,
            "empty": stats["state"] == "EMPTY",
            "queues": found,
        }

    def _queues(self) -> Iterator[tuple[str, dict[str, Any]]]:
        settings = self.frontier.settings()
        rows = sorted(self.frontier.queues(), key=lambda q: str(q["queue"]))
        for q in rows:
            count = q.get("pending", 0) + q.get("in_flight", 0) - q.get("ghosts", 0)
            state = q.get("stands_in", q["state"])
            if state == "inactive" and q.get("precedence", 0) >= settings.precedence_floor:
                state = "ineligible"
            spent = q.get("spent", 0)
            row = {
                "state": "snoozed" if state == "due" else state,
                "count": count,
                "precedence": q.get("precedence", 0),
                "spend": spent,
                "session_balance": settings.balance_replenish_amount - (spent - q.get("session_start", 0)),
                "errors": q.get("failed", 0),
                "enqueued": q.get("admitted", 0) + q.get("requeued", 0),
                "stats": {theirs: q.get(ours, 0) for theirs, ours in _STATISTICS.items()},
            }
            if state == "due":
                row["wake_at"] = int(self._client.zscore(self._key("due"), q["queue"]))
            yield q["queue"], row

    def journal(self) -> list[str]:
        """Tag and URI of each event so far."""
        entries = self._client.xrange(self._key("log"))
        return [f"{fields[b't'].decode()} {decode(fields[b'r']).uri}" for _, fields in entries]


def _entry(line: str, accept: str) -> journal.Entry | None:
    if not re.fullmatch(accept, line[:3]):
        return None
    try:
        return journal.parse(line)
    except InvalidUri:
        return None


_STEPS: dict[str, Callable[[Replay, Op], Any]] = {
    "schedule": Replay.schedule,
    "next": Replay.next,
    "finish": Replay.finish,
    "drain": Replay.drain,
    "advance": Replay.advance,
    "wake_all": Replay.wake_all,
    "reconsider_retired": Replay.reconsider_retired,
    "delete": Replay.delete,
    "set": Replay.set,
    "include": Replay.include,
    "prerequisite": Replay.prerequisite,
    "pending": Replay.pending,
    "import_recover": Replay.import_recover,
}


def same(want: dict[str, Any], got: dict[str, Any], *, balances: bool = True, sizes: bool = True) -> list[str]:
    """What differs between two states.

    `balances` False where Heritrix shows a budget as it was when it last looked at the queue; `sizes` False where sizes were not told.
    """
    bad = [f"{k}: want {want[k]!r}, got {got[k]!r}" for k in want if k != "queues" and want[k] != got[k]]
    for name, (w, g) in _pairs(want["queues"], got["queues"]):
        if w is None or g is None:
            bad.append(f"queue {name}: want {w}, got {g}")
            continue
        for k in w:
            if k == "stats":
                told = {s: n for s, n in g[k].items() if sizes or "Bytes" not in s}
                bad += [f"queue {name}: {s}: want {w[k][s]}, got {n}" for s, n in told.items() if w[k].get(s, n) != n]
                continue
            if k == "session_balance" and (not balances or w.get("enqueued") == 0):
                continue
            if k == "wake_at" and k in g and abs(w[k] - g[k]) <= TOLERANCE_MS:
                continue
            if w[k] != g.get(k):
                bad.append(f"queue {name}: {k}: want {w[k]!r}, got {g.get(k)!r}")
    return bad


def _pairs(a: dict[str, Any], b: dict[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    for name in sorted(a.keys() | b.keys()):
        yield name, (a.get(name), b.get(name))


def lines_differ(want: list[str], got: list[str]) -> list[str]:
    """The first place where two lists of lines differ."""
    for i, (w, g) in enumerate(zip_longest(want, got)):
        if w != g:
            return [f"line {i}: want {w!r}, got {g!r}"]
    return []
