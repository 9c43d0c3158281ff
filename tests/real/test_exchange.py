"""Finishing and claiming in one round trip, over one partition and over several."""

from __future__ import annotations

import asyncio

import pytest

from redisfrontier.aio import AsyncFrontier
from redisfrontier.errors import NoCrawl
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Claims, Finished

QUICK = {"uniqueness": "exact", "min_delay_ms": 0, "unset_delay_ms": 0, "delay_factor": 0.0}
HOSTS = 12


def crawl(url: str, partitions: int) -> Frontier:
    frontier = Frontier.create(url, "c", QUICK, partitions=partitions, scope=[{"rule": "accept"}])
    frontier.start()
    frontier.schedule(f"http://h{i}.test/{j}" for i in range(HOSTS) for j in range(3))
    return frontier


def calls(frontier: Frontier, script: str) -> int:
    """How often the server has run the plain command that every op begins with, since its statistics were reset."""
    stats = frontier.client.info("commandstats")
    return int(stats.get(f"cmdstat_{script}", {"calls": 0})["calls"])


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_worker_of_one_uri_at_a_time_comes_to_the_end(redis_url: str, partitions: int) -> None:
    with crawl(redis_url, partitions) as frontier:
        seen = []
        got = frontier.claim()
        while got:
            seen += [c.uri for c in got]
            settled, got = frontier.exchange([c.outcome(200) for c in got])
            assert [s.verdict for s in settled] == ["succeeded"]
        assert len(seen) == len(set(seen)) == 3 * HOSTS
        assert frontier.stats()["succeeded"] == 3 * HOSTS


def test_in_one_partition_it_is_one_script(redis_url: str) -> None:
    with crawl(redis_url, 1) as frontier:
        got = frontier.claim(4)
        frontier.exchange([c.outcome(200) for c in got], 4)
        frontier.client.config_resetstat()
        frontier.exchange([], 4)
        assert calls(frontier, "evalsha") == 1  # (nothing to finish: a claim)
        _, got = frontier.exchange([], 4)
        frontier.client.config_resetstat()
        _, got = frontier.exchange([c.outcome(200) for c in got], 4)
        assert (calls(frontier, "evalsha"), len(got)) == (1, 4)


def test_many_outcomes_and_claims_of_many_partitions(redis_url: str) -> None:
    with crawl(redis_url, 3) as frontier:
        frontier.finish([c.outcome(200) for c in frontier.claim(HOSTS)])  # (the server knows both scripts)
        first = frontier.claim(HOSTS)
        settled, second = frontier.exchange([c.outcome(404) for c in first], HOSTS)
        assert {s.answer for s in settled} == {Finished.OK}
        assert [s.id for s in settled] == [c.id for c in first]
        assert len({c.queue for c in second}) == HOSTS
        again, _ = frontier.exchange([c.outcome(404) for c in first], 1)
        assert {s.answer for s in again} == {Finished.GONE}


def test_a_crawl_that_is_gone_is_said_to_be(redis_url: str) -> None:
    with crawl(redis_url, 1) as frontier:
        got = frontier.claim()
        frontier.delete_crawl()
        with pytest.raises(NoCrawl):
            frontier.exchange([c.outcome(200) for c in got])


def test_the_async_one_does_the_same(redis_url: str) -> None:
    crawl(redis_url, 1).close()

    async def run() -> tuple[list[str], Claims]:
        async with await AsyncFrontier.connect(redis_url, "c") as frontier:
            got = await frontier.claim(2)
            settled, got = await frontier.exchange([c.outcome(200) for c in got], 3)
            return [s.verdict for s in settled], got

    verdicts, got = asyncio.run(run())
    assert (verdicts, len(got)) == (["succeeded"] * 2, 3)
