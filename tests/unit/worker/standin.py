"""A small frontier in memory and a fetcher over a dict, for the crawler's own tests; not a model of the real one."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from redisfrontier.record.codec import encode
from redisfrontier.record.outcome import Admission, Admitted, Claim, Claims, Finished, Outcome, Settled
from redisfrontier.record.record import Candidate
from redisfrontier.uri.fingerprint import fingerprint
from redisfrontier.worker.exchange import Exchange
from tests.unit.worker.pages import answer

RETRIED = (-50, -1, -2, -3)


def claim_of(uri: str, *, attempts: int = 0, queue: str = "q", until_ms: int = 60_000, number: int = 1, **candidate) -> Claim:
    """A claim of a URI as the frontier would hand it out."""
    packed = encode(
        Candidate(uri, **candidate),
        uri=uri,
        canonical=uri,
        fingerprint=fingerprint(uri),
        cost=1,
        directive=candidate.get("directive") or 3,
        precedence=1,
    )
    return Claim(str(number), secrets.token_hex(8), queue, attempts, 0, until_ms, packed)


@dataclass
class FrontierStandIn:
    """One queue; a retry goes back to its head, a prerequisite before it, and it goes out alone; leases do not lapse by themselves."""

    lease_ms: int = 60_000
    pending: deque[tuple[Candidate, int]] = field(default_factory=deque)
    leased: dict[str, tuple[Claim, Candidate]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    finals: list[Outcome] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    robots: dict[str, str] = field(default_factory=dict)
    trouble: Callable[[str], None] = lambda op: None
    run_state: str = "RUN"
    ids: itertools.count = field(default_factory=lambda: itertools.count(1))
    extended: list[str] = field(default_factory=list)

    def _called(self, op: str) -> None:
        self.trouble(op)
        self.calls.append(op)

    async def schedule(self, uris: Iterable[str | Candidate]) -> list[Admission]:
        self._called("schedule")
        answers = []
        for c in (Candidate(u) if isinstance(u, str) else u for u in uris):
            if c.uri in self.seen and not c.force_fetch:
                answers.append(Admission(c.uri, Admitted.KNOWN, "pending"))
                continue
            self.seen.add(c.uri)
            self.pending.append((c, 0))
            answers.append(Admission(c.uri, Admitted.ADDED))
        return answers

    async def claim(self, n=1, *, worker=None, lease_ms=None, wait=None) -> Claims:
        self._called("claim")
        if not self.pending and wait:
            await asyncio.sleep(min(wait, 0.02))
        taken = []
        while self.pending and len(taken) < n and self.run_state == "RUN" and not any(c.prerequisite for _, c in self.leased.values()):
            c, attempts = self.pending.popleft()
            fields = {f: getattr(c, f) for f in ("path", "via", "via_context", "source_tag", "directive", "prerequisite", "metadata")}
            claim = claim_of(c.uri, attempts=attempts, until_ms=lease_ms or self.lease_ms, number=next(self.ids), **fields)
            self.leased[claim.token] = (claim, c)
            taken.append(claim)
        await asyncio.sleep(0)
        return Claims(tuple(taken), 5 if self.pending else None, self.run_state, 0, 1)

    async def finish(self, outcomes: Iterable[Outcome]) -> list[Settled]:
        self._called("finish")
        return [self._settle(o) for o in outcomes]

    def _settle(self, o: Outcome) -> Settled:
        held = self.leased.pop(o.claim.token, None)
        if held is None:
            return Settled(o.claim.id, Finished.GONE)
        if o.fetch_status in RETRIED and o.claim.attempts < 5:
            self.pending.appendleft((held[1], o.claim.attempts + 1))
            if o.prerequisite is not None:
                self.pending.appendleft((o.prerequisite, 0))
            return Settled(o.claim.id, Finished.OK, "retry")
        self.finals.append(o)
        return Settled(o.claim.id, Finished.OK, "succeeded" if o.fetch_status > 0 else "failed")

    async def release(self, claims: Iterable[Claim]) -> list[Finished]:
        self._called("release")
        return [self._back(c.token) for c in claims]

    def _back(self, token: str) -> Finished:
        held = self.leased.pop(token, None)
        if held is None:
            return Finished.GONE
        self.pending.appendleft((held[1], held[0].attempts))
        return Finished.OK

    async def release_worker(self, worker: str) -> int:
        self._called("release_worker")
        tokens = list(self.leased)
        for token in tokens:
            self._back(token)
        return len(tokens)

    async def extend(self, claims: Iterable[Claim], lease_ms=None) -> list[Finished]:
        self._called("extend")
        claims = list(claims)
        self.extended += [c.uri for c in claims if c.token in self.leased]
        return [Finished.OK if c.token in self.leased else Finished.GONE for c in claims]

    async def stats(self) -> dict[str, object]:
        self._called("stats")
        empty = not self.pending and not self.leased
        state = "EMPTY" if empty and self.run_state == "RUN" else self.run_state
        return {"state": state, "admitted": len(self.seen), "pending": len(self.pending), "in_flight": len(self.leased)}

    async def robots_get(self, authority: str) -> str | None:
        self._called("robots_get")
        return self.robots.get(authority)

    async def robots_put(self, authority: str, text: str, ttl_seconds: int) -> None:
        self._called("robots_put")
        self.robots[authority] = text

    def finished(self) -> dict[str, int]:
        """URI → last fetch status of everything final."""
        return {o.claim.uri: o.fetch_status for o in self.finals}


@dataclass
class SiteStandIn:
    """Answers by URI; what is not there is a 404; a callable answers anew each time."""

    pages: Mapping[str, Exchange | str | Callable[[], Exchange]]
    delay_seconds: float = 0.0
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    async def fetch(self, uri: str, headers: Mapping[str, str]) -> Exchange:
        self.asked.append((uri, dict(headers)))
        await asyncio.sleep(self.delay_seconds)
        page = self.pages.get(uri, answer("gone", status=404, uri=uri))
        if callable(page):
            return page()
        return answer(page, uri=uri) if isinstance(page, str) else page

    async def resolves(self, host: str) -> bool:
        return host in self.hosts
