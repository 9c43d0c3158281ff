"""Generated sites that misbehave in known ways: traps, redirects, errors, slowness, robots rules, escapes, an IDN host."""

from __future__ import annotations

import datetime as dt
from itertools import count
from urllib.parse import parse_qsl, urlsplit

from tests.sites.page import Page, Site, html, links, moved, text

IDN_HOST = "예시.demo.test"
IDN_ASCII = IDN_HOST.encode("idna").decode()
#: Named by no seed.
ELSEWHERE = "elsewhere.demo.test"
RETRY_AFTER_SECONDS = 2
CRAWL_DELAY_SECONDS = 0.25


def trap_site(port: int) -> Site:
    """A calendar without end, path segments that repeat for ever, redirects in every shape, errors."""
    away = {"/r/away": moved(f"http://{ELSEWHERE}:{port}/landing")}
    return lambda path: away.get(path) or _trap(path)


def _trap(path: str) -> Page | None:
    where = urlsplit(path)
    if where.path == "/":
        ways = ("/calendar?year=2024&month=1", "/deep/", "/twins/a/", "/redirects", "/errors")
        return html("Traps", links((h, h) for h in ways), links(_OUTSIDE))
    if where.path == "/calendar":
        return _calendar(dict(parse_qsl(where.query)))
    if where.path.startswith("/deep/"):  # 20 path segments and it is over
        return html("Deeper", links((h, h) for h in ("further/", "again/")[: 2 if where.path.count("/") < 6 else 1]))
    if where.path.startswith("/twins/"):  # the same two segments over and over
        return html("Twins", links([("a/b/", "a and b"), ("../x.html", "leave")]))
    return _REDIRECTS.get(where.path) or _ERRORS.get(where.path)


def elsewhere_site(path: str) -> Page | None:
    """A host that no seed names: a redirect leads here and is followed (as a transclusion), its own links are not."""
    return html("Elsewhere", links([("/further.html", "further")])) if path == "/landing" else None


_OUTSIDE = [("http://far.example/", "another host"), ("mailto:someone@demo.test", "mail"), ("javascript:void(0)", "script")]


def _calendar(asked: dict[str, str]) -> Page | None:
    try:
        day = dt.date(int(asked["year"]), int(asked["month"]), 1)
        neighbours = [day - dt.timedelta(days=1), day + dt.timedelta(days=32), day.replace(year=day.year + 1)]
    except (KeyError, ValueError, OverflowError):
        return None
    return html(f"{day:%B %Y}", links((f"/calendar?year={d.year}&month={d.month}", f"{d:%B %Y}") for d in neighbours))


_REDIRECTS: dict[str, Page] = {
    "/redirects": html(
        "Redirects",
        links((h, h) for h in ("/r/once", "/r/chain/1", "/r/self", "/r/ping", "/r/nowhere", "/r/away", "/r/empty", "/r/utf8", "/refresh")),
    ),
    "/r/once": moved("/errors", 301),
    **{f"/r/chain/{i}": moved(f"/r/chain/{i + 1}", 307) for i in range(1, 9)},
    "/r/chain/9": html("The end of the chain"),
    "/r/self": moved("/r/self"),
    "/r/ping": moved("/r/pong"),
    "/r/pong": moved("/r/ping"),
    "/r/nowhere": moved("/missing"),
    "/r/empty": Page("", 302),
    "/r/utf8": moved("/r/한국"),
    "/r/%ED%95%9C%EA%B5%AD": html("Korea"),
    "/refresh": html("Refreshing", head='<meta http-equiv="refresh" content="0; url=/r/chain/5">'),
}

_ERRORS: dict[str, Page] = {
    "/errors": html("Errors", links((h, h) for h in ("/missing", "/gone", "/broken", "/empty", "/garbage", "/bomb.bin"))),
    "/gone": Page("gone", 410),
    "/broken": Page("broken", 500),
    "/empty": Page(""),
    "/garbage": Page(b"<a href='/errors'\xff\xfe\x00<<<a href=\"http://[::bad\">" + bytes(range(256))),
    "/bomb.bin": Page(b"\0" * 300_000, content_type="application/octet-stream"),
}


