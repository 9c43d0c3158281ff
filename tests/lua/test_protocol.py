"""PROTOCOL.md is true: made of what the code says, complete, and enough to write a client from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import msgpack
import pytest
import redis

from redisfrontier.frontier import Frontier
from redisfrontier.record import codec
from redisfrontier.store import bloom, keys, scripts
from redisfrontier.store.drive import _CODES
from tests.conftest import ROOT
from tests.lua import headers
from tests.protocol import text, words

PAGE = (ROOT / "PROTOCOL.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_code_says() -> None:
    assert text.protocol() == PAGE, "run `python -m tests.protocol`"
    assert "{{" not in PAGE


def test_every_op_stands_in_it() -> None:
    assert re.findall(r"^### (\w+)$", PAGE, re.MULTILINE) == scripts.names()


def test_every_field_of_a_queue_and_of_a_record_is_explained() -> None:
    assert text.queue_defaults().keys() == words.QUEUE_FIELDS.keys()
    assert words.RECORD_KEYS.keys() == codec._KNOWN
    assert words.FIXED_KEYS.keys() == set(keys.FIXED)
    assert words.ERRORS.keys() == _CODES.keys() - {"WRONGTYPE"}


def test_every_counter_is_explained() -> None:
    """All fields of `n` that any script names, or that queues count."""
    whole = "\n".join(headers.uncommented(scripts.load(name).text) for name in scripts.names())
    shapes = (r"\bn\.([a-z_]+)\b", r"\bbump\('([a-z_]+)'", r"\bcount\(\w+, '([a-z_]+)'", r"\bn_touched\.([a-z_]+)\b")
    named = {name for shape in shapes for name in re.findall(shape, whole)} - {"queues_", "empty_"}
    put_together = {name for name in words.COUNTERS for name in name.split(", ") if name.startswith(("queues_", "empty_"))}
    by_verdict = {"succeeded", "failed", "disregarded", "excluded", "deleted"}
    explained = {name for names in words.COUNTERS for name in names.split(", ")}
    assert named - explained == set()
    assert explained - named - put_together - by_verdict == set()


def test_every_family_of_keys_stands_in_it() -> None:
    written = {family for name in scripts.names() for family in headers.can_write(name)} - {"doc", "combos"}
    assert {family for family in written if not re.search(rf"`T {family}[:`]", PAGE)} == set()


# -- a client that knows nothing but the page (and has the scripts written out) --


class Stranger:
    """Speaks to one partition as PROTOCOL.md says; nothing here comes from the library but the texts of the scripts."""

    def __init__(self, url: str, crawl: str) -> None:
        self.redis = redis.from_url(url)
        self.tag = f"rf:{{{crawl}:0}}:"
        fixed = "n conf queues due ready inactive retired lease own later lat w unseen log bf"
        self.keys = [self.tag + name for name in fixed.split()]
        self.texts = {name: scripts.load(name).text for name in scripts.names()}

    def call(self, op: str, *args: Any) -> list[Any]:
        """Version, run state and time, then the op's own."""
        try:
            return self.redis.evalsha(self.redis.script_load(self.texts[op]), 15, *self.keys, *args)  # type: ignore[no-any-return]
        finally:
            self.redis.script_flush()  # somebody does that all the time

    @staticmethod
    def fingerprint(canonical: str) -> bytes:
        return sha256(canonical.encode()).digest()[:18]

    @classmethod
    def record(cls, uri: str, cost: int = 1) -> bytes:
        return b"\x93\xc4\x08" + cls.fingerprint(uri)[:8] + bytes([cost]) + msgpack.packb({"u": uri, "p": "L", "v": [11, "b/"]})


@pytest.fixture
def frontier(redis_url: str, request: pytest.FixtureRequest) -> Iterator[Frontier]:
    settings = {"uniqueness": "exact", **getattr(request, "param", {})}
    with Frontier.create(redis_url, "c", settings, scope=[{"rule": "accept"}]) as made:
        made.start()
        yield made


URI = "http://a.test/x"


