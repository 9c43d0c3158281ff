"""Sheets: which apply, which win, what may stand in one."""

from __future__ import annotations

import pytest

from redisfrontier.errors import SettingError
from redisfrontier.policy.scope.decision import Subject, subject_of
from redisfrontier.policy.sheets import Sheet, Sheets
from redisfrontier.settings import Settings
from redisfrontier.uri.parse import parse

WIDE = Sheet("wide", {"min_delay_ms": 1, "max_retries": 1}, ("http://(com,example,",))
NARROW = Sheet("narrow", {"min_delay_ms": "2"}, ("http://(com,example,www,)/deep/",))
TWIN = Sheet("twin", {"cost_assignment_policy": "wag"}, ("http://(com,example,",))
RULED = Sheet("ruled", {"min_delay_ms": 3}, rules=({"rule": "matches_regex", "regex": r".*\.pdf"},))


def subject(uri: str) -> Subject:
    return subject_of(parse(uri))


def applied(sheets: Sheets, uri: str) -> tuple[str, ...]:
    s = subject(uri)
    return sheets.names_for(s.surt, s)


def test_the_longest_prefix_wins_whatever_the_order() -> None:
    for order in ((WIDE, NARROW), (NARROW, WIDE)):
        sheets = Sheets(order, Settings())
        assert applied(sheets, "https://www.example.com/deep/x") == ("wide", "narrow")
        settings = sheets.effective(("wide", "narrow"))
        assert (settings.min_delay_ms, settings.max_retries) == (2, 1)


def test_rule_bound_beats_prefix() -> None:
    sheets = Sheets((RULED, WIDE, NARROW), Settings())
    names = applied(sheets, "http://www.example.com/deep/x.pdf")
    assert names == ("wide", "narrow", "ruled")
    assert sheets.effective(names).min_delay_ms == 3
    assert applied(sheets, "http://other.example/x.pdf") == ("ruled",)


def test_rule_bound_sheets_apply_in_their_order() -> None:
    late = Sheet("late", {"min_delay_ms": 9}, rules=({"rule": "accept"},), order=1)
    early = Sheet("early", {"min_delay_ms": 8}, rules=({"rule": "accept"},))
    sheets = Sheets((late, early), Settings())
    assert applied(sheets, "http://e.example/") == ("early", "late")


def test_sheets_at_one_prefix_apply_in_their_order() -> None:
    assert applied(Sheets((WIDE, TWIN)), "http://example.com/") == ("wide", "twin")


def test_a_sheet_bound_twice_counts_where_it_is_strongest() -> None:
    both = Sheet("both", {"min_delay_ms": 7}, ("example.com", "http://www.example.com/deep/"))
    assert applied(Sheets((both, WIDE)), "http://www.example.com/deep/") == ("wide", "both")


def test_elsewhere_the_base_holds() -> None:
    base = Settings(min_delay_ms=77)
    sheets = Sheets((WIDE, NARROW), base)
    assert applied(sheets, "http://other.example/") == ()
    assert sheets.effective(()) is base


def test_plain_text_and_https_prefixes() -> None:
    sheets = Sheets((Sheet("a", {}, ("example.com",)), Sheet("b", {}, ("https://(org,example,",))))
    assert applied(sheets, "https://sub.example.com/") == ("a",)
    assert applied(sheets, "http://example.org/") == ("b",)


def test_combination_holds_the_overrides_only() -> None:
    sheets = Sheets((WIDE, NARROW))
    assert sheets.combination(("wide", "narrow", "deleted")) == {"min_delay_ms": 2, "max_retries": 1}


def test_combinations_are_kept() -> None:
    sheets = Sheets((WIDE, NARROW))
    assert sheets.effective(("wide",)) is sheets.effective(("wide",))


@pytest.mark.parametrize(
    ("sheets", "named"),
    [
        ((Sheet("s", {"precedence_floor": 1}),), "whole crawl"),
        ((Sheet("s", {"min_delay": 1}),), "unknown setting"),
        ((Sheet("s", {"min_delay_ms": -1}),), "out of range"),
        ((Sheet("s"), Sheet("s")), "two sheets"),
        ((Sheet("s", {}, (" ",)),), "empty SURT prefix"),
        ((Sheet("s", rules=({"rule": "nope"},)),), "unknown scope rule"),
    ],
)
def test_bad_sheets_are_named(sheets: tuple[Sheet, ...], named: str) -> None:
    with pytest.raises(SettingError, match=named):
        Sheets(sheets)


def test_many_sheets_cost_no_more() -> None:
    sheets = Sheets([Sheet(f"s{i}", {"min_delay_ms": i}, (f"http://(com,host{i},",)) for i in range(10_000)])
    assert applied(sheets, "http://www.host4711.com/") == ("s4711",)
