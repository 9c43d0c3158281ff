"""The crawler's loop: claim as slots become free, visit, settle, and leave in good order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog

from redisfrontier.errors import Full, RecordError
from redisfrontier.record.outcome import Claim, Claims
from redisfrontier.worker.leases import LeaseKeeper
from redisfrontier.worker.ports import FrontierPort, GivenUp, Patience
from redisfrontier.worker.settle import Settler, Tally
from redisfrontier.worker.visit import Visitor

T = TypeVar("T")
#: A worker with free hands asks again at least this often while others of its fetches are out.
BUSY_SECONDS = 1.0
#: Without any it sleeps in the frontier, which wakes it when work arrives; one that is to leave an empty crawl must look for
#: itself whether it is, since nobody tells. Each sleep costs two calls or three (case C4: at most two a second).
IDLE_SECONDS = 10.0
IDLE_LEAVING_SECONDS = 2.0
#: Work that is cut off and goes on is cut off again after this.
CANCEL_SECONDS = 0.05
#: What is being written when a stop is asked for may take this long.
GRACE_SECONDS = 10.0
#: Rest after Redis refused links because it is full.
FULL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how wide a worker runs."""

    worker: str
    concurrency: int = 20
    lease_ms: int | None = None
    stop_when_empty: bool = False
    max_uris: int = 0
    take_back: bool = False
    """Release at the start what an earlier process of this name still holds."""


@dataclass(slots=True)
class _Held:
    claim: Claim
    slot: int
    task: asyncio.Task[None] | None = None
    settling: bool = False
    done: bool = False


