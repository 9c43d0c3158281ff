"""One claimed URI up to its outcome: prerequisite, robots rules, conditional fetch, headers, failures."""

from __future__ import annotations

import pytest

from redisfrontier.candidates import Preparer
from redisfrontier.settings import Settings
from redisfrontier.worker.exchange import Exchange
from redisfrontier.worker.robots import RobotsCache
from redisfrontier.worker.visit import Visitor
from tests.unit.worker.pages import answer
from tests.unit.worker.standin import FrontierStandIn, SiteStandIn, claim_of

PAGE = "http://h.example/page"
ROBOTS = "http://h.example/robots.txt"


class Scene:
    def __init__(self, pages=None, robots: str | None = "", **settings):
        self.frontier, self.naps = FrontierStandIn(), []
        if robots is not None:
            self.frontier.robots["h.example:80"] = robots
        self.site = SiteStandIn(pages or {})
        cache = RobotsCache(self.frontier, "bot/1.0", lambda: 0.0)
        policy = Preparer(Settings().changed(settings))
        self.visitor = Visitor(self.site, cache, lambda: policy, sleep=self.nap)

    async def nap(self, seconds):
        self.naps.append(seconds)

    async def visit(self, uri=PAGE, **claim):
        return await self.visitor.visit(claim_of(uri, **claim))


async def test_without_robots_txt_the_uri_is_deferred_with_its_prerequisite():
    scene = Scene(robots=None)
    visit = await scene.visit(path="LL", queue="example,h,", source_tag="s", heritable={"heritable": ["k"], "k": "v"})
    assert visit.outcome.fetch_status == -50
    c = visit.outcome.prerequisite
    assert (c.uri, c.path, c.via, c.via_context, c.queue) == (ROBOTS, "LLP", PAGE, "=PREREQ_MISC", "example,h,")
    assert (c.force_fetch, c.prerequisite, c.directive, c.source_tag, c.heritable["k"]) == (True, True, 2, "s", "v")
    assert scene.site.asked == []


async def test_ignore_asks_for_no_robots_txt():
    visit = await Scene({PAGE: "hello"}, robots=None, robots_policy_name="ignore").visit()
    assert visit.outcome.fetch_status == 200


async def test_a_denied_uri_is_not_fetched():
    scene = Scene({PAGE: "x"}, robots="User-agent: *\nDisallow: /page")
    visit = await scene.visit()
    assert (visit.outcome.fetch_status, visit.outcome.delay_ms) == (-9998, 0)  # the host was not asked: no delay is owed
    assert scene.site.asked == []


async def test_a_page_brings_links_crawl_delay_and_digest():
    scene = Scene({PAGE: '<a href="x">'}, robots="User-agent: *\nCrawl-delay: 0.5")
    visit = await scene.visit()
    assert visit.outcome.crawl_delay_seconds == 0.5
    assert visit.outcome.duration_ms == 45
    assert visit.outcome.size_bytes == 12
    assert visit.outcome.digest == "sha1:55YXIPUD2KX6SS5TQX4UUG3EYOCVIR66"
    assert [(link.uri, link.hop) for link in visit.extraction.links] == [("x", "L")]


async def test_headers_go_into_the_outcome_as_they_came():
    page = answer(
        "busy", status=503, uri=PAGE, Retry_After="Wed, 01 Jan 2025 00:02:00 GMT", Date="Wed, 01 Jan 2025 00:00:00 GMT", ETag='W/"1"',
        Last_Modified="Tue, 31 Dec 2024 00:00:00 GMT",
    )  # fmt: skip
    outcome = (await Scene({PAGE: page}).visit()).outcome
    assert (outcome.retry_after, outcome.http_date) == ("Wed, 01 Jan 2025 00:02:00 GMT", "Wed, 01 Jan 2025 00:00:00 GMT")
    assert (outcome.etag, outcome.last_modified, outcome.modified_ms) == ('W/"1"', "Tue, 31 Dec 2024 00:00:00 GMT", 1735603200000)


async def test_over_long_and_senseless_headers_are_dropped():
    page = answer("x", uri=PAGE, ETag="e" * 5000, Last_Modified="yesterday")
    outcome = (await Scene({PAGE: page}).visit()).outcome
    assert (outcome.etag, outcome.modified_ms) == (None, None)


async def test_a_redirect_is_an_outcome_and_a_link_not_a_second_fetch():
    scene = Scene({PAGE: answer(status=301, uri=PAGE, Location="/new")})
    visit = await scene.visit()
    assert (visit.outcome.fetch_status, visit.outcome.redirect) == (301, "http://h.example/new")
    assert [(link.uri, link.hop) for link in visit.extraction.links] == [("http://h.example/new", "R")]
    assert len(scene.site.asked) == 1


