"""Uniqueness on real servers: the exact index, the bitfield filter, RedisBloom; what each forgets, how often a filter errs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
import redis

from redisfrontier.errors import ServerUnfit, SettingError
from redisfrontier.frontier import Frontier
from redisfrontier.record.record import Candidate
from redisfrontier.store import bloom, keys
from redisfrontier.store.ops import HEAD, Ops

AT_ONCE = 500
RATE = 1e-4


class Offer(NamedTuple):
    """A prepared URI that consists of nothing but its fingerprint."""

    fingerprint: bytes
    queue: str = "q"
    group: str = ""
    directive: int = 3
    precedence: int = 1
    cost: int = 1
    force: bool = False
    source_tag: str = ""

    @property
    def record(self) -> bytes:
        return b"\x93\xc4\x08" + self.fingerprint[:8] + b"\x01\x81\xa1u\xa1x"


class Tried:
    """A crawl of one partition, asked by its ops, fingerprint by fingerprint."""

    def __init__(self, url: str, **settings: object) -> None:
        self.frontier = Frontier.create(url, "u", settings, scope=[{"rule": "accept"}], test_clock=True)
        self.frontier.start()
        self.client, self.ops = self.frontier.client, self.frontier.session._live.ops  # type: ignore[union-attr]

    def _each(self, fingerprints: list[bytes], ask: Callable[[list[bytes]], object]) -> list[str]:
        answers: list[str] = []
        for start in range(0, len(fingerprints), AT_ONCE):
            (reply,) = self.frontier._driver.ask([ask(fingerprints[start : start + AT_ONCE])])  # type: ignore[list-item]
            if isinstance(reply, Exception):
                raise reply
            answers += [answer.decode() for answer in reply[HEAD:]]
        return answers

    def schedule(self, fingerprints: list[bytes], *, force: bool = False) -> list[str]:
        return self._each(fingerprints, lambda part: self.ops.schedule(0, [(Offer(fp, force=force), 0) for fp in part]))

    def include(self, fingerprints: list[bytes]) -> list[str]:
        return self._each(fingerprints, lambda part: self.ops.include(0, [(Offer(fp), 0) for fp in part]))

    def forget(self, fingerprints: list[bytes]) -> list[str]:
        return self._each(fingerprints, lambda part: self.ops.forget(0, part))

    def key(self, name: str) -> str:
        return keys.of("u", 0, name)

    def counter(self, name: str) -> int:
        return int(self.client.hget(self.key("n"), name) or 0)

    def pages(self, slice_: int) -> list[int]:
        """Sizes in bytes of a slice's pages."""
        sizes: list[int] = []
        while size := self.client.strlen(keys.bloom_page("u", 0, slice_, len(sizes))):
            sizes.append(size)
        return sizes


Try = Callable[..., Tried]


@pytest.fixture
def tried(redis_url: str) -> Iterator[Try]:
    made: list[Tried] = []

    def make(url: str = redis_url, **settings: object) -> Tried:
        made.append(Tried(url, **settings))
        return made[-1]

    yield make
    for one in made:
        one.frontier.close()


def fingerprints(n: int, seed: int = 1) -> list[bytes]:
    rng = random.Random(seed)
    return [rng.randbytes(18) for _ in range(n)]


# -- exact --


def test_the_exact_index_of_100_000_uris_stays_in_small_buckets_and_errs_never(tried: Try) -> None:
    crawl, many = tried(uniqueness="exact"), fingerprints(100_000)
    added = crawl.schedule(many)
    assert added == [f"+{i}" for i in range(1, 100_001)]
    buckets = 2 ** crawl.counter("ix_level") + crawl.counter("ix_split")
    index: dict[bytes, bytes] = {}
    sizes = []
    for number in range(buckets):
        bucket = crawl.client.hgetall(keys.index_bucket("u", 0, number))
        sizes.append(len(bucket))
        index |= bucket
    assert crawl.client.exists(keys.index_bucket("u", 0, buckets)) == 0
    assert index == {fp[:8]: str(i).encode() for i, fp in enumerate(many, 1)}
    assert crawl.counter("ix_count") == sum(sizes) == 100_000
    assert 20 <= sum(sizes) / buckets <= 32
    assert max(sizes) <= 160
    encodings = {crawl.client.object("encoding", keys.index_bucket("u", 0, n)) for n in range(0, buckets, 97)}
    assert encodings <= {b"listpack", b"ziplist"}
    assert set(crawl.schedule(many)) == {"=pending"}
    assert not any(answer.startswith("=") for answer in crawl.schedule(fingerprints(20_000, seed=2)))