def busy_site() -> Site:
    """Every twentieth answer is 503 with Retry-After; the same page is fine the next time."""
    served = count(1)

    def site(path: str) -> Page | None:
        if path == "/robots.txt":
            return None
        if path != "/" and next(served) % 20 == 0:
            return Page("busy", 503, "text/plain", {"Retry-After": str(RETRY_AFTER_SECONDS)})
        return html(f"Busy {path}", links((f"/{i}.html", str(i)) for i in range(1, 61)) if path == "/" else "")

    return site


def robots_site(pages: int) -> Site:
    """Rules with wildcards, an exception and a crawl delay; nofollow in all its forms."""
    return lambda path: _robots_page(path, pages)


def _robots_page(path: str, pages: int) -> Page | None:
    if path == "/robots.txt":
        return text(
            "User-agent: otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\nAllow: /private/open.html\nDisallow: /*.cgi\n"
            f"Crawl-delay: {CRAWL_DELAY_SECONDS}\nSitemap: /sitemap.xml\n"
        )
    if path == "/":
        named = ["/private/", "/private/secret.html", "/private/open.html", "/run.cgi?x=1", "/nofollow.html", "/fine.html"]
        forbidden = '<a rel="nofollow" href="/rel-nofollow.html">no</a>'
        return html("Rules", links((h, h) for h in named), links((f"/{i}.html", str(i)) for i in range(1, pages + 1)), forbidden)
    if path == "/nofollow.html":
        return html("Go no further", links([("/beyond.html", "beyond")]), head='<meta name="robots" content="nofollow">')
    return html(f"Page {path}")


def flaky_robots_site() -> Site:
    """Its robots.txt is unreachable twice; then it forbids one page."""
    tries = count(1)

    def site(path: str) -> Page | None:
        if path == "/robots.txt":
            return Page("down", 503) if next(tries) <= 2 else text("User-agent: *\nDisallow: /no.html\n")
        return html(path, links((f"/{n}.html", n) for n in ("yes", "no", "maybe")) if path == "/" else "")

    return site


def slow_site(path: str) -> Page | None:
    """A page takes longer than a short lease."""
    if path == "/robots.txt":
        return None
    page = html(path, links((f"/{i}.html", str(i)) for i in range(1, 5)) if path == "/" else "")
    return page if path == "/" else Page(page.body, delay_seconds=3.0)


#: href → the path the server must see: fixed up, escaped, never escaped twice.
ESCAPES = {
    "/a b.html": "/a%20b.html",
    "/tilde~user/": "/tilde~user/",
    "/encoded%2Fslash": "/encoded%2Fslash",
    "/한글.html": "/%ED%95%9C%EA%B8%80.html",
    "/q?x=a b&y=[1]": "/q?x=a%20b&y=[1]",
    "/half%": "/half%",
    "/semi;colon=1,2": "/semi;colon=1,2",
    "dot/./and/../dots.html": "/dot/dots.html",
    "  /blanks.html\n": "/blanks.html",
    "/tab\there.html": "/tabhere.html",
    "/plus+sign?a=b+c": "/plus+sign?a=b+c",
    "/fragment.html#part": "/fragment.html",
}


def escape_site(path: str) -> Page | None:
    """Links with every odd escape; each leads to a page, whatever is asked for."""
    if path == "/robots.txt":
        return None
    return html(f"At {path}", links((h, h) for h in ESCAPES) if path == "/" else "")


def idn_site(port: int) -> Site:
    """A host with a Korean name, linked to in three spellings; all are one host."""
    spellings = [IDN_HOST, IDN_ASCII, "%EC%98%88%EC%8B%9C.demo.test"]

    def site(path: str) -> Page | None:
        if path == "/robots.txt":
            return None
        if path == "/":
            return html("한국어", links((f"http://{h}:{port}/{i}.html", h) for h in spellings for i in range(5)))
        return html(path)

    return site
