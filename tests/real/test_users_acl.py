"""The users of deploy/users.acl can do their work and nothing else."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import redis
from redis import exceptions

from redisfrontier.store.connect import connect, look
from tests.conftest import ROOT, real_program

Login = Callable[[str], redis.Redis]


@pytest.fixture(scope="module")
def login(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Login]:
    program = real_program()
    folder: Path = tmp_path_factory.mktemp("acl")
    socket_path = str(folder / "s.sock")
    command = [program, "--port", "0", "--unixsocket", socket_path, "--aclfile", str(ROOT / "deploy/users.acl"), "--save", ""]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)

    def login(user: str) -> redis.Redis:
        return connect(f"unix://{quote(socket_path)}", username=user, password=f"change-me-{user}")

    end = time.monotonic() + 20
    while not Path(socket_path).exists():
        assert time.monotonic() < end
        assert server.poll() is None
        time.sleep(0.02)
    yield login
    server.terminate()
    server.wait()


def refused(call: Callable[[], object]) -> bool:
    with pytest.raises(exceptions.ResponseError, match=r"(?i)no permissions|can't access"):
        call()
    return True


def test_a_worker_runs_scripts_on_the_frontier_only(login) -> None:
    worker = login("worker")
    script = "redis.call('ZADD', KEYS[1], 1, 'x') redis.call('PUBLISH', 'rf:{a:0}:wake', '1') return redis.call('TIME')[1]"
    assert int(worker.register_script(script)(keys=["rf:{a:0}:due"])) > 0
    with worker.pipeline(transaction=True) as pipe:
        pipe.hset("rf:{a:0}:conf", "a", "1").hgetall("rf:{a:0}:conf")
        assert pipe.execute()[1] == {b"a": b"1"}
    assert refused(lambda: worker.register_script(script)(keys=["other"]))
    assert refused(lambda: worker.set("other", "1"))
    assert refused(lambda: worker.publish("other", "1"))


def test_a_worker_notices_an_unfit_server(login) -> None:
    info, config = look(login("worker"))
    assert info["redis_version"]
    assert config == {"maxmemory-policy": "noeviction"}


HARMFUL = ["FLUSHALL", "KEYS *", "CONFIG SET maxmemory 1", "SHUTDOWN NOSAVE", "SCRIPT FLUSH", "ACL WHOAMI", "REPLICAOF h 1"]


@pytest.mark.parametrize("command", HARMFUL)
def test_a_worker_cannot_harm_the_server(login, command) -> None:
    words = command.split()
    assert refused(lambda: login("worker").execute_command(*words))


def test_a_viewer_reads_and_changes_nothing(login) -> None:
    login("worker").zadd("rf:{a:0}:queues", {"q": 1})
    viewer = login("viewer")
    assert viewer.zrange("rf:{a:0}:queues", 0, -1) == [b"q"]
    assert refused(lambda: viewer.zadd("rf:{a:0}:queues", {"q": 2}))
    assert refused(lambda: viewer.eval("return redis.call('DEL', KEYS[1])", 1, "rf:{a:0}:queues"))
    assert refused(lambda: viewer.get("other"))


def test_nobody_comes_in_without_a_password(login) -> None:
    path = login("viewer").connection_pool.connection_kwargs["path"]
    with pytest.raises(exceptions.AuthenticationError):
        connect(f"unix://{quote(path)}").ping()
