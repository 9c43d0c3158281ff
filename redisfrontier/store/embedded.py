"""A private Redis server in a job's directory: started by the first user, shared by all, stopped with the last.

Four files in the directory, locked by flock, decide everything; the kernel lets go of the locks of a process that dies, however.
users.lock   each user shares it; who can take it exclusively is alone and may stop the server
server.lock  held by the server itself (it inherits the descriptor): held = a server of ours runs; holds its process id
watch.lock   held by the watcher (embedded_watch.py), which waits for users.lock, so that users who were killed are noticed too
A starter takes server.lock before it starts anything, so of several at once one starts and the others wait for its socket.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

import redis
from redis import exceptions

from redisfrontier.errors import ServerUnfit, Unavailable
from redisfrontier.store import embedded_watch as watch
from redisfrontier.store.connect import connect
from redisfrontier.store.server_program import check_downgrade, find_server, socket_path_for, write_configuration


class Embedded:
    """One user's share of the private server of a directory; made by `Embedded.start`, given back by `close` or with the process."""

    __slots__ = ("_launched", "_overrides", "_server", "_users", "_wait_seconds", "directory", "socket_path", "started")

    def __init__(self, directory: Path, server: Path | None, overrides: Mapping[str, str], wait_seconds: float) -> None:
        self.directory = directory
        self.socket_path = socket_path_for(directory)
        #: Did this user start the server (rather than find it up)?
        self.started = False
        self._server = server
        self._overrides = dict(overrides)
        self._wait_seconds = wait_seconds
        self._users = -1
        self._launched = False

    @classmethod
    def start(
        cls,
        directory: str | os.PathLike[str],
        *,
        server: str | os.PathLike[str] | None = None,
        overrides: Mapping[str, str] | None = None,
        wait_seconds: float = 300.0,
    ) -> Embedded:
        """Make `directory` if need be, and have its server up and loaded, starting it unless it is.

        server: the program (default: see `find_server`); overrides: Redis settings on top of deploy/redis.conf, used only if this call
        starts it. Raises NoServerProgram, ServerUnfit (a foreign server on the socket; it would not start), Unavailable (not up in time).
        """
        Path(directory).mkdir(mode=0o700, parents=True, exist_ok=True)
        user = cls(Path(directory).resolve(), Path(server) if server else None, overrides or {}, wait_seconds)
        user._join()
        try:
            user.ensure_running()
        except BaseException:
            user.close()
            raise
        return user

    @property
    def url(self) -> str:
        """The unix:// URL of the server."""
        return "unix://" + quote(self.socket_path)

    def ensure_running(self) -> None:
        """Have the server up and loaded; starts it again if it has died. Errors as `start`."""
        self._have_watcher()
        end = time.monotonic() + self._wait_seconds
        self._launched = False
        pause = 0.005
        while not self._is_up():
            if time.monotonic() > end:
                raise Unavailable(f"the embedded server in {self.directory} is not up after {self._wait_seconds:g} s: {self._log_tail()}")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.2)

    def close(self) -> None:
        """Give this share back; the last user stops the server and waits until it has written out everything. Repeatable."""
        if self._users < 0:
            return
        os.close(self._users)
        self._users = -1
        try:
            users = watch.open_lock(str(self.directory), watch.USERS_LOCK)
        except FileNotFoundError:  # the directory was removed; the watcher still knows the server
            return
        try:
            if watch.try_lock(users, fcntl.LOCK_EX):
                self._stop_server()
            else:  # others use it; or the watcher is stopping it, then wait for that
                watch.try_lock(users, fcntl.LOCK_SH, watch.STOP_SECONDS)
        finally:
            os.close(users)

    def __enter__(self) -> Embedded:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _join(self) -> None:
        self._users = watch.open_lock(str(self.directory), watch.USERS_LOCK)
        # Refused only while the last user's server is being stopped.
        if not watch.try_lock(self._users, fcntl.LOCK_SH, watch.STOP_SECONDS + 5):
            os.close(self._users)
            self._users = -1
            raise Unavailable(f"the embedded server in {self.directory} is being stopped and does not end")

    def _have_watcher(self) -> None:
        lock = watch.open_lock(str(self.directory), watch.WATCH_LOCK)
        try:
            missing = watch.try_lock(lock, fcntl.LOCK_SH)
        finally:
            os.close(lock)
        if missing and sys.executable:
            command = [sys.executable, "-I", "-S", watch.__file__, str(self.directory)]
            # Returns as soon as the watcher is in the background. Without one, users that are not killed still stop the server.
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def _is_up(self) -> bool:
        """One look at the server; starts it if none of ours runs, unless this very call has."""
        lock = watch.open_lock(str(self.directory), watch.SERVER_LOCK)
        try:
            if not watch.try_lock(lock, fcntl.LOCK_EX):
                return self._is_ready(lock)
            if self._launched:  # it has ended again: waiting will not help
                raise ServerUnfit(f"the embedded server in {self.directory} has ended at once: {self._log_tail()}")
            self._start_server(lock)
            return False
        finally:
            os.close(lock)

    def _start_server(self, lock: int) -> None:
        """Start a server that inherits `lock`, which is held exclusively and thereby stays held while the server lives."""
        if _process_at(self.socket_path) is not None:
            raise self._foreign()
        program = self._server or find_server()
        check_downgrade(self.directory, program)
        configuration = write_configuration(self.directory, self.socket_path, self._overrides)
        os.ftruncate(lock, 0)
        (self.directory / watch.PROCESS_FILE).unlink(missing_ok=True)
        command = [program, configuration]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, pass_fds=(lock,), check=False)
        if done.returncode:
            raise ServerUnfit(f"{program} does not start: {(done.stdout + done.stderr).strip()[-500:] or self._log_tail()}")
        self.started = self._launched = True

    def _is_ready(self, lock: int) -> bool:
        process = _process_at(self.socket_path)
        if not process:
            return False
        if not watch.recorded_process(lock):
            os.pwrite(lock, str(process).encode(), 0)
        if watch.recorded_process(lock) != process:
            raise self._foreign()
        return True

    def _foreign(self) -> ServerUnfit:
        return ServerUnfit(
            f"a Redis server that redisfrontier did not start answers on {self.socket_path}",
            remedy=f"use it by its URL, {self.url}, or choose another directory",
        )

    def _stop_server(self) -> None:
        lock = watch.open_lock(str(self.directory), watch.SERVER_LOCK)
        try:
            if not watch.stop_server(lock, str(self.directory)):
                raise Unavailable(f"the embedded server in {self.directory} does not end: {self._log_tail()}")
        finally:
            os.close(lock)

    def _log_tail(self) -> str:
        try:
            return (self.directory / "redis.log").read_text(errors="replace")[-500:].strip()
        except OSError:
            return "no log"


def _process_at(socket_path: str) -> int | None:
    """The process id of the server on a socket; 0 while it loads or does not say, None if nobody answers."""
    client: redis.Redis = connect("unix://" + quote(socket_path), socket_timeout=5)
    try:
        info = client.info()
        return 0 if int(info.get("loading", 0)) else int(info["process_id"])
    except exceptions.AuthenticationError:
        return 0
    except exceptions.ConnectionError:
        return None
    except exceptions.RedisError:
        return 0
    finally:
        client.close()
