"""The crawler's loop against a frontier in memory: nothing lost, leases kept and given back, Redis away, ends."""

from __future__ import annotations

import asyncio
import time

import pytest
import structlog

from redisfrontier.candidates import Preparer
from redisfrontier.errors import BadArgument, Full, Unavailable, WrongState
from redisfrontier.record.outcome import Finished, Settled
from redisfrontier.settings import Settings
from redisfrontier.worker import crawl_log
from redisfrontier.worker.leases import LeaseKeeper
from redisfrontier.worker.loop import Crawler, Plan
from redisfrontier.worker.options import WorkerOptions
from redisfrontier.worker.ports import GivenUp, Patience, PatientRobots
from redisfrontier.worker.robots import RobotsCache
from redisfrontier.worker.settle import Settler
from redisfrontier.worker.visit import Visitor
from tests.unit.worker.pages import answer
from tests.unit.worker.standin import FrontierStandIn, SiteStandIn, claim_of

HOST = "http://h.example"
ROBOTS = {f"{HOST}/robots.txt": answer("User-agent: *\nDisallow: /private", uri=f"{HOST}/robots.txt", content_type="text/plain")}
LOG = structlog.get_logger()


class Scene:
    def __init__(self, pages=None, *, frontier=None, log_path=None, delay_seconds=0.0, **plan):
        self.frontier = frontier or FrontierStandIn()
        self.site = SiteStandIn(ROBOTS | (pages or {}), delay_seconds)
        self.naps: list[float] = []
        self.patience = Patience(LOG, sleep=self.nap, jitter=lambda: 0.5)
        robots = RobotsCache(PatientRobots(self.frontier, self.patience), "bot/1", time.monotonic)
        policy = Preparer(Settings(max_outlinks=2))
        visitor = Visitor(self.site, robots, lambda: policy)
        self.log = crawl_log.CrawlLog(log_path) if log_path else None
        settler = Settler(
            self.frontier, self.patience, visitor, lambda: policy, now_ms=lambda: 1_700_000_000_000, log=LOG, crawl_log_file=self.log
        )
        self.crawler = Crawler(self.frontier, visitor, settler, self.patience, Plan("w", **({"stop_when_empty": True} | plan)), LOG)

    async def nap(self, seconds):
        self.naps.append(seconds)
        await asyncio.sleep(0.001)

    async def run(self, *uris):
        await self.frontier.schedule(uris)
        return await asyncio.wait_for(self.crawler.run(), 10)


def page(*links: str) -> str:
    return "".join(f'<a href="{HOST}{link}">' for link in links)


async def test_a_crawl_to_its_end(tmp_path):
    moved = answer(status=301, Location="/a", uri=f"{HOST}/b")
    pages = {f"{HOST}/": page("/a", "/b", "/c"), f"{HOST}/a": page("/private"), f"{HOST}/b": moved}
    scene = Scene(pages, log_path=tmp_path / "crawl.log")
    tally = await scene.run(f"{HOST}/")
    expected = {"/robots.txt": 200, "/": 200, "/a": 200, "/b": 301, "/private": -9998}
    assert scene.frontier.finished() == {HOST + path: status for path, status in expected.items()}
    assert (tally.finished, tally.retried, tally.links_added) == (5, 1, 3)
    lines = [line.split() for line in (tmp_path / "crawl.log").read_text().splitlines()]
    assert [(f[3], f[1], f[4]) for f in lines[:2]] == [(f"{HOST}/robots.txt", "200", "P"), (f"{HOST}/", "200", "-")]
    assert lines[1][11] == "dol:1,2t"  # one link too many; the deferral for robots.txt was the first attempt
    assert len(lines) == 5  # the deferral itself leaves no line (Heritrix §1.7)
    assert scene.frontier.leased == {}


