"""A claim that waits for work waits through every passing trouble too, of either of its connections, and never shows a raw error."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
import redis
from redis import exceptions

from redisfrontier.aio import AsyncFrontier
from redisfrontier.errors import Unavailable
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Claims
from redisfrontier.store import keys
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.retry import Backoff
from tests.conftest import private_server
from tests.faults.conftest import QUICK, crawl, kill

A = "http://a.example/"


class Waiting(threading.Thread):
    """A claim that waits, in a thread; what it met on the way and what it brought."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.met: list[BaseException] = []
        self.frontier = Frontier.connect(url, crawl="c", backoff=QUICK, on_wait=lambda error, pause: self.met.append(error))
        self.got: Claims | None = None
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.got = self.frontier.claim(wait=60)
        except BaseException as error:
            self.error = error

    def meets(self, word: str) -> None:
        """Wait until it has met such a trouble."""
        end = time.monotonic() + 20
        while not any(word in f"{type(e).__name__} {e}" for e in self.met):
            assert self.is_alive(), (self.error, self.got, self.met)
            assert time.monotonic() < end, self.met
            time.sleep(0.01)

    def brings(self) -> list[str]:
        """What it came home with."""
        self.join(30)
        assert self.error is None
        assert self.got is not None
        self.frontier.close()
        return [c.uri for c in self.got]


