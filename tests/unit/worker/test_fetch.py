"""The HTTP fetcher against a raw local server: bounds, failures as fetch statuses, bytes kept as they came."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from redisfrontier.errors import BadArgument
from redisfrontier.worker.fetch import HttpFetcher, Limits
from redisfrontier.worker.resolve import Resolver, parse_lines


class Server:
    """Answers each path with raw bytes; counts requests and keeps their heads."""

    def __init__(self, answers: dict[str, bytes | Callable]) -> None:
        self.answers, self.heads = answers, []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                self.heads.append(head.decode("latin-1"))
                said = self.answers[self.heads[-1].split(" ")[1]]
                if callable(said):
                    await said(writer)
                else:
                    writer.write(said)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def fetching(answers: dict[str, bytes | Callable], **limits) -> AsyncIterator[tuple[HttpFetcher, str, Server]]:
    server = Server(answers)
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    fetcher = HttpFetcher("testbot/1.0 (+http://bot.example/)", Resolver(parse_lines(["site.example:127.0.0.1"])), Limits(**limits))
    try:
        yield fetcher, f"http://site.example:{port}", server
    finally:
        await fetcher.close()
        listener.close()


def reply(body: bytes = b"", status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


async def test_the_uri_is_sent_as_it_is_and_the_host_resolved_by_the_table():
    odd = "/a%2fb/%7Ex;y=1/|?q=%3D&r=a+b"
    async with fetching({odd: reply(b"hi")}) as (fetcher, base, server):
        got = await fetcher.fetch(base + odd, {"If-None-Match": '"v"'})
    assert (got.status, got.body, got.server_ip, got.request_target) == (200, b"hi", "127.0.0.1", odd)
    assert server.heads[0].startswith(f"GET {odd} HTTP/1.1\r\nHost: site.example:")
    assert "User-Agent: testbot/1.0 (+http://bot.example/)\r\n" in server.heads[0]
    assert 'If-None-Match: "v"\r\n' in server.heads[0]
    assert ("User-Agent", "testbot/1.0 (+http://bot.example/)") in got.request_headers


async def test_redirects_are_not_followed_and_cookies_not_kept():
    async with fetching({"/": reply(b"", "302 Found", "Location: /x", "Set-Cookie: a=b"), "/2": reply()}) as (fetcher, base, server):
        got = await fetcher.fetch(base + "/", {})
        await fetcher.fetch(base + "/2", {})
    assert (got.status, got.header("location"), len(server.heads)) == (302, "/x", 2)
    assert "Cookie" not in server.heads[1]


async def test_encoded_bodies_stay_encoded():
    packed = gzip.compress(b"hello")
    async with fetching({"/": reply(packed, "200 OK", "Content-Encoding: gzip")}) as (fetcher, base, _):
        assert (await fetcher.fetch(base + "/", {})).body == packed


async def test_chunks_are_joined():
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    async with fetching({"/": raw}) as (fetcher, base, _):
        assert (await fetcher.fetch(base + "/", {})).body == b"abcde"


async def test_a_long_body_is_cut_off():
    async with fetching({"/": reply(b"x" * 200_000), "/2": reply(b"y" * 10)}, body_bytes=10) as (fetcher, base, _):
        got = await fetcher.fetch(base + "/", {})
        exact = await fetcher.fetch(base + "/2", {})
    assert (got.status, got.body, got.truncated) == (200, b"x" * 10, "lenTrunc")
    assert (exact.body, exact.truncated) == (b"y" * 10, "")


async def test_a_dripping_body_is_kept_as_far_as_it_came():
    async def drip(writer):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(100):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    async with fetching({"/": drip}, total_seconds=0.3, idle_seconds=0.2) as (fetcher, base, _):
        got = await fetcher.fetch(base + "/", {})
    assert (got.status, got.truncated) == (200, "timeTrunc")
    assert 0 < len(got.body) < 100


async def silence(writer):
    await asyncio.sleep(0.5)


async def hang_up(writer):
    writer.close()


async def stop_short(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
    await writer.drain()
    writer.close()


async def stall_midway(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
    await writer.drain()
    await asyncio.sleep(0.6)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (silence, -4),
        (hang_up, -3),
        (stop_short, -3),
        (stall_midway, -3),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", -3),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", -3),
    ],
)
async def test_what_goes_wrong_with_a_server_is_a_fetch_status(said, status):
    async with fetching({"/": said}, idle_seconds=0.2, total_seconds=5) as (fetcher, base, _):
        got = await fetcher.fetch(base + "/", {})
    assert (got.status, got.body) == (status, b"")
    assert got.error


async def test_a_refused_connection_is_minus_2():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    async with fetching({}) as (fetcher, _, _):
        assert (await fetcher.fetch(f"http://site.example:{port}/", {})).status == -2


class NoNames(Resolver):
    async def resolve(self, host, port=0, family=socket.AF_INET):
        raise OSError("no such host")


async def test_an_unknown_host_is_minus_1():
    fetcher = HttpFetcher("bot/1", NoNames({}), Limits())
    try:
        assert (await fetcher.fetch("http://nowhere.invalid/", {})).status == -1
        assert await fetcher.resolves("nowhere.invalid") is False
    finally:
        await fetcher.close()


@pytest.mark.parametrize("uri", ["http://", "nonsense", "http://[::1", "http://a:b:c/"])
async def test_what_is_no_uri_is_minus_7(uri):
    async with fetching({}) as (fetcher, _, _):
        assert (await fetcher.fetch(uri, {})).status == -7


@pytest.mark.parametrize(
    ("line", "key", "address"),
    [
        ("a.example:127.0.0.1", ("a.example", 0), "127.0.0.1"),
        ("A.Example.:8080:10.0.0.1", ("a.example", 8080), "10.0.0.1"),
        ("a.example:::1", ("a.example", 0), "::1"),
        ("a.example:443:[2001:db8::1]", ("a.example", 443), "2001:db8::1"),
    ],
)
def test_resolve_lines_as_curl_has_them(line, key, address):
    assert parse_lines([line]) == {key: address}


@pytest.mark.parametrize("line", ["", "a.example", "a.example:", ":127.0.0.1", "a.example:host", "a:99999:127.0.0.1", "a:1:2:3:nope"])
def test_bad_resolve_lines_are_refused_with_a_remedy(line):
    with pytest.raises(BadArgument) as caught:
        parse_lines([line])
    assert "HOST:IP" in caught.value.remedy


async def test_a_port_of_its_own_beats_the_host():
    resolver = Resolver(parse_lines(["a.example:127.0.0.1", "a.example:8080:127.0.0.2"]))
    assert (await resolver.resolve("a.example", 8080))[0]["host"] == "127.0.0.2"
    assert (await resolver.resolve("A.EXAMPLE", 80))[0]["host"] == "127.0.0.1"
