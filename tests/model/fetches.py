"""What the end of a fetch does to the model: disposition, cost, rest of the host, retry, retirement (design §8, Heritrix §5.1)."""

from __future__ import annotations

from math import floor

from tests.model.model import DEFERRED, FREE, UNREACHED, Link, Places, Queue, Result


class Fetches(Places):
    """Finishes and lost leases."""

    def refused(self, number: int, holder: int) -> str:
        """GONE or STALE, if the claim is no longer good."""
        u = self.links.get(number)
        if u is None or u.place != "out":
            return "gone"
        return "" if u.holder == holder else "stale"

    def finish(self, number: int, holder: int, r: Result) -> tuple[str, str]:
        """Answer and verdict."""
        if answer := self.refused(number, holder):
            return answer, ""
        return "ok", self.settle(self.links[number], r)

    def lose(self, u: Link) -> None:
        """The lease ran out."""
        q = self.queues[u.queue]
        q.not_before = max(q.not_before, self.now + self.rules.min_delay_ms)
        u.lost += 1
        q.counts["lost"] += 1
        if u.lost > self.rules.max_lost and not u.gone:
            self.settle(u, Result(-3000, delay_ms=0))
            return
        if u.gone:
            del self.links[u.number]
        else:
            u.place = "pending"
        self.came_back(q)

    def verdict(self, u: Link, r: Result) -> str:
        """Heritrix' table."""
        if u.gone:
            return "deleted"
        again = (
            r.status in (DEFERRED, *UNREACHED, *self.rules.retry_statuses)
            or r.robots_unreachable
            or (r.status == 0 and r.force_retire)
            or (r.status == 401 and r.credential)
        )
        if again:
            return "retry" if u.attempts < self.rules.max_retries else "failed"
        return "succeeded" if r.status > 0 else "disregarded" if r.status in FREE else "failed"

    def settle(self, u: Link, r: Result) -> str:
        """One fetch ends."""
        q = self.queues[u.queue]
        q.failures = q.failures + 1 if r.status in UNREACHED else 0 if r.status > 0 else q.failures
        u.attempts += 1
        verdict = self.verdict(u, r)
        if verdict in ("succeeded", "failed") or (verdict == "retry" and r.status != DEFERRED):
            q.spent += u.cost + (self.rules.penalty if verdict == "failed" else 0)
        u.place = "held"  # neither out nor pending while its queue is looked at
        self.came_back(q, self.again(u, q, r) if verdict == "retry" else self.over(u, q, r, verdict))
        return verdict

    def retry_delay(self, q: Queue, r: Result) -> int:
        """How long a retry waits."""
        rules = self.rules
        if r.robots_unreachable:
            return rules.robots_retry_ms
        if r.force_retire or r.status not in (*UNREACHED, *rules.retry_statuses):
            return 0
        delay = rules.retry_delay_ms
        if q.failures >= rules.failure_limit:
            delay *= 2 ** (q.failures - rules.failure_limit + 1)
        return min(max(delay, r.retry_after_ms), max(rules.slow_cap_ms, rules.retry_delay_ms))

    def again(self, u: Link, q: Queue, r: Result) -> str:
        """It is to be tried again; why its queue retires, if it does."""
        delay = self.retry_delay(q, r)
        if r.prerequisite:
            self.need(u, q, r.prerequisite)
        if delay and self.rules.retry_scope == "uri" and u.number != q.prerequisite and not r.robots_unreachable:
            u.place, u.until = "later", self.now + delay
        else:
            u.place = "pending"
            if delay:
                q.snoozed_until = max(q.snoozed_until, self.now + delay)
        if r.robots_unreachable:
            q.robots_run += 1
        if r.force_retire:
            return "forced"
        return "robots unreachable" if r.robots_unreachable and q.robots_run > self.rules.robots_tries else ""

    def need(self, u: Link, q: Queue, uri: str) -> None:
        """Something must be fetched first: one directive better than what needs it, or at the very front."""
        kind = (max(min(u.record_directive, u.kind[0]) - 1, 0), 0 if u.record_directive == 0 else 1)
        for old in (self.links.get(q.prerequisite), self.links.get(self._newest(uri) if self.rules.exact else 0)):
            if old and old.uri == uri and old.queue == q.name and old.place in ("pending", "out") and not old.gone:
                if old.place == "pending" and kind < old.kind:
                    old.kind = kind
                q.prerequisite = old.number
                return
        new = self.admit(uri, q.name, kind, 1)
        new.record_directive = kind[0]
        q.prerequisite = new.number
        if u.kind[0] == 0:
            new.kind, new.ordinal = (0, 0), 0

    def _newest(self, uri: str) -> int:
        number = self.known.get(uri)
        return number if isinstance(number, int) else 0

    def over(self, u: Link, q: Queue, r: Result, verdict: str) -> str:
        """Its last word; why its queue retires, if it does."""
        if q.prerequisite == u.number:
            q.prerequisite = 0
        if r.status >= 100 and verdict != "deleted":
            q.robots_run = 0
        if verdict != "deleted":
            q.counts[verdict] += 1
        if verdict != "deleted" and r.refetch_ms is not None:
            u.attempts = u.lost = 0
            u.place, u.until = "later", self.now + r.refetch_ms
            q.counts["admitted"] += 1
        elif verdict != "deleted" and self.rules.retention == "keep":
            u.place = "kept"
        else:
            del self.links[u.number]
            if verdict != "deleted" and self.known.get(u.uri) == u.number:
                self.known[u.uri] = "!"
        q.not_before = max(q.not_before, self.now + max(self.politeness(r), self.slowness(q, r)))
        return "forced" if r.force_retire else ""

    def politeness(self, r: Result) -> int:
        """The ordinary rest of the host."""
        rules = self.rules
        if r.delay_ms is not None:
            return r.delay_ms
        delay = rules.unset_delay_ms
        if r.duration_ms is not None:
            delay = min(max(floor(rules.delay_factor * r.duration_ms), rules.min_delay_ms), rules.max_delay_ms)
        if r.crawl_delay_seconds is not None:
            delay = max(delay, min(floor(1000 * r.crawl_delay_seconds), rules.crawl_delay_cap_ms))
        return delay

    def slowness(self, q: Queue, r: Result) -> int:
        """The rest of a host that asks for it."""
        forgiven = self.now - q.slow_at >= self.rules.slow_forgive_ms
        if r.status not in self.rules.slow_statuses:
            q.slow_run = 0 if r.status > 0 and forgiven else q.slow_run
            return 0
        q.slow_run = 1 if forgiven else q.slow_run + 1
        wait = min(max(self.rules.slow_base_ms * 2 ** (q.slow_run - 1), r.retry_after_ms), self.rules.slow_cap_ms)
        q.slow_at = self.now + wait
        return wait