def eventually(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def is_heard(client: redis.Redis) -> bool:
    return bool(client.pubsub_numsub(keys.wake("c", 0))[0][1])


@pytest.fixture
def waiting(passing: Embedded) -> Iterator[Waiting]:
    with crawl(passing.url):
        claim = Waiting(passing.url)
        client = connect(passing.url)
        eventually(lambda: is_heard(client))
        time.sleep(0.1)  # asleep by now
        yield claim


def test_the_loss_of_its_ears_is_made_good(passing: Embedded, waiting: Waiting) -> None:
    client = connect(passing.url)
    client.client_kill_filter(_type="pubsub")
    waiting.meets("ConnectionError")
    eventually(lambda: is_heard(client))
    assert waiting.is_alive()
    with crawl(passing.url) as other:
        begun = time.monotonic()
        other.schedule([A])
        assert waiting.brings() == [A]
        assert time.monotonic() - begun < 4  # it was told, and did not sleep its nap out


def test_what_came_while_it_was_deaf_is_found_at_once(passing: Embedded, waiting: Waiting) -> None:
    client = connect(passing.url)
    client.config_set("maxclients", "1")  # keeps it from coming back
    client.client_kill_filter(_type="pubsub")
    waiting.meets("ConnectionError")
    begun = time.monotonic()
    Frontier(client, "c", backoff=Backoff(give_up_seconds=0)).schedule([A])
    client.config_set("maxclients", "1000")
    assert waiting.brings() == [A]
    assert time.monotonic() - begun < 4


def test_the_loss_of_both_its_connections_is_made_good(passing: Embedded, waiting: Waiting) -> None:
    client = connect(passing.url)
    for kind in ("pubsub", "normal"):
        client.client_kill_filter(_type=kind, skipme=True)
    waiting.meets("ConnectionError")
    assert waiting.is_alive()
    with crawl(passing.url) as other:
        other.schedule([A])
    assert waiting.brings() == [A]


def read_only(client: redis.Redis) -> Callable[[], object]:
    client.replicaof("127.0.0.1", "1")
    return lambda: client.replicaof("NO", "ONE")


def no_memory(client: redis.Redis) -> Callable[[], object]:
    client.config_set("maxmemory", "1")
    return lambda: client.config_set("maxmemory", "0")


def no_disk(client: redis.Redis) -> Callable[[], object]:
    client.config_set("save", "3600 1")
    client.bgsave()
    eventually(lambda: client.info("persistence")["rdb_last_bgsave_status"] != "ok")
    return lambda: client.config_set("save", "")


def test_a_full_memory_does_not_stop_a_waiting_claim(passing: Embedded, waiting: Waiting) -> None:
    """Claims go on at the hard limit, for what they lead to makes room again."""
    with crawl(passing.url) as other:
        heal = no_memory(connect(passing.url))
        connect(passing.url).publish(keys.wake("c", 0), "0")  # it comes and asks
        time.sleep(0.3)
        assert waiting.is_alive()
        heal()
        other.schedule([A])
    assert waiting.brings() == [A]
    assert waiting.met == []


@pytest.mark.parametrize(("trouble", "word"), [(read_only, "read only"), (no_disk, "MISCONF")], ids=["READONLY", "MISCONF"])
def test_f1_refused_writes_are_waited_out(passing: Embedded, waiting: Waiting, trouble, word: str) -> None:
    client = connect(passing.url)
    heal = trouble(client)
    client.publish(keys.wake("c", 0), "0")  # it comes and asks
    waiting.meets(word)
    time.sleep(0.2)
    assert waiting.is_alive()
    heal()
    with crawl(passing.url) as other:
        other.schedule([A])
    assert waiting.brings() == [A]


def test_a_busy_server_is_waited_out(passing: Embedded) -> None:
    with crawl(passing.url) as other:
        other.schedule([A])
    endless = connect(passing.url)

    def occupy() -> None:
        with contextlib.suppress(exceptions.ResponseError):
            endless.eval("while true do end", 0)

    busy = threading.Thread(target=occupy, daemon=True)
    met: list[BaseException] = []
    frontier = Frontier.connect(passing.url, crawl="c", backoff=QUICK, on_wait=lambda error, pause: met.append(error))
    healer = threading.Timer(0.6, lambda: connect(passing.url).script_kill())
    busy.start()
    healer.start()
    time.sleep(0.2)
    assert [c.uri for c in frontier.claim(wait=30)] == [A]
    assert any("BUSY" in str(error) for error in met)
    frontier.close()


def test_f2_a_killed_server_that_takes_long_to_load_is_waited_out(tmp_path: Path) -> None:
    slow = {"key_load_delay": "50", "loading_process_events_interval_bytes": "1024"}
    with private_server(tmp_path / "redis", appendonly="yes", appendfsync="always", **slow) as server, crawl(server.url) as frontier:
        client = connect(server.url)
        for _ in range(75):  # while it loads, it looks up after each thousand of commands, for one answer each time
            with client.pipeline(transaction=False) as pipe:
                for number in range(200):
                    pipe.set("other", number)
                pipe.execute()
        claim = Waiting(server.url)
        eventually(lambda: is_heard(client))
        kill(server)
        healer = threading.Thread(target=server.ensure_running)
        healer.start()
        claim.meets("BusyLoading")
        healer.join()
        frontier.schedule([A])
        assert claim.brings() == [A]


def test_a_server_that_stays_away_ends_the_claim_with_a_clear_error(passing: Embedded) -> None:
    crawl(passing.url).close()
    brief = Backoff(first_seconds=0.01, cap_seconds=0.05, give_up_seconds=0.3)
    frontier = Frontier.connect(passing.url, crawl="c", backoff=brief)
    killer = threading.Timer(0.3, kill, [passing])
    killer.start()
    with pytest.raises(Unavailable, match="tries") as caught:
        frontier.claim(wait=60)
    killer.join()
    assert "Redis log" in caught.value.remedy
    frontier.close()


async def test_the_asyncio_claim_waits_as_well(passing: Embedded) -> None:
    crawl(passing.url).close()
    met: list[BaseException] = []
    client = connect(passing.url)
    until = partial(asyncio.to_thread, eventually)
    async with await AsyncFrontier.connect(
        passing.url, crawl="c", backoff=QUICK, on_wait=lambda error, pause: met.append(error)
    ) as frontier:
        for number in range(2):
            waiting = asyncio.create_task(frontier.claim(wait=60))
            await until(lambda: is_heard(client))
            client.client_kill_filter(_type="pubsub")
            await until(lambda: met and is_heard(client))
            heal = read_only(client)
            client.publish(keys.wake("c", 0), "0")
            await until(lambda: any("read only" in str(e) for e in met))
            assert not waiting.done()
            heal()
            (answer,) = await frontier.schedule([f"{A}{number}"])
            assert [c.uri for c in await asyncio.wait_for(waiting, 30)] == [answer.uri]
            assert await frontier.release_worker() == 1
            await frontier.delete(lambda queue: True)
            met.clear()


async def test_an_asyncio_claim_that_is_cut_off_leaves_its_ears_fit(passing: Embedded) -> None:
    crawl(passing.url).close()
    async with await AsyncFrontier.connect(passing.url, crawl="c", backoff=QUICK) as frontier:
        for _ in range(5):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(frontier.claim(wait=60), 0.05)
        waiting = asyncio.create_task(frontier.claim(wait=60))
        await asyncio.sleep(0.1)
        await frontier.schedule([A])
        assert [c.uri for c in await asyncio.wait_for(waiting, 30)] == [A]
