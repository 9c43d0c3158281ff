"""The whole state of a small crawl, read from Redis or told by the model, in one form; and what must hold in Redis by itself."""

from __future__ import annotations

from collections import Counter
from math import frexp
from typing import Any

import redis

from redisfrontier.record.codec import decode
from redisfrontier.store import keys
from tests.model.model import ENDS
from tests.model.ops import Model

_FIELDS = {  # ours -> the model's
    "precedence": "precedence",
    "session_start": "session_start",
    "spent": "spent",
    "not_before": "not_before",
    "snoozed_until": "snoozed_until",
    "slow_run": "slow_run",
    "fail_run": "failures",
    "robots_run": "robots_run",
}
_USUAL_FIELDS = {"state", "usual", "pending", "admitted", "precedence", "in_flight", "active", "spent", "session_start", "not_before"}
_USUAL_FIELDS |= {"succeeded", "bytes"}
_COUNTS = ("admitted", "lost", *ENDS)


def _numbers(pairs: list[tuple[bytes, float]]) -> dict[int, int]:
    return {int(member): int(score) for member, score in pairs}


class Stored:
    """What lies in Redis for partition 0 of a crawl (`buckets`: how many hold its records)."""

    def __init__(self, client: redis.Redis, crawl: str, buckets: int = 2) -> None:
        self._client, self._crawl = client, crawl
        self._buckets = [i * keys.PER_BUCKET for i in range(buckets)]
        self._read_fixed()
        self._read_queues()
        self._read_records()

    def _key(self, name: str) -> str:
        return keys.of(self._crawl, 0, name)

    def _read_fixed(self) -> None:
        pipe = self._client.pipeline(transaction=False)
        for name in ("queues", "due", "ready", "inactive", "retired", "lease", "later"):
            pipe.zrange(self._key(name), 0, -1, withscores=True)
        for name in ("n", "own", "lat", "w"):
            pipe.hgetall(self._key(name))
        queues, due, ready, inactive, retired, lease, later, n, own, lat, w = pipe.execute()
        self.levels = {name.decode(): int(score) for name, score in queues}
        self.due = [(name.decode(), int(at)) for name, at in due]
        self.places = {s: [name.decode() for name, _ in z] for s, z in (("ready", ready), ("inactive", inactive), ("retired", retired))}
        self.inactive_scores = {name.decode(): int(score) for name, score in inactive}
        self.lease, self.later = _numbers(lease), _numbers(later)
        self.n = {k.decode(): int(v) for k, v in n.items()}
        self.own = {int(k): v.decode().split(" ") for k, v in own.items()}
        self.lat = {int(k): v.decode().split(" ") for k, v in lat.items()}
        self.workers = {k.decode(): int(v) for k, v in w.items() if not k.endswith(b" last")}

    def _read_queues(self) -> None:
        pipe = self._client.pipeline(transaction=False)
        for name in self.levels:
            pipe.hgetall(keys.queue_state(self._crawl, 0, name))
            pipe.zrange(keys.queue(self._crawl, 0, name), 0, -1, desc=True)
        replies = pipe.execute()
        self.queues = {name: {k.decode(): v.decode() for k, v in replies[2 * i].items()} for i, name in enumerate(self.levels)}
        self.pending = {name: [int(id_) for id_ in replies[2 * i + 1]] for i, name in enumerate(self.levels)}

    def _read_records(self) -> None:
        pipe = self._client.pipeline(transaction=False)
        for number in self._buckets:
            pipe.hgetall(keys.records(self._crawl, 0, number))
            pipe.hgetall(keys.attempts(self._crawl, 0, number))
        found = pipe.execute()
        self.records = {int(k): v for i in range(0, len(found), 2) for k, v in found[i].items()}
        self.tries = {int(k): v.decode().split(" ") for i in range(1, len(found), 2) for k, v in found[i].items()}

    def number(self, queue: str, field: str) -> int:
        """A numeric field of a queue."""
        return int(self.queues[queue].get(field, 0))

    def comparable(self) -> dict[str, Any]:
        """In the form of `told`."""
        return {
            "due": self.due,
            **self.places,
            "lease": self.lease,
            "later": self.later,
            "queues": {name: self._queue(name) for name in sorted(self.queues)},
            "records": {k: decode(v).uri for k, v in sorted(self.records.items())},
            "known": self.n.get("ix_count") or None,
            "tries": {k: (int(t[0]), int(t[1])) for k, t in self.tries.items() if t[:2] != ["0", "0"] and k not in self.own},
            "out": {k: (o[4], int(o[5]), int(o[6]), o[7] == "1", o[1]) for k, o in self.own.items()},
        }

    def _queue(self, name: str) -> dict[str, Any]:
        q = self.queues[name]
        prerequisite = int(q.get("prereq") or 0)
        return {
            **{ours: int(q.get(ours, 0)) for ours in _FIELDS},
            "state": q.get("state", "exhausted"),
            "in_session": q.get("active") == "1",
            "prerequisite": prerequisite if prerequisite in self.own or prerequisite in self.pending[name] else 0,
            "retired_why": q.get("retired_why", "") if q.get("state") == "retired" else "",
            "pending": self.pending[name],
            **{name: int(q.get(name, 0)) for name in _COUNTS},
        }


def told(model: Model) -> dict[str, Any]:
    """The state of the model."""
    links = model.links.values()
    return {
        "due": [(q.name, q.rests_until) for q in model.standing("due")],
        **{state: [q.name for q in model.standing(state)] for state in ("ready", "inactive", "retired")},
        "lease": {u.number: u.until for u in links if u.place == "out"},
        "later": {u.number: u.until for u in links if u.place == "later"},
        "queues": {name: _told_queue(model, name) for name in sorted(model.queues)},
        "records": {u.number: u.uri for u in sorted(links, key=lambda u: u.number)},
        "known": (len(model.known) or None) if model.rules.exact else None,
        "tries": {u.number: (u.attempts, u.lost) for u in links if u.attempts + u.lost and u.place not in ("out", "kept")},
        "out": {u.number: (u.queue, u.attempts, u.lost, u.gone, u.worker) for u in links if u.place == "out"},
    }


