"""Which server and crawl a command works on, and in which form it answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from redisfrontier.errors import NoCrawl
from redisfrontier.frontier import Frontier
from redisfrontier.steps.crawl import crawls
from redisfrontier.store.connect import connect
from redisfrontier.store.drive import Driver
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.retry import Backoff
from redisfrontier_cli.failures import USAGE, Failed
from redisfrontier_cli.output import Output, remark

#: How long a question waits for a Redis that is away, and how long an import or a seed list does.
SHORT_SECONDS, LONG_SECONDS = 5.0, 120.0


@dataclass(slots=True)
class Where:
    """Server, crawl and form of the answer, gathered from the options of the group and of the command (which win)."""

    url: str | None = None
    directory: Path | None = None
    crawl: str | None = None
    json: bool = False

    @property
    def output(self) -> Output:
        """Where results go."""
        return Output(self.json)

    @contextmanager
    def server(self, *, make: bool = False) -> Iterator[str]:
        """The URL of the server; a private one runs meanwhile. `make`: its directory may be new."""
        if self.directory is None:
            if not self.url:
                raise Failed(
                    "no server is named", "--redis redis://localhost:6379/0 (or REDISFRONTIER_URL), or --dir DIR for a private one", USAGE
                )
            yield self.url
            return
        if not make and not self.directory.is_dir():
            raise Failed(f"there is no directory {self.directory}", "make a crawl in it: redisfrontier --dir DIR crawl create NAME", USAGE)
        with Embedded.start(self.directory) as server:
            yield server.url

    @contextmanager
    def frontier(self, *, patient: bool = False) -> Iterator[Frontier]:
        """The frontier of the crawl: the one that is named, or the only one there is. `patient`: waits long for Redis."""
        with self.server() as url, self._connected(url, patient) as frontier:
            yield frontier

    def _connected(self, url: str, patient: bool) -> Frontier:
        return Frontier.connect(url, self.crawl or only_crawl(url), backoff=backoff(patient), on_wait=_tell_wait)


def backoff(patient: bool = False) -> Backoff:
    """How long a command waits for Redis."""
    return Backoff(give_up_seconds=LONG_SECONDS if patient else SHORT_SECONDS)


def crawl_names(url: str) -> list[str]:
    """All crawls of a server."""
    client = connect(url)
    try:
        return Driver(client, backoff(), _tell_wait).run(crawls())
    finally:
        client.close()


def only_crawl(url: str) -> str:
    """The name of the only crawl of a server; fails when there are several or none."""
    names = crawl_names(url)
    if not names:
        raise NoCrawl("there is no crawl on this server", remedy="make one: redisfrontier crawl create NAME")
    if len(names) > 1:
        first = ", ".join(names[:10])
        raise Failed(f"there are {len(names)} crawls ({first}); which one?", "--crawl NAME, or set REDISFRONTIER_CRAWL", USAGE)
    return names[0]


def _tell_wait(error: BaseException, seconds: float) -> None:
    if seconds >= 1:
        remark(f"waiting for Redis ({type(error).__name__}: {error})")


def where() -> Where:
    """That of the command that runs."""
    found: Where = click.get_current_context().find_root().obj
    return found
