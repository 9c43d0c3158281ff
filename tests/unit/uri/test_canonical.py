"""Canonical forms: the default list, single rules, configured rules, and that a canonical form stays as it is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.errors import SettingError
from redisfrontier.uri import canonical
from redisfrontier.uri.canonical import DEFAULT_RULES, Canonicalizer
from redisfrontier.uri.parse import parse

SID = "9682993c8daa2c5497996114facdc805"
default = Canonicalizer()


@pytest.mark.parametrize(
    ("uri", "wanted"),
    [
        ("http://WWW3.Example.com/", "http://www3.example.com/"),
        ("http://www3.example.com/a", "http://example.com/a"),
        ("http://u:p@www.example.com/A?PHPSESSID=" + SID + "&b=1", "http://example.com/a?b=1"),
        (f"http://example.com/x;jsessionid={SID}", "http://example.com/x;"),
        ("http://example.com/x?&&a=1&&", "http://example.com/x?a=1"),
        ("http://example.com/x?CFID=1&CFTOKEN=2&dt=3", "http://example.com/x?dt=3"),
        (f"http://example.com/x?sid={SID}&sid={SID}", "http://example.com/x"),
        ("http://www.www.example.com/a", "http://example.com/a"),
        ("http://user@www.example.com/", "http://www.example.com/"),
    ],
)
def test_the_default_list(uri: str, wanted: str) -> None:
    assert default(parse(uri)) == wanted
    assert default(uri) == wanted


def test_one_pass_is_heritrix_and_does_not_always_settle() -> None:
    assert default.once("http://www.www.example.com/a") == "http://www.example.com/a"


def test_the_last_pair_of_coldfusion_ids_goes() -> None:
    assert canonical.strip_session_cfids("x?cfid=1&cftoken=2&cfid=3&cftoken=4&b") == "x?cfid=1&cftoken=2&b"
    assert canonical.strip_session_cfids("x?cfid=cfid=1&cftoken=2") == "x?cfid="
    assert canonical.strip_session_cfids("x?cfid=&cftoken=2") == "x?cfid=&cftoken=2"
    assert canonical.strip_session_cfids("x?cfid=1&cftoken=") == "x?cfid=1&cftoken="


def test_configured_rules() -> None:
    assert Canonicalizer([])("HTTP://A/?") == "HTTP://A/?"
    assert Canonicalizer(["strip_extra_slashes", {"rule": "lowercase", "enabled": False}])("http://A//b///c") == "http://A/b/c"
    mobile = Canonicalizer([*DEFAULT_RULES, {"rule": "regex", "regex": r"(https?://)m\.(?P<rest>.*)", "format": "$1${rest}\\$"}])
    assert mobile("http://m.example.com/") == "http://example.com/$"


def test_b10_parameters_in_another_order_are_one_record_that_keeps_the_uri_found() -> None:
    sorting = Canonicalizer([*DEFAULT_RULES, "sort_query"])
    first, second = parse("http://example.com/?B=1&A=2"), parse("http://example.com/?A=2&B=1")
    assert sorting(first) == sorting(second) != default(first)
    assert first.text == "http://example.com/?B=1&A=2"


@pytest.mark.parametrize(
    "rule",
    [
        "strip_everything",
        {"rule": "lowercase", "colour": "red"},
        {"enabled": True},
        {"rule": "regex", "regex": "(a"},
        {"rule": "regex", "regex": r"(a)\1"},
        {"rule": "regex", "regex": "(?=a)"},
        {"rule": "regex", "regex": "(a)", "format": "$2"},
        {"rule": "regex", "regex": "(a)", "format": "${name}"},
        {"rule": "regex", "regex": "(a)", "format": "$"},
    ],
)
def test_a_bad_rule_is_refused_when_it_is_made(rule: object) -> None:
    with pytest.raises(SettingError):
        Canonicalizer([rule])  # type: ignore[list-item]


def test_a_group_number_takes_the_digits_that_make_a_group() -> None:
    assert Canonicalizer([{"rule": "regex", "regex": "(a)b*", "format": "$12"}]).once("ab") == "a2"


def test_a_rule_that_never_settles_leaves_the_text() -> None:
    growing = Canonicalizer([{"rule": "regex", "regex": "(.*)", "format": "$1$1"}])
    assert growing("ab") == "ab"
    assert growing.once("ab") == "abab"


def test_hostile_text_costs_no_time() -> None:
    nested = "http://a.example/?" + "jsessionid=" * 5_900
    for text in (nested, "http://a.example/?" + "cfid=" * 13_000, f"x?{('sid=' + SID + '&') * 1_700}", "x?" + "&cftoken=" * 7_000):
        begun = time.process_time()
        settled = default(text)
        assert default(settled) == settled
        assert time.process_time() - begun < 2


_PLAIN_PIECES = ("http://", "https://", "www.", "WWW2.", "u@", "a.example", "/", "?", "&", ";", "x=1", "%C3%A4", "\u0130")
_ASP = "ASPSESSIONIDAQBSDSRT=EOHBLBDDPFCLHKPGGKLILNAM"
_ID_PIECES = (f"sid={SID}", f"jsessionid={SID}", "jsessi", "onid=", SID[:16], "cfid=1", "&cftoken=2", "CFID=", _ASP)
_PIECES = st.sampled_from((*_PLAIN_PIECES, *_ID_PIECES))


@given(st.lists(_PIECES, max_size=20).map("".join), st.permutations([*DEFAULT_RULES, "strip_www", "strip_extra_slashes", "sort_query"]))
def test_a_canonical_form_is_its_own_canonical_form(text: str, rules: list[str]) -> None:
    for canonicalizer in (default, Canonicalizer(rules)):
        once = canonicalizer(text)
        assert canonicalizer(once) == once
