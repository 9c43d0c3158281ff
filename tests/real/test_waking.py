"""A worker that waits for work is woken when a claim would succeed that would not have before, and not otherwise."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.outcome import Claims
from redisfrontier.record.record import Candidate
from redisfrontier.store import keys
from tests.real.conftest import Make

A, QUEUE = "http://a.example/", "example,a,"
#: A claim that is not woken sleeps as long as this.
LONG_SECONDS = 20


class Sleeper:
    """A worker that waits in a thread of its own."""

    def __init__(self, url: str) -> None:
        self.got: Claims | None = None
        self._url = url
        self._thread = threading.Thread(target=self._wait)
        self._thread.start()
        time.sleep(0.4)  # asleep by now

    def _wait(self) -> None:
        with Frontier.connect(self._url, crawl="c", worker="sleeper") as own:
            self.got = own.claim(wait=LONG_SECONDS)

    def wakes(self, within_seconds: float = 2.0) -> list[str]:
        """What it was given."""
        self._thread.join(within_seconds)
        assert not self._thread.is_alive(), "it sleeps on"
        assert self.got is not None
        return [c.uri for c in self.got]

    def sleeps(self) -> bool:
        """Is it still asleep?"""
        return self._thread.is_alive()


def nothing(frontier: Frontier) -> None:
    """Nothing to prepare."""


def two_pending(frontier: Frontier) -> None:
    frontier.schedule([A, f"{A}2"])


def one_out(frontier: Frontier) -> None:
    two_pending(frontier)
    frontier.claim()


def snoozed(frontier: Frontier) -> None:
    two_pending(frontier)
    frontier.snooze(QUEUE, 10**7)


def retired(frontier: Frontier) -> None:
    two_pending(frontier)
    frontier.retire(QUEUE)


def over_budget(frontier: Frontier) -> None:
    two_pending(frontier)
    frontier.budget(QUEUE, 0)
    assert not frontier.claim()


def paused(frontier: Frontier) -> None:
    two_pending(frontier)
    frontier.pause()


def past_the_floor(frontier: Frontier) -> None:
    frontier.set_sheet(Sheet("low", {"base_precedence": 200}, ("http://(example,a,",)))
    frontier.set_settings({"precedence_floor": 100})
    two_pending(frontier)


def finish(frontier: Frontier) -> None:
    held = list(frontier.leases())
    assert held
    assert frontier.release_worker() == len(held)


@pytest.mark.parametrize(
    ("before", "what"),
    [
        (nothing, lambda f: f.schedule([A])),
        (nothing, lambda f: f.schedule([Candidate(A, directive=0)])),
        (one_out, finish),
        (snoozed, lambda f: f.wake(QUEUE)),
        (snoozed, lambda f: f.wake()),
        (snoozed, lambda f: f.snooze(QUEUE, 300)),
        (retired, lambda f: f.unretire(QUEUE)),
        (retired, lambda f: f.unretire()),
        (over_budget, lambda f: f.budget(QUEUE, 5)),
        (paused, lambda f: f.resume()),
        (past_the_floor, lambda f: f.budget(QUEUE, precedence=1)),
        (past_the_floor, lambda f: f.set_settings({"precedence_floor": 255})),
    ],
)
def test_a_sleeping_worker_is_woken(
    make: Make, redis_url: str, before: Callable[[Frontier], None], what: Callable[[Frontier], object]
) -> None:
    frontier = make(real_time=True, min_delay_ms=0)
    before(frontier)
    sleeper = Sleeper(redis_url)
    assert sleeper.sleeps()
    what(frontier)
    assert sleeper.wakes() != []


def test_it_is_woken_by_the_end_of_a_delay(make: Make, redis_url: str) -> None:
    frontier = make(real_time=True)
    two_pending(frontier)
    frontier.finish([frontier.claim()[0].outcome(200, delay_ms=900)])
    assert Sleeper(redis_url).wakes() == [f"{A}2"]


def test_a_delay_that_ends_sooner_wakes_it_sooner(make: Make, redis_url: str) -> None:
    frontier = make(real_time=True)
    frontier.schedule(["http://slow.example/"])
    frontier.snooze("example,slow,", 10**6)
    (claim,) = [frontier.schedule([A]), frontier.claim()][1]
    sleeper = Sleeper(redis_url)
    frontier.schedule([f"{A}2"])
    frontier.finish([claim.outcome(200, delay_ms=500)])
    assert sleeper.wakes() == [f"{A}2"]


def test_nobody_is_woken_for_what_they_cannot_have(make: Make) -> None:
    frontier = make(real_time=True)
    two_pending(frontier)
    frontier.claim()
    ears = frontier.client.pubsub()
    ears.subscribe(keys.wake("c", 0))
    assert ears.get_message(timeout=5)["type"] == "subscribe"
    frontier.schedule([f"{A}3", f"{A}4"])  # their queue is in process
    frontier.schedule([A])
    frontier.retire(QUEUE)
    frontier.schedule([f"{A}5"])
    assert ears.get_message(timeout=0.3) is None
    frontier.schedule(["http://b.example/"])
    assert ears.get_message(timeout=5)["type"] == "message"
    frontier.schedule(["http://c.example/"])  # there was work already
    assert ears.get_message(timeout=0.3) is None
    ears.close()