class Crawler:
    """One worker: `await run()` until the crawl is empty, finished, or `stop()` was called."""

    def __init__(
        self,
        frontier: FrontierPort,
        visitor: Visitor,
        settler: Settler,
        patience: Patience,
        plan: Plan,
        log: structlog.typing.FilteringBoundLogger,
        *,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._frontier, self._visitor, self._settler, self._patience = frontier, visitor, settler, patience
        self._plan, self._log, self._ticks = plan, log, ticks
        self._keeper = LeaseKeeper(frontier, patience, self._lost, ticks)
        self._held: dict[tuple[str, str], _Held] = {}
        self._slots = list(range(plan.concurrency, 0, -1))
        self._stopped = asyncio.Event()
        self._broken: BaseException | None = None
        self._idle_seconds = IDLE_LEAVING_SECONDS if plan.stop_when_empty else IDLE_SECONDS

    @property
    def tally(self) -> Tally:
        """What has been done so far."""
        return self._settler.tally

    @property
    def in_flight(self) -> int:
        """URIs held now."""
        return len(self._held)

    def stop(self) -> None:
        """Claim no more, cut fetches short, bring home what is being written, release the rest."""
        self._stopped.set()
        self._patience.hurry()

    async def run(self) -> Tally:
        """Crawl; raises what made the worker unable to write (a full disk, say) after releasing what it held."""
        keeper = asyncio.create_task(self._keeper.run())
        try:
            if self._plan.take_back:
                back = await self._patience.call("release_worker", lambda: self._frontier.release_worker(self._plan.worker))
                self._log.info("leases_taken_back", worker=self._plan.worker, leases=back)
            while not self._stopped.is_set() and await self._round():
                pass
            await self._drain()
        except GivenUp as e:
            self._log.error("gave_up", error=str(e))
        finally:
            keeper.cancel()
            await self._leave()
        if self._broken is not None:
            raise self._broken
        return self.tally

    async def _round(self) -> bool:
        """Claim once and start what came; False when there is nothing more to do here."""
        room = len(self._slots)
        if self._plan.max_uris:
            room = min(room, self._plan.max_uris - self.tally.finished - len(self._held))
            if room <= 0 and not self._held:
                return False
        if room <= 0:
            await self._wait(BUSY_SECONDS)
            return True
        asked_at = self._ticks()
        claims = await self._ask(room)
        if claims is None:
            return False
        for claim in claims:
            self._start(claim, claims.now_ms)
        if len(claims) >= room:
            return True
        if not self._held and await self._over(claims):
            return False
        await self._rest(claims, asked_at)
        return True

    async def _ask(self, room: int) -> Claims | None:
        """Up to `room` claims; None when a stop came first. Blocks in the frontier only when nothing else is going on."""
        plan, wait = self._plan, None if self._held else self._idle_seconds
        return await self._unless_stopped(
            self._patience.call("claim", lambda: self._frontier.claim(room, worker=plan.worker, lease_ms=plan.lease_ms, wait=wait))
        )

    async def _unless_stopped(self, work: Coroutine[Any, Any, T]) -> T | None:
        task, stop = asyncio.ensure_future(work), asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
            # A claim that is cut off may have been made: _leave releases it by the worker's name.
            return task.result() if task.done() else None
        finally:
            stop.cancel()
            while not task.done():  # once is not enough: wait_for (Python 3.11) forgets a cancel in whose moment its own work ends
                task.cancel()
                await asyncio.wait({task}, timeout=CANCEL_SECONDS)

    async def _over(self, claims: Claims) -> bool:
        """Is the crawl at its end? EMPTY must be seen twice with nothing admitted in between (design §8)."""
        if claims.run_state == "FINISH":
            return True
        if not self._plan.stop_when_empty or claims:
            return False
        first = await self._patience.call("stats", self._frontier.stats)
        if first["state"] != "EMPTY":
            return False
        await asyncio.sleep(0.05)
        second = await self._patience.call("stats", self._frontier.stats)
        return second["state"] == "EMPTY" and first["admitted"] == second["admitted"]

    async def _rest(self, claims: Claims, asked_at: float) -> None:
        """Sleep until the next queue is due or something of one's own is done."""
        due = BUSY_SECONDS if claims.wait_ms is None else claims.wait_ms / 1000
        if self._held:
            await self._wait(min(BUSY_SECONDS, max(0.002, due)))
        elif not claims:  # the frontier has slept already, unless the last fetch came home during the claim
            await self._wait(min(due, BUSY_SECONDS / 2 - (self._ticks() - asked_at)))

    async def _wait(self, seconds: float) -> None:
        """Sleep; a finished visit or a stop ends it early."""
        tasks = {h.task for h in self._held.values() if h.task is not None}
        stop = asyncio.ensure_future(self._stopped.wait())
        await asyncio.wait({*tasks, stop}, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()

    def _start(self, claim: Claim, now_ms: int) -> None:
        held = _Held(claim, self._slots.pop())
        self._held[claim.id, claim.token] = held
        self._keeper.hold(claim, now_ms)
        held.task = asyncio.create_task(self._work(held))
        held.task.add_done_callback(lambda _: self._forget(held))

    def _forget(self, held: _Held) -> None:
        if held.done:
            self._held.pop((held.claim.id, held.claim.token), None)
        self._keeper.drop(held.claim)
        self._slots.append(held.slot)

    async def _work(self, held: _Held) -> None:
        claim = held.claim
        try:
            visit = await self._visitor.visit(claim)
            held.settling = True
            await self._settler.settle(visit, held.slot)
            held.done = True
        except (asyncio.CancelledError, GivenUp):
            pass
        except Full as e:
            self._log.error("links_not_taken", uri=claim.uri, error=str(e))
            await self._give_back([claim])
            held.done = True
            await self._unless_stopped(asyncio.sleep(FULL_SECONDS))
        except RecordError as e:
            # Left to lapse: a record of a newer version is another worker's to read.
            self._log.error("record_unreadable", id=claim.id, error=str(e))
            held.done = True
        except OSError as e:
            self._log.error("cannot_write", uri=claim.uri, error=str(e))
            self._broken = e
            self.stop()
        except Exception:
            # A lapsed lease is counted, and fails the URI in the end; releasing it would bring it back at once for ever.
            self._log.exception("visit_broken", uri=claim.uri)
            held.done = True

    def _lost(self, claim: Claim) -> None:
        held = self._held.get((claim.id, claim.token))
        self._log.warning("lease_lost", id=claim.id, queue=claim.queue, worker=self._plan.worker)
        self.tally.lost_leases += 1
        if held is not None and held.task is not None and not held.settling:
            held.done = True
            held.task.cancel()

    async def _drain(self) -> None:
        """At a natural end, let what is out come home."""
        while self._held and not self._stopped.is_set():
            await self._wait(BUSY_SECONDS)

    async def _leave(self) -> None:
        """Cut fetches short, wait for what is being written, and give everything else back."""
        tasks = [h.task for h in self._held.values() if h.task is not None]
        for held in list(self._held.values()):
            if held.task is not None and not held.settling:
                held.task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=GRACE_SECONDS)
            for task in tasks:
                task.cancel()
            await asyncio.sleep(0)
        self._patience.hurry()
        try:
            await self._give_back([h.claim for h in self._held.values() if not h.done])
            for _ in range(2):  # a claim that was cut off may come to Redis after the first
                await self._patience.call("release_worker", lambda: self._frontier.release_worker(self._plan.worker))
        except GivenUp as e:
            self._log.error("leases_left_to_lapse", leases=len(self._held), error=str(e))
        self._held.clear()

    async def _give_back(self, claims: list[Claim]) -> None:
        if claims:
            answers = await self._patience.call("release", lambda: self._frontier.release(claims))
            self._log.info("released", claims=len(claims), answers=[a.value for a in answers[:20]])
