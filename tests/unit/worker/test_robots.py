"""robots.txt: matching, sharing, and the prerequisite (Heritrix §5.4, §5.5; RFC 9309)."""

from __future__ import annotations

import pytest

from redisfrontier.uri.parse import parse
from redisfrontier.worker.robots import (
    FOR_EVER_SECONDS,
    MAX_SHARED_BYTES,
    Robots,
    RobotsCache,
    authority_of,
    compact,
    is_robots_txt,
    product_token,
    robots_txt_of,
)

AGENT = "Mozilla/5.0 (compatible; redisfrontier/0.1 +http://crawler.example/)"


class Store:
    def __init__(self):
        self.texts: dict[str, tuple[str, int]] = {}
        self.gets = 0

    async def robots_get(self, authority):
        self.gets += 1
        return self.texts[authority][0] if authority in self.texts else None

    async def robots_put(self, authority, text, ttl_seconds):
        self.texts[authority] = (text, ttl_seconds)


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        (AGENT, "redisfrontier"),
        ("my-bot/2.1", "my-bot"),
        ("Mozilla/5.0 (X11) Thing", "mozilla"),
        ("", ""),
    ],
)
def test_the_crawlers_own_name(agent, token):
    assert product_token(agent) == token


def test_groups_are_chosen_by_product_and_longest_rule_wins():
    text = "User-agent: mozilla\nDisallow: /\n\nUser-agent: RedisFrontier\nDisallow: /a\nDisallow: /ab\nAllow: /a/b$\n"
    robots = Robots(text, product_token(AGENT))
    assert robots.allows("http://h.example/c")
    assert not robots.allows("http://h.example/ac")  # Heritrix' prefix defect would allow it (§11, 12)
    assert robots.allows("http://h.example/a/b")
    assert not robots.allows("http://h.example/a/bc")


@pytest.mark.parametrize(
    ("line", "seconds"), [("0.2", 0.2), ("301", 301.0), ("1.5", 1.5), ("-1", None), ("nan", None), ("1e400", None), ("x", None)]
)
def test_crawl_delay_keeps_fractions_and_drops_nonsense(line, seconds):
    assert Robots(f"User-agent: *\nCrawl-delay: {line}\n", "bot").crawl_delay_seconds == seconds


def test_what_is_shared_binds_as_the_original_does():
    text = "\ufeff# hello\r\nSitemap: http://h.example/s.xml\r\n\r\nUSER-AGENT : *  # all\r\n"
    text += "Disallow: /x # no\r\nCrawl-Delay: 2\r\n<p>stray</p>\r\n"
    short = compact(text)
    assert short == "USER-AGENT : *\nDisallow: /x\nCrawl-Delay: 2"
    assert compact(short) == short
    assert not Robots(short, "bot").allows("http://h.example/x/y")
    assert Robots(short, "bot").crawl_delay_seconds == 2


def test_a_huge_robots_txt_is_cut_at_a_line():
    text = "User-agent: *\n" + "".join(f"Disallow: /ä{i:06d}\n" for i in range(20_000))
    short = compact(text)
    assert MAX_SHARED_BYTES - 50 < len(short.encode()) <= MAX_SHARED_BYTES
    assert short.splitlines()[-1] in text.splitlines()


async def test_rules_are_learnt_once_and_shared():
    store, now = Store(), [0.0]
    first, second = (RobotsCache(store, AGENT, lambda: now[0], keep_seconds=60) for _ in range(2))
    assert await first.rules("h:80") is None
    await first.learn("h:80", "User-agent: *\nDisallow: /no", 86_400)
    assert store.texts["h:80"][1] == 86_400
    robots = await second.rules("h:80")
    assert robots is not None
    assert not robots.allows("http://h/no")
    gets = store.gets
    await second.rules("h:80")
    assert store.gets == gets  # from memory
    now[0] = 61
    store.texts.clear()
    assert await second.rules("h:80") is None  # the memory is short: what the frontier forgot is fetched anew


async def test_validity_zero_means_for_ever():
    store = Store()
    await RobotsCache(store, AGENT, lambda: 0.0).learn("h:80", "", 0)
    assert store.texts["h:80"] == ("", FOR_EVER_SECONDS)


async def test_giving_up_is_shared():
    store = Store()
    await RobotsCache(store, AGENT, lambda: 0.0).give_up("h:80", -2, 900)
    robots = await RobotsCache(store, AGENT, lambda: 0.0).rules("h:80")
    assert robots is not None
    assert (robots.failed_status, robots.allows("http://h/"), robots.crawl_delay_seconds) == (-2, False, None)


async def test_the_memory_is_bounded():
    store = Store()
    cache = RobotsCache(store, AGENT, lambda: 0.0, capacity=3)
    for i in range(5):
        await cache.learn(f"h{i}:80", "", 60)
    gets = store.gets
    await cache.rules("h4:80")
    await cache.rules("h0:80")
    assert store.gets == gets + 1


def test_authorities_tell_ports_and_schemes_apart():
    assert [authority_of(parse(u)) for u in ("http://h.example/", "https://h.example/", "http://h.example:8080/", "http://[::1]/")] == [
        "h.example:80",
        "h.example:443",
        "h.example:8080",
        "[::1]:80",
    ]


def test_which_uris_are_robots_txt():
    assert is_robots_txt(parse("http://h.example/robots.txt"))
    assert not is_robots_txt(parse("http://h.example/robots.txt?x"))
    assert not is_robots_txt(parse("http://h.example/a/robots.txt"))


@pytest.mark.parametrize(
    ("uri", "robots"),
    [
        ("https://user:pw@h.example:8443/a?b", "https://h.example:8443/robots.txt"),
        ("http://h.example/", "http://h.example/robots.txt"),
        ("http://[::1]:81/x", "http://[::1]:81/robots.txt"),
    ],
)
def test_the_robots_txt_of_a_uri(uri, robots):
    assert robots_txt_of(parse(uri)) == robots