def test_what_the_exact_index_forgets_is_found_again_and_nothing_else(tried: Try) -> None:
    crawl, many = tried(uniqueness="exact"), fingerprints(5000)
    assert set(crawl.include(many)) == {"included"}
    some, others = many[::10], [fp for i, fp in enumerate(many) if i % 10]
    assert set(crawl.forget(some)) == {"forgotten"}
    assert set(crawl.forget(some)) == {"unknown"}
    assert crawl.counter("ix_count") == len(others)
    assert set(crawl.schedule(others)) == {"=finished"}
    assert all(answer.startswith("+") for answer in crawl.schedule(some))
    assert set(crawl.forget(some)) == {"pending"}
    assert crawl.counter("ix_count") == len(many)


# -- bitfield --


def test_the_bitfield_filter_keeps_its_rate_when_it_is_full(tried: Try) -> None:
    """400,000 strangers meet a filter filled to its last URI; its first slice has half of the rate: some 15 to 20 look known."""
    crawl, many = tried(uniqueness="bitfield", expected_uris=20_000, false_positive_rate=RATE), fingerprints(20_000)
    taken_for_known = [answer for answer in crawl.schedule(many) if not answer.startswith("+")]
    assert len(taken_for_known) <= 4
    assert set(crawl.schedule(many)) == {"=maybe_seen"}
    assert crawl.counter("maybe_seen") == 20_000 + len(taken_for_known)
    strangers = crawl.forget(fingerprints(400_000, seed=3))
    wrong = strangers.count("forgotten")
    assert wrong + strangers.count("unknown") == 400_000
    assert 4 <= wrong <= 400_000 * RATE


def test_the_promised_rate_is_computed_of_the_same_filter(tried: Try) -> None:
    """The sum of what store/bloom.py promises for ten full slices is the setting."""
    for rate in (1e-2, 1e-4, 1e-6):
        promised = [bloom.false_positives(blocks * bloom.HALF_BITS / uris, k) for blocks, k, uris in bloom.slices(100_000, rate)]
        assert rate / 4 < sum(promised) <= rate


def test_it_grows_by_slices_and_knows_all_it_met(tried: Try) -> None:
    crawl, many = tried(uniqueness="bitfield", expected_uris=1000, false_positive_rate=RATE), fingerprints(8000)
    added = crawl.schedule(many)
    assert sum(answer.startswith("+") for answer in added) >= 7998
    assert crawl.counter("slice") == 2
    assert set(crawl.schedule(many)) == {"=maybe_seen"}
    strangers = crawl.forget(fingerprints(100_000, seed=3))
    assert strangers.count("forgotten") <= 100_000 * RATE


def test_a_page_holds_at_most_4_mb_and_is_made_before_it_is_needed(tried: Try) -> None:
    crawl = tried(uniqueness="bitfield", expected_uris=2_000_000)
    blocks = bloom.slices(2_000_000, 1e-6)[0][0]
    sizes = crawl.pages(0)
    assert sum(sizes) == (blocks + len(sizes)) * 32 > 2 * 4 * 2**20
    assert {*sizes[:-1]} == {4 * 2**20}
    assert crawl.pages(1) == []
    crawl.client.hset(crawl.key("n"), "slice_count", 1_000_001)  # more than half full: each call makes one page
    for made in range(1, 4):
        crawl.schedule(fingerprints(1, seed=made))
        assert crawl.pages(1) == [4 * 2**20] * made
    assert crawl.pages(0) == sizes


