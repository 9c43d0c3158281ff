"""Real servers in real trouble: each failure is recognised, from a command and from inside a script, and waited out."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from redis import exceptions

from redisfrontier.errors import Unavailable
from redisfrontier.store.connect import connect
from redisfrontier.store.retry import Backoff, is_unavailable
from tests.conftest import private_server

Client = redis.Redis
QUICK = Backoff(first_seconds=0.01, cap_seconds=0.1, give_up_seconds=20)


@pytest.fixture(params=["this", "oldest"])
def program(request: pytest.FixtureRequest) -> Path | None:
    return request.getfixturevalue("oldest_program") if request.param == "oldest" else None


@pytest.fixture
def client(tmp_path: Path, program: Path | None) -> Iterator[Client]:
    with private_server(tmp_path, program, dbfilename="blocked", lua_time_limit="50") as server:
        (tmp_path / "blocked" / "x").mkdir(parents=True)  # in the place of the snapshot: saving one fails
        yield connect(server.url)


def write(client: Client) -> None:
    client.set("k", "v" * 100)


def write_in_script(client: Client) -> None:
    client.eval("return redis.call('SET', KEYS[1], ARGV[1])", 1, "k", "v" * 100)


def refuse_memory(client: Client) -> None:
    client.config_set("maxmemory", "1")


def refuse_as_replica(client: Client) -> None:
    client.replicaof("127.0.0.1", "1")


def refuse_for_the_disk(client: Client) -> None:
    client.config_set("save", "3600 1")
    client.bgsave()
    end = time.monotonic() + 20
    while client.info("persistence")["rdb_last_bgsave_status"] == "ok":
        assert time.monotonic() < end
        time.sleep(0.02)


def refuse_without_replicas(client: Client) -> None:
    client.config_set("min-replicas-to-write", "1")


TROUBLES = [
    (refuse_memory, lambda client: client.config_set("maxmemory", "0")),
    (refuse_as_replica, lambda client: client.replicaof("NO", "ONE")),
    (refuse_for_the_disk, lambda client: client.config_set("save", "")),
    (refuse_without_replicas, lambda client: client.config_set("min-replicas-to-write", "0")),
]


@pytest.mark.parametrize("act", [write, write_in_script])
@pytest.mark.parametrize(("trouble", "remedy"), TROUBLES, ids=lambda f: f.__name__)
def test_refused_writes_are_recognised_and_waited_out(client, act, trouble, remedy) -> None:
    trouble(client)
    with pytest.raises(exceptions.RedisError) as caught:
        act(client)
    assert is_unavailable(caught.value), str(caught.value)
    with pytest.raises(Unavailable):
        Backoff(give_up_seconds=0).call(lambda: act(client))
    waits: list[float] = []
    healer = threading.Timer(0.2, remedy, [client])
    healer.start()
    QUICK.call(lambda: act(client), lambda error, pause: waits.append(pause))
    healer.join()
    assert len(waits) >= 2
    assert client.get("k") == b"v" * 100


def test_a_busy_server_is_waited_for(client) -> None:
    other = connect("unix://" + client.connection_pool.connection_kwargs["path"])

    def occupy() -> None:
        with contextlib.suppress(exceptions.ResponseError):
            other.eval("while true do end", 0)

    endless = threading.Thread(target=occupy)
    endless.start()
    seen: list[str] = []

    def heal(error: BaseException, pause: float) -> None:
        seen.append(str(error))
        client.script_kill()

    time.sleep(0.3)
    QUICK.call(lambda: write(client), heal)
    endless.join()
    assert seen[0].startswith("BUSY")


def test_a_replica_that_lost_its_primary_is_waited_for(client) -> None:
    client.config_set("replica-serve-stale-data", "no")
    client.replicaof("127.0.0.1", "1")
    with pytest.raises(exceptions.RedisError) as caught:
        client.get("k")
    assert is_unavailable(caught.value), str(caught.value)


def test_a_cluster_without_slots_is_waited_for(tmp_path, program) -> None:
    with private_server(tmp_path, program, cluster_enabled="yes") as server, pytest.raises(exceptions.RedisError) as caught:
        connect(server.url).set("k", "v")
    assert is_unavailable(caught.value), str(caught.value)


def server_process(client: Client) -> int:
    return int(client.info("server")["process_id"])


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_dies_and_comes_back_is_waited_for(tmp_path, how) -> None:
    with private_server(tmp_path, appendonly="yes", appendfsync="always") as server:
        client = connect(server.url)
        write(client)
        os.kill(server_process(client), how)
        healer = threading.Timer(0.3, server.ensure_running)
        healer.start()
        answer: Callable[[], object] = lambda: client.get("k")  # noqa: E731  one line, one call
        while healer.is_alive():
            assert QUICK.call(answer) == b"v" * 100
        healer.join()
        assert QUICK.call(answer) == b"v" * 100


def test_a_server_that_never_was_is_given_up_in_time() -> None:
    begun = time.monotonic()
    with pytest.raises(Unavailable, match="tries"):
        Backoff(first_seconds=0.01, give_up_seconds=0.3).call(connect("unix:///nowhere/redis.sock").ping)
    assert time.monotonic() - begun < 2


async def test_the_asyncio_client_knows_the_same_family(tmp_path) -> None:
    from redisfrontier.store.connect import connect_async

    with private_server(tmp_path) as server:
        client = connect_async(server.url)
        refuse_memory(connect(server.url))
        with pytest.raises(exceptions.RedisError) as caught:
            await client.set("k", "v")
        assert is_unavailable(caught.value)
        await client.aclose()
    gone = connect_async(server.url)
    with pytest.raises(Unavailable):
        await Backoff(first_seconds=0.01, give_up_seconds=0.1).call_async(gone.ping)
