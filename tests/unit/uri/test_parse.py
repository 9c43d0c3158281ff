"""The parser: parts, resolution, refusals, one normal form of host and port, the fast way equal to the slow one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.errors import InvalidUri
from redisfrontier.uri import parse as module
from redisfrontier.uri.parse import MAX_URI_BYTES, Uri, parse


def reason(raw: object, base: str | None = None) -> str:
    with pytest.raises(InvalidUri) as caught:
        parse(raw, base)  # type: ignore[arg-type]
    return caught.value.reason


def test_the_parts_of_a_uri() -> None:
    assert parse(" HTTPS://User:Pw@WWW.Example.com:8443/A%20b?C=d#e ") == Uri(
        "https://User:Pw@www.example.com:8443/A%20b?C=d", "https", "User:Pw", "www.example.com", 8443, "/A%20b", "C=d"
    )
    assert parse("dns:www.example.com") == Uri("dns:www.example.com", "dns", None, "", -1, "www.example.com", None)
    assert str(parse("http://example.com")) == "http://example.com/"


@pytest.mark.parametrize("raw", [None, 7, b"http://a.example/", ["http://a.example/"], object()])
def test_what_is_no_string_is_refused(raw: object) -> None:
    assert reason(raw) == "not_a_string"


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("", "blank"),
        (" \n\u00a0", "blank"),
        ("http://a.example/\0", "control_character"),
        ("http://a.example/\ud800", "unparsable"),
        ("a/b", "no_scheme"),
        ("//a.example/", "no_scheme"),
        ("ht!tp://a.example/", "no_scheme"),
        ("http:", "no_host"),
        ("http://", "no_host"),
        ("http:///", "no_host"),
        ("http://?x", "no_host"),
        ("http://u@/", "no_host"),
        ("http://:80/", "no_host"),
        ("http://a..example/", "bad_host"),
        ("http://a b.example/", "bad_host"),
        ("http://a@b@c.example/", "bad_host"),
        ("http://a@\u00fc@c.example/", "bad_host"),
        ("http://\u00fc%40c.example/", "bad_host"),
        ("http://[::1/", "bad_host"),
        ("http://[::1]x/", "bad_host"),
        ("http://256.1.1.1/", "bad_host"),
        ("http://a$b.example/", "bad_host"),
        ("http://a.example:0/", "bad_port"),
        ("http://a.example:65536/", "bad_port"),
        ("http://a.example:-1/", "bad_port"),
        ("http://a.example:80:80/", "bad_port"),
        ("ftp://a.example:99999/", "bad_port"),
        ("http://a.example:\uff18\uff10/", "bad_port"),
    ],
)
def test_refusals(raw: str, why: str) -> None:
    assert reason(raw) == why


def test_the_reason_names_the_text_as_given() -> None:
    with pytest.raises(InvalidUri, match=r"bad_port: 'http://a\.example:x/y'"):
        parse("http://a.example:x/y")


def test_length_counts_in_the_escaped_form() -> None:
    head = "http://a.example/"
    assert len(parse(head + "x" * (MAX_URI_BYTES - len(head))).text) == MAX_URI_BYTES
    assert reason(head + "x" * (MAX_URI_BYTES - len(head) + 1)) == "too_long"
    assert reason(head + "é" * 20_000) == "too_long"


@pytest.mark.parametrize(
    "raw",
    [
        "http://example.com/",
        "HTTP://EXAMPLE.com:80/",
        "http://example.com./",
        "http://example.com.:080",
        "http:\\\\example.com",
        "http:////example.com",
        "http://ex\namp\tle.com/",
        "http://exa%6Dple.com/",
        "http://\uff45xample.com/",
        "http://example\u3002com",
        "http://example.com%20/",
    ],
)
def test_one_host_one_spelling(raw: str) -> None:
    assert parse(raw).text == "http://example.com/"


@pytest.mark.parametrize(
    ("raw", "host"),
    [
        ("http://0x7f.1/", "127.0.0.1"),
        ("http://3232235777/", "192.168.1.1"),
        ("http://192.0.2.7./", "192.0.2.7"),
        ("http://[2001:DB8:0::1]/", "[2001:db8::1]"),
        ("http://[::ffff:192.0.2.7]:80/", "[::ffff:c000:207]"),
        ("http://stra\u00dfe.de/", "xn--strae-oqa.de"),
        ("http://xn--a/", "xn--a"),
        ("http://a_b.c-/", "a_b.c-"),
    ],
)
def test_hosts(raw: str, host: str) -> None:
    assert parse(raw).host == host


@pytest.mark.parametrize(
    ("link", "wanted"),
    [
        ("", "http://u@h.example:8080/a/b?q"),
        ("?", "http://u@h.example:8080/a/b?q"),
        ("#f", "http://u@h.example:8080/a/b?q"),
        ("?x", "http://u@h.example:8080/a/b?x"),
        ("c", "http://u@h.example:8080/a/c"),
        ("../../c", "http://u@h.example:8080/c"),
        ("%2E%2e/c", "http://u@h.example:8080/c"),
        ("d|e", "http://u@h.example:8080/a/d|e"),
        ("http:c", "http://u@h.example:8080/a/c"),
        ("//i.example:80", "http://i.example/"),
        ("////i.example", "http://i.example/"),
        ("//", "http://u@h.example:8080/"),
        ("\\\\i.example\\c", "http://i.example/c"),
        ("mailto:a@b", "mailto:a@b"),
    ],
)
def test_resolution(link: str, wanted: str) -> None:
    base = "http://u@h.example:8080/a/b?q"
    assert parse(link, base).text == wanted
    assert parse(link, parse(base)).text == wanted


def test_a_base_of_another_scheme_gives_no_host() -> None:
    assert reason("http:c", "https://h.example/") == "no_host"
    assert reason("c", "no base") == "no_scheme"


def test_existing_escapes_stay_and_others_are_made_in_utf_8() -> None:
    assert parse("http://a.example/%e9%zz%/\u00e9^`{}?{}|[]^'\"").text == "http://a.example/%e9%zz%/%C3%A9%5E%60%7B%7D?{}|[]^'%22"


_PLAIN = st.from_regex(r"\Ahttps?://[a-z0-9.]{1,12}(:[0-9]{2,5})?(/[A-Za-z0-9.%2eE&;]{0,5}){1,4}(\?[a-z=&?]{0,5})?\Z")


@given(_PLAIN)
def test_the_fast_way_says_what_the_slow_one_says(raw: str) -> None:
    def outcome(way: object) -> object:
        try:
            return way(raw, None)  # type: ignore[operator]
        except InvalidUri as error:
            return error.reason

    assert outcome(parse) == outcome(module._parse_any)
