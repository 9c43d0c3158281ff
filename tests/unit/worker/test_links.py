"""Links, hop types and contexts (seed 001's letters, Heritrix §8.1 and its extractors)."""

from __future__ import annotations

import gzip
import time
import zlib

import pytest

from redisfrontier.worker.html import srcset_uris
from redisfrontier.worker.links import Rules, extract, redirect_target, refresh_target
from tests.unit.worker.pages import PAGE, answer


def links(body: str | bytes, rules: Rules | None = None, **answer_fields) -> list[tuple[str, str, str]]:
    found = extract(answer(body, **answer_fields), rules or Rules())
    return [(link.uri, link.hop, link.context) for link in found.links]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ('<a href="a.html">', ("a.html", "L", "a/@href")),
        ('<map><area href="/b"></map>', ("/b", "L", "area/@href")),
        ('<img src="i.png">', ("i.png", "E", "img/@src")),
        ('<script src="s.js"></script>', ("s.js", "E", "script/@src")),
        ('<link rel="stylesheet" href="s.css">', ("s.css", "E", "link/@href")),
        ('<link rel="shortcut icon" href="f.ico">', ("f.ico", "E", "link/@href")),
        ('<link rel="next" href="2.html">', ("2.html", "L", "link/@href")),
        ('<iframe src="f.html"></iframe>', ("f.html", "E", "iframe/@src")),
        ('<frameset><frame src="g.html"></frameset>', ("g.html", "E", "frame/@src")),
        ('<video poster="p.jpg"><source src="v.mp4"></video>', ("v.mp4", "E", "source/@src")),
        ('<video poster="p.jpg"></video>', ("p.jpg", "E", "video/@poster")),
        ('<object data="o.swf"></object>', ("o.swf", "E", "object/@data")),
        ('<meta http-equiv="Refresh" content="5; URL=\'next.html\'">', ("next.html", "R", "meta")),
        ('<div style="background: url(bg.png)">', ("bg.png", "E", "=EMBED_MISC")),
        ("<style>@import 'more.css';</style>", ("more.css", "E", "=EMBED_MISC")),
        ("<script>var next = '/next/page.html';</script>", ("/next/page.html", "X", "=JS_MISC")),
    ],
)
def test_each_element_gives_its_hop_and_context(html, expected):
    assert expected in links(html)


def test_srcset_of_img_and_source():
    found = links('<picture><source srcset="a.webp 1x, b.webp 2x"><img src="c.png" srcset="d.png 480w, e.png"></picture>')
    assert [u for u, _, c in found if c == "source/@srcset"] == ["a.webp", "b.webp"]
    assert [u for u, _, c in found if c == "img/@srcset"] == ["d.png", "e.png"]


@pytest.mark.parametrize(
    ("text", "uris"),
    [
        ("", []),
        (" , ,", []),
        ("a.png", ["a.png"]),
        ("a.png, b.png 2x", ["a.png", "b.png"]),
        ("/i,w=1,h=2.png 1x, b", ["/i,w=1,h=2.png", "b"]),
        ("a.png foo(1,2), b.png", ["a.png", "b.png"]),
    ],
)
def test_srcset_is_split_as_the_standard_says(text, uris):
    assert list(srcset_uris(text)) == uris


def test_base_href_is_resolved_against_the_page():
    assert extract(answer('<base href="/other/"><a href="x">'), Rules()).base == "http://site.example/other/"
    assert extract(answer('<a href="x">'), Rules()).base == PAGE
    assert extract(answer('<base href="http://[bad"><a href="x">'), Rules()).base == "http://[bad"


def test_what_cannot_be_crawled_is_left_out():
    html = '<a href="javascript:x()"><a href="mailto:a@b"><a href="#top"><a href=""><a href="  "><a href="tel:1"><a href="DATA:,x">'
    assert links(html) == []


def test_the_same_link_is_taken_once_per_hop():
    assert [(u, h) for u, h, _ in links('<a href="x"><a href="x"><img src="x">')] == [("x", "L"), ("x", "E")]


def test_nofollow_is_heeded_by_the_obey_policy_only():
    html = '<a rel="nofollow noopener" href="n"><a href="y">'
    assert [u for u, _, _ in links(html)] == ["y"]
    assert [u for u, _, _ in links(html, Rules(obey_nofollow=False))] == ["n", "y"]


@pytest.mark.parametrize("content", ["nofollow", "noindex, NOFOLLOW", "none"])
def test_meta_robots_nofollow_stops_the_page(content):
    html = f'<meta name="Robots" content="{content}"><a href="y"><img src="i">'
    assert links(html) == []
    assert len(links(html, Rules(obey_nofollow=False))) == 2


def test_x_robots_tag_counts_like_the_meta_element():
    assert links('<a href="y">', X_Robots_Tag="noindex, nofollow") == []
    assert links('<a href="y">', X_Robots_Tag="noindex") != []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_candidate_with_hop_r(status):
    found = links("", status=status, Location="/moved?x=1#frag")
    assert found == [("http://site.example/moved?x=1#frag", "R", "location:")]