async def test_links_are_scheduled_before_the_page_is_finished():
    scene = Scene({f"{HOST}/": page("/a")})
    await scene.run(f"{HOST}/")
    calls = [c for c in scene.frontier.calls if c in ("schedule", "finish")]
    # seeds; -50; robots.txt; links then finish of /; finish of /a
    assert calls == ["schedule", "finish", "finish", "schedule", "finish", "finish"]


async def test_when_links_are_not_taken_the_page_goes_back_unfinished(monkeypatch):
    monkeypatch.setattr("redisfrontier.worker.loop.FULL_SECONDS", 0.01)
    scene = Scene({f"{HOST}/": page("/a")})
    scene.patience._full = 0.5
    refusals = []

    def trouble(op):
        if op == "schedule" and len(refusals) < 5 and "finish" in scene.frontier.calls:
            refusals.append(op)
            raise Full

    scene.frontier.trouble = trouble
    await scene.run(f"{HOST}/")
    assert len(refusals) == 5
    assert scene.frontier.finished()[f"{HOST}/a"] == 404
    assert "release" in scene.frontier.calls


async def test_a_stopped_crawl_takes_no_links_but_lets_pages_finish():
    scene = Scene({f"{HOST}/": page("/a")})

    def trouble(op):
        if op == "schedule" and "claim" in scene.frontier.calls:
            raise WrongState

    scene.frontier.trouble = trouble
    await scene.run(f"{HOST}/")
    assert scene.frontier.finished()[f"{HOST}/"] == 200


async def test_redis_away_is_waited_out_with_growing_bounded_pauses():
    """Cases F1 and F2: no exit, nothing lost, no tight loop."""
    scene = Scene({f"{HOST}/": page("/a")})
    failing = {"claim": 12, "finish": 3, "robots_get": 2, "schedule": 0, "stats": 2}

    def trouble(op):
        if failing.get(op, 0) > 0 and "schedule" in scene.frontier.calls:
            failing[op] -= 1
            raise Unavailable

    scene.frontier.trouble = trouble
    await scene.run(f"{HOST}/")
    assert sum(failing.values()) == 0
    assert scene.frontier.finished() == {f"{HOST}/robots.txt": 200, f"{HOST}/": 200, f"{HOST}/a": 404}
    assert scene.naps[:4] == [0.1, 0.2, 0.4, 0.8]
    assert max(scene.naps) == 5.0


async def slow_pages(count, **plan):
    """A scene whose pages take longer than any test."""
    scene = Scene({f"{HOST}/{i}": "x" for i in range(count)}, delay_seconds=30, **plan)
    scene.frontier.robots["h.example:80"] = ""
    await scene.frontier.schedule([f"{HOST}/{i}" for i in range(count)])
    return scene


async def stop_after(scene, seconds):
    run = asyncio.create_task(scene.crawler.run())
    await asyncio.sleep(seconds)
    scene.crawler.stop()
    await asyncio.wait_for(run, 5)


async def test_a_stop_while_redis_is_away_gives_up_in_time():
    scene = Scene()
    await scene.frontier.schedule([f"{HOST}/"])

    def trouble(op):
        raise Unavailable

    scene.frontier.trouble = trouble
    await stop_after(scene, 0.02)
    assert scene.frontier.finished() == {}


async def test_stop_releases_what_is_being_fetched():
    scene = await slow_pages(5, concurrency=3)
    run = asyncio.create_task(scene.crawler.run())
    await asyncio.sleep(0.05)
    assert scene.crawler.in_flight == 3
    scene.crawler.stop()
    await asyncio.wait_for(run, 5)
    assert len(scene.frontier.pending) == 5
    assert scene.frontier.leased == {}
    assert scene.frontier.finals == []


async def test_stop_releases_a_claim_that_reaches_the_frontier_late():
    scene = await slow_pages(2)
    release_worker, late = scene.frontier.release_worker, scene.frontier.claim

    async def release_and_claim(worker):
        back = await release_worker(worker)
        if scene.frontier.calls.count("release_worker") == 1:
            await late(1)
        return back

    scene.frontier.release_worker = release_and_claim
    await stop_after(scene, 0.05)
    assert scene.frontier.leased == {}
    assert len(scene.frontier.pending) == 2


