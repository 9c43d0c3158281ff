"""Lines of frontier.recover.gz: bytes as Heritrix writes them, parsed right, and unforgeable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.errors import InvalidUri
from redisfrontier.operate.journal import Entry, Journal, Tag, is_uri_line, parse, write, write_error

URI, VIA = "http://a.example/2", "http://a.example/1"


def test_a_line_with_path_and_via() -> None:
    assert write(Tag.ADDED, URI, "LE", VIA) == f"F+ {URI} LE {VIA}\n"
    assert parse(write(Tag.ADDED, URI, "LE", VIA)) == Entry("F+ ", URI, "LE", VIA, None)


def test_path_and_via_are_left_out_where_heritrix_leaves_them_out() -> None:
    assert write(Tag.EMITTED, URI, "LE", VIA) == f"Fe {URI}\n"
    assert write(Tag.SUCCEEDED, URI) == f"Fs {URI}  \n"


@pytest.mark.parametrize("trim", [True, False])
def test_a_via_behind_an_empty_path_is_a_via(trim: bool) -> None:
    """Heritrix' defect: it takes the via for the hop path (§11 item 14)."""
    assert parse(write(Tag.ADDED, URI, "", VIA), trim) == Entry("F+ ", URI, "", VIA, None)


def test_what_is_no_uri_line() -> None:
    assert parse("F+") is None
    assert not is_uri_line("T 2024-05-01T00:00:00Z")
    assert is_uri_line("Fr " + URI)
    with pytest.raises(InvalidUri):
        parse("F+ no-uri-at-all L " + VIA)
    with pytest.raises(ValueError, match="F-"):
        write("F- ", URI)


def test_the_time_follows_each_ten_thousand_lines() -> None:
    text: list[str] = []
    journal = Journal(text.append, clock=lambda: 1_714_521_600_000)
    for _ in range(20_001):
        journal.line(Tag.EMITTED, URI)
    assert [i for i, line in enumerate(text) if line == "T 2024-05-01T00:00:00Z\n"] == [10_000, 20_001]


def test_an_error_cannot_forge_a_line() -> None:
    text = write_error(f"boom\nF+ http://evil.example/ L {VIA}\r\nmore", 0)
    assert text.startswith("E 1970-01-01T00:00:00Z boom\n")
    assert text.endswith("\n\n")
    assert not any(map(is_uri_line, text.splitlines()))


@given(st.sampled_from(list(Tag)), st.text(), st.text(), st.none() | st.text())
def test_no_text_makes_two_lines_or_more_fields(tag: Tag, uri: str, path: str, via: str | None) -> None:
    line = write(tag, uri, path, via)
    assert line.endswith("\n")
    assert len(line.splitlines()) == 1
    assert line.count(" ") == (3 if tag in (Tag.ADDED, Tag.SUCCEEDED, Tag.FAILED) else 1)


@given(st.text(), st.booleans())
def test_no_line_breaks_the_parser(line: str, trim: bool) -> None:
    try:
        entry = parse(line, trim)
    except InvalidUri:
        return
    assert entry is None or entry.uri