async def test_what_an_earlier_fetch_left_makes_the_next_one_conditional():
    scene = Scene({PAGE: answer(status=304, uri=PAGE)})
    visit = await scene.visit(metadata={"etag": '"v1"', "last_modified": "Tue, 31 Dec 2024 00:00:00 GMT", "other": "x"})
    assert scene.site.asked == [(PAGE, {"If-None-Match": '"v1"', "If-Modified-Since": "Tue, 31 Dec 2024 00:00:00 GMT"})]
    assert (visit.outcome.fetch_status, visit.outcome.digest) == (304, None)
    assert "duplicate:server-not-modified" in visit.annotations


async def test_metadata_that_would_smuggle_in_a_header_is_not_sent():
    scene = Scene({PAGE: "x"})
    await scene.visit(metadata={"etag": '"a"\r\nX-Evil: 1', "last_modified": 7})
    assert scene.site.asked == [(PAGE, {})]


@pytest.mark.parametrize(
    ("uri", "status"), [("ftp://h.example/x", -7), ("whois:h.example", -7), ("dns:known.example", 1), ("dns:unknown.example", -1)]
)
async def test_other_schemes(uri, status):
    scene = Scene()
    scene.site.hosts.add("known.example")
    assert (await scene.visit(uri)).outcome.fetch_status == status


async def test_a_bug_ends_as_minus_5():
    def broken():
        raise KeyError("x")

    visit = await Scene({PAGE: broken}).visit()
    assert (visit.outcome.fetch_status, visit.annotations) == (-5, ("err=KeyError",))


async def test_a_robots_txt_is_shared_before_it_is_finished():
    scene = Scene({ROBOTS: answer("User-agent: *\nDisallow: /x\nCrawl-delay: 2", uri=ROBOTS, content_type="text/plain")}, robots=None)
    visit = await scene.visit(ROBOTS)
    assert visit.outcome.crawl_delay_seconds == 2
    assert scene.frontier.robots["h.example:80"].startswith("User-agent: *")
    assert visit.extraction is None


@pytest.mark.parametrize("status", [404, 403, 401, 410, 301])
async def test_a_4xx_robots_txt_or_one_that_leads_nowhere_allows_everything(status):
    scene = Scene({ROBOTS: answer("x", status=status, uri=ROBOTS)}, robots=None)
    visit = await scene.visit(ROBOTS)
    assert not visit.outcome.robots_unreachable
    assert scene.frontier.robots["h.example:80"] == ""


@pytest.mark.parametrize("status", [500, 503, 429, -4])
async def test_an_unreachable_robots_txt_is_said_to_be_so_and_allows_nothing(status):
    scene = Scene({ROBOTS: answer("x", status=status, uri=ROBOTS)}, robots=None)
    visit = await scene.visit(ROBOTS)
    assert visit.outcome.robots_unreachable
    assert scene.frontier.robots == {}


@pytest.mark.parametrize(("status", "expected"), [(-1, -6), (-2, -61), (-3, -61)])
async def test_a_robots_txt_that_failed_for_good_fails_what_waits_for_it(status, expected):
    scene = Scene({ROBOTS: Exchange(ROBOTS, status, 0, 1, error="x")}, robots=None)
    visit = await scene.visit(ROBOTS)
    assert not visit.outcome.robots_unreachable
    await scene.visitor.settled(visit, "retry")
    assert (await scene.visit()).outcome.fetch_status == -50
    await scene.visitor.settled(visit, "failed")
    assert (await scene.visit()).outcome.fetch_status == expected


async def test_robots_redirects_are_followed_on_the_same_host_politely():
    there = "http://h.example/rules/robots.txt"
    scene = Scene(
        {ROBOTS: answer(status=302, uri=ROBOTS, Location="/rules/robots.txt"), there: answer("User-agent: *\nDisallow: /page", uri=there)},
        robots=None,
        min_delay_ms=1500,
    )
    visit = await scene.visit(ROBOTS)
    assert (visit.outcome.fetch_status, scene.naps) == (200, [1.5])
    assert (await scene.visit()).outcome.fetch_status == -9998


async def test_robots_redirects_to_other_hosts_or_in_circles_end():
    scene = Scene({ROBOTS: answer(status=302, uri=ROBOTS, Location="http://other.example/robots.txt")}, robots=None)
    await scene.visit(ROBOTS)
    assert len(scene.site.asked) == 1
    circle = Scene({ROBOTS: answer(status=302, uri=ROBOTS, Location="/robots.txt")}, robots=None)
    await circle.visit(ROBOTS)
    assert len(circle.site.asked) == 6


async def test_robots_txt_only_follows_nofollow_links():
    page = {PAGE: '<meta name=robots content=nofollow><a href="x">'}
    assert (await Scene(page).visit()).extraction.links == []
    assert len((await Scene(page, robots_policy_name="robots_txt_only").visit()).extraction.links) == 1
