"""Whose connection a call goes over: kept, given back, lost, forked, cancelled; never is the answer to one call read by another."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Any

import pytest
import redis

from redisfrontier.aio import AsyncFrontier
from redisfrontier.frontier import Frontier
from redisfrontier.store.retry import Backoff
from tests.real.conftest import Make

ONE_TRY = {"backoff": Backoff(give_up_seconds=0)}


def taken(frontier: Frontier, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each connection that is taken from the pool."""
    pool, found = frontier.client.connection_pool, list[int]()
    take = pool.get_connection

    def counted() -> Any:
        found.append(1)
        return take()

    monkeypatch.setattr(pool, "get_connection", counted)
    return found


def test_a_frontier_with_a_client_of_its_own_keeps_a_connection_until_it_is_closed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = make()
    for i in range(2):  # the first tells it to read the crawl anew
        frontier.schedule([f"http://before{i}.example/"])
    count = taken(frontier, monkeypatch)
    for i in range(5):
        frontier.schedule([f"http://h{i}.example/"])
    assert not count
    frontier.close()
    assert not frontier.client.connection_pool._in_use_connections
    frontier.schedule(["http://again.example/"])  # a closed one opens again
    assert len(count) == 1


def test_a_client_that_was_given_gets_its_connections_back(make: Make, redis_client: redis.Redis) -> None:
    make()
    frontier = Frontier(redis_client, "c")
    frontier.schedule(["http://a.example/"])
    with pytest.raises(redis.ResponseError):
        frontier.client.execute_command("EVAL", "return redis.error_reply('no')", 0)
    assert not redis_client.connection_pool._in_use_connections


def test_a_small_pool_is_enough(make: Make, redis_url: str) -> None:
    make()
    with Frontier.connect(f"{redis_url}?max_connections=1", crawl="c", **ONE_TRY) as frontier:
        frontier.schedule(["http://a.example/"])
        assert len(list(frontier.queues())) == len(frontier.claim()) == 1


def test_a_kept_connection_that_the_server_has_closed_is_replaced_before_it_is_used(make: Make, redis_client: redis.Redis) -> None:
    frontier = make(options=ONE_TRY)
    for i in range(3):
        redis_client.client_kill_filter(_type="normal", skipme=True)
        assert frontier.schedule([f"http://h{i}.example/"])[0].accepted


def own_answers(frontier: Frontier, size: int) -> bool:
    """Does each of many calls get an answer of its own length?  Other callers have other sizes."""
    calls = [[f"http://{size}-{i}-{j}.example/" for j in range(size)] for i in range(100)]
    return all(len(answers) == size and all(a.accepted for a in answers) for answers in map(frontier.schedule, calls))


def test_a_process_and_its_fork_do_not_read_each_others_answers(make: Make) -> None:
    frontier = make()
    frontier.schedule(["http://before.example/"])
    child = os.fork()
    if child == 0:
        os._exit(0 if own_answers(frontier, 1) else 1)
    assert own_answers(frontier, 2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert frontier.stats()["admitted"] == 301


def test_threads_do_not_read_each_others_answers(make: Make) -> None:
    frontier, right = make(), list[bool]()
    frontier.schedule(["http://before.example/"])
    threads = [threading.Thread(target=lambda n=n: right.append(own_answers(frontier, n))) for n in (1, 2, 3)]  # type: ignore[misc]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 3


async def test_the_answer_to_a_cancelled_call_is_read_by_nobody(make: Make, redis_url: str, redis_client: redis.Redis) -> None:
    make()
    async with await AsyncFrontier.connect(redis_url, crawl="c", **ONE_TRY) as frontier:
        await frontier.schedule([f"http://h{i}.example/" for i in range(50)])
        for _ in range(5):
            redis_client.client_pause(100)
            call = asyncio.create_task(frontier.claim(7))
            await asyncio.sleep(0.03)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            (answer,) = await frontier.schedule(["http://h0.example/"])
            assert answer.reason in ("pending", "leased")
        assert not frontier.client.connection_pool._in_use_connections
