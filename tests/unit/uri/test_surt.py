"""SURT forms, implied prefixes, and finding prefixes among many."""

from __future__ import annotations

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.uri import surt
from redisfrontier.uri.parse import parse
from redisfrontier.uri.surt_prefixes import SurtPrefixIndex, SurtPrefixSet


def test_surt_forms() -> None:
    assert surt.surt(parse("https://User:Pw@WWW.Example.com:8443/A?B")) == "https://(com,example,www,:8443@user:pw)/a?b"
    assert surt.surt(parse("http://192.0.2.7:8080/a")) == "http://(192.0.2.7:8080)/a"
    assert surt.surt(parse("http://[2001:db8::1]/a")) == "http://([2001:db8::1],)/a"
    assert surt.surt(parse("http://example.com/A"), preserve_case=True) == "http://(com,example,)/A"
    assert surt.surt(parse("dns:www.Example.com")) == "dns:www.Example.com"
    assert surt.candidate_surt(parse("https://example.com/A")) == "http://(com,example,)/a"


def test_a_foreign_text_keeps_its_length_in_lower_case() -> None:
    assert surt.surt("http://\u0130.example/\u03a3") == "http://(example,i,)/\u03c3"


def test_authorities_do_not_split_a_host() -> None:
    for raw in ("http://example.com/", "http://u:p@EXAMPLE.com.:80/x", "https://example.com:443/"):
        assert surt.surt_authority(parse(raw)) == "com,example,"
    assert surt.surt_authority(parse("ftp://example.com:21/")) == "com,example,"
    assert surt.surt_authority(parse("http://example.com:8080/")) == "com,example,:8080"
    assert surt.surt_authority(parse("http://192.0.2.7/")) == "192.0.2.7"
    assert surt.surt_authority(parse("http://[::1]:8080/")) == "[::1],:8080"
    assert surt.surt_authority(parse("dns:example.com")) == ""


def test_implied_prefixes_and_directives() -> None:
    assert surt.implied_prefix("example.com") == "http://(com,example,"
    assert surt.implied_prefix("http://www.example.com/") == "http://(com,example,www,)/"
    assert surt.implied_prefix("https://www.example.com/dir/file.html") == "http://(com,example,www,)/dir/"
    assert surt.implied_prefix("https://a.example", https_as_http=False) == "https://(example,a,"
    assert surt.directive_prefix(" http://(COM,Example,)/A ") == "http://(com,example,)/a"
    assert surt.directive_prefix("example.com/a") == "http://(com,example,)/"
    assert surt.directive_prefix("  ") == ""
    assert surt.to_hosts_prefix("http://(com,example") == "http://(com,example,)"
    assert surt.to_hosts_prefix("http://(com,example,)/a/") == "http://(com,example,)"
    assert surt.to_domains_prefix("http://(com,example,www,)/a/") == "http://(com,example,"


@given(st.text(max_size=60))
def test_any_text_has_a_surt_and_a_prefix(text: str) -> None:
    assert len(surt.surt(text)) >= len(text)
    surt.plain_surt(text)
    assert surt.implied_prefix(text)
    surt.directive_prefix(text)


def test_hostile_text_costs_no_time() -> None:
    begun = time.process_time()
    for text in ("http://" + "/" * 65_000 + " ", "http://" + ":1" * 32_000, "http://" + "a@" * 32_000, "http://" + "a." * 32_000):
        surt.surt(text)
        surt.implied_prefix(text)
    assert time.process_time() - begun < 2


_prefix = st.text("ab,)/", max_size=6)


@given(st.lists(_prefix, max_size=12), st.lists(_prefix, max_size=12), st.text("ab,)/", max_size=10))
def test_lookups_say_what_a_loop_says(first: list[str], later: list[str], text: str) -> None:
    everything = [*first, *later]
    held = {p for p in everything if text.startswith(p)}
    minimal = sorted(p for p in set(everything) if not any(p != q and p.startswith(q) for q in everything))
    added = SurtPrefixSet(first)
    for prefix in later:
        added.add(prefix)
    for prefixes in (SurtPrefixSet(everything), added):
        assert list(prefixes) == minimal
        assert prefixes.matches(text) == bool(held)
        assert prefixes.match(text) == (min(held, key=len) if held else None)
        assert (text in prefixes) == (text in minimal)
    index = SurtPrefixIndex(everything)
    assert index.all(text) == tuple(sorted(held, key=len))
    assert index.longest(text) == (max(held, key=len) if held else None)


def test_a_lookup_does_not_depend_on_the_number_of_prefixes() -> None:
    rnd = random.Random(5)

    def cost(count: int) -> float:
        names = ["".join(rnd.choices("abcdefghij", k=8)) for _ in range(count)]
        sets = (SurtPrefixSet(f"http://(com,{n}," for n in names), SurtPrefixIndex(f"http://(com,{n}," for n in names))
        wanted = [f"http://(com,{n},www,)/x" for n in rnd.choices(names, k=2_000)]
        assert len(sets[0]) == len(sets[1])
        begun = time.process_time()
        for text in wanted:
            assert sets[0].matches(text)
            assert sets[1].longest(text)
        return time.process_time() - begun

    small, large = min(cost(100) for _ in range(3)), min(cost(30_000) for _ in range(2))
    assert large < 20 * small  # a loop over them would cost 300 times as much
