"""A server that has lost its script cache, as after SCRIPT FLUSH, a restart or a failover, is given the scripts again (F8)."""

from __future__ import annotations

import threading

import pytest

from redisfrontier.aio import AsyncFrontier
from redisfrontier.record.outcome import Finished
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from tests.faults.conftest import QUICK, balanced, crawl


def test_f8_every_operation_works_after_a_flush(passing: Embedded) -> None:
    with crawl(passing.url, min_delay_ms=0) as frontier:
        flush = connect(passing.url).script_flush
        frontier.schedule(f"http://h{i}.example/" for i in range(5))
        flush()
        claims = frontier.claim(4)
        flush()
        assert frontier.extend(claims[:1]) == [Finished.OK]
        flush()
        assert frontier.release(claims[:1]) == [Finished.OK]
        flush()
        assert frontier.finish([claims[1].outcome(200)])[0].answer is Finished.OK
        for call in (
            frontier.wake,
            lambda: frontier.snooze("example,h4,", 1000),
            lambda: frontier.retire("example,h4,"),
            lambda: frontier.unretire("example,h4,"),
            lambda: frontier.budget("example,h4,", 9),
            lambda: frontier.set_settings({"max_retries": 4}),
            frontier.stats,
            lambda: frontier.show("http://h4.example/"),
            lambda: frontier.include(["http://old.example/"]),
            lambda: frontier.forget(["http://old.example/"]),
            lambda: frontier.delete(lambda queue: queue == "example,h4,"),
            frontier.pause,
            frontier.start,
        ):
            flush()
            call()
        assert balanced(frontier)


@pytest.mark.parametrize("partitions", [1, 5])
def test_f8_a_flush_in_the_middle_of_a_pipeline_loses_and_doubles_nothing(passing: Embedded, partitions: int) -> None:
    crawl(passing.url).close()
    stop = threading.Event()
    flusher = connect(passing.url)

    def flush() -> None:
        while not stop.wait(0.002):
            flusher.script_flush()

    from redisfrontier.frontier import Frontier

    settings = {"uniqueness": "exact", "min_delay_ms": 0}
    with Frontier.create(passing.url, "p", settings, partitions=partitions, scope=[{"rule": "accept"}], backoff=QUICK) as frontier:
        frontier.start()
        thread = threading.Thread(target=flush)
        thread.start()
        try:
            answers = frontier.schedule(f"http://h{i % 300}.example/{i}" for i in range(6000))
            done = []
            while claims := frontier.claim(200, per_queue=1) or frontier.claim(200, wait=1):
                done += [c.uri for c in claims]
                assert {s.answer for s in frontier.finish(c.outcome(200, delay_ms=0) for c in claims)} == {Finished.OK}
        finally:
            stop.set()
            thread.join()
        assert [str(a.outcome) for a in answers] == ["added"] * 6000
        assert len(done) == len(set(done)) == 6000
        assert frontier.stats()["state"] == "EMPTY"


async def test_f8_the_asyncio_facade_loads_scripts_again_too(passing: Embedded) -> None:
    crawl(passing.url).close()
    client = connect(passing.url)
    async with await AsyncFrontier.connect(passing.url, crawl="c", backoff=QUICK) as frontier:
        client.script_flush()
        await frontier.schedule(f"http://h{i}.example/" for i in range(1200))
        client.script_flush()
        claims = await frontier.claim(3)
        client.script_flush()
        assert [s.answer for s in await frontier.finish(c.outcome(200) for c in claims)] == [Finished.OK] * 3
