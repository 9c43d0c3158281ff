"""One bounded HTTP GET, without following redirects; every failure becomes a Heritrix fetch status."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import aiohttp
from yarl import URL

from redisfrontier.worker.exchange import (
    CONNECT_FAILED,
    CONNECT_LOST,
    DNS_FAILED,
    LENGTH_TRUNCATED,
    TIME_TRUNCATED,
    TIMED_OUT,
    UNFETCHABLE,
    Exchange,
)
from redisfrontier.worker.resolve import Resolver


class Fetcher(Protocol):
    """Whatever can fetch; tests bring their own."""

    async def fetch(self, uri: str, headers: Mapping[str, str]) -> Exchange:
        """The exchange; never raises for what a server or a network does."""
        ...

    async def resolves(self, host: str) -> bool:
        """Has the host name an address?"""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one fetch."""

    total_seconds: float = 1200.0
    idle_seconds: float = 20.0
    body_bytes: int = 20_000_000
    header_bytes: int = 65_536


class HttpFetcher:
    """Fetches with aiohttp: URIs are sent as they are, bodies are kept as they come, certificates are not judged.

    `sender` is the operator's mail address for the From header.
    An archive keeps what a site shows; as at Heritrix' default trust level, a bad certificate does not stop it.
    """

    def __init__(
        self,
        user_agent: str,
        resolver: Resolver,
        limits: Limits,
        *,
        connections: int = 100,
        sender: str = "",
        wall: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits, self._resolver, self._wall, self._ticks = limits, resolver, wall, ticks
        standing = {"User-Agent": user_agent, "From": sender, "Accept": "*/*", "Accept-Encoding": "gzip, deflate"}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections, resolver=resolver, ssl=False, use_dns_cache=True),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.idle_seconds, sock_read=limits.idle_seconds),
            headers={name: value for name, value in standing.items() if value},
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            max_line_size=limits.header_bytes,
            max_field_size=limits.header_bytes,
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._session.close()

    async def resolves(self, host: str) -> bool:
        """Has the host name an address?"""
        try:
            return bool(await self._resolver.resolve(host))
        except OSError:
            return False

    async def fetch(self, uri: str, headers: Mapping[str, str]) -> Exchange:
        """GET `uri`; negative status and `error` when no usable answer came (Heritrix §5.1)."""
        began_ms, start = int(self._wall() * 1000), self._ticks()
        answer = _Answer()
        try:
            async with asyncio.timeout(self._limits.total_seconds):
                await self._get(uri, headers, answer)
        except Exception as e:  # whatever the network brings must end as a fetch status
            if isinstance(e, TimeoutError) and not isinstance(e, aiohttp.ServerTimeoutError) and answer.status:
                answer.truncated = TIME_TRUNCATED  # the whole fetch took too long: keep what has come
            else:
                status = fetch_status_of(e, answered=answer.status > 0)
                return Exchange(uri, status, began_ms, self._since(start), error=_name(e))
        return answer.exchange(uri, began_ms, self._since(start))

    def _since(self, start: float) -> int:
        return max(0, round((self._ticks() - start) * 1000))

    async def _get(self, uri: str, headers: Mapping[str, str], answer: _Answer) -> None:
        url = URL(uri, encoded=True)
        async with self._session.get(url, headers=headers, allow_redirects=False) as response:
            answer.head(response, self._resolver)
            if response.status == 304:
                return
            room = self._limits.body_bytes
            async for chunk in response.content.iter_any():
                answer.body += chunk[:room]
                room -= len(chunk)
                if room < 0:
                    answer.truncated = LENGTH_TRUNCATED
                    response.close()  # the rest is not wanted, so the connection cannot be used again
                    return


class _Answer:
    """What has come so far, so that a time-out can keep it."""

    def __init__(self) -> None:
        self.status = 0
        self.body = bytearray()
        self.truncated = ""
        self._fields: dict[str, object] = {}

    def head(self, response: aiohttp.ClientResponse, resolver: Resolver) -> None:
        version = response.version
        self._fields = {
            "reason": response.reason or "",
            "http_version": f"{version.major}.{version.minor}" if version else "1.1",
            "headers": tuple((_latin(k), _latin(v)) for k, v in response.raw_headers),
            "request_headers": tuple(response.request_info.headers.items()),
            "request_target": response.request_info.url.raw_path_qs or "/",
            "server_ip": _peer(response) or resolver.only.get((response.url.raw_host or "").lower().rstrip(".")),
        }
        self.status = response.status

    def exchange(self, uri: str, began_ms: int, duration_ms: int) -> Exchange:
        fields: dict[str, object] = {**self._fields, "body": bytes(self.body), "truncated": self.truncated}
        return Exchange(uri, self.status, began_ms, duration_ms, **fields)  # type: ignore[arg-type]


def fetch_status_of(error: Exception, *, answered: bool) -> int:
    """The fetch status of a failed exchange; `answered`: the head of an answer had come."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return DNS_FAILED
    if isinstance(error, aiohttp.InvalidURL | aiohttp.NonHttpUrlClientError):
        return UNFETCHABLE
    if isinstance(error, aiohttp.ConnectionTimeoutError | aiohttp.ClientConnectorError):
        return CONNECT_FAILED
    if isinstance(error, TimeoutError):
        return CONNECT_LOST if answered else TIMED_OUT
    if isinstance(error, aiohttp.ClientError | OSError):
        return CONNECT_LOST
    if isinstance(error, ValueError):
        return UNFETCHABLE
    raise error


def _name(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def _latin(raw: bytes) -> str:
    return raw.decode("latin-1")


def _peer(response: aiohttp.ClientResponse) -> str | None:
    connection = response.connection
    name = connection.transport.get_extra_info("peername") if connection and connection.transport else None
    return str(name[0]) if name else None