async def test_stop_ends_a_claim_that_forgets_its_cancellation():
    scene = await slow_pages(1)
    claim = scene.frontier.claim

    async def stubborn(n, **how):
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:  # as asyncio.wait_for does in Python 3.11, when what it waits for ends just then
            await asyncio.sleep(0.2)
        return await claim(n, **how)

    scene.frontier.claim = stubborn
    await stop_after(scene, 0.02)
    await asyncio.sleep(0.3)
    assert scene.frontier.leased == {}


async def test_stop_lets_what_is_being_written_come_home():
    scene = Scene({f"{HOST}/": "x"})
    scene.frontier.robots["h.example:80"] = ""
    finish, entered = scene.frontier.finish, asyncio.Event()

    async def slow_finish(outcomes):
        entered.set()
        await asyncio.sleep(0.1)
        return await finish(outcomes)

    scene.frontier.finish = slow_finish
    await scene.frontier.schedule([f"{HOST}/"])
    run = asyncio.create_task(scene.crawler.run())
    await entered.wait()
    scene.crawler.stop()
    await asyncio.wait_for(run, 5)
    assert scene.frontier.finished() == {f"{HOST}/": 200}


async def test_a_slow_fetch_does_not_hold_up_the_others():
    """Case C3: with one long fetch out, further claims go on."""

    async def fetch(uri, headers):
        await asyncio.sleep(1 if uri.endswith("/slow") else 0.001)
        return answer("x", uri=uri)

    scene = Scene(concurrency=2)
    scene.site.fetch = fetch
    scene.frontier.robots["h.example:80"] = ""
    await scene.frontier.schedule([f"{HOST}/slow", *(f"{HOST}/{i}" for i in range(20))])
    run = asyncio.create_task(scene.crawler.run())
    await asyncio.sleep(0.5)
    assert len(scene.frontier.finals) == 20
    await asyncio.wait_for(run, 5)
    assert len(scene.frontier.finals) == 21


async def test_slow_fetches_have_their_leases_extended():
    scene = Scene({f"{HOST}/": "x"}, frontier=FrontierStandIn(lease_ms=100), delay_seconds=0.3)
    scene.frontier.robots["h.example:80"] = ""
    await scene.run(f"{HOST}/")
    assert scene.frontier.extended.count(f"{HOST}/") >= 3


async def test_a_lost_lease_cuts_the_fetch_short_and_is_counted():
    """Case A6: counted and logged, and the URI is not finished by this worker."""
    scene = Scene({f"{HOST}/": "x"}, frontier=FrontierStandIn(lease_ms=60), delay_seconds=5)
    scene.frontier.robots["h.example:80"] = ""
    await scene.frontier.schedule([f"{HOST}/"])
    run = asyncio.create_task(scene.crawler.run())
    await asyncio.sleep(0.01)
    scene.frontier.leased.clear()  # another worker has it
    tally = await asyncio.wait_for(run, 2)
    assert (tally.lost_leases, scene.frontier.finals) == (1, [])


async def test_extensions_answered_late_do_not_touch_finished_claims():
    frontier, lost = FrontierStandIn(), []
    keeper = LeaseKeeper(frontier, Patience(LOG), lost.append, lambda: 0.0)
    claim = claim_of(f"{HOST}/", until_ms=0)
    keeper.hold(claim, now_ms=0)

    async def extend(claims, lease_ms=None):
        keeper.drop(claim)  # finished while the answer was under way
        return [Finished.GONE]

    frontier.extend = extend
    keeper._ticks = lambda: 1.0
    await keeper.extend_due()
    assert lost == []


async def test_a_restart_under_the_same_name_takes_its_leases_back():
    """Case A3."""
    frontier = FrontierStandIn()
    await frontier.schedule([f"{HOST}/"])
    await frontier.claim(1, worker="w")
    scene = Scene({f"{HOST}/": "x"}, frontier=frontier, take_back=True)
    await scene.run()
    assert frontier.finished()[f"{HOST}/"] == 200


