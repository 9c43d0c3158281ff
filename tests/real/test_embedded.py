"""The embedded server with real processes: shared, restarted, and stopped with the last user, however that one goes."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from redis import exceptions

from redisfrontier.errors import ServerUnfit, Unavailable
from redisfrontier.store import embedded_watch as watch
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.server_program import server_version
from tests.conftest import ROOT, real_program

#: A user in a process of its own: says its server's process id and whether it started it, then holds it until a line comes in.
USER = """
import sys
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
user = Embedded.start(sys.argv[1])
client = connect(user.url)
print(client.info("server")["process_id"], int(user.started), client.incr("users"), flush=True)
sys.stdin.readline()
user.close()
print("closed", flush=True)
"""


@pytest.fixture(autouse=True)
def program() -> Path:
    return real_program()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "a job"


class User:
    """A process that uses the embedded server of a directory."""

    def __init__(self, directory: Path) -> None:
        command = [sys.executable, "-c", USER, str(directory)]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def report(self) -> tuple[int, bool, int]:
        server, started, count = self.process.stdout.readline().split()
        return int(server), bool(int(started)), int(count)

    def leave(self) -> None:
        out, _ = self.process.communicate("\n", timeout=60)
        assert out == "closed\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def watchers(directory: Path) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if os.fsencode(directory) in words and any(word.endswith(b"embedded_watch.py") for word in words):
            found.append(int(entry.parent.name))
    return found


def server_of(user: Embedded) -> int:
    client = connect(user.url)
    try:
        return int(client.info("server")["process_id"])
    finally:
        client.close()


def setting(client: redis.Redis, name: str) -> str:
    return client.config_get(name)[name]


def test_it_starts_and_ends_with_its_user_and_keeps_the_data(directory) -> None:
    with Embedded.start(directory) as user:
        assert user.started
        client = connect(user.url)
        assert setting(client, "appendonly") == "yes"
        assert setting(client, "port") == "0"
        client.set("kept", "yes")
        server = server_of(user)
        assert os.stat(user.socket_path).st_mode & 0o777 == 0o700
    assert until(lambda: not alive(server), 1)
    with pytest.raises(exceptions.ConnectionError):
        connect(user.url).ping()
    with Embedded.start(directory) as again:
        assert again.started
        assert connect(again.url).get("kept") == b"yes"
    assert until(lambda: not watchers(directory.resolve()))


def test_a_second_user_shares_it_and_the_last_one_stops_it(directory) -> None:
    first = Embedded.start(directory)
    second = Embedded.start(directory)
    server = server_of(first)
    assert (first.started, second.started) == (True, False)
    assert server_of(second) == server
    first.close()
    first.close()
    assert alive(server)
    assert connect(second.url).ping()
    second.close()
    assert not alive(server)


def test_several_processes_at_once_start_one_server(directory) -> None:
    users = [User(directory) for _ in range(6)]
    reports = [user.report() for user in users]
    assert len({server for server, _, _ in reports}) == 1
    assert sum(started for _, started, _ in reports) == 1
    assert sorted(count for _, _, count in reports) == [1, 2, 3, 4, 5, 6]
    server = reports[0][0]
    for user in users[:-1]:
        user.leave()
    assert alive(server)
    users[-1].leave()
    assert not alive(server)
    assert until(lambda: not watchers(directory.resolve()))


def test_a_killed_user_does_not_stop_it_under_others_nor_leave_it_running(directory) -> None:
    first, second = User(directory), None
    server, started, _ = first.report()
    assert started
    second = User(directory)
    assert second.report()[:2] == (server, False)
    first.kill()
    time.sleep(0.3)
    assert alive(server)
    second.kill()
    assert until(lambda: not alive(server))
    assert until(lambda: not watchers(directory.resolve()))
    with Embedded.start(directory) as user:
        assert user.started
        assert connect(user.url).get("users") == b"2"


def test_a_killed_watcher_is_replaced_and_not_needed_by_users_who_close(directory) -> None:
    first = Embedded.start(directory)
    server = server_of(first)
    (watcher,) = watchers(first.directory)
    os.kill(watcher, signal.SIGKILL)
    assert until(lambda: not watchers(first.directory))
    assert alive(server)
    second = User(directory)
    assert second.report()[0] == server
    assert len(watchers(first.directory)) == 1
    first.close()
    assert alive(server)
    second.kill()
    assert until(lambda: not alive(server))
    third = Embedded.start(directory)
    for watcher in watchers(third.directory):
        os.kill(watcher, signal.SIGKILL)
    server = server_of(third)
    third.close()
    assert not alive(server)


def test_a_starter_killed_halfway_leaves_nothing_behind(directory) -> None:
    for delay in (0.12, 0.16, 0.2, 0.25, 0.3):
        user = User(directory)
        time.sleep(delay)
        user.kill()
    process_file = directory / "redis.pid"
    assert until(lambda: not watchers(directory.resolve()))
    assert until(lambda: not process_file.exists())
    with Embedded.start(directory) as user:
        assert user.started


def test_users_come_and_go_in_every_order(directory) -> None:
    """Starts race with stops; nobody ever fails to get a server, and none is left."""
    for _ in range(4):
        users = [User(directory) for _ in range(3)]
        users[0].report()
        users[0].leave()
        users.append(User(directory))
        users[1].report()
        users[1].kill()
        for user in users[2:]:
            user.report()
            user.leave()
    assert until(lambda: not watchers(directory.resolve()))
    with pytest.raises(exceptions.ConnectionError):
        connect("unix://" + str(directory.resolve() / "redis.sock").replace(" ", "%20")).ping()


def test_a_dead_server_is_started_again_with_its_data(directory) -> None:
    with Embedded.start(directory, overrides={"appendfsync": "always"}) as user:
        connect(user.url).set("kept", "yes")
        server = server_of(user)
        os.kill(server, signal.SIGKILL)
        assert until(lambda: not alive(server))
        user.ensure_running()
        assert server_of(user) != server
        assert connect(user.url).get("kept") == b"yes"
        user.ensure_running()


def test_a_foreign_server_is_never_touched(directory, program) -> None:
    directory.mkdir()
    socket_path = str(directory.resolve() / "redis.sock")
    command = [program, "--port", "0", "--unixsocket", socket_path, "--save", "", "--dir", str(directory)]
    foreign = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd="/")
    try:
        client = redis.Redis(unix_socket_path=socket_path)
        assert until(lambda: Path(socket_path).exists() and client.ping())
        with pytest.raises(ServerUnfit, match="did not start answers") as caught:
            Embedded.start(directory)
        assert "unix://" in caught.value.remedy
        assert client.ping()
        assert until(lambda: not watchers(directory.resolve()))
        assert foreign.poll() is None
        assert client.ping()
    finally:
        foreign.terminate()
        foreign.wait()


def test_a_number_that_is_not_our_server_ends_nobody(directory, monkeypatch) -> None:
    """Process ids are used again, and mean others in other containers."""
    directory.mkdir()
    monkeypatch.setattr(watch, "STOP_SECONDS", 0.1)
    holder = watch.open_lock(str(directory), watch.SERVER_LOCK)
    assert watch.try_lock(holder, fcntl.LOCK_EX)
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        os.pwrite(holder, str(bystander.pid).encode(), 0)
        other = watch.open_lock(str(directory), watch.SERVER_LOCK)
        assert not watch.stop_server(other, str(directory))
        os.close(other)
        assert bystander.poll() is None
    finally:
        os.close(holder)
        bystander.kill()
        bystander.wait()


def test_a_server_that_does_not_start_says_why(directory) -> None:
    with pytest.raises(ServerUnfit, match="maxmemory-policy"):
        Embedded.start(directory, overrides={"maxmemory-policy": "sometimes"})
    assert until(lambda: not watchers(directory.resolve()))


def test_damaged_data_is_reported_not_waited_for(directory) -> None:
    with Embedded.start(directory) as user:
        connect(user.url).set("a", "b")
    for file in directory.rglob("*.aof*"):
        if file.is_file():
            file.write_bytes(b"*3\r\n$3\r\nSET\r\nrubbish" * 50)
    with pytest.raises(ServerUnfit, match="ended at once"):
        Embedded.start(directory)


def test_a_server_that_is_too_slow_is_unavailable(directory) -> None:
    with pytest.raises(Unavailable, match="not up after 0 s"):
        Embedded.start(directory, wait_seconds=0)
    assert until(lambda: not watchers(directory.resolve()))


@pytest.mark.parametrize("name", ["x" * 150, "크롤/" * 20 + "é 'q' \"d\" %20?#"])
def test_a_long_or_odd_path_works(tmp_path, name) -> None:
    directory = tmp_path / name
    with Embedded.start(directory) as user:
        assert connect(user.url).set("a", "b")
        assert len(os.fsencode(user.socket_path)) <= 103
        assert list(directory.glob("append*"))


def test_a_removed_directory_does_not_leave_the_server(directory) -> None:
    user = User(directory)
    server, _, _ = user.report()
    subprocess.run(["rm", "-rf", directory], check=True)
    user.kill()
    assert until(lambda: not alive(server))


def test_children_of_a_user_do_not_hold_it(directory) -> None:
    """A program started by a user inherits no lock."""
    with Embedded.start(directory) as user:
        server = server_of(user)
        child = subprocess.Popen(["sleep", "30"], close_fds=False)
    try:
        assert not alive(server)
    finally:
        child.kill()
        child.wait()


def test_an_older_program_works_and_its_data_moves_up_but_not_down(directory, program, oldest_program) -> None:
    with Embedded.start(directory, server=oldest_program) as user:
        connect(user.url).set("kept", "yes")
    with Embedded.start(directory, server=program) as user:
        assert connect(user.url).get("kept") == b"yes"
    if server_version(program) >= (7,):
        with pytest.raises(ServerUnfit, match="would start empty"):
            Embedded.start(directory, server=oldest_program)
