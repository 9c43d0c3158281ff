"""Hop paths and scheduling directives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.policy import hops
from redisfrontier.policy.directive import HIGH, HIGHEST, MEDIUM, NORMAL, directive
from redisfrontier.settings import Settings

HOPS = st.text(alphabet="LPEXRIMS", max_size=200)


@given(HOPS)
def test_a_path_counts_all_its_hops_however_long(letters: str) -> None:
    path = ""
    for hop in letters:
        path = hops.extend(path, hop)
    assert hops.hop_count(path) == len(letters)
    assert path.rpartition("+")[2] == letters[-50:]
    assert len(path) <= hops.MAX_PATH_CHARACTERS


@given(st.text(max_size=80), st.sampled_from("LPEXRIMS"))
def test_foreign_paths_never_raise(path: str, hop: str) -> None:
    assert hops.hop_count(hops.extend(path, hop)) > 0
    assert hops.hop_count(path) >= 0
    assert hops.trans_hops(path) <= hops.embed_hop_count(path) <= len(path)


def test_an_overflow_of_too_many_digits_is_no_number() -> None:
    path = "9" * 5000 + "+" + "L" * 50
    assert hops.hop_count(path) == len(path)


@pytest.mark.parametrize(
    ("path", "depth", "wanted"),
    [
        ("", -1, NORMAL),
        ("", 0, HIGH),
        ("L", 0, HIGH),
        ("", 1, HIGH),
        ("L", 1, HIGH),
        ("LL", 1, NORMAL),
        ("LL", 2, HIGH),
        ("LLL", 2, NORMAL),
    ],
)
def test_depth_preference_reaches_as_far_as_it_says(path: str, depth: int, wanted: int) -> None:
    assert directive(path, None, Settings(preference_depth_hops=depth)) == wanted


def test_depth_preference_counts_hops_that_a_long_path_no_longer_shows() -> None:
    settings = Settings(preference_depth_hops=52)
    assert directive("2+" + "L" * 50, None, settings) == HIGH
    assert directive("3+" + "L" * 50, None, settings) == NORMAL


@pytest.mark.parametrize(
    ("path", "wanted"), [("LE", MEDIUM), ("LEE", NORMAL), ("LR", MEDIUM), ("L", NORMAL), ("LS", MEDIUM), ("M", NORMAL)]
)
def test_embeds_and_redirects_are_preferred(path: str, wanted: int) -> None:
    assert directive(path, None, Settings()) == wanted


@pytest.mark.parametrize("given_directive", [HIGHEST, HIGH, MEDIUM, NORMAL])
@pytest.mark.parametrize("depth", [-1, 0, 5])
def test_a_prerequisite_stays_ahead_of_its_parent(given_directive: int, depth: int) -> None:
    settings = Settings(preference_depth_hops=depth)
    assert directive("LP", given_directive, settings, prerequisite=True) == given_directive


@given(HOPS, st.integers(0, 3), st.integers(-1, 60), st.integers(0, 5))
def test_only_redirects_may_be_put_back(path: str, given_directive: int, depth: int, embeds: int) -> None:
    got = directive(path, given_directive, Settings(preference_depth_hops=depth, preference_embed_hops=embeds))
    assert got <= given_directive or path.endswith("R")


def test_seeds_come_before_links() -> None:
    assert directive("", None, Settings(), is_seed=True) == MEDIUM
    assert directive("", None, Settings()) == NORMAL
