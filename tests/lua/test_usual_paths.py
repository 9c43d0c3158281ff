"""The usual paths of schedule, claim and finish need nothing of the general half: with that half broken, they work all the same."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
import redis

from redisfrontier.candidates import Preparer
from redisfrontier.frontier import Frontier
from redisfrontier.store import keys
from redisfrontier.store.ops import HEAD, Ask, Ops
from redisfrontier.store.scripts import load

TOKEN = "0123456789abcdef"
OPS = Ops("c")


@pytest.fixture
def frontier(redis_url: str):
    with Frontier.create(redis_url, "c", {"uniqueness": "exact", "min_delay_ms": 1, "max_delay_ms": 1}, scope=[{"rule": "accept"}]) as made:
        made.start()
        made.schedule(f"http://{host}.test/{i}" for host in "abc" for i in range(3))
        yield made


def broken(frontier: Frontier, ask: Ask) -> list[Any]:
    """The answer of a script whose general half fails as soon as it is made."""
    begin = re.compile(r"^local late = function\(\)\n(?=(--.*\n)*local K_N)", re.MULTILINE)
    text, times = begin.subn("local late = function()\nerror('the general half')\n", load(ask.script).text)
    assert times == 1
    answer: list[Any] = frontier.client.eval(text, len(ask.keys), *ask.keys, *ask.args)
    return answer


def test_new_and_known_uris_of_queues_that_wait(frontier: Frontier) -> None:
    preparer = Preparer(frontier.settings())
    offered = [(preparer.prepare(f"http://{host}.test/{i}"), 0) for host in "abc" for i in range(6)]
    answers = broken(frontier, OPS.schedule(0, offered))[HEAD:]  # type: ignore[arg-type]
    assert [answer[:1] for answer in answers] == [b"=", b"=", b"=", b"+", b"+", b"+"] * 3


def test_a_first_turn_an_end_and_the_next_turn(frontier: Frontier) -> None:
    for _ in range(2):
        ids = broken(frontier, OPS.claim(0, TOKEN, "w", 3, 1, 0))[HEAD + 3 :: 5]
        assert len(ids) == 3
        outcomes = [(id_, TOKEN, 200, 5, 2000, "", b"") for id_ in ids]
        assert broken(frontier, OPS.finish(0, outcomes))[HEAD:] == [b"+succeeded"] * 3
        time.sleep(0.01)
    assert frontier.stats()["succeeded"] == 6


def test_a_queue_that_woke_before_its_turn_waits_in_ready(frontier: Frontier) -> None:
    ids = broken(frontier, OPS.claim(0, TOKEN, "w", 3, 1, 0))[HEAD + 3 :: 5]
    broken(frontier, OPS.finish(0, [(id_, TOKEN, 200, 5, 2000, "", b"") for id_ in ids]))
    time.sleep(0.01)
    assert len(broken(frontier, OPS.claim(0, "1" * 16, "w", 1, 1, 0))[HEAD + 3 :: 5]) == 1
    assert frontier.stats()["queues"]["ready"] == 2
    assert len(broken(frontier, OPS.claim(0, "2" * 16, "w", 2, 1, 0))[HEAD + 3 :: 5]) == 2
    assert frontier.stats()["queues"]["ready"] == 0


def test_what_is_not_usual_goes_the_general_way(frontier: Frontier) -> None:
    with pytest.raises(redis.ResponseError, match="the general half"):
        broken(frontier, OPS.claim(0, TOKEN, "w", 1, 1, 0, "test,a,"))
    ids = broken(frontier, OPS.claim(0, TOKEN, "w", 1, 1, 0))[HEAD + 3 :: 5]
    with pytest.raises(redis.ResponseError, match="the general half"):
        broken(frontier, OPS.finish(0, [(ids[0], TOKEN, -2, 5, 0, "", b"")]))


def test_a_queue_without_its_word_is_looked_at_as_a_whole(frontier: Frontier) -> None:
    frontier.budget("test,a,", total=1)
    state = keys.queue_state("c", 0, "test,a,")
    assert frontier.client.hget(state, "usual") == b"-"
    frontier.client.hdel(state, "usual")
    for _ in range(2):
        frontier.finish([c.outcome(200, duration_ms=5) for c in frontier.claim(3)])
        time.sleep(0.01)
    frontier.claim(3)
    assert frontier.client.hmget(state, "state", "spent", "usual") == [b"retired", b"1", b"-"]
