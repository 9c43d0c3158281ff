"""A real worker lives through one trouble of Redis after the other, and its crawl ends with nothing lost (F1, F2)."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis

from demo import account
from redisfrontier.errors import Unavailable
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from tests.real.test_worker_crawl import Crawl

SECONDS = 0.4


@pytest.fixture
def crawl(tmp_path: Path, passing: Embedded) -> Iterator[Crawl]:
    with ExitStack() as stack:
        yield Crawl(tmp_path, passing, stack)


@contextlib.contextmanager
def no_memory(client: redis.Redis) -> Iterator[None]:
    client.config_set("maxmemory", "1")
    yield
    client.config_set("maxmemory", "0")


@contextlib.contextmanager
def little_memory(client: redis.Redis) -> Iterator[None]:
    """Over the soft limit: links are not taken."""
    client.config_set("maxmemory", int(client.info("memory")["used_memory"] / 0.95))
    yield
    client.config_set("maxmemory", "0")


@contextlib.contextmanager
def a_replica(client: redis.Redis) -> Iterator[None]:
    client.replicaof("127.0.0.1", "1")
    yield
    client.replicaof("NO", "ONE")


@contextlib.contextmanager
def no_disk(client: redis.Redis) -> Iterator[None]:
    client.config_set("save", "3600 1")
    client.bgsave()
    end = time.monotonic() + 20
    while client.info("persistence")["rdb_last_bgsave_status"] == "ok" and time.monotonic() < end:
        time.sleep(0.02)
    yield
    client.config_set("save", "")


@contextlib.contextmanager
def no_replicas(client: redis.Redis) -> Iterator[None]:
    client.config_set("min-replicas-to-write", "1")
    yield
    client.config_set("min-replicas-to-write", "0")


@contextlib.contextmanager
def busy(client: redis.Redis) -> Iterator[None]:
    url = "unix://" + client.connection_pool.connection_kwargs["path"]

    def occupy() -> None:
        with contextlib.suppress(redis.ResponseError):
            connect(url).eval("while true do end", 0)

    endless = threading.Thread(target=occupy)
    endless.start()
    time.sleep(0.1)
    yield
    client.script_kill()
    endless.join()


@contextlib.contextmanager
def cut_lines(client: redis.Redis) -> Iterator[None]:
    for _ in range(4):
        for kind in ("normal", "pubsub"):
            client.client_kill_filter(_type=kind, skipme=True)
        client.script_flush()
        time.sleep(SECONDS / 5)
    yield


TROUBLES: list[Callable[[redis.Redis], contextlib.AbstractContextManager[None]]] = [
    no_memory,
    a_replica,
    no_disk,
    no_replicas,
    busy,
    cut_lines,
    little_memory,
]


def test_a_worker_outlives_them_all(crawl: Crawl, tmp_path: Path) -> None:
    worker = crawl.worker("w1")
    crawl.wait_for(3)
    client = connect(crawl.server.url)
    for trouble in TROUBLES:
        with trouble(client):
            time.sleep(SECONDS)
            assert worker.child.poll() is None, trouble.__name__
        time.sleep(0.1)
    assert worker.child.wait(60) == 0
    stats = crawl.frontier.stats()
    assert account.lost(stats).holds, stats
    assert stats["lost"] == 0
    asked = Counter(json.loads(line)["path"] for line in (tmp_path / "sites.jsonl").read_text().splitlines())
    assert len(asked) > 10
    assert {path: n for path, n in asked.items() if n > 1 and path != "/robots.txt"} == {}


@pytest.mark.parametrize("trouble", [no_memory, a_replica, no_disk, no_replicas, busy], ids=lambda f: f.__name__)
def test_every_operation_meets_the_family_as_one_error(crawl: Crawl, trouble) -> None:
    from redisfrontier.frontier import Frontier
    from redisfrontier.store.retry import Backoff

    with Frontier.connect(crawl.server.url, crawl="x", backoff=Backoff(give_up_seconds=0)) as frontier:
        for n in range(3):
            crawl.frontier.schedule([f"http://{n}.example/"])
        claims = crawl.frontier.claim(1, worker="w")
        queue = claims[0].queue
        operations = [
            lambda: frontier.schedule(["http://new.example/"]),
            lambda: frontier.claim(),
            lambda: frontier.claim(wait=0.1),
            lambda: frontier.extend(claims),
            lambda: frontier.snooze(queue, 1000),
            lambda: frontier.retire(queue),
            lambda: frontier.budget(queue, 5),
            lambda: frontier.set_settings({"max_retries": 5}),
            lambda: frontier.robots_put("a.example", "", 60),
            lambda: frontier.finish([claims[0].outcome(200)]),
            lambda: frontier.stats(),
        ]
        with trouble(connect(crawl.server.url)):
            refused = 0
            for operation in operations:
                try:
                    operation()
                except Unavailable:
                    refused += 1
        assert refused >= (6 if trouble is no_memory else 7)  # claims and finishes pass when memory is full
        assert frontier.stats()["state"] == ("EMPTY" if trouble is no_memory else "RUN")
