"""What each call of the frontier does to the model: one method a call, with the answer that the real one must give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

from tests.model.fetches import Fetches
from tests.model.model import Link, Queue


class Model(Fetches):
    """All calls but those about fetches that have ended (they are in Fetches)."""

    def how(self, uri: str) -> str:
        """How a known URI is known."""
        number = self.known[uri]
        if not self.rules.exact:
            return "maybe_seen"
        if isinstance(number, str):
            return "finished"
        return {"out": "leased", "later": "dated", "kept": "finished", "pending": "pending"}[self.links[number].place]

    def schedule(self, uri: str, queue: str, kind: tuple[int, int], cost: int, force: bool) -> tuple[str, str]:
        """Answer and reason."""
        known = self.known.get(uri)
        if known is None:
            self.admit(uri, queue, kind, cost)
            return "added", ""
        if not force or (how := self.how(uri)) in ("leased", "dated"):
            return "known", self.how(uri)
        if how == "pending":
            self.move_up(self.links[int(known)], queue, kind)
            return "known", how
        if isinstance(known, str) or how == "maybe_seen":
            self.admit(uri, queue, kind, cost)
        else:
            self.revive(self.links[known], queue, kind)
        return "requeued", ""

    def move_up(self, u: Link, queue: str, kind: tuple[int, int]) -> None:
        """To the better place, if it is one."""
        if u.queue == queue and kind < u.kind:
            u.kind = kind

    def revive(self, u: Link, queue: str, kind: tuple[int, int]) -> None:
        """A finished one that was kept begins anew."""
        u.queue, u.kind, u.attempts, u.lost = queue, kind, 0, 0
        self.queue(queue).counts["admitted"] += 1
        self.arrive(u)

    def include(self, uri: str, queue: str, cost: int) -> tuple[str, str]:
        """Fetched by an earlier crawl."""
        self.queue(queue).spent += cost
        if uri in self.known:
            return "known", self.how(uri)
        self.known[uri] = "!"
        return "added", ""

    # -- claims --

    def claim(self, queues: int, per_queue: int, worker: str, name: str = "", lease_ms: int = 0) -> tuple[list[Link], int | None]:
        """The links given out, and ms until something is due."""
        self.reap()
        for q in [q for q in self.standing("due") if q.rests_until <= self.now]:
            self.go_on(q)
        self.promote()
        given: list[Link] = []
        self.claims += 1
        if self.run_state == "RUN":
            until = self.now + (lease_ms or self.rules.lease_ms)
            if name:
                self._named(name, per_queue, worker, until, given)
            else:
                while queues > 0 and (q := self.next_queue()):
                    queues -= self._give(q, per_queue, worker, until, given)
        return given, self.wait(name)

    def next_queue(self) -> Queue | None:
        """Whose turn it is."""
        eligible = [q for q in self.standing("inactive") if q.precedence < self.rules.floor]
        return next(iter(self.standing("ready") or eligible), None)

    def _named(self, name: str, per_queue: int, worker: str, until: int, given: list[Link]) -> None:
        q = self.queues.get(name)
        if q and (q.state == "ready" or (q.state == "inactive" and q.precedence < self.rules.floor)):
            self._give(q, per_queue, worker, until, given)

    def _give(self, q: Queue, per_queue: int, worker: str, until: int, given: list[Link]) -> int:
        """1 if the queue gave something."""
        pending = self.waiting(q)
        if pending and not q.in_session:
            q.in_session, q.session_start = True, q.spent
        total = self.total_budget(q)
        if not pending:
            self.put(q, "exhausted")
        elif q.rests_until > self.now:
            self.put(q, "due")
        elif 0 < self.rules.session_budget < q.spent - q.session_start:
            self.put(q, "inactive")
        elif 0 <= total <= q.spent:
            self.put_away(q, "budget")
        else:
            return self._lease(q, pending, min(per_queue, self._room(q, total)), worker, until, given)
        return 0

    def _room(self, q: Queue, total: int) -> int:
        out = len(self.out(q))
        room = self.rules.max_in_flight - out
        return room if total < 0 else min(room, total - q.spent - out)

    def _lease(self, q: Queue, pending: list[Link], room: int, worker: str, until: int, given: list[Link]) -> int:
        if room <= 0:
            self.put(q, "in_process")
            return 0
        before = len(given)
        for u in pending[:room]:
            if q.prerequisite and (first := self.links.get(q.prerequisite)) and first.place == "out":
                break
            u.place, u.until, u.holder, u.worker = "out", until, self.claims, worker
            given.append(u)
        self.go_on(q)
        return int(len(given) > before)

    def reap(self) -> None:
        """Leases that have run out."""
        for u in self._due("out"):
            self.lose(u)

    def promote(self) -> None:
        """Dates that have come."""
        for u in self._due("later"):
            self.arrive(u)

    def _due(self, place: str) -> list[Link]:
        due = (u for u in self.links.values() if u.place == place and u.until <= self.now)
        return sorted(due, key=lambda u: (u.until, str(u.number)))

    def wait(self, name: str) -> int | None:
        """Ms until the next call may bring more."""
        if name:
            q = self.queues.get(name)
            times = [q.rests_until] if q and q.state == "due" else []
        else:
            times = [q.rests_until for q in self.standing("due")] + [u.until for u in self.links.values() if u.place in ("out", "later")]
        return max(0, min(times) - self.now) if times else None

    def release(self, number: int, holder: int, queue: str = "") -> str:
        """Given back untried."""
        if answer := self.refused(number, holder):
            return answer
        u = self.links[number]
        q = self.queues[u.queue]
        if u.gone:
            del self.links[number]
        elif queue and queue != u.queue:
            if q.prerequisite == number:
                q.prerequisite = 0
            u.queue = queue
            q.counts["admitted"] -= 1
            self.queue(queue).counts["admitted"] += 1
            self.arrive(u)
        else:
            u.place = "pending"
        self.came_back(q)
        return "ok"

    def extend(self, number: int, holder: int, lease_ms: int) -> str:
        """Kept longer."""
        if answer := self.refused(number, holder):
            return answer
        u = self.links[number]
        if u.gone:
            return "gone"
        u.until = max(u.until, self.now + lease_ms)
        return "ok"

    # -- operators --

    def snooze(self, name: str, for_ms: int) -> None:
        """Kept from being claimed."""
        q = self.queues[name]
        q.snoozed_until = self.now + for_ms
        if q.state in ("due", "ready", "inactive"):
            self.put(q, "due")

    def wake(self, name: str = "") -> int:
        """Snoozes ended."""
        woken = [self.queues[name]] if name else self.standing("due")
        count = sum(q.snoozed_until > self.now for q in woken)
        for q in woken:
            q.snoozed_until = 0
            if q.state == "due":
                self.go_on(q)
        return count

    def retire(self, name: str) -> bool:
        """Taken out."""
        q = self.queues[name]
        if q.state == "retired":
            return False
        self.put_away(q, "operator")
        return True

    def unretire(self, name: str = "") -> int:
        """Brought back."""
        back = [q for q in self.standing("retired") if name in ("", q.name)]
        for q in back:
            self.bring_back(q)
        return len(back)

    def within_budget(self, q: Queue) -> bool:
        """Retired for a budget that lets it go on now?"""
        total = self.total_budget(q)
        return q.why_retired == "budget" and not 0 <= total <= q.spent

    def budget(self, name: str, total: int | None, reset: bool, precedence: int | None) -> None:
        """Changed for one queue."""
        q = self.queues[name]
        q.own_budget = q.own_budget if total is None else total
        if reset:
            q.spent = q.session_start = 0
        if precedence is not None:
            before, q.own_precedence = q.precedence, precedence
            q.precedence = self.weigh(q)
            if q.state == "ready":
                self.go_on(q)
            elif q.state == "inactive" and q.precedence != before:
                self.put(q, "inactive")
        if q.state == "retired" and self.within_budget(q):
            self.bring_back(q)

    def budgets_changed(self) -> None:
        """The setting was changed."""
        for q in self.standing("retired"):
            if self.within_budget(q):
                self.bring_back(q)

    def delete(self, queues: Container[str], uris: Container[str], excluded: bool) -> dict[str, int]:
        """Taken out of the crawl; how many a queue."""
        gone: Counter[str] = Counter()
        for u in [u for u in self.links.values() if u.queue in queues and u.uri in uris and not u.gone and u.place != "kept"]:
            gone[u.queue] += 1
            q = self.queues[u.queue]
            q.counts["excluded" if excluded else "deleted"] += 1
            self._unlearn(u, excluded)
            if q.prerequisite == u.number:
                q.prerequisite = 0
            if u.place == "out":
                u.gone = True
            else:
                del self.links[u.number]
        return dict(gone)

    def _unlearn(self, u: Link, excluded: bool) -> None:
        if not self.rules.exact:
            if not excluded:
                self.known.pop(u.uri, None)
            return
        if self.known.get(u.uri) != u.number:
            return  # a newer copy in another queue
        if excluded:
            self.known[u.uri] = "!"
        else:
            del self.known[u.uri]
