"""One worker process from its options: connects, builds the crawler's parts, heeds signals, leaves in good order."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

import structlog

import redisfrontier
from redisfrontier.aio import AsyncFrontier
from redisfrontier.candidates import Preparer
from redisfrontier.crawl.metadata import NAMES, CrawlMetadata
from redisfrontier.log import configure, logger
from redisfrontier.steps.session import default_worker
from redisfrontier.store.retry import Backoff
from redisfrontier.worker.crawl_log import CrawlLog
from redisfrontier.worker.fetch import HttpFetcher, Limits
from redisfrontier.worker.loop import Crawler, Plan
from redisfrontier.worker.options import WorkerOptions
from redisfrontier.worker.ports import Patience, PatientRobots
from redisfrontier.worker.progress import BAR_SECONDS, EVENT_SECONDS, Bar, Events, Reporter
from redisfrontier.worker.resolve import Resolver, parse_lines
from redisfrontier.worker.robots import RobotsCache
from redisfrontier.worker.scope_files import ScopeLog, dump_surts
from redisfrontier.worker.settle import Settler, Tally
from redisfrontier.worker.visit import Visitor
from redisfrontier.worker.warc import WarcFiles

#: The worker waits for Redis itself, so that it can be stopped meanwhile; a single call is given up early.
BACKOFF = Backoff(give_up_seconds=2.0)


def run_worker(options: WorkerOptions) -> int:
    """Crawl until the crawl is empty (if so told) or finished, or a signal comes; the exit code.

    Raises the library's errors for a bad option, no such crawl, no contact URL, a server that cannot be reached at the start;
    OSError when a file cannot be written.
    """
    configure(json=not options.progress, level=logging.WARNING if options.progress else logging.INFO)
    table = parse_lines(options.resolve)
    asyncio.run(_run(options, Resolver(table)))
    return 0


async def _run(options: WorkerOptions, resolver: Resolver) -> Tally:
    async with AsyncExitStack() as stack:
        scope_log = _scope_log(options, stack)
        frontier = await stack.enter_async_context(await connected(options, scope_log))
        log = logger(worker=frontier.session.worker, crawl=options.crawl)
        metadata = await frontier.metadata()
        agent, sender = user_agent(options, metadata), metadata.get("operator_from", "")
        limits = Limits(options.fetch_timeout_seconds, options.idle_timeout_seconds, options.max_body_bytes)
        fetcher = HttpFetcher(agent, resolver, limits, connections=options.concurrency, sender=sender)
        stack.push_async_callback(fetcher.close)
        crawler = _crawler(options, frontier, fetcher, agent, log, stack)
        _heed_signals(crawler, log)
        display = Bar() if options.progress else Events(log)
        seconds = BAR_SECONDS if options.progress else EVENT_SECONDS
        if options.log_dir is not None:
            dump_surts(frontier.policy.scope, options.log_dir)
        log.info("worker_start", user_agent=agent, concurrency=options.concurrency)
        async with Reporter(frontier, display, crawler.tally, lambda: crawler.in_flight, seconds):
            tally = await crawler.run()
        log.info("worker_stop", finished=tally.finished, retried=tally.retried, lost_leases=tally.lost_leases)
        return tally


async def connected(options: WorkerOptions, scope_log: ScopeLog | None = None) -> AsyncFrontier:
    """The frontier that the options name; raises NoCrawl when it is not there."""
    more: dict[str, Any] = {"worker": options.worker, "backoff": BACKOFF, "scope_log": scope_log.write if scope_log else None}
    if options.embedded is not None:
        return await AsyncFrontier.embedded(options.embedded, options.crawl, create=False, **more)
    return await AsyncFrontier.connect(str(options.url), options.crawl, **more)


def _scope_log(options: WorkerOptions, stack: AsyncExitStack) -> ScopeLog | None:
    if options.log_dir is None:
        return None
    name = (options.worker or default_worker()).replace("/", "_")
    scope_log = ScopeLog(options.log_dir / f"scope-{name}.log")
    stack.callback(scope_log.close)
    return scope_log


def user_agent(options: WorkerOptions, metadata: Mapping[str, str]) -> str:
    """The operator's own, or that of the crawl's metadata; raises DefinitionError when that lacks a contact URL."""
    return options.user_agent or identity(metadata).checked().user_agent(redisfrontier.__version__)


def identity(metadata: Mapping[str, str]) -> CrawlMetadata:
    """The metadata as stored with a crawl; fields of a newer version are left out."""
    return CrawlMetadata().changed({n: v for n, v in metadata.items() if n in NAMES})


def _crawler(
    options: WorkerOptions,
    frontier: AsyncFrontier,
    fetcher: HttpFetcher,
    agent: str,
    log: structlog.typing.FilteringBoundLogger,
    stack: AsyncExitStack,
) -> Crawler:
    def policy() -> Preparer:
        return frontier.policy

    worker = frontier.session.worker
    patience = Patience(log)
    visitor = Visitor(fetcher, RobotsCache(PatientRobots(frontier, patience), agent, time.monotonic), policy, favicons=options.favicons)
    warc, crawl_log = _files(options, worker, stack)
    settler = Settler(frontier, patience, visitor, policy, now_ms=_now_ms, log=log, warc=warc, crawl_log_file=crawl_log)
    plan = Plan(
        worker,
        concurrency=options.concurrency,
        lease_ms=options.lease_ms,
        stop_when_empty=options.stop_when_empty,
        max_uris=options.max_uris,
        take_back=options.worker is not None,
    )
    return Crawler(frontier, visitor, settler, patience, plan, log)


def _files(options: WorkerOptions, worker: str, stack: AsyncExitStack) -> tuple[WarcFiles | None, CrawlLog | None]:
    warc = crawl_log = None
    if options.warc_dir is not None:
        software = f"redisfrontier/{redisfrontier.__version__}"
        warc = WarcFiles(options.warc_dir, worker, max_bytes=options.warc_max_bytes, now_ms=_now_ms, software=software)
        stack.callback(warc.close)
    if options.log_dir is not None:
        crawl_log = CrawlLog(options.log_dir / f"crawl-{worker.replace('/', '_')}.log")
        stack.callback(crawl_log.close)
    return warc, crawl_log


def _now_ms() -> int:
    return int(time.time() * 1000)


def _heed_signals(crawler: Crawler, log: structlog.typing.FilteringBoundLogger) -> None:
    """The first SIGINT or SIGTERM stops in good order; the next one has its usual effect."""
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        log.info("signal", name=number.name)
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
        crawler.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
