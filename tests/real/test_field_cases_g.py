"""Field cases G: servers, clients and key types that do not fit (G4 is with C7; foreign types, G6: tests/lua)."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis
import redis.asyncio
from click.testing import CliRunner

from redisfrontier.aio import AsyncFrontier
from redisfrontier.errors import BadArgument, ServerUnfit
from redisfrontier.frontier import Frontier
from redisfrontier.record.record import Candidate
from redisfrontier.settings import SPECS
from redisfrontier.store.connect import connect, connect_async
from redisfrontier_cli.main import cli
from tests.conftest import private_server
from tests.real.conftest import Make

A = "http://a.example/"


async def _refused(url: str) -> list[ServerUnfit]:
    """What every way in says."""
    told = []
    for way in (Frontier.connect, Frontier.create):
        with pytest.raises(ServerUnfit) as caught:
            way(url, "c")
        told.append(caught.value)
    for way in (AsyncFrontier.connect, AsyncFrontier.create):
        with pytest.raises(ServerUnfit) as caught:
            await way(url, "c")
        told.append(caught.value)
    return told


async def test_g1_a_node_of_a_cluster_is_refused_in_clear_words(tmp_path: Path) -> None:
    with private_server(tmp_path, cluster_enabled="yes") as server:
        for error in await _refused(server.url):
            assert "Cluster" in str(error)
            assert "single server" in error.remedy


@pytest.mark.parametrize("policy", ["volatile-lru", "allkeys-lfu", "volatile-ttl", "allkeys-random"])
async def test_g2_a_server_that_may_evict_is_refused(redis_url: str, redis_client: redis.Redis, policy: str) -> None:
    redis_client.config_set("maxmemory-policy", policy)
    try:
        for error in await _refused(redis_url):
            assert policy in str(error)
            assert "CONFIG SET maxmemory-policy noeviction" in error.remedy
    finally:
        redis_client.config_set("maxmemory-policy", "noeviction")
    assert redis_client.dbsize() == 0  # nothing was begun


def test_g3_order_is_kept_at_the_ends_of_the_range(make: Make) -> None:
    frontier = make(max_in_flight=100)
    ranks = [255, 256, 10**9, 254, 0, -1, -(10**9), 1]
    frontier.schedule(Candidate(f"{A}{i}", precedence=ranks[i % len(ranks)], directive=3) for i in range(5 * len(ranks)))
    got = [int(c.uri.removeprefix(A)) for c in frontier.claim(per_queue=100)]
    assert got == sorted(range(5 * len(ranks)), key=lambda i: (min(255, max(0, ranks[i % len(ranks)])), i))


def test_g3_order_is_kept_at_the_end_of_the_counter(make: Make, redis_client: redis.Redis) -> None:
    frontier = make(max_in_flight=100)
    redis_client.hset("rf:{c:0}:n", "ordinal", 2**43 - 12)
    frontier.schedule(Candidate(f"{A}{i}", precedence=255, directive=3) for i in range(10))
    frontier.schedule([Candidate(f"{A}first", precedence=255, directive=0)])
    assert [c.uri for c in frontier.claim(per_queue=100)] == [f"{A}first", *(f"{A}{i}" for i in range(10))]


def _inside(client: redis.Redis) -> int:
    """Commands run so far, those inside scripts too."""
    return sum(row["calls"] for name, row in client.info("commandstats").items() if not name.startswith(("cmdstat_info", "cmdstat_config")))


def test_g5_statistics_take_as_many_steps_for_many_uris_as_for_few(make: Make, redis_client: redis.Redis) -> None:
    frontier, steps = make(), []
    for size in (10, 20_000):
        frontier.schedule(f"http://h{i % 300}.example/{i}" for i in range(size))
        frontier.claim(size // 10)
        before = _inside(redis_client)
        frontier.stats()
        steps.append(_inside(redis_client) - before)
    assert steps[0] == steps[1] < 30


@pytest.mark.parametrize("kind", [redis.Redis, redis.asyncio.Redis])
def test_g7_a_client_that_decodes_is_refused_at_once(redis_url: str, kind: type) -> None:
    client = kind.from_url(redis_url, decode_responses=True)
    with pytest.raises(BadArgument, match="decode_responses") as caught:
        (Frontier if kind is redis.Redis else AsyncFrontier)(client, "c")
    assert "decode_responses=False" in caught.value.remedy


def test_g7_a_url_that_asks_for_text_is_overruled(make: Make, redis_url: str) -> None:
    make().schedule([f"{A}%E9"])
    with Frontier.connect(redis_url + "?decode_responses=true&protocol=3", crawl="c") as frontier:
        assert [c.uri for c in frontier.claim()] == [f"{A}%E9"]


@pytest.mark.parametrize("protocol", [2, 3])
async def test_a_client_of_ones_own_may_speak_either_protocol(make: Make, redis_url: str, protocol: int) -> None:
    make().schedule([f"{A}{i}" for i in range(2)])
    with Frontier(redis.Redis.from_url(redis_url, protocol=protocol), "c") as frontier:
        assert len(frontier.claim(wait=1)) == 1
        assert frontier.stats()["pending"] == 1
        assert frontier.settings().uniqueness == "exact"
        assert [row["queue"] for row in frontier.queues()] == ["example,a,"]
        assert frontier.show(A + "1")["how"] == "pending"
        assert frontier.release_worker() == 1
        frontier.snooze("example,a,", 60_000)
        assert not frontier.claim(wait=0.1)
    async with AsyncFrontier(redis.asyncio.Redis.from_url(redis_url, protocol=protocol), "c") as other:
        assert (await other.stats())["pending"] == 2
        assert not await other.claim(wait=0.1)


def test_g8_a_known_uri_keeps_its_place_unless_it_is_forced_to_a_better_one(make: Make) -> None:
    frontier = make(max_in_flight=5)
    frontier.schedule(Candidate(f"{A}{name}", precedence=10) for name in "abc")
    for precedence in (200, 1):
        (answer,) = frontier.schedule([Candidate(f"{A}b", precedence=precedence)])
        assert (str(answer.outcome), answer.reason) == ("known", "pending")
    assert [row["uri"][-1] for row in frontier.uris()] == ["a", "b", "c"]
    for precedence, order in ((200, "abc"), (1, "bac")):
        frontier.schedule([Candidate(f"{A}b", precedence=precedence, force_fetch=True)])
        assert "".join(row["uri"][-1] for row in frontier.uris()) == order


def test_g9_low_precedence_comes_first_and_the_texts_say_so(make: Make) -> None:
    frontier = make(max_in_flight=5)
    frontier.schedule(Candidate(f"{A}{n}", precedence=n) for n in (10, 1, 2))
    assert [c.uri for c in frontier.claim(per_queue=5)] == [f"{A}1", f"{A}2", f"{A}10"]
    frontier.schedule(["http://ten.example/", "http://one.example/"])
    frontier.budget("example,ten,", precedence=10)
    frontier.budget("example,one,", precedence=1)
    assert [c.queue for c in frontier.claim(2)] == ["example,one,", "example,ten,"]
    for words in (["queues"], ["uris", "add"], ["uris", "reorder"]):
        assert "low" in CliRunner().invoke(cli, [*words, "--help"]).output.lower()
    assert "low runs first" in SPECS["base_precedence"]["doc"]


async def test_a_server_that_is_too_old_is_refused(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No such server is at hand: its INFO is what tells it."""
    for make_client in (connect, connect_async):
        kind = type(make_client(redis_url))
        answer = {"redis_version": "6.0.16", "redis_mode": "standalone"}

        async def told(self: object, *_: object, answer: dict[str, str] = answer) -> dict[str, str]:
            return answer

        monkeypatch.setattr(kind, "info", told if make_client is connect_async else lambda self, *_, answer=answer: answer)
    for error in await _refused(redis_url):
        assert "6.0.16" in str(error)
        assert "upgrade" in error.remedy
