"""Java's regular expressions on RE2: the same meaning, or a clear refusal; never slow."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.errors import SettingError
from redisfrontier.policy.regexes import all_matcher, any_matcher, full_matcher


@pytest.mark.parametrize(
    ("regex", "text", "wanted"),
    [
        (r"(?i).*\.JPE?G$", "http://e/x.jpeg", True),
        (r".*(?i)(\.(gif|png))$", "http://e/x.GIF", True),
        (r"\Qhttp://e/?a=(b)\E.*", "http://e/?a=(b)c", True),
        (r"\u0068ttp.*", "http://e/", True),
        (r"[\u0061-\u0063]+", "abc", True),
        (r"\p{Alpha}+\p{Digit}*", "abc12", True),
        (r"[\p{Alpha}_]+", "a_b", True),
        (r"\P{Alpha}+", "123", True),
        (r"\p{L}+", "é", True),
        (r".*x\Z", "wax", True),
        (r"a\h+b", "a \tb", True),
        (r"(?d)(?u)abc", "abc", True),
        (r"(?iu:ABC)", "abc", True),
        (r"(?<name>a)b", "ab", True),
        (r"[^\]]+", "a[b", True),
        (r"a{2,3}?", "aaa", True),
        (r"a\+\+", "a++", True),
        ("example", "http://example/", False),
        (".", "ab", False),
    ],
)
def test_same_meaning(regex: str, text: str, wanted: bool) -> None:
    assert full_matcher(regex)(text) is wanted


@pytest.mark.parametrize(
    ("regex", "named"),
    [
        (r".*/(.*?/)\1{2,}.*", "back-reference"),
        (r"(?<a>x)\k<a>", "back-reference"),
        (r"(?!.*\.jpg).*", "look-ahead"),
        (r"x(?=y).*", "look-ahead"),
        (r"(?<!a)b", "look-behind"),
        (r"(?<=a)b", "look-behind"),
        (r"(?>a+)b", "atomic group"),
        (r"a++b", "possessive"),
        (r"a{2}+", "possessive"),
        (r"[a-z&&[^b]]+", "intersection"),
        (r"[a-c[x-z]]", "within another"),
        (r"(?x) a b", "comment flag"),
        (r"(", "missing"),
        (r"a\\\1", "back-reference"),
    ],
)
def test_refused_with_its_reason(regex: str, named: str) -> None:
    with pytest.raises(SettingError, match=named):
        full_matcher(regex)


@given(st.text(alphabet=r"ab()[]{}?*+|\\^$.<>=!:12,kpPuQEx&-", max_size=30))
def test_any_text_compiles_or_is_refused(regex: str) -> None:
    try:
        matches = full_matcher(regex)
    except SettingError:
        return
    assert matches("abab") in (True, False)


@pytest.mark.parametrize("regex", ["(a+)+b", "(a|aa)+c", "(.*)(.*)(.*)(.*)(.*)x", "(a?){500}a{500}"])
def test_runaway_regexes_cannot_hang(regex: str) -> None:
    began = time.process_time()
    full_matcher(regex)("a" * 5000)
    assert time.process_time() - began < 1


def test_lists() -> None:
    assert any_matcher([".*a", "(?i)B.*"])("bx")
    assert not any_matcher(["(?i)x", "B.*"])("bx"), "a flag must not leak into the next regex"
    assert not any_matcher([])("x")
    assert all_matcher([".*a.*", ".*b.*"])("ab")
    assert not all_matcher([".*a.*", ".*b.*"])("a")
    assert not all_matcher([])("x")


def test_thousands_of_regexes() -> None:
    matches = any_matcher([f".*/section{i}/[a-z]+/.*" for i in range(3000)])
    assert matches("http://e/section2999/abc/x")
    assert not matches("http://e/section3000/abc/x")
