"""The doctor finds what was broken on purpose, says what it costs, and leaves a sound crawl alone."""

from __future__ import annotations

import os
import time

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.store.connect import connect
from tests.cli.conftest import run_with
from tests.conftest import private_server


@pytest.fixture(scope="module")
def sound_server(tmp_path_factory):
    """A server of our own with append-only file and a memory limit: nothing to complain of."""
    with private_server(tmp_path_factory.mktemp("doctor"), appendonly="yes", maxmemory="1gb") as server:
        yield server


@pytest.fixture
def sound(sound_server):
    client = connect(sound_server.url)
    client.flushall()
    run = run_with({"REDISFRONTIER_URL": sound_server.url, "REDISFRONTIER_DIR": None, "REDISFRONTIER_CRAWL": None})
    with Frontier.create(sound_server.url, "c", {"uniqueness": "exact"}, partitions=2, scope=[{"rule": "accept"}]) as frontier:
        frontier.schedule(f"http://h{i}.example/{j}" for i in range(30) for j in range(3))
        frontier.start()
        frontier.finish(c.outcome(200 if i % 2 else 404, duration_ms=5) for i, c in enumerate(frontier.claim(10)))
        frontier.claim(4)
        yield run, client, frontier
    client.close()


def bad(run, code: int = 1) -> dict[str, dict]:
    return {row["name"]: row for row in run("doctor", "--json", code=code).rows if row["level"] != "ok"}


def test_a_sound_server_and_crawl_pass(sound) -> None:
    run, _, _ = sound
    assert bad(run, code=0) == {}
    said = run("doctor").out
    assert said.strip().endswith("ok")
    assert "counters: hold in 2 partitions and 30 queues" in run("doctor", "--all").out


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("hash-max-ziplist-value", "64", 0),
        ("hash-max-ziplist-entries", "64", 0),
        ("zset-max-ziplist-entries", "128", 0),
        ("lazyfree-lazy-user-del", "no", 0),
        ("appendonly", "no", 1),
    ],
)
def test_each_setting_that_misses_is_told_with_its_cost(sound, name, value, code) -> None:
    run, client, _ = sound
    before = client.config_get(name)
    client.config_set(name, value)
    try:
        found = bad(run, code)
    finally:
        client.config_set(name, next(iter(before.values())))
    assert list(found) == [name]
    assert found[name]["costs"]
    assert f"CONFIG SET {name}" in found[name]["remedy"]


def test_an_evicting_server_is_bad(sound) -> None:
    run, client, _ = sound
    client.config_set("maxmemory-policy", "volatile-lru")
    try:
        found = run("doctor", "--json", code=1).rows
        assert run("crawl", "ls", "--json").rows[0]["trouble"]
        assert "noeviction" in run("stats", code=3).err
    finally:
        client.config_set("maxmemory-policy", "noeviction")
    assert any("volatile-lru" in row["found"] and row["level"] == "bad" for row in found if row["name"] == "server")


def test_a_full_server_is_bad(sound) -> None:
    run, client, _ = sound
    client.config_set("maxmemory", str(int(client.info("memory")["used_memory"] * 1.05)))
    try:
        assert bad(run)["memory"]["level"] == "bad"
    finally:
        client.config_set("maxmemory", "1gb")


