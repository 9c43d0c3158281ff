"""A crawl that keeps what it finished, by a clock that is set: one fetch after the other, and what the pure policy says of each."""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from redisfrontier.frontier import Frontier
from redisfrontier.policy.merge import UriState, merge
from redisfrontier.policy.schedules import NEVER_MS
from redisfrontier.record.outcome import Claim
from redisfrontier.record.record import Candidate
from redisfrontier.settings import Settings
from redisfrontier.status import Status, fetch_code
from redisfrontier.steps import adopt
from redisfrontier.store import keys

T = 1_000_000_000_000
_names = count()


class Stored(NamedTuple):
    """What `res:` says of a URI."""

    status: int
    fetch_status: int
    fetched_ms: int
    modified_ms: int
    interval_s: int
    retries: int
    signature: str | None
    next_ms: int

    @classmethod
    def read(cls, text: str) -> Stored:
        """From its text; a mark behind it tells that the URI is queued again."""
        parts = text.removesuffix(" w").split(" ")
        signature = None if parts[6] == "-" else parts[6]
        return cls(*(int(part) for part in parts[:6]), signature, int(parts[7]))  # type: ignore[arg-type, call-arg]

    def text(self) -> str:
        """As it is stored."""
        return " ".join("-" if part is None else str(part) for part in self)

    @property
    def state(self) -> UriState:
        """As the pure policy takes it."""
        due = self.next_ms or NEVER_MS
        return UriState(
            self.status, due, self.interval_s, self.retries, self.modified_ms, self.signature
        )


class Recrawl:
    """One crawl of its own name in which no politeness is in the way."""

    def __init__(self, url: str, **settings: object) -> None:
        no_delays = {"min_delay_ms": 0, "unset_delay_ms": 0, "slow_statuses": ()}
        chosen = {"retention": "keep", "max_retries": 1, "lease_ms": 86_400_000, **no_delays}
        self.name = f"c{next(_names)}"
        self.frontier = Frontier.create(url, self.name, chosen | settings, scope=[{"rule": "accept"}], test_clock=True)
        self.frontier.start()
        self.settings: Settings = self.frontier.settings()
        self.set_time(T)

    def close(self) -> None:
        self.frontier.close()

    def set_time(self, now_ms: int) -> None:
        self.now = now_ms
        self.frontier.set_clock(now_ms)

    def stored(self, id_: str) -> Stored | None:
        """What is kept of a URI by now."""
        number = int(id_.partition(":")[2])
        found = self.frontier.client.hget(keys.results(self.name, 0, number), str(number))
        return Stored.read(found.decode()) if found else None

    def adopt(self, uri: str, old: Stored) -> None:
        """Take in a URI as it was left, due now."""
        known = adopt.Known(Candidate(uri), due_ms=0, result=old.text())
        ((how, _),) = self.frontier.run(self.frontier.session.with_live(lambda live: adopt.adopt(live, self.frontier.policy, [known])))
        assert how == "waiting"

    def claim(self) -> Claim:
        """The one URI that can be fetched now."""
        (claim,) = self.frontier.claim()
        return claim

    def expected(self, old: Stored | None, status: int, *, digest: str | None = None, modified_ms: int | None = None) -> Stored:
        """What policy/merge.py and policy/schedules.py make of it; `status` ends as a success, a failure or a disregard."""
        code = fetch_code(status) if status > 0 else Status.FETCH_GONE
        fetch = UriState(code, self.now, 0, old.retries if old else 0, modified_ms or 0, digest)
        merged = merge(old.state if old else None, [fetch], self.settings, self.now)
        assert merged is not None
        due = 0 if merged.time_ms == NEVER_MS else merged.time_ms
        if self.settings.recrawl_schedule == "none":
            due = 0  # not even what the merge rules would try again: it had its final answer
        return Stored(
            merged.status, status, self.now, merged.modified_ms, merged.interval_seconds, merged.retries, merged.signature, due
        )
