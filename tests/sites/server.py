"""Serves local sites by the Host header on one loopback port and writes down every request with its times."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from aiohttp import web

from tests.sites.page import Page, Site

_MISSING = Page("<p>There is no such page.</p>", 404)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the sites saw it; times are the system's monotonic clock in seconds."""

    host: str
    path: str
    """With its query, as it came over the wire."""
    status: int
    began: float
    ended: float
    """When the answer was ready; when the client went away, if that came first (status 0)."""
    agent: str


class SitesServer:
    """All sites of a run behind one port."""

    def __init__(self, sites: Mapping[str, Site], log: Path | None = None) -> None:
        self._sites = dict(sites)
        self.requests: list[Request] = []
        self._log: TextIO | None = log.open("w", buffering=1) if log else None
        self._runner: web.AppRunner | None = None

    def add(self, sites: Mapping[str, Site]) -> None:
        """Serve these hosts as well."""
        self._sites.update(sites)

    async def start(self, port: int = 0) -> int:
        """Listen on 127.0.0.1; the port (0: any free one)."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._serve)
        # A client that is killed ends its request at once, so that the log does not show it as going on.
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port, backlog=512)
        await site.start()
        name: tuple[str, int] = self._runner.addresses[0]
        return name[1]

    async def close(self) -> None:
        """Stop serving."""
        if self._runner is not None:
            await self._runner.cleanup()
        if self._log is not None:
            self._log.close()

    async def _serve(self, request: web.Request) -> web.Response:
        began, host, path = time.monotonic(), request.host.partition(":")[0].lower(), request.raw_path
        status = 0
        try:
            site = self._sites.get(host)
            page = (site(path) if site else None) or _MISSING
            if page.delay_seconds:
                await asyncio.sleep(page.delay_seconds)
            status = page.status
            return _response(page)
        finally:
            self._note(Request(host, path, status, began, time.monotonic(), request.headers.get("User-Agent", "")))

    def _note(self, seen: Request) -> None:
        self.requests.append(seen)
        if self._log is not None:
            self._log.write(json.dumps(asdict(seen)) + "\n")


def _response(page: Page) -> web.Response:
    body = page.body.encode() if isinstance(page.body, str) else page.body
    headers = {"Content-Type": page.content_type} | dict(page.headers)
    return web.Response(status=page.status, body=body, headers=headers)


def read_log(path: Path) -> list[Request]:
    """The requests a server process wrote down, in order of their beginning."""
    lines = path.read_text().splitlines()
    return sorted((Request(**json.loads(line)) for line in lines), key=lambda r: r.began)
