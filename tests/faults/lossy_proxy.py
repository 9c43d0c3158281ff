"""A proxy between a client and Redis that carries a chosen request to the server and loses the answer, as a cut cable does."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from pathlib import Path
from urllib.parse import quote

from redisfrontier.store.scripts import load


class LossyProxy:
    """Listens on a unix socket at `path` and carries everything to the one at `target`; close it, or use it as a context manager."""

    def __init__(self, target: str, path: Path) -> None:
        self.url = "unix://" + quote(str(path))
        self.lost = 0
        """Answers that were lost so far."""
        self._target = target
        self._words: list[bytes] = []
        self._open = True
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_answers_of(self, script: str, times: int = 1) -> None:
        """Cut the line after each of the next `times` requests that call the script have been carried over."""
        self._words += [load(script).sha.encode()] * times

    def close(self) -> None:
        """Take no more connections."""
        self._open = False
        self._listener.close()

    def __enter__(self) -> LossyProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        while self._open:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server, contextlib.suppress(OSError):
            server.connect(self._target)
            losing, answered = False, False
            while True:
                # An answer is lost whole: the line is cut when the server has said all it had to say.
                ready, _, _ = select.select([client, server], [], [], 0.1 if answered else None)
                if not ready:
                    self.lost += 1
                    return
                for end in ready:
                    if not (data := end.recv(1 << 16)):
                        return
                    if end is client:
                        losing = self._wanted(data) or losing
                        server.sendall(data)
                    elif losing:
                        answered = True
                    else:
                        client.sendall(data)

    def _wanted(self, data: bytes) -> bool:
        if not self._words or self._words[0] not in data:
            return False
        self._words.pop(0)
        return True
