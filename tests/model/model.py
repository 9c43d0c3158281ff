"""A frontier of one partition in memory, with a clock set by hand: what the scripts must do, told the long way round (design §8)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.model.settings import Rules

DEFERRED, UNREACHED = -50, (-1, -2, -3)
FREE = (-4001, -4002, -5000, -5001, -5002, -6000, -9998)
ENDS = ("succeeded", "failed", "disregarded", "excluded", "deleted")


@dataclass(eq=False)
class Link:
    """One admitted URI, until nothing is left of it."""

    number: int
    uri: str
    queue: str
    kind: tuple[int, int]  # directive, precedence
    cost: int
    record_directive: int = 3  # as it was admitted; a forced copy may move it up later
    ordinal: int = 0
    attempts: int = 0
    lost: int = 0
    place: str = "pending"  # pending, out, later, kept (held: between two of them)
    until: int = 0  # end of the lease, or the date
    holder: int = 0  # which claim has it
    worker: str = ""
    gone: bool = False  # deleted while it is out

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """Its place in its queue."""
        return (*self.kind, self.ordinal, str(self.number))


@dataclass(eq=False)
class Queue:
    """One host queue."""

    name: str
    state: str = "exhausted"
    precedence: int = 0
    own_precedence: int = -1
    own_budget: int = -2
    turn: int = 0  # when it took its place
    in_session: bool = False
    session_start: int = 0
    spent: int = 0
    not_before: int = 0
    snoozed_until: int = 0
    prerequisite: int = 0
    slow_run: int = 0
    slow_at: int = 0
    failures: int = 0
    robots_run: int = 0
    why_retired: str = ""
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def rests_until(self) -> int:
        """From when on it may be claimed."""
        return max(self.not_before, self.snoozed_until)


@dataclass(frozen=True)
class Result:
    """What a fetch brought."""

    status: int
    delay_ms: int | None = None
    duration_ms: int | None = None
    crawl_delay_seconds: float | None = None
    retry_after_ms: int = 0
    force_retire: bool = False
    credential: bool = False
    robots_unreachable: bool = False
    refetch_ms: int | None = None
    prerequisite: str = ""  # URI


class Places:
    """Queues, links, and where each queue stands."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.now, self.run_state = rules, 0, "PAUSE"
        self.queues: dict[str, Queue] = {}
        self.links: dict[int, Link] = {}
        self.known: dict[str, int | str] = {}  # URI -> number of its newest copy, or how it ended
        self.turns = self.ordinals = self.numbers = self.claims = 0

    def waiting(self, q: Queue) -> list[Link]:
        """Its pending links, first one first."""
        return sorted((u for u in self.links.values() if u.queue == q.name and u.place == "pending"), key=lambda u: u.rank)

    def out(self, q: Queue) -> list[Link]:
        """Its leased links, deleted ones among them."""
        return [u for u in self.links.values() if u.queue == q.name and u.place == "out"]

    def standing(self, state: str) -> list[Queue]:
        """The queues of a state, in order."""
        key = {
            "due": lambda q: (q.rests_until, q.name),
            "inactive": lambda q: (q.precedence, q.turn),
        }.get(state, lambda q: (q.turn,))
        return sorted((q for q in self.queues.values() if q.state == state), key=key)

    def put(self, q: Queue, state: str) -> None:
        """Give a queue its place; a session goes on through ready, out and due only."""
        self.turns += 1
        q.state, q.turn = state, self.turns
        if state in ("exhausted", "inactive", "retired"):
            q.in_session = False

    def weigh(self, q: Queue) -> int:
        """Its precedence by the policy."""
        base = q.own_precedence if q.own_precedence >= 0 else self.rules.base_precedence
        if self.rules.policy == "success_counts":
            steps, done = self.rules.increments, q.counts["succeeded"]
            i = 0
            while (done := done - steps[min(i, len(steps) - 1)]) >= 0:
                i += 1
            base += i
        elif self.rules.policy == "highest_uri":
            base += min((u.kind[1] for u in self.waiting(q)), default=0)
        return min(base, 255)

    def full(self, q: Queue) -> bool:
        """May nothing more of it go out?"""
        first = self.links.get(q.prerequisite)
        return len(self.out(q)) >= self.rules.max_in_flight or (first is not None and first.place == "out")

    def go_on(self, q: Queue) -> None:
        """Where a queue goes after one of its links came or went."""
        if self.full(q):
            return self.put(q, "in_process")
        q.precedence = self.weigh(q)
        first = next(iter(p for p in self.standing("inactive") if p is not q), None)
        if q.rests_until > self.now:
            self.put(q, "due")
        elif q.precedence >= self.rules.floor or (first and first.precedence < q.precedence):
            self.put(q, "inactive")
        else:
            self.put(q, "ready")
        return None

    def came_back(self, q: Queue, retire: str = "") -> None:
        """One of its links is no longer out."""
        if retire:
            if q.state != "retired":
                self.put_away(q, retire)
        elif q.state in ("in_process", "exhausted", "due"):
            self.go_on(q)

    def put_away(self, q: Queue, why: str) -> None:
        """Retire it."""
        q.why_retired = why
        self.put(q, "retired")

    def bring_back(self, q: Queue) -> None:
        """Out of retirement, behind those that wait."""
        q.why_retired, q.robots_run = "", 0
        self.put(q, "in_process" if self.full(q) else "due" if q.rests_until > self.now else "inactive")

    def queue(self, name: str) -> Queue:
        """The queue, made if need be."""
        if name not in self.queues:
            self.queues[name] = Queue(name)
            self.queues[name].precedence = self.weigh(self.queues[name])
        return self.queues[name]

    def arrive(self, u: Link) -> None:
        """A link enters its queue, behind its like."""
        q = self.queue(u.queue)
        self.ordinals += 1
        u.ordinal, u.place = self.ordinals, "pending"
        before = q.precedence
        if self.rules.policy == "highest_uri" and (q.state != "inactive" or self.weigh(q) < before):
            q.precedence = self.weigh(q)
        if q.state == "exhausted":
            self.put(q, "due" if q.rests_until > self.now else "inactive")
        elif q.state == "inactive" and q.precedence < before:
            self.put(q, "inactive")

    def admit(self, uri: str, queue: str, kind: tuple[int, int], cost: int) -> Link:
        """A new link."""
        self.numbers += 1
        u = Link(self.numbers, uri, queue, kind, cost, kind[0])
        self.links[u.number] = u
        self.known[uri] = u.number
        self.queue(queue).counts["admitted"] += 1
        self.arrive(u)
        return u

    def total_budget(self, q: Queue) -> int:
        """What it may spend; below 0 anything."""
        return q.own_budget if q.own_budget >= -1 else self.rules.total_budget
