"""Field cases E: memory and size (the filters' self-tests, E4 and E5, are in tests/lua; the estimate by kind, E1 and E3, in tests/cli)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import redis

from redisfrontier.frontier import Frontier
from redisfrontier.operate import explain
from redisfrontier.operate.memory import memory
from redisfrontier.record.record import Candidate
from redisfrontier.steps.session import Session
from tests.real.conftest import Make, balanced, later

HOSTS = 400


def _used(client: redis.Redis) -> int:
    return int(client.info("memory")["used_memory"])


def _why(frontier: Frontier, uri: str) -> explain.Explanation:
    session: Session = frontier.session
    return frontier.run(session.with_live(lambda live: explain.explain(live, session.preparer, Candidate(uri))))


def test_e1_a_uri_takes_what_was_promised_while_it_waits_and_once_it_is_done(make: Make, redis_client: redis.Redis) -> None:
    """100 URIs a host, so that what a host takes is small beside them; the figures of 10^6 URIs are the bench's."""
    frontier = make(min_delay_ms=0)
    frontier.schedule(["http://first.example/"])  # scripts and fixed keys are there now
    before, count = _used(redis_client), 20_000
    uris = [f"http://host{i % HOSTS:04}.example/{i:06}".ljust(76, "x") for i in range(count)]
    frontier.schedule(uris)
    pending = (_used(redis_client) - before) / count
    # An API caller's records carry the date of admission, 11 B more than the 165 B of a bare one.
    assert pending <= 165 + 11
    told = frontier.run(frontier.session.with_live(memory))
    assert told["bytes_per_waiting"] + told["uniqueness_bytes_per_admitted"] == pytest.approx(pending, rel=0.1)
    while claims := frontier.claim(1000) or frontier.claim(1000):
        frontier.finish(c.outcome(200, delay_ms=0) for c in claims)
    assert frontier.stats()["succeeded"] == count + 1
    told = frontier.run(frontier.session.with_live(memory))
    assert (told["total_bytes"] - told["bytes"]["queues"]) / count <= 25
    assert (_used(redis_client) - before) / count <= 45  # with the hosts, and the buffers of clients


def test_e2_a_record_may_not_grow_without_bounds(make: Make) -> None:
    frontier = make(max_record_bytes=2048)
    answers = frontier.schedule(
        [Candidate("http://a.example/1", metadata={"note": "x" * n}) for n in (10, 1900, 2048)] + [Candidate("http://a.example/2")]
    )
    assert [str(a.outcome) for a in answers] == ["added", "known", "refused", "added"]
    assert "record_too_large" in answers[2].reason


@pytest.mark.parametrize("module", [False, True], ids=["bitfield", "bloom"])
def test_e6_what_a_filter_refuses_is_explained_counted_and_can_be_forced(request: pytest.FixtureRequest, module: bool) -> None:
    url = request.getfixturevalue("bloom_url" if module else "redis_url")
    settings = {"uniqueness": "bloom" if module else "bitfield", "expected_uris": 10_000}
    with Frontier.create(url, "c", settings, scope=[{"rule": "accept"}]) as frontier:
        frontier.start()
        uri = "http://a.example/"
        frontier.schedule([uri])
        frontier.finish([frontier.claim()[0].outcome(200, delay_ms=0)])
        assert [(str(a.outcome), a.reason) for a in frontier.schedule([uri])] == [("known", "maybe_seen")]
        why = _why(frontier, uri)
        assert why.reason is explain.Reason.MAYBE_SEEN
        assert "may err" in why.words
        assert frontier.stats()["maybe_seen"] == 1
        assert str(frontier.schedule([Candidate(uri, force_fetch=True)])[0].outcome) in ("added", "requeued")
        assert frontier.stats()["pending"] == 1
        assert balanced(frontier)


def test_e6_an_exact_crawl_is_never_in_doubt(make: Make) -> None:
    frontier = make()
    frontier.schedule(["http://a.example/"])
    frontier.finish([frontier.claim()[0].outcome(200)])
    assert _why(frontier, "http://a.example/").reason is explain.Reason.FINISHED
    assert _why(frontier, "http://a.example/other").reason is explain.Reason.UNKNOWN
    assert frontier.stats()["maybe_seen"] == 0


def _keys(client: redis.Redis) -> dict[str, int]:
    """How many keys there are of each kind."""
    kinds: dict[str, int] = {}
    for key in client.scan_iter(count=1000):
        kind = key.decode().partition("}:")[2].partition(":")[0]
        kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def test_e7_keys_grow_with_hosts_and_not_with_time(make: Make, redis_client: redis.Redis) -> None:
    frontier = make(min_delay_ms=0, uniqueness="bitfield", expected_uris=1000, recovery_log_enabled=False)
    counts = []
    for day in range(8):
        frontier.schedule(f"http://h{i}.example/{day}" for i in range(30))
        for _ in range(3):
            later(frontier, 8 * 3_600_000)
            frontier.finish(c.outcome(status, delay_ms=0) for c, status in zip(frontier.claim(10), [200, 404, -2] * 4, strict=False))
            frontier.stats()
        while claims := frontier.claim(50):
            frontier.finish(c.outcome(200, delay_ms=0) for c in claims)
        later(frontier, 86_400_000)
        counts.append(_keys(redis_client))
    assert {k: n for k, n in counts[-1].items() if n > 30 + 5} == {}
    assert sum(counts[-1].values()) <= sum(counts[1].values()) + 3
    assert len(frontier.client.hgetall("rf:{c:0}:n")) < 60


@pytest.mark.parametrize(
    ("length", "outcome"), [(2_083, "added"), (8_000, "added"), (65_000, "added"), (65_536, "invalid"), (100_000, "invalid")]
)
def test_e8_long_uris_are_kept_whole_or_refused_and_keys_stay_short(
    make: Make, redis_client: redis.Redis, length: int, outcome: str
) -> None:
    frontier = make(max_record_bytes=200_000)
    uri = "http://a.example/" + "x" * (length - 17)
    answers = frontier.schedule([uri, uri[:-1] + "y", "http://b.example/"])
    assert [str(a.outcome) for a in answers] == [outcome, outcome, "added"]
    assert {a.reason for a in answers[:2]} == ({"too_long"} if outcome == "invalid" else {""})
    assert sorted(len(row["uri"]) for row in frontier.uris()) == ([17, length, length] if outcome == "added" else [17])
    assert max(len(key) for key in redis_client.scan_iter(count=1000)) <= 400


LONG: dict[str, Callable[[], Candidate]] = {
    "host": lambda: Candidate("http://" + ".".join(["l" * 60] * 4) + ".example/"),
    "port and userinfo": lambda: Candidate("http://" + "u" * 3000 + "@h.example:8080/"),
    "queue": lambda: Candidate("http://q.example/", queue="q" * 255),
    "group of letters": lambda: Candidate("http://q.example/", queue="한" * 85),
}


@pytest.mark.parametrize("what", LONG)
def test_e8_no_part_of_a_uri_makes_a_key_longer_than_400_bytes(redis_url: str, redis_client: redis.Redis, what: str) -> None:
    name = "c" * 64
    with Frontier.create(redis_url, name, {"uniqueness": "exact"}, scope=[{"rule": "accept"}], partitions=16) as frontier:
        (answer,) = frontier.schedule([LONG[what]()])
        assert answer.outcome in ("added", "refused", "invalid")
        assert max(len(key) for key in redis_client.scan_iter(count=1000)) <= 400
