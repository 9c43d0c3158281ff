"""Answers that get lost on the wire: the call is repeated, and done once (B4, A11; what a repeated claim brings)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Finished
from redisfrontier.store.embedded import Embedded
from tests.faults.conftest import QUICK, balanced, crawl
from tests.faults.lossy_proxy import LossyProxy

URIS = [f"http://h{i}.example/" for i in range(30)]


@pytest.fixture
def straight(passing: Embedded) -> Iterator[Frontier]:
    """A crawl over a line that loses nothing; it has used all scripts, so that the server knows them."""
    with crawl(passing.url, test_clock=True) as frontier:
        frontier.schedule(["http://warm.example/", "http://warm.example/2"])
        (claim,) = frontier.claim()
        frontier.extend([claim])
        frontier.release([claim])
        (claim,) = frontier.claim()
        frontier.finish([claim.outcome(200)])
        frontier.exchange([claim.outcome(200)])
        frontier.delete(lambda queue: True)
        yield frontier


@pytest.fixture
def proxy(passing: Embedded, tmp_path: Path) -> Iterator[LossyProxy]:
    with LossyProxy(passing.socket_path, tmp_path / "p.sock") as between:
        yield between


@pytest.fixture
def lossy(straight: Frontier, proxy: LossyProxy) -> Iterator[Frontier]:
    """The same crawl over a line that loses what it is told to lose."""
    with Frontier.connect(proxy.url, crawl="c", worker="lossy", backoff=QUICK) as frontier:
        yield frontier


def moved(frontier: Frontier, before: dict[str, int]) -> dict[str, int]:
    """What has been counted since."""
    after = frontier.stats()
    return {k: after[k] - before[k] for k in ("admitted", "pending", "in_flight", "succeeded", "lost") if after[k] != before[k]}


@pytest.mark.parametrize("times", [1, 3])
def test_b4_a_schedule_that_is_repeated_adds_nothing_twice(straight: Frontier, lossy: Frontier, proxy: LossyProxy, times: int) -> None:
    before = straight.stats()
    proxy.lose_answers_of("schedule", times)
    answers = lossy.schedule(URIS)
    assert proxy.lost == times
    assert [(str(a.outcome), a.reason) for a in answers] == [("known", "pending")] * len(URIS)
    assert moved(straight, before) == {"admitted": 30, "pending": 30}
    assert sorted(row["uri"] for row in straight.uris()) == sorted(URIS)


def test_b4_of_a_long_pipeline_each_call_is_done_once(straight: Frontier, lossy: Frontier, proxy: LossyProxy) -> None:
    before = straight.stats()
    proxy.lose_answers_of("schedule")
    answers = lossy.schedule(f"http://h{i % 50}.example/{i}" for i in range(4500))
    assert proxy.lost == 1
    assert {str(a.outcome) for a in answers} <= {"added", "known"}
    assert moved(straight, before) == {"admitted": 4500, "pending": 4500}


def test_an_exchange_that_is_repeated_ends_and_leases_once(straight: Frontier, lossy: Frontier, proxy: LossyProxy) -> None:
    straight.schedule(URIS)
    got = lossy.claim(2)
    before = straight.stats()
    proxy.lose_answers_of("exchange", 2)
    settled, claims = lossy.exchange([c.outcome(200) for c in got], 3)
    assert proxy.lost == 2
    assert [s.answer for s in settled] == [Finished.GONE] * 2
    assert len({c.uri for c in claims}) == 3
    assert moved(straight, before) == {"pending": -3, "in_flight": 1, "succeeded": 2}


@pytest.mark.parametrize("times", [1, 3])
def test_a_claim_that_is_repeated_brings_the_same_uris(straight: Frontier, lossy: Frontier, proxy: LossyProxy, times: int) -> None:
    straight.schedule(URIS)
    before = straight.stats()
    proxy.lose_answers_of("claim", times)
    claims = lossy.claim(10)
    assert proxy.lost == times
    assert len({c.uri for c in claims}) == 10
    assert len({c.token for c in claims}) == 1
    assert sorted(row["id"] for row in straight.leases("lossy")) == sorted(c.id for c in claims)
    assert {s.answer for s in lossy.finish(c.outcome(200) for c in claims)} == {Finished.OK}
    assert moved(straight, before) == {"pending": -10, "succeeded": 10}
    assert len(lossy.claim(30)) == 20  # the rest, and none of them twice
    assert balanced(straight)


def test_a_waiting_claim_survives_the_loss_of_its_line(straight: Frontier, lossy: Frontier, proxy: LossyProxy) -> None:
    proxy.lose_answers_of("claim", 2)
    straight.schedule(URIS[:1])
    assert [c.uri for c in lossy.claim(wait=20)] == URIS[:1]
    assert proxy.lost == 2


def test_a11_a_finish_that_is_repeated_is_gone_and_counted_once(straight: Frontier, lossy: Frontier, proxy: LossyProxy) -> None:
    straight.schedule(URIS)
    before = straight.stats()
    claims = lossy.claim(30)
    proxy.lose_answers_of("finish", 2)
    settled = lossy.finish(c.outcome(200, size_bytes=7) for c in claims)
    assert proxy.lost == 2
    assert [s.answer for s in settled] == [Finished.GONE] * 30
    assert moved(straight, before) == {"pending": -30, "succeeded": 30}
    assert straight.stats()["bytes"] - before["bytes"] == 210
    assert {straight.queue(c.queue)["spent"] for c in claims} == {1}
    assert straight.stats()["state"] == "EMPTY"


def test_a_retry_that_is_told_twice_is_one_attempt(straight: Frontier, lossy: Frontier, proxy: LossyProxy) -> None:
    straight.schedule(URIS[:1])
    proxy.lose_answers_of("finish")
    lossy.finish([lossy.claim()[0].outcome(-2)])
    straight.wake()
    assert straight.claim()[0].attempts == 1


def test_a_release_that_is_repeated_gives_back_once(straight: Frontier, lossy: Frontier, proxy: LossyProxy) -> None:
    straight.schedule(URIS[:3])
    before = straight.stats()
    claims = lossy.claim(3)
    proxy.lose_answers_of("release")
    assert set(lossy.release(claims)) == {Finished.GONE}
    assert proxy.lost == 1
    assert moved(straight, before) == {}
    assert [(c.attempts, c.lost_leases) for c in straight.claim(3)] == [(0, 0)] * 3


def test_an_extension_that_is_repeated_holds(straight: Frontier, lossy: Frontier, proxy: LossyProxy) -> None:
    straight.schedule(URIS[:1])
    claims = lossy.claim(lease_ms=1000)
    proxy.lose_answers_of("extend")
    assert lossy.extend(claims, 50_000) == [Finished.OK]
    assert proxy.lost == 1
    straight.set_clock(straight.stats()["now_ms"] + 40_000)
    assert not straight.claim()
    assert lossy.finish([claims[0].outcome(200)])[0].answer is Finished.OK


def test_a_deletion_whose_answer_is_lost_deletes_once(straight: Frontier, lossy: Frontier, proxy: LossyProxy) -> None:
    straight.schedule(URIS)
    before = straight.stats()
    proxy.lose_answers_of("delete")
    lossy.delete(lambda queue: True)
    assert proxy.lost == 1
    assert straight.stats()["deleted"] - before["deleted"] == 30
    assert balanced(straight)
