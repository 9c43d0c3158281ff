"""The facades on a fake Redis, in milliseconds: each operation once, sync and async with one answer, several partitions, bad calls."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

import fakeredis
import pytest

from redisfrontier.aio import AsyncFrontier
from redisfrontier.aio_operators import AsyncOperators
from redisfrontier.errors import BadArgument, NoCrawl, SettingError, WrongState
from redisfrontier.frontier import Frontier, creation, definition_of
from redisfrontier.operators import Operators
from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.outcome import Admitted, Finished
from redisfrontier.record.record import Candidate

A, B = "http://a.test/", "http://b.test/"
T = 1_000_000
Make = Callable[..., Frontier]


@pytest.fixture
def make(fake_client: fakeredis.FakeRedis) -> Make:
    """make(partitions=1, runs=True, **settings): a crawl on the fake server, at time T."""

    def one(*, partitions: int = 1, runs: bool = True, **settings: object) -> Frontier:
        frontier = Frontier(fake_client, "c", worker="me", randoms=random.Random(1).randbytes, clock=lambda: 0.0)
        chosen = {"uniqueness": "exact", **settings}
        definition = definition_of("c", chosen, partitions, [{"rule": "accept"}])
        frontier.session.adopt(frontier.run(creation(definition, True, frontier.session)))
        frontier.set_clock(T)
        if runs:
            frontier.start()
        return frontier

    return one


def test_a_uris_life(make: Make) -> None:
    frontier = make()
    added, known, invalid, refused = frontier.schedule([A, A, "nonsense", Candidate(B, queue="{}" * 200)])
    assert (added.outcome, added.id) == (Admitted.ADDED, "0:1")
    assert (known.outcome, known.reason) == (Admitted.KNOWN, "pending")
    assert (invalid.outcome, invalid.reason, invalid.fetch_status) == (Admitted.INVALID, "no_scheme", -7)
    assert refused.outcome in (Admitted.REFUSED, Admitted.ADDED)
    (claim,) = frontier.claim(queue="test,a,")
    assert (claim.uri, claim.queue, claim.attempts, len(claim.token)) == (A, "test,a,", 0, 16)
    assert claim.lease_until_ms == T + 1_200_000
    assert frontier.extend([claim], 5_000_000) == [Finished.OK]
    (lease,) = frontier.leases()
    assert (lease["worker"], lease["expires_ms"]) == ("me", T + 5_000_000)
    (settled,) = frontier.finish([claim.outcome(200, duration_ms=100, size_bytes=7)])
    assert (settled.answer, settled.verdict) == (Finished.OK, "succeeded")
    assert frontier.finish([claim.outcome(200)])[0].answer is Finished.GONE
    assert frontier.release([claim]) == [Finished.GONE]
    assert frontier.schedule([A])[0].reason == "finished"
    assert frontier.queue("test,a,")["not_before"] == T + 3000
    assert frontier.show(A)["how"] == "finished s"


def test_a_retry_a_release_and_a_lost_lease(make: Make) -> None:
    frontier = make(retry_delay_seconds=60, lease_ms=1000)
    frontier.schedule([A])
    assert frontier.release(frontier.claim()) == [Finished.OK]
    assert frontier.finish([frontier.claim()[0].outcome(-2)])[0].verdict == "retry"
    nothing = frontier.claim()
    assert (len(nothing), nothing.wait_ms, nothing.next_due_ms) == (0, 60_000, T + 60_000)
    frontier.set_clock(T + 60_000)
    assert frontier.claim()[0].attempts == 1
    frontier.set_clock(T + 61_001)
    assert len(frontier.claim()) == 0  # the host rests a little
    frontier.set_clock(T + 70_000)
    (again,) = frontier.claim()
    assert (again.attempts, again.lost_leases) == (1, 1)
    assert frontier.release_worker("other") == 0
    assert frontier.release_worker() == 1


def test_what_operators_do(make: Make) -> None:
    frontier = make()
    frontier.schedule([A, A + "2", B])
    assert frontier.snooze("test,a,", 400_000) == (T + 400_000, True)
    assert frontier.wake() == 1
    assert frontier.retire("test,a,", "why") is True
    assert frontier.retire("test,a,", "why") is False
    assert [q["queue"] for q in frontier.queues("retired")] == ["test,a,"]
    assert frontier.unretire() == 1
    assert frontier.budget("test,a,", 5) == {"spent": 0, "total_budget": 5, "state": "inactive"}
    assert [row["uri"] for row in frontier.uris("test,a,")] == [A, A + "2"]
    assert frontier.delete(lambda queue: queue == "test,a,", lambda record: record.uri == A) == {"test,a,": 1}
    assert frontier.include(["http://c.test/"])[0].outcome == "added"
    assert frontier.forget(["http://c.test/", A, B]) == ["forgotten", "unknown", "pending"]
    frontier.set_settings({"min_delay_ms": 7})
    assert frontier.settings().min_delay_ms == 7
    frontier.set_sheet(Sheet("s", {"min_delay_ms": 9}, surt_prefixes=("http://(test,d,",)))
    frontier.schedule(["http://d.test/"])
    (claim,) = frontier.claim(queue="test,d,")
    frontier.finish([claim.outcome(200, duration_ms=0)])
    assert frontier.queue("test,d,")["not_before"] == T + 9
    frontier.remove_sheet("s")
    frontier.robots_put("a.test", "User-agent: *", 60)
    assert frontier.robots_get("a.test") == "User-agent: *"
    assert frontier.robots_get("b.test") is None
    frontier.pause()
    assert frontier.stats()["state"] == "PAUSE"
    frontier.resume()
    frontier.stop("enough")
    with pytest.raises(WrongState):
        frontier.schedule([A])
    assert frontier.delete_crawl() > 10
    left = frontier.client.keys()
    assert [key for key in left if frontier.client.ttl(key) < 0] == []  # shared robots.txt goes by itself


def test_partitions_are_asked_together_and_answer_in_order(make: Make) -> None:
    frontier = make(partitions=4)
    uris = [f"http://h{i}.test/" for i in range(40)]
    answers = frontier.schedule(uris)
    assert [a.uri for a in answers] == uris
    assert {a.id.split(":")[0] for a in answers} == {"0", "1", "2", "3"}
    claims = frontier.claim(40)
    assert sorted(c.uri for c in claims) == sorted(uris)
    settled = frontier.finish([c.outcome(200) for c in claims])
    assert [s.id for s in settled] == [c.id for c in claims]
    assert {s.verdict for s in settled} == {"succeeded"}
    stats = frontier.stats()
    assert (stats["admitted"], stats["succeeded"], stats["state"]) == (40, 40, "EMPTY")


def test_a_filter_says_maybe(make: Make) -> None:
    frontier = make(uniqueness="auto", expected_uris=1000)
    assert frontier.settings().uniqueness == "bitfield"
    assert [str(a.outcome) for a in frontier.schedule([A, A])] == ["added", "known"]
    assert frontier.schedule([A])[0].reason == "maybe_seen"
    assert frontier.schedule([Candidate(A, force_fetch=True)])[0].outcome == "requeued"


def test_bad_calls_change_nothing(make: Make) -> None:
    frontier = make()
    frontier.schedule([A])
    acts: list[tuple[type[Exception], Callable[[], object]]] = [
        (BadArgument, lambda: frontier.claim(0)),
        (BadArgument, lambda: frontier.claim(per_queue=0)),
        (BadArgument, lambda: frontier.claim(lease_ms=0)),
        (BadArgument, lambda: frontier.claim(worker="a b")),
        (BadArgument, lambda: frontier.snooze("test,a,", -1)),
        (BadArgument, lambda: frontier.snooze("no such queue", 1)),
        (BadArgument, lambda: frontier.retire("nowhere")),
        (BadArgument, lambda: frontier.budget("test,a,", -3)),
        (BadArgument, lambda: frontier.budget("test,a,", precedence=256)),
        (SettingError, lambda: frontier.set_settings({"min_delay_ms": -1})),
        (SettingError, lambda: frontier.set_settings({"min_delay": 1})),
        (SettingError, lambda: frontier.set_settings({"uniqueness": "exact"})),
    ]
    before = frontier.stats()
    for error, act in acts:
        with pytest.raises(error):
            act()
    assert frontier.stats() == before
    assert frontier.schedule([]) == []
    assert frontier.finish([]) == []
    assert frontier.release([]) == []


def test_there_must_be_a_crawl(fake_client: fakeredis.FakeRedis) -> None:
    with pytest.raises(NoCrawl, match="'nowhere'"):
        Frontier(fake_client, "nowhere").stats()


def test_a_waiting_claim_ends_when_its_time_is_up(make: Make) -> None:
    frontier = make()
    assert len(frontier.claim(wait=0.01)) == 0
    frontier.schedule([A])
    assert len(frontier.claim(wait=5)) == 1


# -- the async facade --


def public(kind: type) -> dict[str, inspect.Signature]:
    own = {"run", "connect", "embedded", "create", "close", "policy"}
    return {n: inspect.signature(f) for n, f in inspect.getmembers(kind, callable) if not n.startswith("_") and n not in own}


@pytest.mark.parametrize(("sync", "other"), [(Operators, AsyncOperators), (Frontier, AsyncFrontier)])
def test_both_facades_offer_the_same(sync: type, other: type) -> None:
    ours, theirs = public(sync), public(other)
    assert ours.keys() == theirs.keys()
    for name, signature in ours.items():
        assert list(signature.parameters.values()) == list(theirs[name].parameters.values()), name


async def test_the_async_one_does_the_same(fake_async_client: fakeredis.FakeAsyncRedis) -> None:
    frontier = AsyncFrontier(fake_async_client, "c", worker="me", randoms=random.Random(1).randbytes)
    definition = definition_of("c", {"uniqueness": "exact"}, 2, [{"rule": "accept"}])
    frontier.session.adopt(await frontier.run(creation(definition, True, frontier.session)))
    await frontier.set_clock(T)
    await frontier.start()
    answers = await frontier.schedule([A, B, A, "nonsense"])
    assert [str(a.outcome) for a in answers] == ["added", "added", "known", "invalid"]
    claims = await frontier.claim(5)
    assert sorted(c.uri for c in claims) == [A, B]
    assert await frontier.extend(claims) == [Finished.OK, Finished.OK]
    settled = await frontier.finish([c.outcome(404) for c in claims])
    assert [s.verdict for s in settled] == ["succeeded", "succeeded"]
    assert [row async for row in frontier.leases()] == []
    assert sorted([row["queue"] async for row in frontier.queues("exhausted")]) == ["test,a,", "test,b,"]
    stats: dict[str, Any] = await frontier.stats()
    assert (stats["succeeded"], stats["state"]) == (2, "EMPTY")
    assert len(await frontier.claim(wait=0.01)) == 0
    with pytest.raises(BadArgument):
        await frontier.retire("nowhere")
    assert await frontier.delete_crawl() > 10
