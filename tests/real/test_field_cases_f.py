"""Field cases F: records that are broken, of another version or foreign (outages and restarts, F1-F3, F8, F10, F11: tests/faults)."""

from __future__ import annotations

import msgpack
import pytest
import redis

from redisfrontier.errors import NoCrawl, RecordError, SchemaMismatch
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Claim, Finished
from redisfrontier.record.record import Candidate
from redisfrontier.store import keys
from tests.model.snapshot import Stored, broken
from tests.real.conftest import Make, balanced, later

HOST = "http://a.example/"


def _stored(client: redis.Redis, number: int) -> bytes:
    return client.hget(keys.records("c", 0, number), str(number))


def _changed(client: redis.Redis, number: int, **fields: object) -> bytes:
    """Give a stored record further fields, as another version of the library would; its bytes now."""
    fingerprint, cost, m = msgpack.unpackb(_stored(client, number))
    packed = msgpack.packb([fingerprint, cost, m | fields])
    client.hset(keys.records("c", 0, number), str(number), packed)
    return packed


FUTURE = {"x_future": [1, {"deep": b"\x00\xff"}], "z": None, "y": 2**60}


@pytest.mark.parametrize("way", ["finish", "retry", "release", "expiry", "refetch", "new metadata"])
def test_f6_fields_of_a_later_version_survive(make: Make, redis_client: redis.Redis, way: str) -> None:
    frontier = make(retention="keep", min_delay_ms=0, unset_delay_ms=0, retry_delay_seconds=1, lease_ms=1000)
    frontier.schedule([HOST])
    packed = _changed(redis_client, 1, **FUTURE)
    (claim,) = frontier.claim()
    assert claim.packed == packed
    assert dict(claim.record.unknown) == FUTURE
    if way == "release":
        frontier.release([claim])
    elif way == "expiry":
        later(frontier, 5000)
        frontier.claim()
    else:
        result = {"retry": {}, "refetch": {"refetch_in_ms": 1000}, "new metadata": {"etag": '"e"'}}.get(way, {})
        frontier.finish([claim.outcome(-2 if way == "retry" else 200, **result)])
    later(frontier, 5000)
    if way == "new metadata":
        _, _, m = msgpack.unpackb(_stored(redis_client, 1))
        assert m["m"] == {"etag": '"e"'}
        assert {k: m[k] for k in FUTURE} == FUTURE
    else:
        assert _stored(redis_client, 1) == packed
        assert [c.packed for c in frontier.claim()] == ([] if way == "finish" else [packed])


def test_f6_a_record_of_a_later_schema_is_refused_by_readers_and_never_rewritten(make: Make, redis_client: redis.Redis) -> None:
    frontier = make(retention="keep", min_delay_ms=0, unset_delay_ms=0)
    frontier.schedule([HOST, f"{HOST}2"])
    packed = _changed(redis_client, 1, n=2, u={"no": "text"})
    (claim,) = frontier.claim()
    with pytest.raises(RecordError, match="schema 2") as caught:
        _ = claim.record
    assert "upgrade" in caught.value.remedy
    assert "schema 2" in frontier.show("0:1")["record"]["error"]
    assert frontier.release([claim]) == [Finished.OK]
    assert "schema 2" in str(list(frontier.uris()))
    (claim,) = frontier.claim()
    assert [s.answer for s in frontier.finish([claim.outcome(200, etag='"e"', redirect="http://b.example/")])] == [Finished.OK]
    assert _stored(redis_client, 1) == packed
    assert [c.uri for c in frontier.claim()] == [f"{HOST}2"]  # its host goes on
    assert balanced(frontier)


def test_f6_a_record_that_cannot_be_read_spoils_no_batch_of_outcomes(make: Make, redis_client: redis.Redis) -> None:
    frontier = make(max_documents_per_source_tag=5)
    frontier.schedule([HOST, "http://b.example/", "http://c.example/"])
    _changed(redis_client, 1, n=2)
    _changed(redis_client, 2, v=["no", "via", 3])
    claims = frontier.claim(3)
    outcomes = [claims[0].outcome(-50, prerequisite=Candidate(f"{HOST}robots.txt")), *(c.outcome(200) for c in claims[1:])]
    assert [s.answer for s in frontier.finish(outcomes)] == [Finished.OK] * 3
    assert balanced(frontier)


