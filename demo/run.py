"""The run itself: an embedded Redis, the sites, a crawl, three workers, one kill; what happened is written down, not judged."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demo import account, processes
from redisfrontier.crawl.definition import CrawlDefinition
from redisfrontier.crawl.metadata import CrawlMetadata
from redisfrontier.frontier import Frontier
from redisfrontier.record.record import Candidate
from redisfrontier.settings import Settings
from redisfrontier.store.embedded import Embedded
from redisfrontier.uri.parse import parse
from tests.sites import odd_sites as odd
from tests.sites.server import Request, read_log
from tests.sites.town import TOWNS

CRAWL = "demo"
#: Resolves, but nobody listens there.
DEAD_HOST = "dead.demo.test"
SETTINGS: Mapping[str, object] = {
    "min_delay_ms": 30,
    "max_delay_ms": 300,
    "delay_factor": 1.0,
    "lease_ms": 2500,
    "retry_delay_seconds": 1,
    "max_retries": 4,
    "slow_base_ms": 500,
    "robots_retry_ms": 1000,
    "uniqueness": "exact",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run."""

    out: Path
    town: str = "full"
    workers: int = 3
    concurrency: int = 10
    kill_after: int = 1000
    """Finished URIs after which a worker is killed, as soon as it holds `kill_holding`."""
    kill_holding: int = 2
    deadline_seconds: float = 170.0

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host name that is served."""
        return tuple(TOWNS[self.town])

    def delay_seconds(self, host: str) -> float:
        """The least delay that a host is to have."""
        least = int(str(SETTINGS["min_delay_ms"])) / 1000
        return max(least, odd.CRAWL_DELAY_SECONDS) if host == "robots.demo.test" else least


@dataclass(slots=True)
class Story:
    """What happened."""

    port: int = 0
    killed_at: int = -1
    """URIs finished when the worker was killed; -1: it was not."""
    held: list[str] = field(default_factory=list)
    """URIs that it held then."""
    samples: int = 0
    unbalanced: list[str] = field(default_factory=list)
    """Samples of the counters that did not add up."""
    exit_codes: list[int | None] = field(default_factory=list)
    """Of the other workers; None: still running at the deadline."""
    seconds: float = 0.0
    stats: dict[str, Any] = field(default_factory=dict)
    logged: int = 0
    """Lines in the crawl logs."""
    requests: list[Request] = field(default_factory=list)


def run(plan: Plan, progress: Callable[[Mapping[str, Any], float], None] = lambda stats, seconds: None) -> Story:
    """Run it to its end, or to the deadline; `progress` is told of every sample."""
    story, began = Story(), time.monotonic()
    plan.out.mkdir(parents=True)
    with ExitStack() as stack:
        sites = processes.sites(plan.out / "sites.jsonl", plan.out / "logs" / "sites.txt", plan.town)
        stack.callback(sites.close)
        server = stack.enter_context(Embedded.start(plan.out / "redis"))
        story.port = int(sites.first_line())
        frontier = stack.enter_context(_crawl(plan, server.url, story.port, stack.enter_context(_refusing_port())))
        resolve = [f"{host}:127.0.0.1" for host in (*plan.hosts, DEAD_HOST)]
        workers = [
            processes.worker(f"worker-{i}", server.url, CRAWL, plan.out, resolve, plan.concurrency) for i in range(1, plan.workers + 1)
        ]
        for worker in workers:
            stack.callback(worker.close)
        _watch(plan, frontier, workers, story, lambda stats: progress(stats, time.monotonic() - began))
        story.stats, story.seconds = frontier.stats(), time.monotonic() - began
    story.requests = read_log(plan.out / "sites.jsonl")
    story.logged = sum(len(log.read_text().splitlines()) for log in (plan.out / "logs").glob("crawl-*.log"))
    return story


def _crawl(plan: Plan, url: str, port: int, dead_port: int) -> Frontier:
    metadata = CrawlMetadata(operator_contact_url="http://localhost/about-this-demo", job_name=CRAWL)
    frontier = Frontier.create(url, CrawlDefinition(CRAWL, metadata=metadata, settings=Settings().changed(SETTINGS)))
    seeds = [*(f"http://{host}:{port}/" for host in plan.hosts if host != odd.ELSEWHERE), f"http://{DEAD_HOST}:{dead_port}/"]
    frontier.schedule([Candidate(uri, is_seed=True, source_tag=uri) for uri in seeds])
    frontier.start()
    return frontier


def _watch(
    plan: Plan, frontier: Frontier, workers: list[processes.Process], story: Story, progress: Callable[[Mapping[str, Any]], None]
) -> None:
    """Sample the counters, kill the last worker in the middle, wait for the others."""
    victim, others = workers[-1], workers[:-1]
    end = time.monotonic() + plan.deadline_seconds
    while any(w.child.poll() is None for w in others) and time.monotonic() < end:
        stats = frontier.stats()
        story.samples += 1
        if not account.balanced(stats):
            story.unbalanced.append(json.dumps(stats))
        if story.killed_at < 0 and account.finals(stats) >= plan.kill_after and _holds(frontier, plan) >= plan.kill_holding:
            victim.kill()
            # Its leases stand until they run out, so they can be read after the kill.
            story.held = [frontier.show(lease["id"])["record"]["uri"] for lease in frontier.leases(f"worker-{plan.workers}")]
            story.killed_at = account.finals(stats)
        progress(stats)
        time.sleep(0.05 if story.killed_at < 0 else 0.2)
    story.exit_codes = [w.child.poll() for w in others]


def _holds(frontier: Frontier, plan: Plan) -> int:
    return sum(1 for _ in frontier.leases(f"worker-{plan.workers}"))


def pages_of(uris: list[str]) -> list[str]:
    """URIs as the sites know them: host and path with query."""
    parsed = [parse(u) for u in uris]
    return [u.host + u.path + ("" if u.query is None else "?" + u.query) for u in parsed]


@contextmanager
def _refusing_port() -> Iterator[int]:
    """A port that is taken, so nobody else listens there, and refuses every connection."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