def _told_queue(model: Model, name: str) -> dict[str, Any]:
    q = model.queues[name]
    first = model.links.get(q.prerequisite)
    return {
        **{ours: getattr(q, theirs) for ours, theirs in _FIELDS.items()},
        "state": q.state,
        "in_session": q.in_session,
        "prerequisite": q.prerequisite if first and (first.place == "out" or (first.place == "pending" and first.queue == name)) else 0,
        "retired_why": q.why_retired if q.state == "retired" else "",
        "pending": [u.number for u in model.waiting(q)],
        **{count: q.counts[count] for count in _COUNTS},
    }


def differences(want: Any, got: Any, path: str = "") -> list[str]:
    """Where two states differ, by path."""
    if isinstance(want, dict) and isinstance(got, dict):
        return [d for k in sorted(want.keys() | got.keys(), key=str) for d in differences(want.get(k), got.get(k), f"{path}/{k}")]
    return [] if want == got else [f"{path}: model {want!r}, Redis {got!r}"]


def broken(s: Stored) -> list[str]:
    """Invariants that hold whatever the model says: counters, places, indexes of one another."""
    bad = _counters(s) + _places(s) + _leases(s) + _words(s)
    shown = Counter(q.get("state", "exhausted") for q in s.queues.values())
    for state in ("in_process", "exhausted"):
        if s.n.get(f"queues_{state}", 0) != shown[state]:
            bad.append(f"counted {state} {s.n.get(f'queues_{state}')}, there are {shown[state]}")
    for state in ("due", "ready", "inactive", "retired"):
        empty = sum(q.get("state") == state and not s.pending[name] for name, q in s.queues.items())
        if s.n.get(f"empty_{state}", 0) != empty:
            bad.append(f"counted empty {state} {s.n.get(f'empty_{state}')}, there are {empty}")
    return bad


def _words(s: Stored) -> list[str]:
    """`usual`, which the usual paths take for the whole queue, says what its other fields say."""
    bad = []
    for name, q in s.queues.items():
        word = f"{s.number(name, 'precedence')}" + ("" if s.number(name, "active") else "*")
        if s.number(name, "in_flight") != (q.get("state") == "in_process"):
            word = f"{s.number(name, 'precedence')}+"
        if q.keys() - _USUAL_FIELDS:
            word = "-"
        if q.get("usual") != word:
            bad.append(f"{name}: usual is {q.get('usual')!r}, not {word!r}")
    return bad


def _counters(s: Stored) -> list[str]:
    bad = []
    for name in (None, *s.queues):
        get = (lambda field: s.n.get(field, 0)) if name is None else (lambda field, name=name: s.number(name, field))
        here = get("pending") + get("in_flight") - get("ghosts") + get("later") + sum(get(end) for end in ENDS)
        if get("admitted") != here:
            bad.append(f"{name or 'partition'}: admitted {get('admitted')} is not {here}")
    fields = ("admitted", "pending", "in_flight", "ghosts", "later", *ENDS)
    sums = {field: sum(s.number(name, field) for name in s.queues) for field in fields}
    return bad + [f"{field}: counted {s.n.get(field)}, the queues have {n}" for field, n in sums.items() if s.n.get(field, 0) != n]


def _places(s: Stored) -> list[str]:
    bad = []
    standing = {"due": [name for name, _ in s.due], **s.places}
    for name, q in s.queues.items():
        there = [state for state, names in standing.items() if name in names]
        state = q.get("state", "exhausted")
        if there != ([] if state in ("in_process", "exhausted") else [state]):
            bad.append(f"{name} is {state} and stands in {there}")
        if (state == "exhausted" and s.pending[name]) or (state == "in_process" and not s.number(name, "in_flight")):
            bad.append(f"{name} is stuck: {state}, {len(s.pending[name])} pending, {s.number(name, 'in_flight')} out")
        if s.number(name, "pending") != len(s.pending[name]) or s.levels[name] != frexp(len(s.pending[name]))[1] - 1:
            bad.append(f"{name}: {len(s.pending[name])} pending, counted {q.get('pending')}, level {s.levels[name]}")
        if state == "inactive" and s.inactive_scores[name] >> 43 != s.number(name, "precedence"):
            bad.append(f"{name}: filed under another precedence")
    return bad


def _leases(s: Stored) -> list[str]:
    bad = []
    if set(s.lease) != set(s.own) or set(s.later) != set(s.lat):
        bad.append(f"lease {sorted(s.lease)} own {sorted(s.own)} later {sorted(s.later)} lat {sorted(s.lat)}")
    held = Counter(own[1] for own in s.own.values())
    if dict(held) != s.workers:
        bad.append(f"workers hold {dict(held)}, counted {s.workers}")
    out = Counter(own[4] for own in s.own.values())
    counted = {name: s.number(name, "in_flight") for name in s.queues}
    bad += [f"{name}: {out[name]} out, counted {n}" for name, n in counted.items() if out[name] != n]
    pending = [id_ for ids in s.pending.values() for id_ in ids]
    everywhere = [*pending, *s.own, *s.lat]
    if len(everywhere) != len(set(everywhere)):
        bad.append(f"in two places: {[k for k, times in Counter(everywhere).items() if times > 1]}")
    bad += [f"{id_} has no record" for id_ in everywhere if id_ not in s.records]
    return bad
