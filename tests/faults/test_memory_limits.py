"""Memory runs out: at the soft limit admission stops and all else goes on (A4, F3); at the hard one nothing is half-written (E)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
import redis

from redisfrontier.errors import Full, Unavailable
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Finished
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.retry import Backoff
from tests.faults.conftest import balanced, crawl
from tests.model.snapshot import Stored, broken

HOSTS = [f"http://h{i}.example/" for i in range(20)]
NEVER = Backoff(give_up_seconds=0)


@pytest.fixture
def client(passing: Embedded) -> Iterator[redis.Redis]:
    with connect(passing.url) as one:
        one.setrange("ballast", 20_000_000, "x")  # so that a per cent is more than what scripts and buffers take
        yield one


@pytest.fixture
def frontier(passing: Embedded, client: redis.Redis) -> Iterator[Frontier]:
    crawl(passing.url, test_clock=True, min_delay_ms=0, max_in_flight=2).close()
    with Frontier.connect(passing.url, crawl="c", backoff=NEVER) as one:
        yield one


def allow(client: redis.Redis, share: float) -> None:
    """Let what is used now be this share of maxmemory."""
    client.config_set("maxmemory", int(client.info("memory")["used_memory"] / share))


def dumped(client: redis.Redis) -> dict[bytes, bytes]:
    return {key: client.dump(key) for key in client.scan_iter(count=1000)}


@pytest.mark.parametrize("percent", [90, 60])
def test_a4_f3_at_the_soft_limit_admission_stops_and_all_else_goes_on(frontier: Frontier, client: redis.Redis, percent: int) -> None:
    frontier.set_settings({"soft_memory_percent": percent})
    frontier.schedule(HOSTS)
    allow(client, (percent + 4) / 100)
    with pytest.raises(Full, match=f"{percent} %") as caught:
        frontier.schedule(["http://new.example/"])
    assert "maxmemory" in caught.value.remedy
    claims = frontier.claim(10)
    assert len(claims) == 10
    assert frontier.extend(claims[:1]) == [Finished.OK]
    assert frontier.release(claims[:2]) == [Finished.OK] * 2
    assert {s.answer for s in frontier.finish(c.outcome(200, delay_ms=0) for c in claims[2:])} == {Finished.OK}
    assert frontier.stats()["succeeded"] == 8
    allow(client, (percent - 20) / 100)
    assert [str(a.outcome) for a in frontier.schedule(["http://new.example/"])] == ["added"]  # it was not in the seen set
    assert balanced(frontier)


def test_the_soft_limit_can_be_switched_off(frontier: Frontier, client: redis.Redis) -> None:
    frontier.set_settings({"soft_memory_percent": 100})
    allow(client, 0.97)
    assert [str(a.outcome) for a in frontier.schedule(HOSTS[:1])] == ["added"]


def test_a_batch_that_fills_the_memory_tells_what_was_taken(frontier: Frontier, client: redis.Redis) -> None:
    allow(client, 0.875)
    answers = frontier.schedule(f"http://h{i % 30}.example/{i:060d}" for i in range(15_000))
    outcomes = {str(a.outcome) for a in answers}
    assert outcomes == {"added", "refused"}
    assert {a.reason for a in answers if str(a.outcome) == "refused"} == {"used memory is over 90 % of maxmemory"}
    assert frontier.stats()["admitted"] == sum(a.accepted for a in answers)
    client.config_set("maxmemory", 0)
    refused = [a.uri for a in answers if not a.accepted]
    assert {str(a.outcome) for a in frontier.schedule(refused)} == {"added"}
    assert balanced(frontier)


OPERATIONS: dict[str, Callable[[Frontier], object]] = {
    "schedule": lambda f: f.schedule(["http://new.example/"]),
    "claim": lambda f: f.claim(3),
    "snooze": lambda f: f.snooze("example,h9,", 5000),
    "retire": lambda f: f.retire("example,h9,"),
    "budget": lambda f: f.budget("example,h9,", 3),
    "settings": lambda f: f.set_settings({"max_retries": 3}),
    "pause": lambda f: f.pause(),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_at_the_hard_limit_an_operation_happens_whole_or_not_at_all(frontier: Frontier, client: redis.Redis, name: str) -> None:
    frontier.schedule(HOSTS)
    frontier.claim(2)
    frontier.set_settings({"soft_memory_percent": 100})
    client.config_set("maxmemory", 1)
    before = dumped(client)
    refused = False
    try:
        OPERATIONS[name](frontier)
    except Unavailable as error:
        refused = "maxmemory" in str(error)
        assert dumped(client) == before
    assert refused or name == "claim"  # whose first write takes something away: Redis lets it go on, and it ends whole
    client.config_set("maxmemory", 0)
    assert broken(Stored(client, "c")) == []
    OPERATIONS[name](frontier)
    assert broken(Stored(client, "c")) == []


@pytest.mark.parametrize("answer", [200, 404, -2, -4, -9998])
def test_at_the_hard_limit_work_that_is_out_can_still_end(frontier: Frontier, client: redis.Redis, answer: int) -> None:
    """Only what ends can make room again, so claim, finish, release and delete pass where all else is refused."""
    frontier.schedule(HOSTS)
    frontier.set_settings({"soft_memory_percent": 100})
    client.config_set("maxmemory", 1)
    first, second, *_ = frontier.claim(3)
    assert frontier.finish([first.outcome(answer)])[0].answer is Finished.OK
    assert frontier.release([second]) == [Finished.OK]
    assert sum(frontier.delete(lambda _: True).values()) > 0
    with pytest.raises(Unavailable, match="maxmemory"):
        frontier.schedule(["http://late.example/"])
    client.config_set("maxmemory", 0)
    assert broken(Stored(client, "c")) == []


def one_step(frontier: Frontier, rng: random.Random, held: list) -> None:
    what = rng.random()
    if what < 0.4:
        frontier.schedule(f"http://h{rng.randrange(20)}.example/{rng.randrange(90)}" for _ in range(rng.randrange(1, 6)))
    elif what < 0.7:
        held += frontier.claim(rng.randrange(1, 5), per_queue=2)
    elif held:
        some = [held.pop(rng.randrange(len(held))) for _ in range(min(2, len(held)))]
        if what < 0.8:
            frontier.release(some)
        else:
            frontier.finish(c.outcome(rng.choice((200, 404, -2, -9998)), delay_ms=rng.randrange(500)) for c in some)
    else:
        frontier.set_clock(frontier.stats()["now_ms"] + rng.randrange(100_000))


@pytest.mark.parametrize("seed", range(3))
def test_around_the_hard_limit_the_state_stays_whole_whatever_comes(frontier: Frontier, client: redis.Redis, seed: int) -> None:
    """The limit falls before, into and after each call; whatever part of the calls it refuses, the counters and places hold."""
    frontier.set_settings({"soft_memory_percent": 100})
    rng, held, refused = random.Random(seed), [], 0
    for _ in range(150):
        client.config_set("maxmemory", max(1, client.info("memory")["used_memory"] + rng.randrange(-20_000, 20_000)))
        try:
            one_step(frontier, rng, held)
        except Unavailable:
            refused += 1
        client.config_set("maxmemory", 0)
        assert broken(Stored(client, "c", buckets=8)) == []
    assert 10 < refused < 140
