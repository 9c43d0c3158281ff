"""The core benchmark: Redis CPU per operation, cycles per second and bytes per URI, on a private server of its own."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from redisfrontier.aio import AsyncFrontier
from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.frontier import Frontier
from redisfrontier.record.record import Candidate
from redisfrontier.steps.schedule import URIS_PER_CALL
from redisfrontier.store.drive import Driver
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.ops import Ops
from redisfrontier.store.server_program import find_server, server_version

#: Queues of one call.
QUEUES = 100
#: URIs of one call in the full cycle.
CYCLE_BATCH = 500
#: Tasks that schedule, and as many that claim and finish, in the full cycle: while some wait for the server, others prepare.
CYCLE_TASKS = 2
_TAKE_ALL = ({"rule": "accept"},)
_OUTCOME = (200, 5, 2000, "", b"")


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: `uris` for memory and CPU, over `hosts`; progress is told by `tell`."""

    uris: int = 1_000_000
    hosts: int = 10_000
    cycle_uris: int = 100_000
    sync_cycles: int = 5_000
    tell: Callable[[str], None] = lambda _: None


def run(plan: Plan | None = None) -> dict[str, Any]:
    """All figures by name; times in µs of Redis CPU, memory in bytes per URI."""
    plan = plan or Plan()
    found: dict[str, Any] = {"uris": plan.uris, "hosts": plan.hosts, "server": ".".join(map(str, server_version(find_server())))}
    for name, measure in (
        ("exact mode, uniform hosts", lambda: core(plan, "exact")),
        ("bitfield mode", lambda: prefixed("bitfield_", core(plan, "bitfield", memory=False))),
        ("each URI of another queue", lambda: prefixed("scattered_", pending(plan, "scattered"))),
        ("Zipf hosts", lambda: prefixed("zipf_", pending(plan, "zipf"))),
        ("crawl records", lambda: {"bytes_per_pending_crawl": pending(plan, "even", crawl=True)["bytes_per_pending"]}),
        ("full cycle", lambda: full_cycle(plan)),
        ("sync cycle", lambda: sync_cycle(plan)),
    ):
        plan.tell(name)
        found |= measure()
    return found


def prefixed(prefix: str, figures: dict[str, Any]) -> dict[str, Any]:
    """The figures under longer names."""
    return {prefix + name: value for name, value in figures.items()}


class Bench:
    """A private server with one crawl."""

    def __init__(self, uniqueness: str, **settings: Any) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="rf-bench-")
        self._server = Embedded.start(self._directory.name, overrides={"appendonly": "no", "save": ""})
        values = {"uniqueness": uniqueness, "min_delay_ms": 1, "max_delay_ms": 1, "balance_replenish_amount": 0, **settings}
        self.url = self._server.url
        self.frontier = Frontier.create(self.url, "bench", values, scope=_TAKE_ALL)
        self.frontier.start()
        self.client = self.frontier.client
        self.ops, self.driver = Ops("bench"), Driver(self.client, self.frontier._driver.backoff)
        self.preparer = Preparer(self.frontier.settings())

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self.frontier.close()
        self._server.close()
        self._directory.cleanup()

    def cpu(self) -> float:
        """Seconds of CPU that the server's main thread has used."""
        info: Any = self.client.info("cpu")
        return float(info.get("used_cpu_user_main_thread", info["used_cpu_user"])) + float(
            info.get("used_cpu_sys_main_thread", info["used_cpu_sys"])
        )

    def memory(self) -> tuple[int, int]:
        """Used and resident bytes."""
        info: Any = self.client.info("memory")
        return int(info["used_memory"]), int(info["used_memory_rss"])

    def schedule(self, prepared: list[Prepared]) -> None:
        """Schedule in calls of the usual size."""
        for i in range(0, len(prepared), URIS_PER_CALL):
            (reply,) = self.driver.ask([self.ops.schedule(0, ((u, 0) for u in prepared[i : i + URIS_PER_CALL]))])
            if isinstance(reply, Exception):
                raise reply

    def cycle(self, queues: int, per_queue: int) -> int:
        """Claim and finish once; how many URIs."""
        token = f"{random.getrandbits(64):016x}"
        (reply,) = self.driver.ask([self.ops.claim(0, token, "bench", queues, per_queue, 0)])
        ids = reply[6::5]
        if ids:
            self.driver.ask([self.ops.finish(0, ((id_, token, *_OUTCOME) for id_ in ids))])
        return len(ids)