def test_an_exception_lets_a_filter_forget(tried: Try) -> None:
    crawl, many = tried(uniqueness="bitfield", expected_uris=10_000), fingerprints(1000)
    crawl.schedule(many)
    assert crawl.forget(many[:10]) == ["forgotten"] * 10
    assert crawl.forget(many[:10]) == ["unknown"] * 10
    assert crawl.counter("unseen") == crawl.client.scard(crawl.key("unseen")) == 10
    assert all(answer.startswith("+") for answer in crawl.schedule(many[:10]))
    assert crawl.counter("unseen") == crawl.client.scard(crawl.key("unseen")) == 0
    assert crawl.schedule(many[:10]) == ["=maybe_seen"] * 10


def test_a_fresh_filter_is_empty_after_its_self_test(tried: Try) -> None:
    crawl = tried(uniqueness="bitfield", expected_uris=10_000)
    assert all(crawl.client.get(keys.bloom_page("u", 0, 0, n)).strip(b"\0") == b"" for n in range(len(crawl.pages(0))))
    assert crawl.counter("slice_count") == 1 or crawl.counter("slice_count") == 0


def test_a_filter_that_fails_its_self_test_makes_no_crawl(redis_client: redis.Redis, redis_url: str) -> None:
    blocks, settings = bloom.slices(1000, 1e-6)[0][0], {"uniqueness": "bitfield", "expected_uris": 1000}
    redis_client.set(keys.bloom_page("u", 1, 0, 0), b"\xff" * (blocks + 1) * 32)
    with pytest.raises(ServerUnfit, match=r"bitfield filter fails its self-test.* \d{3,4} of 1000 others are found"):
        Frontier.create(redis_url, "u", settings, partitions=2, scope=[{"rule": "accept"}])
    assert redis_client.keys() == []
    Frontier.create(redis_url, "u", settings, partitions=2, scope=[{"rule": "accept"}]).close()


class Died(Exception):
    """The process that made a crawl has died."""


