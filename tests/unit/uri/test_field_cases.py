"""What people suffered from in URI handling (field cases H and E8), each as a test."""

from __future__ import annotations

import pytest

from redisfrontier.errors import InvalidUri
from redisfrontier.uri.canonical import Canonicalizer
from redisfrontier.uri.parse import parse


def test_ha_bad_escapes_do_not_stop_a_batch() -> None:
    batch = ["http://e.com/100%", "http://e.com/?s=ni%u011fde", "http://e.com/%zz", "http://e.com/ok"]
    assert [parse(raw).text for raw in batch] == batch


@pytest.mark.parametrize(
    "spellings",
    [("http://➡.ws/", "http://%E2%9E%A1.ws/", "http://xn--hgi.ws/"), ("http://한국.kr/", "http://%ED%95%9C%EA%B5%AD.kr/", "http://xn--3e0b707e.kr/")],
)
def test_hb_three_spellings_of_an_international_host_are_one(spellings: tuple[str, ...]) -> None:
    assert {parse(raw).text for raw in spellings} == {spellings[-1]}


def test_hc_escapes_of_other_encodings_are_not_escaped_again() -> None:
    assert parse("http://e.com/%E9").text == "http://e.com/%E9"


def test_hd_a_missing_host_is_refused_when_added() -> None:
    with pytest.raises(InvalidUri) as caught:
        parse("http:/feeds/xml/latest.xml")
    assert caught.value.reason == "no_host"


def test_he_escapes_do_not_grow_from_hop_to_hop() -> None:
    link = "http://e.com/a%2525b%"
    for _ in range(5):
        link = parse(parse(link).text, "http://e.com/").text
    assert link == "http://e.com/a%2525b%"
    with pytest.raises(InvalidUri, match="too_long"):
        parse("http://e.com/%" + "25" * 32_768)


def test_hf_the_case_of_hex_digits_does_not_matter() -> None:
    canonical = Canonicalizer()
    assert canonical(parse("http://e.com/%c3%a4")) == canonical(parse("http://e.com/%C3%A4")) == canonical(parse("http://e.com/ä"))


def test_e8_long_uris_are_kept_whole_or_refused_never_cut() -> None:
    for length in (2_083, 8_000):
        raw = "http://e.com/" + "a" * (length - 13)
        assert parse(raw).text == raw
    with pytest.raises(InvalidUri, match="too_long"):
        parse("http://e.com/" + "a" * 100_000)
