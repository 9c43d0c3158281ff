"""Real worker processes on a real server crawl local sites: killed, stopped, and with Redis gone for a while."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from demo import account, processes, show
from demo.run import SETTINGS, Plan
from demo.run import run as run_demo
from redisfrontier.crawl.definition import CrawlDefinition
from redisfrontier.crawl.metadata import CrawlMetadata
from redisfrontier.errors import NoCrawl
from redisfrontier.frontier import Frontier
from redisfrontier.record.record import Candidate
from redisfrontier.settings import Settings
from redisfrontier.store.embedded import Embedded
from redisfrontier.worker import WorkerOptions, run, run_worker
from redisfrontier.worker.resolve import Resolver
from tests.conftest import private_server

HOST = "aiohttp.docs.demo.test"


def test_three_workers_one_killed_and_nothing_lost(tmp_path: Path, redis_server: Embedded) -> None:
    """Cases A1, A6, D4, D6 and the whole journey: the demo in its small form."""
    plan = Plan(tmp_path / "run", town="small", kill_after=30, kill_holding=1, deadline_seconds=60)
    story = run_demo(plan)
    measured = account.gaps(story.requests, {host: plan.delay_seconds(host) for host in plan.hosts})
    failed = [(c.name, c.figures) for c in show.claims(plan, story, measured) if not c.holds]
    assert failed == []
    assert story.held != []
    assert len(story.requests) > 100


class Crawl:
    """One host, one crawl, workers started as wanted."""

    def __init__(self, out: Path, server: Embedded, stack: ExitStack) -> None:
        self.out, self.server, self.stack = out, server, stack
        self.sites = processes.sites(out / "sites.jsonl", out / "sites.txt", "small")
        stack.callback(self.sites.close)
        port = int(self.sites.first_line())
        metadata = CrawlMetadata(operator_contact_url="http://localhost/about")
        definition = CrawlDefinition("x", metadata=metadata, settings=Settings().changed({**SETTINGS, "lease_ms": 60_000}))
        self.frontier = stack.enter_context(Frontier.create(server.url, definition))
        self.frontier.schedule([Candidate(f"http://{HOST}:{port}/", is_seed=True)])
        self.frontier.start()

    def worker(self, name: str) -> processes.Process:
        started = processes.worker(name, self.server.url, "x", self.out, [f"{HOST}:127.0.0.1"], 5)
        self.stack.callback(started.close)
        return started

    def wait_for(self, finals: int) -> None:
        end = time.monotonic() + 30
        while account.finals(self.frontier.stats()) < finals:
            assert time.monotonic() < end, self.frontier.stats()
            time.sleep(0.02)


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    with ExitStack() as stack:
        server = stack.enter_context(private_server(tmp_path / "redis", appendonly="yes", appendfsync="always"))
        yield Crawl(tmp_path, server, stack)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_releases_what_the_worker_holds(crawl: Crawl, number: signal.Signals) -> None:
    worker = crawl.worker("w1")
    crawl.wait_for(3)
    worker.child.send_signal(number)
    assert worker.child.wait(20) == 0
    assert list(crawl.frontier.leases()) == []
    assert account.balanced(crawl.frontier.stats())
    second = crawl.worker("w2")
    assert second.child.wait(40) == 0
    stats = crawl.frontier.stats()
    assert account.lost(stats).holds, stats


def test_a_restart_under_the_same_name_takes_its_leases_back(crawl: Crawl) -> None:
    """Case A3: not after the lease of a minute, but at once."""
    claims = crawl.frontier.claim(1, worker="w1")
    assert len(claims) == 1
    worker = crawl.worker("w1")
    assert worker.child.wait(30) == 0
    assert account.lost(crawl.frontier.stats()).holds


def test_a_worker_waits_while_redis_is_away(crawl: Crawl) -> None:
    """Case F2: the server is killed in mid-crawl and comes back; the worker goes on by itself and loses nothing."""
    worker = crawl.worker("w1")
    crawl.wait_for(5)
    os.kill(int(crawl.frontier.client.info("server")["process_id"]), signal.SIGKILL)
    time.sleep(3)
    assert worker.child.poll() is None
    crawl.server.ensure_running()
    assert worker.child.wait(40) == 0
    stats = crawl.frontier.stats()
    assert account.lost(stats).holds, stats


def test_an_embedded_server_serves_a_worker_and_is_stopped_with_it(tmp_path: Path) -> None:
    private_server(tmp_path / "redis").close()  # skips without a server program
    server = Embedded.start(tmp_path / "redis")
    metadata = CrawlMetadata(operator_contact_url="http://localhost/about")
    with Frontier.create(server.url, CrawlDefinition("x", metadata=metadata), embedded=server) as frontier:
        frontier.start()
        assert run_worker(WorkerOptions("x", embedded=tmp_path / "redis", stop_when_empty=True)) == 0


def test_a_worker_of_no_crawl_says_so(redis_url: str) -> None:
    with pytest.raises(NoCrawl):
        run_worker(WorkerOptions("nothing", url=redis_url))


def test_an_idle_worker_leaves_redis_alone(redis_url: str) -> None:
    """Case C4: at most two calls a second, and a URI that arrives is fetched at once."""
    metadata = CrawlMetadata(operator_contact_url="http://localhost/about")
    with Frontier.create(redis_url, CrawlDefinition("x", metadata=metadata)) as frontier:
        frontier.start()
        seen: list[int] = []

        async def scene() -> None:
            task = asyncio.create_task(run._run(WorkerOptions("x", url=redis_url), Resolver({})))
            await asyncio.sleep(1)
            before = calls(frontier)
            await asyncio.sleep(4)
            seen.append(calls(frontier) - before)
            frontier.schedule([Candidate("dns:localhost", queue="q", prerequisite=True, path="P", via="http://localhost/")])
            await asyncio.sleep(1)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        asyncio.run(scene())
        assert seen[0] <= 8
        assert frontier.stats()["succeeded"] == 1


def calls(frontier: Frontier) -> int:
    commands = frontier.client.info("commandstats")
    return sum(int(c["calls"]) for name, c in commands.items() if name in ("cmdstat_evalsha", "cmdstat_eval", "cmdstat_fcall"))
