"""How many URIs a second one process takes through a frontier: many at once, and one at a time."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from redisfrontier.aio import AsyncFrontier
from redisfrontier.frontier import Frontier
from redisfrontier.operate.bench_server import Bench, uris

#: URIs of one call in the full cycle.
CYCLE_BATCH = 500
#: Tasks that schedule, and as many that claim and finish, in the full cycle: while some wait for the server, others prepare.
CYCLE_TASKS = 2


def full_cycle(count: int, hosts: int) -> dict[str, float]:
    """URIs per second through canonicalise + schedule + claim + finish, batches over many hosts, one process.

    Some tasks schedule and some claim and finish, so that this process prepares the next batches while the server works on the last.
    """
    found = list(uris(count, hosts, spread="scattered"))
    with Bench("exact") as b:
        start = time.perf_counter()
        asyncio.run(_cycle(b.url, found))
        return {"cycle_per_s": round(len(found) / (time.perf_counter() - start))}


async def _cycle(url: str, found: list[str]) -> None:
    async with await AsyncFrontier.connect(url, "bench") as frontier:
        batches = iter([found[i : i + CYCLE_BATCH] for i in range(0, len(found), CYCLE_BATCH)])
        left = [len(found)]
        await asyncio.gather(*(task for _ in range(CYCLE_TASKS) for task in (_feed(frontier, batches), _work(frontier, left))))


async def _feed(frontier: AsyncFrontier, batches: Iterator[list[str]]) -> None:
    for batch in batches:
        await frontier.schedule(batch)


async def _work(frontier: AsyncFrontier, left: list[int]) -> None:
    held = await frontier.claim(CYCLE_BATCH)
    while left[0] > 0:
        left[0] -= len(held)
        _, held = await frontier.exchange([c.outcome(200, duration_ms=5, size_bytes=2000) for c in held], CYCLE_BATCH)
        if not held:
            await asyncio.sleep(0.001)


def sync_cycle(cycles: int, hosts: int) -> dict[str, float]:
    """URIs per second of a sync worker that takes one at a time: it ends one and claims the next in one call, or in two.

    Also with worker and server on one CPU, which each would else wake from its sleep for every call: that takes longer than the work.
    """
    with Bench("exact") as b:
        b.frontier.schedule(uris(3 * cycles + 1000, hosts, spread="scattered"))
        figures = {
            "sync_cycle_per_s": _exchanges(b.frontier, cycles),
            "sync_cycle_of_two_calls_per_s": _calls(b.frontier, cycles),
        }
        with on_one_cpu(int(cast(Any, b.client.info("server"))["process_id"])) as held:
            if held:
                figures["sync_cycle_on_one_cpu_per_s"] = _exchanges(b.frontier, cycles)
        return {name: round(value) for name, value in figures.items()} | {"ping_us": _ping(b, cycles)}


@contextmanager
def on_one_cpu(server: int) -> Iterator[bool]:
    """Hold this process and all threads of the server on one CPU, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield False
        return
    before = os.sched_getaffinity(0)
    tasks = [0, *(int(task) for task in os.listdir(f"/proc/{server}/task"))]
    for task in tasks:
        os.sched_setaffinity(task, {min(before)})
    try:
        yield True
    finally:
        for task in tasks:
            os.sched_setaffinity(task, before)


def _ping(b: Bench, count: int) -> float:
    """µs of a call that does nothing: what a machine takes to wake a server and its client."""
    start = time.perf_counter()
    for _ in range(count):
        b.client.ping()
    return round((time.perf_counter() - start) / count * 1e6, 1)


def _exchanges(frontier: Frontier, count: int) -> float:
    start, done, held = time.perf_counter(), 0, frontier.claim(1)
    while done < count:
        done += len(held)
        _, held = frontier.exchange([c.outcome(200, duration_ms=5) for c in held])
    frontier.release(held)
    return done / (time.perf_counter() - start)


def _calls(frontier: Frontier, count: int) -> float:
    start, done = time.perf_counter(), 0
    while done < count:
        done += len(frontier.finish([c.outcome(200, duration_ms=5) for c in frontier.claim(1)]))
    return done / (time.perf_counter() - start)
