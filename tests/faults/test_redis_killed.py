"""Redis is killed and comes back from its append-only file: work goes on, and nothing that was accepted is lost (F2, F10, F11, L1)."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

from redisfrontier.aio import AsyncFrontier
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Admission, Claim, Finished
from redisfrontier.store.embedded import Embedded
from tests.faults.conftest import QUICK, balanced, crawl, kill, kill_and_restart, whole

PER_WORKER = 1500


class Worker(threading.Thread):
    """Schedules URIs of its own in small batches, and fetches what comes, until the crawl is empty."""

    def __init__(self, url: str, number: int) -> None:
        super().__init__(daemon=True)
        self.frontier = Frontier.connect(url, crawl="c", worker=f"w{number}", backoff=QUICK)
        self.mine = [f"http://h{number}-{i % 40}.example/{i}" for i in range(PER_WORKER)]
        self.answers: list[Admission] = []
        self.finished: list[tuple[Claim, Finished]] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            while self.mine or self.frontier.stats()["state"] != "EMPTY":
                self.turn()
        except BaseException as error:
            self.error = error
        finally:
            self.frontier.close()

    def turn(self) -> None:
        some, self.mine = self.mine[:50], self.mine[50:]
        self.answers += self.frontier.schedule(some)
        claims = self.frontier.claim(40, wait=None if self.mine else 0.2)
        settled = self.frontier.finish(c.outcome(200, delay_ms=0) for c in claims)
        self.finished += [(c, s.answer) for c, s in zip(claims, settled, strict=True)]


def test_f2_work_goes_on_through_kills_and_every_accepted_uri_ends_exactly_once(lasting: Embedded) -> None:
    frontier = crawl(lasting.url, min_delay_ms=0)
    workers = [Worker(lasting.url, i) for i in range(3)]
    for worker in workers:
        worker.start()
    for _ in range(3):
        time.sleep(0.3)
        kill_and_restart(lasting, 0.1)
    for worker in workers:
        worker.join(120)
    assert [str(worker.error or "") for worker in workers] == [""] * 3
    assert not any(worker.is_alive() for worker in workers)
    outcomes = Counter(str(answer.outcome) for worker in workers for answer in worker.answers)
    assert set(outcomes) <= {"added", "known"}  # known: the answer of the first try died with the server
    assert outcomes.total() == 3 * PER_WORKER
    ended = Counter(claim.uri for worker in workers for claim, _ in worker.finished)
    assert len(ended) == 3 * PER_WORKER
    assert set(ended.values()) == {1}
    assert {answer for worker in workers for _, answer in worker.finished} <= {Finished.OK, Finished.GONE}
    stats = frontier.stats()
    assert (stats["admitted"], stats["succeeded"], stats["lost"]) == (3 * PER_WORKER, 3 * PER_WORKER, 0)
    assert balanced(frontier)
    frontier.close()


@pytest.mark.parametrize("uniqueness", ["exact", "bitfield"])
def test_f10_f11_l1_a_restarted_server_stands_where_it_stood(lasting: Embedded, uniqueness: str) -> None:
    frontier = crawl(lasting.url, test_clock=True, queue_total_budget=3, min_delay_ms=2000, uniqueness=uniqueness, expected_uris=10_000)
    frontier.schedule(f"http://h{i}.example/{j}" for i in range(8) for j in range(4))
    frontier.finish(c.outcome(status, duration_ms=500) for c, status in zip(frontier.claim(5), (200, 404, -2, 503, -9998), strict=True))
    frontier.claim(2, worker="w2", lease_ms=60_000)
    frontier.snooze("example,h7,", 99_000)
    frontier.retire("example,h6,", "by hand")
    frontier.budget("example,h5,", 1)
    frontier.set_settings({"max_retries": 7})
    frontier.pause()
    before = whole(frontier)
    kill_and_restart(lasting)
    assert whole(frontier) == before
    late = Frontier.connect(lasting.url, crawl="c", backoff=QUICK)  # F10: a worker that comes late finds it paused still
    got = late.claim(10)
    assert (len(got), got.run_state) == (0, "PAUSE")
    again = late.schedule(["http://h0.example/0", "http://h7.example/3"])
    assert {str(a.outcome) for a in again} == {"known"}
    late.close()
    frontier.close()


def test_politeness_outlives_the_server(lasting: Embedded) -> None:
    frontier = crawl(lasting.url, test_clock=True)
    frontier.schedule(f"http://a.example/{i}" for i in range(3))
    frontier.finish([frontier.claim()[0].outcome(200, delay_ms=7000)])
    kill_and_restart(lasting)
    got = frontier.claim()
    assert (len(got), got.wait_ms) == (0, 7000)
    frontier.set_clock(got.now_ms + 6999)
    assert not frontier.claim()
    frontier.set_clock(got.now_ms + 7000)
    assert len(frontier.claim()) == 1
    frontier.close()


def test_a_lease_taken_before_the_kill_is_finished_after_it(lasting: Embedded) -> None:
    frontier = crawl(lasting.url)
    frontier.schedule(["http://a.example/", "http://b.example/"])
    claims = frontier.claim(2)
    kill_and_restart(lasting)
    assert [s.answer for s in frontier.finish(c.outcome(200) for c in claims)] == [Finished.OK] * 2
    assert frontier.stats()["state"] == "EMPTY"
    frontier.close()


def test_f2_a_server_that_stays_away_leaves_the_state_alone_and_the_caller_with_a_clear_error(lasting: Embedded) -> None:
    from redisfrontier.errors import Unavailable
    from redisfrontier.store.retry import Backoff

    frontier = crawl(lasting.url, test_clock=True)
    frontier.schedule(["http://a.example/"])
    before = whole(frontier)
    brief = Frontier.connect(lasting.url, crawl="c", backoff=Backoff(first_seconds=0.01, cap_seconds=0.05, give_up_seconds=0.3))
    kill(lasting)
    for call in (lambda: brief.claim(wait=0.1), brief.claim, brief.stats, lambda: brief.schedule(["http://b.example/"]), brief.wake):
        with pytest.raises(Unavailable) as caught:
            call()
        assert caught.value.remedy
    lasting.ensure_running()
    assert whole(frontier) == before
    assert len(brief.claim(wait=5)) == 1  # the same object goes on
    brief.close()
    frontier.close()


async def test_the_asyncio_facade_goes_on_as_well(lasting: Embedded) -> None:
    import asyncio

    crawl(lasting.url, min_delay_ms=0).close()
    async with await AsyncFrontier.connect(lasting.url, crawl="c", backoff=QUICK) as frontier:
        waiting = asyncio.create_task(frontier.claim(5, wait=60))
        await asyncio.sleep(0.2)
        await asyncio.to_thread(kill_and_restart, lasting, 0.2)
        assert not waiting.done()
        await frontier.schedule(["http://a.example/"])
        claims = await waiting
        assert [c.uri for c in claims] == ["http://a.example/"]
        await asyncio.to_thread(kill_and_restart, lasting, 0.2)
        assert [s.answer for s in await frontier.finish(c.outcome(200) for c in claims)] == [Finished.OK]
        assert (await frontier.stats())["succeeded"] == 1
