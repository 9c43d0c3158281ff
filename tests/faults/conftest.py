"""Servers that may be killed and come back, crawls on them, and all that is to be seen of a crawl."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.retry import Backoff
from tests.conftest import private_server

#: Tries again soon and for long.
QUICK = Backoff(first_seconds=0.01, cap_seconds=0.1, give_up_seconds=60)
ALL = [{"rule": "accept"}]


@pytest.fixture
def lasting(tmp_path: Path) -> Iterator[Embedded]:
    """A server that has written down whatever it has answered; it may be killed."""
    with private_server(tmp_path / "redis", appendonly="yes", appendfsync="always") as server:
        yield server


@pytest.fixture
def passing(tmp_path: Path) -> Iterator[Embedded]:
    """A server without files, for troubles it survives."""
    with private_server(tmp_path / "redis", dbfilename="blocked", lua_time_limit="50") as server:
        (tmp_path / "redis" / "blocked" / "x").mkdir(parents=True)  # in the place of the snapshot: saving one fails
        yield server


def crawl(url: str, name: str = "c", *, test_clock: bool = False, **settings: Any) -> Frontier:
    """A running crawl that takes every URI and asks again soon."""
    frontier = Frontier.create(url, name, {"uniqueness": "exact", **settings}, scope=ALL, test_clock=test_clock, backoff=QUICK)
    if test_clock and frontier.stats()["now_ms"] == 0:
        frontier.set_clock(1_000_000)
    frontier.start()
    return frontier


def kill(server: Embedded, how: signal.Signals = signal.SIGKILL) -> None:
    """End the server's process without a word."""
    client = connect(server.url)
    process = int(client.info("server")["process_id"])
    client.close()
    os.kill(process, how)


def kill_and_restart(server: Embedded, after_seconds: float = 0.0) -> None:
    """Kill it, and have it up again, loaded, after a while."""
    kill(server)
    healer = threading.Timer(after_seconds, server.ensure_running)
    healer.start()
    healer.join()


def whole(frontier: Frontier) -> dict[str, Any]:
    """Everything that can be seen of a small crawl: numbers, settings, queues, pending URIs, leases."""
    stats = frontier.stats()
    queues = {row["queue"]: frontier.queue(row["queue"]) for row in frontier.queues()}
    leases = sorted(frontier.leases(), key=lambda row: row["id"])
    return {"stats": stats, "settings": frontier.settings(), "queues": queues, "uris": list(frontier.uris()), "leases": leases}


def balanced(frontier: Frontier) -> bool:
    """Does the sum of the counters hold?"""
    s = frontier.stats()
    return bool(s["admitted"] == sum(s[k] for k in ("pending", "in_flight", "later", *ENDS)))


ENDS = ("succeeded", "failed", "disregarded", "excluded", "deleted")
Heal = Callable[[], object]