def test_foreign_keys_are_named(sound) -> None:
    run, client, _ = sound
    client.delete("rf:{c:1}:ready")
    client.set("rf:{c:1}:ready", "mine")
    found = bad(run)["key types"]
    assert found["found"] == "rf:{c:1}:ready is string (want zset)"
    client.delete("rf:{c:1}:ready", "rf:{c:0}:n")
    assert "missing: rf:{c:0}:n" in bad(run)["key types"]["found"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda c: c.hincrby("rf:{c:0}:n", "pending", 1), "partition 0: admitted"),
        (lambda c: c.hincrby("rf:{c:0}:n", "in_flight", 1), "in_flight (lease)"),
        (lambda c: c.zadd("rf:{c:0}:later", {"1": 5}), "later (later): counted 0, found 1"),
        (lambda c: c.hincrby("rf:{c:0}:m:" + some_queue(c), "pending", 2), "pending: counted"),
        (lambda c: c.zrem("rf:{c:0}:inactive", some_queue(c)), "inactive: counted in it, found not in it"),
        (lambda c: c.zadd("rf:{c:0}:retired", {some_queue(c): 1}), "retired: counted not in it, found in it"),
    ],
)
def test_wrong_counters_and_places_are_found(sound, spoil, said) -> None:
    run, client, _ = sound
    spoil(client)
    assert said in bad(run)["counters"]["found"]


def test_a_foreign_queue_key_is_named_and_hides_no_other_queue(sound) -> None:
    run, client, _ = sound
    name = some_queue(client)
    client.delete(f"rf:{{c:0}}:m:{name}")
    client.set(f"rf:{{c:0}}:m:{name}", "mine")
    client.zadd("rf:{c:0}:queues", {"ghost": 1})
    found = bad(run)["queue keys"]["found"]
    assert f"key rf:{{c:0}}:m:{name} is string" in found
    assert "ghost: no key m:ghost" in found
    rows = {row["queue"]: row for row in run("queues", "ls", "--json").rows}
    assert len(rows) == 31
    assert "WRONGTYPE" in rows[name]["trouble"]
    client.delete(f"rf:{{c:0}}:q:{name}")
    client.set(f"rf:{{c:0}}:q:{name}", "mine")
    failed = run("uris", "ls", code=1)
    assert f"rf:{{c:0}}:q:{name}" in failed.err
    assert "doctor" in failed.err


def some_queue(client) -> str:
    """A queue of partition 0 that waits in inactive."""
    return client.zrange("rf:{c:0}:inactive", 0, 0)[0].decode()


def test_broken_records_and_loose_buckets_are_found(sound) -> None:
    run, client, _ = sound
    client.hset("rf:{c:0}:rec:0", "2", b"\xc1")
    assert "0:2" in bad(run)["records"]["found"]
    client.hset("rf:{c:0}:rec:0", "2", b"x" * 5000)
    assert "hash tables" in bad(run)["record encoding"]["found"]


def test_orphaned_snapshots_are_told(sound, sound_server) -> None:
    run, _, _ = sound
    orphan = sound_server.directory / "temp-4711.rdb"
    orphan.write_bytes(b"x" * 2_000_000)
    try:
        assert "orphaned files" not in bad(run, code=0)
        old = time.time() - 7200
        os.utime(orphan, (old, old))
        found = bad(run, code=0)["orphaned files"]
    finally:
        orphan.unlink()
    assert "temp-4711.rdb" in found["found"]
    assert found["costs"] == "2.0 MB of disk"


def test_a_user_who_may_not_see_the_settings_is_told(sound, sound_server) -> None:
    run, client, _ = sound
    client.execute_command("ACL", "SETUSER", "plain", "on", ">secret", "~*", "&*", "+@all", "-config")
    url = sound_server.url.replace("unix://", "unix://plain:secret@")
    try:
        rows = run("doctor", "--json", "--redis", url, code=0).rows
    finally:
        client.execute_command("ACL", "DELUSER", "plain")
    assert [row["level"] for row in rows if row["name"] == "settings"] == ["note"]


def test_filter_refusals_are_explained(sound, sound_server) -> None:
    run, _, _frontier = sound
    with Frontier.create(sound_server.url, "b", {"uniqueness": "bitfield", "expected_uris": 10_000}, scope=[{"rule": "accept"}]) as other:
        other.schedule(["http://a.example/"] * 3)
    rows = run("doctor", "--crawl", "b", "--json", code=0).rows
    (found,) = [row for row in rows if row["name"] == "known by the filter"]
    assert (found["level"], found["found"]) == ("note", "2 refusals")
