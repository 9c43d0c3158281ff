"""Crawls on the real server of the run: most with a clock that the test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from redisfrontier.frontier import Frontier

#: Makes (or opens) a crawl by name and settings.
Make = Callable[..., Frontier]


@pytest.fixture
def make(redis_url: str) -> Iterator[Make]:
    """make(name="c", real_time=False, runs=True, sheets=(), partitions=1, **settings): a crawl that takes every URI, at time 1,000,000."""
    made: list[Frontier] = []

    def make_one(
        name: str = "c", *, real_time: bool = False, runs: bool = True, partitions: int = 1, options: Any = None, **settings: Any
    ) -> Frontier:
        chosen = {"uniqueness": "exact", **settings}
        frontier = Frontier.create(
            redis_url, name, chosen, partitions=partitions, scope=[{"rule": "accept"}], test_clock=not real_time, **(options or {})
        )
        made.append(frontier)
        if not real_time and frontier.stats()["now_ms"] == 0:
            frontier.set_clock(1_000_000)
        if runs:
            frontier.start()
        return frontier

    yield make_one
    for frontier in made:
        frontier.close()


def later(frontier: Frontier, ms: int) -> int:
    """Set a test clock forward; the time it shows then."""
    now = int(frontier.stats()["now_ms"]) + ms
    frontier.set_clock(now)
    return now


def balanced(frontier: Frontier) -> bool:
    """Does the sum of the counters hold?"""
    s = frontier.stats()
    ended = sum(s[k] for k in ("succeeded", "failed", "disregarded", "excluded", "deleted"))
    return bool(s["admitted"] == s["pending"] + s["in_flight"] + s["later"] + ended)