@pytest.mark.parametrize("uniqueness", ["bitfield", "bloom"])
def test_a_crawl_whose_maker_died_gets_its_filter_from_the_next(bloom_url: str, uniqueness: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> None:
        raise Died

    settings = {"uniqueness": uniqueness, "expected_uris": 1000}
    with monkeypatch.context() as patch:
        patch.setattr(Ops, "self_test", die)
        with pytest.raises(Died):
            Frontier.create(bloom_url, "u", settings)
    crawl = Tried(bloom_url, **settings)
    assert crawl.counter("tested") == 1
    if uniqueness == "bloom":
        told = str(crawl.client.execute_command("BF.INFO", crawl.key("bf")))
        assert "1000" in told
    known = fingerprints(800)
    assert all(answer.startswith("+") for answer in crawl.schedule(known))
    (tested,) = crawl.frontier._driver.ask([crawl.ops.self_test(0, 1e-6, 1000, fingerprints(2, seed=9))])  # a maker that is late
    assert tested == [1, 0]
    (prepared,) = crawl.frontier._driver.ask([crawl.ops.prepare(0, 0)])
    assert prepared == 0
    assert set(crawl.schedule(known)) == {"=maybe_seen"}
    crawl.frontier.close()


@pytest.mark.parametrize("uniqueness", ["exact", "bitfield"])
def test_force_goes_past_it(tried: Try, uniqueness: str) -> None:
    crawl, (fp,) = tried(uniqueness=uniqueness, expected_uris=10_000), fingerprints(1)
    assert crawl.schedule([fp], force=True) == ["+1"]
    assert crawl.schedule([fp], force=True) == (["=pending"] if uniqueness == "exact" else ["*2"])


# -- RedisBloom --


def test_redisbloom_keeps_its_rate(bloom_url: str, tried: Try) -> None:
    crawl, many = tried(bloom_url, uniqueness="bloom", expected_uris=20_000, false_positive_rate=1e-3), fingerprints(20_000)
    assert sum(answer.startswith("+") for answer in crawl.schedule(many)) >= 19_960
    assert set(crawl.schedule(many)) == {"=maybe_seen"}
    wrong = crawl.forget(fingerprints(100_000, seed=3)).count("forgotten")
    assert 4 <= wrong <= 150


def test_redisbloom_starts_empty_forgets_and_finds_again(bloom_url: str, tried: Try) -> None:
    crawl, many = tried(bloom_url, uniqueness="bloom", expected_uris=10_000), fingerprints(1000)
    info = crawl.client.execute_command("BF.INFO", crawl.key("bf"))
    told = dict(zip(info[::2], info[1::2], strict=True)) if isinstance(info, list) else info.__dict__
    assert 0 in {value for name, value in told.items() if "insert" in str(name).lower()}
    assert all(answer.startswith("+") for answer in crawl.schedule(many))
    assert crawl.forget(many[:10]) == ["forgotten"] * 10
    assert all(answer.startswith("+") for answer in crawl.schedule(many[:10]))
    assert crawl.schedule(many[:10]) == ["=maybe_seen"] * 10
    assert crawl.schedule([many[0]], force=True) == ["*1011"]


# -- the choice --


def chosen(url: str, name: str = "c", **settings: object) -> str:
    with Frontier.create(url, name, settings, scope=[{"rule": "accept"}]) as made:
        uniqueness = made.settings().uniqueness
    with Frontier.connect(url, name) as again:
        assert again.settings().uniqueness == uniqueness
        assert again.client.hget(keys.of(name, 0, "conf"), "uniqueness") == uniqueness.encode()
        again.start()
        again.schedule(["http://a.test/"])
        assert again.schedule(["http://a.test/"])[0].outcome == "known"
    return uniqueness


def test_auto_takes_the_bitfield_filter_where_there_is_no_module(redis_url: str) -> None:
    assert chosen(redis_url, expected_uris=1000) == "bitfield"


def test_auto_takes_redisbloom_where_it_is(bloom_url: str) -> None:
    assert chosen(bloom_url, expected_uris=1000) == "bloom"


def test_auto_keeps_what_the_crawl_was_made_with(bloom_url: str) -> None:
    assert chosen(bloom_url, uniqueness="bitfield", expected_uris=1000) == "bitfield"
    assert chosen(bloom_url, expected_uris=1000) == "bitfield"  # it is there already


def test_bloom_without_the_module_says_what_to_do(redis_url: str) -> None:
    with pytest.raises(ServerUnfit, match="needs the RedisBloom module") as told:
        Frontier.create(redis_url, "c", {"uniqueness": "bloom"})
    assert "bitfield" in told.value.remedy
    assert not connect_keys(redis_url)


def connect_keys(url: str) -> list[bytes]:
    with redis.from_url(url) as client:
        return list(client.scan_iter(count=1000))


@pytest.mark.parametrize("uniqueness", ["auto", "exact"])
def test_a_crawl_that_keeps_records_takes_the_exact_index(bloom_url: str, uniqueness: str) -> None:
    assert chosen(bloom_url, uniqueness=uniqueness, retention="keep") == "exact"


@pytest.mark.parametrize("uniqueness", ["bloom", "bitfield"])
def test_a_filter_cannot_keep_records(redis_url: str, uniqueness: str) -> None:
    with pytest.raises(SettingError, match="cannot keep finished records") as told:
        Frontier.create(redis_url, "c", {"uniqueness": uniqueness, "retention": "keep"})
    assert "exact" in told.value.remedy


# -- identity --


@pytest.mark.parametrize("uniqueness", ["exact", "bitfield"])
def test_identity_is_the_canonical_form_or_the_key_that_a_client_gives(redis_url: str, uniqueness: str) -> None:
    with Frontier.create(redis_url, "c", {"uniqueness": uniqueness, "expected_uris": 1000}, scope=[{"rule": "accept"}]) as frontier:
        offers: list[str | Candidate] = [
            "http://www.a.test/?b=1&PHPSESSID=0123456789abcdef0123456789abcdef",
            "http://a.test/?b=1",
            Candidate("http://a.test/?b=1", dedup_key="POST x"),
            Candidate("http://a.test/?b=2", dedup_key="POST x"),
            Candidate("http://a.test/", dedup_key="http://a.test/?b=1"),
        ]
        assert [str(a.outcome) for a in frontier.schedule(offers)] == ["added", "known", "added", "known", "added"]
