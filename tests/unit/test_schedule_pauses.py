"""A long schedule lets other tasks run while it prepares; seeds of either widen the scope before anything of them is scheduled."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import fakeredis
import pytest

from redisfrontier.frontier import Frontier, creation, definition_of
from redisfrontier.record.record import Candidate
from redisfrontier.steps.schedule import PREPARED_AT_ONCE
from redisfrontier.store.drive import AsyncDriver, Steps
from redisfrontier.store.ops import Ask, text
from redisfrontier.store.retry import Backoff

LINKS = [f"http://a.test/{i}" for i in range(3 * PREPARED_AT_ONCE)]


@pytest.fixture
def frontier(fake_client: fakeredis.FakeRedis) -> Frontier:
    """A crawl with the stock scope, which follows its seeds."""
    made = Frontier(fake_client, "c")
    made.session.adopt(made.run(creation(definition_of("c", {"uniqueness": "exact"}, 1, None), True, made.session)))
    made.start()
    made.run(made.session.live())
    return made


def scripts(asks: Sequence[Ask]) -> list[str]:
    return [ask.script for ask in asks]


def surts(asks: Sequence[Ask]) -> list[str]:
    return [text(arg) for ask in asks for arg in ask.args if text(arg).startswith("=http")]


def test_it_pauses_while_it_prepares(frontier: Frontier) -> None:
    steps = frontier.session.schedule([Candidate("http://a.test/", is_seed=True), *LINKS])
    pauses, asks = 0, next(steps)
    while not asks:
        pauses, asks = pauses + 1, steps.send([])
    assert pauses == 3
    assert scripts(asks) == ["crawl_put"]


def test_a_seed_is_not_scheduled_before_the_scope_is_wide_enough_whoever_is_storing_it(frontier: Frontier) -> None:
    one = frontier.session.schedule([Candidate("http://a.test/", is_seed=True), *LINKS])
    assert not next(one)
    other = frontier.session.schedule([Candidate("http://b.test/", is_seed=True)])
    storing = next(other)
    assert surts(storing) == ["=http://(test,a,)/", "=http://(test,b,)/"]  # on its way, not yet answered
    assert "=http://(test,a,)/" in before_it_schedules(frontier, one, [])
    before_it_schedules(frontier, other, frontier._driver.ask(storing))
    assert not before_it_schedules(frontier, frontier.session.schedule(["http://a.test/x"]), None)


def before_it_schedules(frontier: Frontier, steps: Any, replies: list[Any] | None) -> list[str]:
    """The SURT prefixes that it stores before the first URI is scheduled."""
    found = list[str]()
    while True:
        asks = steps.send(replies)
        if "schedule" in scripts(asks):
            return found
        found += surts(asks)
        replies = frontier._driver.ask(asks) if asks else []


async def test_other_tasks_run_in_a_pause(fake_async_client: fakeredis.FakeAsyncRedis) -> None:
    turns = 0

    def pausing() -> Steps[int]:
        for _ in range(10):
            assert (yield ()) == []
        return turns

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    assert await AsyncDriver(fake_async_client, Backoff()).run(pausing()) >= 9
    task.cancel()
