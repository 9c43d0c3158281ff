"""Clients from URLs and clients handed in."""

from __future__ import annotations

import fakeredis
import pytest
import redis
import redis.asyncio

from redisfrontier.errors import BadArgument
from redisfrontier.store.connect import adopt, connect, connect_async, redacted


@pytest.mark.parametrize("make", [connect, connect_async])
@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("redis://", {}),
        ("redis://u:se%40cret@[::1]:6380/3", {"host": "::1", "port": 6380, "db": 3, "username": "u", "password": "se@cret"}),
        ("rediss://h?ssl_cert_reqs=none", {"host": "h", "ssl_cert_reqs": "none"}),
        ("unix:///tmp/a%20b.sock?db=2", {"path": "/tmp/a b.sock", "db": 2}),
        ("redis://h/1?protocol=3&decode_responses=True", {"protocol": 2, "decode_responses": False, "db": 1}),
        ("redis://h?socket_timeout=3", {"socket_timeout": 3.0, "socket_connect_timeout": 5.0}),
    ],
)
def test_urls_become_clients_with_everything_pinned(make, url, wanted) -> None:
    options = make(url).connection_pool.connection_kwargs
    assert {name: options[name] for name in wanted} == wanted
    assert (options["protocol"], options["decode_responses"]) == (2, False)
    assert options["socket_timeout"] > 0
    assert options["socket_connect_timeout"] > 0
    assert options["retry"]._retries == 0


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://h", "scheme"),
        ("h:6379", "scheme"),
        ("", "scheme"),
        (None, "not a Redis URL"),
        ("redis://h:70000/", "ort out of range"),
        ("redis://h:x/", "not a Redis URL"),
        ("redis://h/crawl", "database is a number"),
        ("redis://h?db=x", "db"),
        ("redis://h?retry_on_timeout=1", "retry_on_timeout"),
        ("redis://h?colour=red", "colour"),
        ("unix://", "no path"),
    ],
)
@pytest.mark.parametrize("make", [connect, connect_async])
def test_bad_urls_are_refused_with_a_remedy(make, url, why) -> None:
    with pytest.raises(BadArgument, match=why) as caught:
        make(url)
    assert "redis://" in caught.value.remedy


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://user:secret@h:1/2", "redis://user:***@h:1/2"),
        ("redis://:se:cr@h", "redis://:***@h"),
        ("redis://h/0?password=secret&db=1", "redis://h/0?password=***&db=1"),
        ("redis://h:6379/0", "redis://h:6379/0"),
        ("unix:///tmp/x.sock", "unix:///tmp/x.sock"),
    ],
)
def test_no_password_is_shown(url, shown) -> None:
    assert redacted(url) == shown


def test_no_password_in_a_refusal() -> None:
    with pytest.raises(BadArgument) as caught:
        connect("redis://:secret@h/crawl")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("kind", [redis.Redis, redis.asyncio.Redis, fakeredis.FakeRedis, fakeredis.FakeAsyncRedis])
def test_a_client_that_decodes_is_refused_at_once(kind) -> None:
    with pytest.raises(BadArgument, match="decode_responses") as caught:
        adopt(kind(decode_responses=True))
    assert "decode_responses=False" in caught.value.remedy
    client = kind()
    assert adopt(client) is client
