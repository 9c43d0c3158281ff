"""Random and mutated URIs: never another error, never a hang, and every result stays what it is when read again."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.errors import InvalidUri
from redisfrontier.uri.canonical import Canonicalizer
from redisfrontier.uri.fingerprint import fingerprint
from redisfrontier.uri.parse import Uri, parse
from redisfrontier.uri.surt import implied_prefix, surt, surt_authority
from tests.unit.uri.mutations import uris

BASE = parse("http://www.example.com/x/y/z?q")
canonical = Canonicalizer()


REASONS = {"blank", "too_long", "control_character", "unparsable", "no_scheme", "no_host", "bad_host", "bad_port"}


def outcome(raw: str, base: Uri | None) -> Uri | str:
    try:
        return parse(raw, base)
    except InvalidUri as error:
        return error.reason


def check(raw: str, base: Uri | None) -> bool:
    """Whether `raw` was taken; asserts all that must hold of a URI."""
    uri = outcome(raw, base)
    if isinstance(uri, str):
        assert uri in REASONS
        return False
    assert uri.text.isascii()
    assert uri.text.isprintable()
    assert " " not in uri.text
    assert "#" not in uri.text
    assert parse(uri.text) == uri
    key = canonical(uri)
    assert canonical(key) == key
    assert len(fingerprint(key)) == 18
    assert surt(uri) == surt(uri.text)
    assert not uri.host or uri.path.startswith("/")
    assert "@" not in surt_authority(uri)
    return True


def run(count: int, seed: int) -> None:
    taken, slowest, begun = 0, 0.0, time.process_time()
    for raw in uris(count, seed):
        before = time.process_time()
        taken += check(raw, None) + check(raw, BASE)
        implied_prefix(raw)
        slowest = max(slowest, time.process_time() - before)
    assert taken > count / 2
    assert slowest < 1
    assert time.process_time() - begun < count / 100


def test_five_thousand_mutated_uris() -> None:
    run(5_000, seed=1)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 6))
def test_a_hundred_thousand_mutated_uris(seed: int) -> None:
    run(100_000, seed)


@given(st.text(max_size=80), st.booleans())
def test_any_text(raw: str, relative: bool) -> None:
    check(raw, BASE if relative else None)


@given(st.text(st.characters(max_codepoint=0x7F), max_size=80))
def test_any_ascii_after_a_scheme(raw: str) -> None:
    check("http://" + raw, None)
    check("x:" + raw, None)
