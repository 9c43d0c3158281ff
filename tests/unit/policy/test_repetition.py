"""Repeated path segments: the same as Heritrix' back-reference, but never slow."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redisfrontier.policy.scope.repetition import has_repetition


def by_back_reference(text: str, times: int) -> bool:
    return re.fullmatch(rf".*?/(.*?/)\1{{{times - 1},}}.*", text) is not None


@settings(max_examples=600)
@given(st.text(alphabet="ab/", max_size=40), st.integers(2, 5))
def test_same_as_the_back_reference(text: str, times: int) -> None:
    assert has_repetition(text, times) == by_back_reference(text, times)


@settings(max_examples=300)
@given(st.text(alphabet="abc/", max_size=6), st.text(alphabet="abc/", max_size=12), st.integers(1, 6), st.integers(2, 6))
def test_same_on_built_repetitions(before: str, group: str, repeated: int, times: int) -> None:
    text = f"http://e/{before}/{(group + '/') * repeated}tail"
    assert has_repetition(text, times) == by_back_reference(text, times)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [("/a/a/a/b", True), ("/a/a/a", False), ("/a/b/a/b/a/b/", True), ("/a/b/a/b/a/b", False), ("////", True), ("/x/", False)],
)
def test_stock_limit_of_two(path: str, wanted: bool) -> None:
    assert has_repetition("http://e.example" + path, 3) is wanted


def test_more_times_than_a_regex_can_count() -> None:
    assert has_repetition("http://e/" + "a/" * 5000, 5000)
    assert not has_repetition("http://e/" + "a/" * 4999, 5000)


def _cube_free(length: int) -> list[str]:
    """The Thue-Morse word: full of squares, without a cube."""
    return ["ab"[i.bit_count() & 1] for i in range(length)]


@pytest.mark.parametrize(
    "segments",
    [
        _cube_free(30_000),
        [str(i % 181) for i in range(180)] + [str(i) for i in range(10_000)],
        [random.Random(7).choice("ab") if i % 3 else "c" for i in range(30_000)],
        [w for i in range(9000) for w in ("a", "a", f"b{i}")],
    ],
    ids=["thue-morse", "distinct", "noise", "pairs"],
)
def test_long_hostile_uris_take_no_time(segments: list[str]) -> None:
    text = "http://e.example/" + "/".join(segments)
    began = time.process_time()
    has_repetition(text, 3)
    assert time.process_time() - began < 2