NO_RECORDS = {"one byte": b"\xc1", "empty": b"", "text": b"hello, world, this is no record", "cut": b"\x93\xc4\x08abc", "nil": b"\xc0" * 20}


@pytest.mark.parametrize("junk", NO_RECORDS)
def test_f12_a_broken_record_is_set_aside_and_its_host_goes_on(make: Make, redis_client: redis.Redis, junk: str) -> None:
    frontier = make()
    frontier.schedule([HOST, f"{HOST}2", "http://b.example/"])
    redis_client.hset(keys.records("c", 0, 1), "1", NO_RECORDS[junk])
    assert sorted(c.uri for c in frontier.claim(5)) == [f"{HOST}2", "http://b.example/"]
    stats = frontier.stats()
    assert (stats["corrupt"], stats["failed"], stats["in_flight"]) == (1, 1, 2)
    assert _stored(redis_client, 1) == NO_RECORDS[junk]  # left for inspection
    assert balanced(frontier)
    assert broken(Stored(redis_client, "c")) == []


def test_f12_a_missing_record_is_set_aside_too(make: Make, redis_client: redis.Redis) -> None:
    frontier = make()
    frontier.schedule([HOST, f"{HOST}2"])
    redis_client.hdel(keys.records("c", 0, 1), "1")
    assert [c.uri for c in frontier.claim()] == [f"{HOST}2"]
    assert frontier.stats()["corrupt"] == 1
    assert balanced(frontier)


def test_f12_very_many_broken_records_end_no_call(make: Make, redis_client: redis.Redis) -> None:
    frontier = make(max_in_flight=1)
    frontier.schedule(f"{HOST}{i}" for i in range(300))
    for number in range(1, 300):
        redis_client.hset(keys.records("c", 0, number), str(number), b"\xc1")
    got: list[Claim] = []
    for _ in range(400):
        got += frontier.claim()
        if got:
            break
    assert [c.uri for c in got] == [f"{HOST}299"]
    assert frontier.stats()["corrupt"] == 299
    assert balanced(frontier)


def test_f12_a_record_that_breaks_while_it_is_out_ends_all_the_same(make: Make, redis_client: redis.Redis) -> None:
    frontier = make()
    frontier.schedule([HOST])
    (claim,) = frontier.claim()
    redis_client.hset(keys.records("c", 0, 1), "1", b"\xc1")
    (settled,) = frontier.finish([claim.outcome(200)])
    assert settled.answer in (Finished.OK, Finished.REFUSED)
    if settled.answer is Finished.REFUSED:
        assert settled.reason
    assert balanced(frontier)
    assert broken(Stored(redis_client, "c")) == []


@pytest.mark.parametrize("schema", ["2", "0", "", "99999999999999999999", "x"])
def test_a_crawl_of_another_schema_is_refused(make: Make, redis_url: str, redis_client: redis.Redis, schema: str) -> None:
    make()
    redis_client.hset(keys.crawl_wide("c", "conf"), "schema", schema)
    for open_it in (lambda: Frontier.connect(redis_url, crawl="c"), lambda: Frontier.create(redis_url, "c")):
        with pytest.raises(SchemaMismatch, match="reads schema 1") as caught:
            open_it()
        assert "export" in caught.value.remedy


def test_a_crawl_that_is_not_there_is_named(redis_url: str) -> None:
    with pytest.raises(NoCrawl, match="'c'") as caught:
        Frontier.connect(redis_url, crawl="c")
    assert "crawl ls" in caught.value.remedy


def test_a_crawl_that_goes_away_while_it_is_used_is_named(make: Make, redis_client: redis.Redis) -> None:
    frontier = make()
    redis_client.flushall()
    for call in (frontier.claim, frontier.stats, lambda: frontier.schedule([HOST]), frontier.settings, frontier.pause):
        with pytest.raises(NoCrawl) as caught:
            call()
        assert caught.value.remedy