def uris(count: int, hosts: int, *, spread: str = "even", start: int = 0) -> Iterator[str]:
    """URIs of 76 characters over the hosts, paths in random order.

    `spread`: "even", each call has URIs of QUEUES queues; "scattered", each URI of a call is of another queue; "zipf", by that law.
    """
    rng = random.Random(start)
    if spread == "zipf":
        chosen = rng.choices(range(hosts), [1 / (rank + 1) for rank in range(hosts)], k=count)
    elif spread == "scattered":
        chosen = [(i * 7919) % hosts for i in range(count)]
    else:
        chosen = [((i // URIS_PER_CALL * QUEUES + i % URIS_PER_CALL % QUEUES) * 7919) % hosts for i in range(count)]
    names = [f"{random.Random(host).getrandbits(40):010x}.{host % 97}.example" for host in range(hosts)]
    for i, host in enumerate(chosen, start):
        yield f"http://{names[host]}/{rng.getrandbits(64):016x}/{i:x}".ljust(76, "-")


def crawl_records(found: Iterator[str]) -> Iterator[Candidate]:
    """The same URIs as a crawl finds them: path, via on the same host, context."""
    for uri in found:
        yield Candidate(uri, path="LLE", via=uri[:44] + "/index-of-pages.html", via_context="a/@href")


def core(plan: Plan, uniqueness: str, *, memory: bool = True) -> dict[str, Any]:
    """CPU of schedule (new, known) and claim + finish, and the memory of pending and finished URIs."""
    with Bench(uniqueness, max_in_flight=1, expected_uris=max(1000, plan.uris)) as b:
        before = b.memory()
        figures = {"schedule_new_us": _schedule(b, uris(plan.uris, plan.hosts), plan.uris)}
        after = b.memory()
        known = min(plan.uris, 200_000)
        figures["schedule_known_us"] = _schedule(b, uris(known, plan.hosts), known)
        figures["claim_finish_us"] = _claim_finish(b, min(plan.uris // 2, 100_000))
        if memory:
            figures |= _per_uri(before, after, plan.uris, "pending")
            b.frontier.set_settings({"max_in_flight": 1000})
            _drain(b)
            figures["bytes_per_finished"] = round((b.memory()[0] - before[0]) / plan.uris, 1)
        return figures


def pending(plan: Plan, spread: str, *, crawl: bool = False) -> dict[str, Any]:
    """CPU and memory of URIs that are scheduled and wait."""
    with Bench("exact") as b:
        before = b.memory()
        found: Iterator[Any] = uris(plan.uris, plan.hosts, spread=spread)
        if crawl:
            b.preparer = Preparer(b.frontier.settings(), now_ms=lambda: int(time.time() * 1000))
            found = crawl_records(found)
        spent = _schedule(b, found, plan.uris)
        return {"schedule_new_us": spent, **_per_uri(before, b.memory(), plan.uris, "pending")}


def _per_uri(before: tuple[int, int], after: tuple[int, int], count: int, what: str) -> dict[str, float]:
    used, rss = (round((b - a) / count, 1) for a, b in zip(before, after, strict=True))
    return {f"bytes_per_{what}": used, f"rss_bytes_per_{what}": rss}


def _schedule(b: Bench, found: Iterator[Any], count: int) -> float:
    """µs of Redis CPU per URI."""
    spent = 0.0
    done = 0
    while done < count:
        batch = [p for _, c in zip(range(20_000), found, strict=False) if isinstance(p := b.preparer.prepare(c), Prepared)]
        if not batch:
            break
        start = b.cpu()
        b.schedule(batch)
        spent += b.cpu() - start
        done += len(batch)
    return round(spent / max(1, done) * 1e6, 2)


def _claim_finish(b: Bench, count: int) -> float:
    start, done = b.cpu(), 0
    while done < count:
        got = b.cycle(QUEUES, 1)
        if got == 0:
            time.sleep(0.002)
        done += got
    return round((b.cpu() - start) / done * 1e6, 2)


def _drain(b: Bench) -> None:
    idle = 0
    while idle < 50:
        idle = 0 if b.cycle(QUEUES, 10) else idle + 1
        if idle:
            time.sleep(0.002)


def full_cycle(plan: Plan) -> dict[str, float]:
    """URIs per second through canonicalise + schedule + claim + finish, batches over many hosts, one process.

    Some tasks schedule and some claim and finish, so that this process prepares the next batches while the server works on the last.
    """
    found = list(uris(plan.cycle_uris, plan.hosts, spread="scattered"))
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


def sync_cycle(plan: Plan) -> dict[str, float]:
    """URIs per second of a sync worker that takes one at a time: it ends one and claims the next in one call, or in two.

    Also with worker and server on one CPU, which each would else wake from its sleep for every call: that takes longer than the work.
    """
    with Bench("exact") as b:
        b.frontier.schedule(uris(3 * plan.sync_cycles + 1000, plan.hosts, spread="scattered"))
        figures = {
            "sync_cycle_per_s": _exchanges(b.frontier, plan.sync_cycles),
            "sync_cycle_of_two_calls_per_s": _calls(b.frontier, plan.sync_cycles),
        }
        with on_one_cpu(int(cast(Any, b.client.info("server"))["process_id"])) as held:
            if held:
                figures["sync_cycle_on_one_cpu_per_s"] = _exchanges(b.frontier, plan.sync_cycles)
        return {name: round(value) for name, value in figures.items()} | {"ping_us": _ping(b, plan.sync_cycles)}


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
