"""Brings a visit home: its links are scheduled, its records written, its outcome finished, in this order, so that nothing is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from redisfrontier.errors import LimitReached, WrongState
from redisfrontier.record.outcome import Admitted, Finished, Settled
from redisfrontier.record.record import Candidate
from redisfrontier.worker import crawl_log
from redisfrontier.worker.ports import FrontierPort, Patience, Policy
from redisfrontier.worker.visit import Visit, Visitor
from redisfrontier.worker.warc import WarcFiles


@dataclass(slots=True)
class Tally:
    """What a worker has done so far."""

    finished: int = 0
    """URIs with a final disposition."""
    retried: int = 0
    """Outcomes that sent the URI back to its queue, prerequisites included."""
    body_bytes: int = 0
    links_offered: int = 0
    links_added: int = 0
    lost_leases: int = 0
    statuses: Counter[int] = field(default_factory=Counter)


class Settler:
    """Writes what a visit brought, to the frontier and to the files of this worker."""

    def __init__(
        self,
        frontier: FrontierPort,
        patience: Patience,
        visitor: Visitor,
        policy: Callable[[], Policy],
        *,
        now_ms: Callable[[], int],
        log: structlog.typing.FilteringBoundLogger,
        warc: WarcFiles | None = None,
        crawl_log_file: crawl_log.CrawlLog | None = None,
    ) -> None:
        self._frontier, self._patience, self._visitor, self._policy = frontier, patience, visitor, policy
        self._now_ms, self._log, self._warc, self._crawl_log = now_ms, log, warc, crawl_log_file
        self.tally = Tally()

    async def settle(self, visit: Visit, slot: int) -> None:
        """Schedule, write, finish, log. Raises errors.Full when the links are not taken; the visit must then be given back."""
        candidates, surplus = self._candidates(visit)
        await self._offer(candidates)
        if self._warc is not None:
            self._warc.write(visit, len(candidates))
        settled = await self._finish(visit)
        await self._visitor.settled(visit, settled.verdict)
        self._count(visit, settled)
        if self._crawl_log is not None and settled.answer is Finished.OK and settled.verdict != "retry":
            extra = (f"dol:{surplus}",) if surplus else ()
            self._crawl_log.write(crawl_log.line(visit, logged_ms=self._now_ms(), slot=slot, extra=extra))

    def _candidates(self, visit: Visit) -> tuple[list[Candidate], int]:
        if visit.extraction is None or not visit.extraction.links:
            return [], 0
        triples = [(link.uri, link.hop, link.context) for link in visit.extraction.links]
        return self._policy().outlinks(visit.claim.record, triples, visit.extraction.base)

    async def _offer(self, candidates: list[Candidate]) -> None:
        if not candidates:
            return
        self.tally.links_offered += len(candidates)
        offered = candidates
        while offered:
            try:
                admissions = await self._patience.call("schedule", lambda some=offered: self._frontier.schedule(some))  # type: ignore[misc]
            except (WrongState, LimitReached) as e:  # the crawl takes nothing more; what is out is still brought home
                self._log.info("links_refused", links=len(offered), error=str(e))
                return
            self.tally.links_added += sum(a.accepted for a in admissions)
            # Of a large batch a part may have met an outage; offered again, it is taken, raises, or was bad in itself.
            refused = [c for c, a in zip(offered, admissions, strict=True) if a.outcome is Admitted.REFUSED]
            offered = refused if len(refused) < len(offered) else []

    async def _finish(self, visit: Visit) -> Settled:
        settled = (await self._patience.call("finish", lambda: self._frontier.finish([visit.outcome])))[0]
        if settled.answer is not Finished.REFUSED:
            return settled
        # Something a server sent does not go into an outcome: hand in the bare one rather than fetch again.
        self._log.warning("outcome_refused", uri=visit.claim.uri, reason=settled.reason)
        told = visit.outcome
        bare = visit.claim.outcome(told.fetch_status, duration_ms=told.duration_ms, prerequisite=told.prerequisite)
        return (await self._patience.call("finish", lambda: self._frontier.finish([bare])))[0]

    def _count(self, visit: Visit, settled: Settled) -> None:
        tally = self.tally
        if settled.answer is not Finished.OK:
            tally.lost_leases += 1
            self._log.warning("finish_too_late", uri=visit.claim.uri, answer=settled.answer.value)
            return
        tally.statuses[visit.outcome.fetch_status] += 1
        if settled.verdict == "retry":
            tally.retried += 1
            return
        tally.finished += 1
        tally.body_bytes += visit.outcome.size_bytes