async def test_max_uris_ends_the_worker_but_not_the_crawl():
    scene = Scene({f"{HOST}/{i}": "x" for i in range(10)}, max_uris=4, concurrency=3)
    scene.frontier.robots["h.example:80"] = ""
    tally = await scene.run(*(f"{HOST}/{i}" for i in range(10)))
    assert tally.finished == 4
    assert len(scene.frontier.pending) == 6


async def test_an_empty_crawl_is_waited_at_quietly_until_told_to_stop():
    """Case C4: an idle worker makes at most about two calls a second."""
    scene = Scene(stop_when_empty=False)
    run = asyncio.create_task(scene.crawler.run())
    await asyncio.sleep(1.2)
    assert len(scene.frontier.calls) <= 4
    scene.crawler.stop()
    await asyncio.wait_for(run, 1)


async def test_a_finished_crawl_ends_every_worker():
    scene = Scene(stop_when_empty=False, frontier=FrontierStandIn(run_state="FINISH"))
    await scene.run(f"{HOST}/")
    assert scene.frontier.finals == []


async def test_empty_is_believed_only_when_nothing_was_admitted_in_between():
    scene = Scene()
    stats, seen = scene.frontier.stats, []

    async def restless():
        seen.append(1)
        return (await stats()) | {"admitted": min(4, len(seen))}

    scene.frontier.stats = restless
    await scene.run()
    assert len(seen) > 4


async def test_a_full_disk_stops_the_worker_and_gives_its_work_back():
    scene = Scene({f"{HOST}/": "x"})
    scene.frontier.robots["h.example:80"] = ""

    class FullDisk:
        def write(self, *_):
            raise OSError(28, "No space left on device")

    scene.crawler._settler._warc = FullDisk()
    with pytest.raises(OSError, match="No space"):
        await scene.run(f"{HOST}/")
    assert [c.uri for c, _ in scene.frontier.pending] == [f"{HOST}/"]


async def test_a_refused_outcome_is_handed_in_bare():
    scene = Scene({f"{HOST}/": answer("x", uri=f"{HOST}/", ETag='"1"')})
    scene.frontier.robots["h.example:80"] = ""
    settle = scene.frontier._settle
    scene.frontier._settle = lambda o: Settled(o.claim.id, Finished.REFUSED, reason="etag") if o.etag else settle(o)
    await scene.run(f"{HOST}/")
    assert scene.frontier.finals[0].etag is None


async def test_an_unexpected_error_costs_one_uri_not_the_worker():
    scene = Scene({f"{HOST}/a": "x", f"{HOST}/b": "x"}, stop_when_empty=False, max_uris=1)
    scene.frontier.robots["h.example:80"] = ""
    finish = scene.frontier.finish

    async def picky(outcomes):
        if outcomes[0].claim.uri.endswith("/a"):
            raise BadArgument("a bug")
        return await finish(outcomes)

    scene.frontier.finish = picky
    await scene.run(f"{HOST}/a", f"{HOST}/b")
    assert scene.frontier.finished() == {f"{HOST}/b": 200}


async def test_patience_hurried_ends_in_giving_up():
    naps = []

    async def nap(seconds):
        naps.append(seconds)

    async def away():
        raise Unavailable

    patience = Patience(LOG, sleep=nap, jitter=lambda: 0.5, grace_seconds=1)
    patience.hurry()
    with pytest.raises(GivenUp):
        await patience.call("claim", away)
    assert sum(naps) == pytest.approx(1.5)


@pytest.mark.parametrize(
    "bad",
    [{}, {"url": "u", "embedded": "x"}, {"url": "u", "concurrency": 0}, {"url": "u", "lease_ms": 5}, {"url": "u", "max_body_bytes": 0}],
)
def test_options_out_of_range_are_refused(bad):
    with pytest.raises(BadArgument):
        WorkerOptions("crawl", **bad)
