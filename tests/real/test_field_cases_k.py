"""Field cases K: time and schedule."""

from __future__ import annotations

import time

import pytest

from redisfrontier.frontier import Frontier
from tests.real.conftest import Make, later

A = "http://a.example/"
DAY_MS = 86_400_000
DAY = 86_400


@pytest.mark.parametrize("schedule", ["fixed", "fixed_rate", "nutch_adaptive", "stormcrawler", "stormcrawler_adaptive"])
@pytest.mark.parametrize("digests", ["same", "other"])
def test_k1_the_next_fetch_is_never_in_the_past(make: Make, schedule: str, digests: str) -> None:
    frontier = make(retention="keep", recrawl_schedule=schedule, fetch_interval_seconds=7 * DAY, lease_ms=DAY_MS)
    later(frontier, 100 * DAY_MS)
    frontier.schedule([A])
    for turn in range(12):
        (claim,) = frontier.claim()
        digest = "d" if digests == "same" else f"d{turn}"
        frontier.finish([claim.outcome(200, delay_ms=0, digest=digest, modified_ms=1_000_000)])
        now = frontier.stats()["now_ms"]
        assert int(frontier.show(A)["result"]["next_ms"]) > now
        wait = frontier.claim().wait_ms
        assert wait is not None
        assert wait > 0
        later(frontier, wait)


@pytest.mark.parametrize("off_seconds", [-600, 600])
def test_k2_the_clock_of_a_client_does_not_matter(make: Make, redis_url: str, off_seconds: int) -> None:
    frontier = make(real_time=True)
    frontier.schedule([A, f"{A}2"])
    with Frontier.connect(redis_url, crawl="c", clock=lambda: time.time() + off_seconds) as wrong:
        (claim,) = wrong.claim(lease_ms=5000)
        seconds, micros = frontier.client.time()
        now = seconds * 1000 + micros // 1000
        assert 0 <= claim.lease_until_ms - now <= 5000
        wrong.finish([claim.outcome(200, delay_ms=60_000)])
        assert 59_000 <= frontier.queue(claim.queue)["not_before"] - now <= 61_000
        assert 0 <= wrong.snooze(claim.queue, 90_000)[0] - now <= 91_000
        assert 59_000 <= (frontier.claim().wait_ms or 0) <= 90_000


def test_k3_k6_a_fixed_rate_does_not_drift(make: Make) -> None:
    frontier = make(retention="keep", recrawl_schedule="fixed_rate", fetch_interval_seconds=DAY, lease_ms=DAY_MS)
    frontier.schedule([A])
    first = int(frontier.stats()["now_ms"])
    for turn in range(1, 5):
        later(frontier, 180_000)  # each fetch ends three minutes after its date
        frontier.finish([frontier.claim()[0].outcome(200, delay_ms=0)])
        due = int(frontier.show(A)["result"]["next_ms"])
        if turn == 1:
            first = due
        assert due == first + (turn - 1) * DAY_MS
        frontier.set_clock(due)


def test_k4_the_running_time_stands_still_while_the_crawl_is_paused(make: Make) -> None:
    frontier = make(max_time_seconds=20)
    later(frontier, 5000)
    frontier.pause()
    later(frontier, 10**7)
    assert frontier.stats()["running_ms"] == 5000
    frontier.resume()
    later(frontier, 14_999)
    frontier.claim()
    assert frontier.stats()["state"] != "FINISH"
    later(frontier, 1)
    frontier.claim()
    assert frontier.stats()["state"] == "FINISH"


def test_k5_a_uri_of_the_far_future_does_not_block_those_of_now(make: Make) -> None:
    frontier = make(max_in_flight=2)
    frontier.schedule([f"{A}2099", f"{A}now"])
    first, second = frontier.claim(per_queue=2)
    frontier.finish([first.outcome(200, delay_ms=0, refetch_in_ms=70 * 365 * DAY_MS), second.outcome(200, delay_ms=0, refetch_in_ms=10)])
    later(frontier, 10)
    assert [c.uri for c in frontier.claim()] == [f"{A}now"]
    assert frontier.stats()["later"] == 1
