"""The core benchmark: Redis CPU per operation, cycles per second and bytes per URI, on a private server of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.operate.bench_cycle import full_cycle, sync_cycle
from redisfrontier.operate.bench_server import QUEUES, Bench, crawl_records, uris
from redisfrontier.store.server_program import find_server, server_version

#: URIs whose cost is measured at a time.
PART = 20_000


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
        ("full cycle", lambda: full_cycle(plan.cycle_uris, plan.hosts)),
        ("sync cycle", lambda: sync_cycle(plan.sync_cycles, plan.hosts)),
    ):
        plan.tell(name)
        found |= measure()
    return found


def prefixed(prefix: str, figures: dict[str, Any]) -> dict[str, Any]:
    """The figures under longer names."""
    return {prefix + name: value for name, value in figures.items()}


def core(plan: Plan, uniqueness: str, *, memory: bool = True) -> dict[str, Any]:
    """CPU of schedule (new, known) and claim + finish, and the memory of pending and finished URIs."""
    with Bench(uniqueness, max_in_flight=1, expected_uris=max(1000, plan.uris)) as b:
        before = b.memory()
        figures = _schedule(b, "schedule_new", uris(plan.uris, plan.hosts), plan.uris)
        after = b.memory()
        known = min(plan.uris, 200_000)
        figures |= _schedule(b, "schedule_known", uris(known, plan.hosts), known)
        figures |= _claim_finish(b, min(plan.uris // 2, 100_000))
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
        figures = _schedule(b, "schedule_new", found, plan.uris)
        return figures | _per_uri(before, b.memory(), plan.uris, "pending")


def _per_uri(before: tuple[int, int], after: tuple[int, int], count: int, what: str) -> dict[str, float]:
    used, rss = (round((b - a) / count, 1) for a, b in zip(before, after, strict=True))
    return {f"bytes_per_{what}": used, f"rss_bytes_per_{what}": rss}


def _schedule(b: Bench, name: str, found: Iterator[Any], count: int) -> dict[str, float]:
    parts: list[tuple[int, float]] = []
    while sum(size for size, _ in parts) < count:
        batch = [p for _, c in zip(range(PART), found, strict=False) if isinstance(p := b.preparer.prepare(c), Prepared)]
        if not batch:
            break
        start = b.cpu()
        b.schedule(batch)
        parts.append((len(batch), b.cpu() - start))
    return _cost(name, parts)


def _claim_finish(b: Bench, count: int) -> dict[str, float]:
    parts: list[tuple[int, float]] = []
    left = count
    while left > 0:
        start, done = b.cpu(), 0
        while done < min(left, PART):
            got = b.cycle(QUEUES, 1)
            if got == 0:
                time.sleep(0.002)
            done += got
        parts.append((done, b.cpu() - start))
        left -= done
    return _cost("claim_finish", parts)


def _cost(name: str, parts: list[tuple[int, float]]) -> dict[str, float]:
    """µs of Redis CPU per URI over all parts (URIs, seconds); and of the cheapest, which tells how much the others were disturbed."""
    mean = sum(seconds for _, seconds in parts) / sum(size for size, _ in parts)
    least = min(seconds / size for size, seconds in parts)
    return {f"{name}_us": round(mean * 1e6, 2), f"{name}_least_us": round(least * 1e6, 2)}


def _drain(b: Bench) -> None:
    idle = 0
    while idle < 50:
        idle = 0 if b.cycle(QUEUES, 10) else idle + 1
        if idle:
            time.sleep(0.002)