def test_a_stranger_schedules_claims_and_finishes(frontier: Frontier, redis_url: str) -> None:
    other = Stranger(redis_url, "c")
    offer = ("test,a,", 3 * 256 + 1, other.fingerprint(URI), other.record(URI))
    late = ("test,a,", "513 0 0 - t", other.fingerprint(URI + "2"), other.record(URI + "2"))
    _, state, _, *answers = other.call("schedule", *offer, *late)
    assert (state, answers) == (b"RUN", [b"+1", b"+2"])
    assert other.call("schedule", *offer)[3:] == [b"=pending"]
    assert other.redis.zscore(other.tag + "q:test,a,", "1") == -(3 * 2**51 + 2**43 + 1)
    assert other.redis.zscore(other.tag + "q:test,a,", "2") == -(2 * 2**51 + 2**43 + 2)  # directive 2, precedence 1
    assert frontier.schedule([URI])[0].reason == "pending"

    token = "0123456789abcdef"
    reply = other.call("claim", token, "stranger", 10, 1, 60_000, "")
    wait, expired, troubles, id_, queue, attempts, lost, record = reply[3:]
    assert (wait, expired, troubles) == (int(other.redis.zscore(other.tag + "lease", id_) - reply[2]), [], [])
    assert (id_, queue, attempts, lost) == (b"2", b"test,a,", 0, 0)
    assert msgpack.unpackb(record[12:]) == {"u": URI + "2", "p": "L", "v": [11, "b/"]}
    own = other.redis.hget(other.tag + "own", id_).decode().split(" ")
    assert own[:2] + own[4:] == [token, "stranger", "test,a,", "0", "0", "0"]
    assert other.call("claim", token, "stranger", 10, 1, 60_000, "")[6:] == reply[6:]  # an answer that was lost

    extended = other.call("extend", 120_000, id_, token)
    assert extended[3] == f"+{extended[2] + 120_000}".encode()
    outcome = (id_, token, 200, 150, 4711, "digest=abc;tag=t;retry_after=5", "")
    assert other.call("finish", *outcome)[3:] == [b"+succeeded"]
    assert other.call("finish", *outcome)[3:] == [b"GONE"]
    told = {k.decode(): v.decode() for k, v in other.redis.hgetall(other.tag + "m:test,a,").items()}
    assert (told["state"], told["pending"], told["succeeded"], told["bytes"]) == ("due", "1", "1", "4711")
    assert frontier.stats()["succeeded"] == 1
    assert next(iter(frontier.uris()))["via"] == "http://a.teb/"


def test_a_stranger_finds_a_uri_in_the_index(frontier: Frontier, redis_url: str) -> None:
    other = Stranger(redis_url, "c")
    uris = [f"http://a.test/{i}" for i in range(700)]
    frontier.schedule(uris)
    n = {k.decode(): int(v) for k, v in other.redis.hgetall(other.tag + "n").items()}
    level, split = n.get("ix_level", 0), n.get("ix_split", 0)
    assert level >= 3
    for i, uri in enumerate(uris, 1):
        mark = other.fingerprint(uri)
        x = int.from_bytes(mark[:4], "big")
        bucket = x % 2**level if x % 2**level >= split else x % 2 ** (level + 1)
        assert other.redis.hget(f"{other.tag}ix:{bucket}", mark[:8]) == str(i).encode()
        assert other.redis.hget(f"{other.tag}rec:{i // keys.PER_BUCKET}", str(i))[3:11] == mark[:8]


@pytest.mark.parametrize("frontier", [{"uniqueness": "bitfield", "expected_uris": 4_000_000}], indirect=True)
@pytest.mark.parametrize("k", [None, bloom.FEWEST, bloom.FEWEST + 1, 12, 13, bloom.MOST])
def test_a_stranger_finds_a_uri_in_the_filter(frontier: Frontier, redis_url: str, k: int | None) -> None:
    other = Stranger(redis_url, "c")
    blocks, usual, capacity = map(int, other.redis.hget(other.tag + "conf", "bloom_0").split())
    k = k or usual
    other.redis.hset(other.tag + "conf", "bloom_0", f"{blocks} {k} {capacity}")

    def known(uri: str) -> bool:
        mark = other.fingerprint(uri)
        block = int.from_bytes(mark[:6], "big") % blocks
        at = block % 131_071 * 32
        held = other.redis.getrange(f"{other.tag}seen:0:{block // 131_071}", at, at + 63)
        return all(held[bit // 8] >> bit % 8 & 1 for bit in text.bits(mark, k))

    uris = [f"http://a.test/{i}" for i in range(200)]
    assert not any(map(known, uris))
    frontier.schedule(uris[:100])
    assert all(map(known, uris[:100]))
    assert not any(map(known, uris[100:]))
    assert [str(a.outcome) for a in frontier.schedule(uris)] == ["known"] * 100 + ["added"] * 100
    pages = (f"{other.tag}seen:0:{page}" for page in range(-(-blocks // 131_071)))
    assert 200 * k * 0.98 < sum(map(other.redis.bitcount, pages)) <= 200 * k


def test_a_stranger_hears_of_work(frontier: Frontier, redis_url: str) -> None:
    other = Stranger(redis_url, "c")
    ears = other.redis.pubsub(ignore_subscribe_messages=True)
    ears.subscribe(other.tag + "wake")
    ears.get_message(timeout=1)

    def heard() -> list[bytes]:
        found = []
        while message := ears.get_message(timeout=0.05):
            found.append(message["data"])
        return found

    frontier.schedule([URI])
    assert heard() == [b"0"]
    frontier.schedule([URI + "2", "http://b.test/"])
    assert heard() == []  # there was work before
    claims = frontier.claim(2)
    frontier.finish([claims[0].outcome(200, delay_ms=60_000)])
    due = other.redis.zrange(other.tag + "due", 0, 0, withscores=True)[0][1]
    assert heard() == [str(int(due)).encode()]
    frontier.pause()
    frontier.schedule(["http://c.test/"])
    assert heard() == []
    frontier.start()
    assert heard() == [b"0"]
    ears.close()
