"""Stops an embedded Redis server when its last user is gone: a small process beside it, with nothing but the standard library.

Run as `python -I -S embedded_watch.py DIRECTORY`. It goes to the background once it holds watch.lock, then sleeps, without polling,
until nobody shares users.lock. The kernel drops a killed user's share, so `kill -9` counts too. How the lock files work together
stands in embedded.py.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import sys
import time

USERS_LOCK = "users.lock"
WATCH_LOCK = "watch.lock"
SERVER_LOCK = "server.lock"
PROCESS_FILE = "redis.pid"
#: Seconds given to a server to write out what it has and end.
STOP_SECONDS = 60.0
#: It may refuse the first time (while it writes its first append-only file).
ASK_AGAIN_SECONDS = 2.0


def open_lock(directory: str, name: str) -> int:
    """A descriptor of a lock file (made if missing); the caller closes it, and with it what it has locked."""
    return os.open(os.path.join(directory, name), os.O_RDWR | os.O_CREAT, 0o600)


def try_lock(descriptor: int, how: int, wait_seconds: float = 0.0) -> bool:
    """Take the lock (LOCK_SH or LOCK_EX) within the time; False if others hold it."""
    end = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.005)


def stop_server(server: int, directory: str) -> bool:
    """End the server that holds the lock file behind descriptor `server`; True once it is gone (or if there was none).

    SIGTERM makes Redis flush its append-only file and end.
    """
    end = time.monotonic() + STOP_SECONDS
    while not try_lock(server, fcntl.LOCK_SH):
        asked = _terminate(server, directory)
        if try_lock(server, fcntl.LOCK_SH, ASK_AGAIN_SECONDS if asked else 0.02):
            break
        if time.monotonic() >= end:
            return False
    fcntl.flock(server, fcntl.LOCK_UN)
    return True


def _terminate(server: int, directory: str) -> bool:
    """Was the server asked to end? Not yet possible in the moment after its start in which its process id is unknown."""
    process = recorded_process(server) or _process_in_file(directory)
    if not process or not _has_open(process, server):
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGTERM)
    return True


def recorded_process(server: int) -> int:
    """The process id written into the server's lock file; 0 if none is (yet)."""
    text = os.pread(server, 32, 0)
    return int(text) if text.isdigit() else 0


def _process_in_file(directory: str) -> int:
    """The process id Redis itself wrote while it started: for a starter that was killed before it could note it."""
    try:
        with open(os.path.join(directory, PROCESS_FILE), "rb") as file:
            text = file.read(32).strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0


def _has_open(process: int, descriptor: int) -> bool:
    """Has that process our lock file open? So that no number, however old, ends somebody else's process (no /proc: trust it)."""
    if not os.path.isdir("/proc/self/fd"):
        return True
    wanted = os.fstat(descriptor)
    folder = f"/proc/{process}/fd"
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    for name in names:
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(os.path.join(folder, name)), wanted):
                return True
    return False


def watch(directory: str) -> None:
    """Wait until the last user is gone and stop the server; returns at once if another watcher is there."""
    users, watcher, server = (open_lock(directory, name) for name in (USERS_LOCK, WATCH_LOCK, SERVER_LOCK))
    if not try_lock(watcher, fcntl.LOCK_EX, wait_seconds=1.0):
        return
    if os.fork():
        os._exit(0)
    os.setsid()
    os.chdir("/")
    fcntl.flock(users, fcntl.LOCK_EX)
    stop_server(server, directory)
    # First the watcher's place, then the users' lock: who gets in now must see that it needs a new watcher.
    os.close(watcher)
    os.close(users)


if __name__ == "__main__":
    watch(sys.argv[1])