def test_location_in_raw_utf_8_is_read_as_such():
    exchange = answer(status=302, Location="/caf\u00e9".encode().decode("latin-1"))
    assert redirect_target(exchange) == "http://site.example/café"


def test_no_location_no_redirect():
    assert redirect_target(answer(status=302)) is None
    assert redirect_target(answer(status=200, Location="/x")) is None


@pytest.mark.parametrize("status", [404, 500, 503, 199])
def test_error_pages_have_no_links(status):
    assert links('<a href="x">', status=status) == []


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("0;url=x.html", "x.html"),
        ("5; URL = 'x y.html' ", "x y.html"),
        ('3, url="a"', "a"),
        ("10", None),
        ("10;", None),
        ("0; next.html", "next.html"),
        ("0;url=a;b", "a;b"),
        ("", None),
    ],
)
def test_refresh_values(value, target):
    assert refresh_target(value) == target


def test_style_sheets_and_scripts_of_their_own():
    css = links("a{background:url( 'x.png' )} @import \"y.css\"; b{src:url(z.woff)}", content_type="text/css")
    assert sorted(u for u, h, _ in css if h == "E") == ["x.png", "y.css", "z.woff"]
    script = 'fetch("/api/items.json"); t="text/html"; s="just words"; w="word"; u="https:\\/\\/o.example\\/a"'
    js = links(script, content_type="text/javascript")
    assert js == [("/api/items.json", "X", "=JS_MISC"), ("https://o.example/a", "X", "=JS_MISC")]


def test_an_extractor_claims_a_document_unless_told_otherwise():
    html = '<a href="a">x</a> see http://other.example/page.'
    assert [h for _, h, _ in links(html)] == ["L"]
    assert ("http://other.example/page", "X", "=SPECULATIVE_MISC") in links(html, Rules(extract_independently=True))


def test_plain_text_and_feeds_give_absolute_uris():
    assert links("see http://a.example/b, and more", content_type="text/plain") == [("http://a.example/b", "X", "=SPECULATIVE_MISC")]
    assert links("http://a.example/b", content_type="image/png") == []


def test_speculation_is_bounded_in_number_and_time():
    script = "".join(f"'/p/{i}.html'," for i in range(5000))
    assert len(links(f"<script>{script}</script>")) == 300
    nasty = "<script>" + "'/a" * 400_000 + "</script><style>" + "url('" * 200_000 + "</style>"
    began = time.perf_counter()
    links(nasty)
    assert time.perf_counter() - began < 5


def test_favicons_are_inferred_only_when_asked_for():
    assert links("<p>") == []
    assert links("<p>", Rules(favicons=True)) == [("http://site.example/favicon.ico", "I", "=INFERRED_MISC")]


def test_a_page_without_type_is_sniffed():
    assert links("  <!DOCTYPE html><a href=x>", content_type="") == [("x", "L", "a/@href")]
    assert links("PK\3\4 <a href=x>", content_type="") == []


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b'<a href="x">')),
        ("x-gzip, identity", gzip.compress(b'<a href="x">')),
        ("deflate", zlib.compress(b'<a href="x">')),
        ("deflate", zlib.compress(b'<a href="x">')[2:-4]),
    ],
)
def test_content_encodings_are_undone(encoding, packed):
    assert links(packed, Content_Encoding=encoding) == [("x", "L", "a/@href")]


def test_a_compression_bomb_stays_within_the_limit():
    bomb = gzip.compress(b'<a href="x">' + b" " * 50_000_000)
    assert links(bomb, Rules(max_chars=100_000), Content_Encoding="gzip") == [("x", "L", "a/@href")]


def test_an_unknown_or_broken_encoding_gives_no_links():
    assert links(b'<a href="x">', Content_Encoding="br") == []
    assert links(b"\x1f\x8bnot gzip", Content_Encoding="gzip") == []


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ('<a href="/한국">'.encode("euc-kr"), "text/html; charset=euc-kr"),
        (b'<meta charset="euc-kr"><a href="/' + "한국".encode("euc-kr") + b'">', "text/html"),
        ("\ufeff<a href='/한국'>".encode("utf-16-le"), "text/html"),
        ('<a href="/한국">'.encode(), "text/html; charset=nonsense"),
        ('<a href="/한국">'.encode(), "text/html; charset=rot13"),
    ],
)
def test_character_sets(body, content_type):
    assert links(body, content_type=content_type) == [("/한국", "L", "a/@href")]


@pytest.mark.parametrize("body", [b"", b"\0" * 100, b"<" * 100_000, b"\xff\xfe\xfa" * 1000, b"<a href=" + b"x" * 200_000])
def test_hostile_bodies_do_not_raise(body):
    assert isinstance(links(body), list)
