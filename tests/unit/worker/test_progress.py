"""The progress bar, the progress events, and who the worker says it is."""

from __future__ import annotations

import asyncio
from collections import Counter
from io import StringIO

import pytest
from rich.console import Console
from structlog.testing import capture_logs

from redisfrontier.errors import DefinitionError, Unavailable
from redisfrontier.log import logger
from redisfrontier.worker.options import WorkerOptions
from redisfrontier.worker.progress import Bar, Events, Reporter
from redisfrontier.worker.run import user_agent
from redisfrontier.worker.settle import Tally
from tests.unit.worker.standin import FrontierStandIn

STATS = {"admitted": 10, "succeeded": 3, "failed": 1, "pending": 6, "in_flight": 0, "state": "RUN"}
TALLY = Tally(finished=4, body_bytes=2_500_000, statuses=Counter({200: 4}))


def test_the_bar_shows_the_crawl_and_this_worker():
    screen = StringIO()
    bar = Bar(Console(file=screen, force_terminal=True, width=120))
    bar.show(TALLY, 2, STATS)
    bar.close()
    assert "4/10" in screen.getvalue()
    assert "4 here, 2 in flight, 2.5 MB" in screen.getvalue()


def test_events_carry_the_numbers():
    with capture_logs() as logs:
        Events(logger()).show(TALLY, 2, STATS)
    assert logs[0]["event"] == "progress"
    assert (logs[0]["finished"], logs[0]["here"], logs[0]["crawl"]["admitted"]) == (4, 2, 10)


async def test_the_reporter_outlives_an_outage_and_reports_at_the_end():
    shown = []

    class Display:
        def show(self, tally, in_flight, stats):
            shown.append(dict(stats))

        def close(self):
            shown.append("closed")

    frontier = FrontierStandIn()

    def trouble(op):
        if len(shown) < 2:
            raise Unavailable

    frontier.trouble = trouble
    async with Reporter(frontier, Display(), TALLY, lambda: 0, 0.01):
        await asyncio.sleep(0.1)
    assert shown[0] == {}
    assert shown[-2]["state"] == "EMPTY"
    assert shown[-1] == "closed"


def test_the_user_agent_is_the_operators_or_the_crawls():
    metadata = {"operator_contact_url": "http://crawler.example/", "of_a_newer_version": "x"}
    assert user_agent(WorkerOptions("c", url="u", user_agent="own/1"), {}) == "own/1"
    assert user_agent(WorkerOptions("c", url="u"), metadata).endswith("+http://crawler.example/)")


def test_without_a_contact_no_worker_starts():
    with pytest.raises(DefinitionError, match="operator_contact_url"):
        user_agent(WorkerOptions("c", url="u"), {})
