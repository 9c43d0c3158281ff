"""Preparing candidates: what schedule gets, what is refused and why, links, prerequisites, seeds in mid-crawl."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.errors import BadArgument
from redisfrontier.policy.scope.build import build_sequence, stock_scope
from redisfrontier.policy.scope.surt_rules import SeedSurts
from redisfrontier.policy.sheets import Sheet, Sheets
from redisfrontier.record.codec import decode
from redisfrontier.record.outcome import Admission, Admitted
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.settings import Settings
from redisfrontier.uri.fingerprint import dedup_fingerprint, fingerprint, partition_of
from tests.unit.uri.mutations import uris


def prepared(c: object, preparer: Preparer | None = None) -> Prepared:
    made = (preparer or Preparer(Settings())).prepare(c)  # type: ignore[arg-type]
    assert isinstance(made, Prepared), made
    return made


def refused(c: object, preparer: Preparer | None = None) -> Admission:
    made = (preparer or Preparer(Settings())).prepare(c)  # type: ignore[arg-type]
    assert isinstance(made, Admission), made
    return made


def record(uri: str, preparer: Preparer | None = None, **fields: Any) -> UriRecord:
    return decode(prepared(Candidate(uri, **fields), preparer).record)


def with_sheets(sheets: Iterable[Sheet], base: Settings | None = None) -> Preparer:
    base = base or Settings()
    return Preparer(base, sheets=Sheets(sheets, base))


def test_all_fields() -> None:
    c = Candidate("HTTP://WWW.Example.com:80/a b?x", path="LE", via="http://v.example/", source_tag="t")
    made = prepared(c, Preparer(Settings(), partitions=16))
    assert made.uri == "http://www.example.com/a%20b?x"
    assert made.queue == "com,example,www,"
    assert made.fingerprint == fingerprint("http://example.com/a%20b?x")
    assert made.partition == partition_of("com,example,www,", 16)
    assert (made.directive, made.precedence, made.cost, made.force) == (2, 1, 1, False)
    assert (made.group, made.sheets, made.source_tag) == ("", (), "t")
    kept = decode(made.record)
    assert (kept.uri, kept.canonical) == (made.uri, "http://example.com/a%20b?x")
    assert (kept.path, kept.via, kept.queue) == ("LE", "http://v.example/", None)


@pytest.mark.parametrize(
    ("c", "reason"),
    [
        (None, "not_a_string"),
        (7, "not_a_string"),
        (b"http://e/", "not_a_string"),
        ([], "not_a_string"),
        ("", "blank"),
        ("/x", "no_scheme"),
        ("http:/x", "no_host"),
    ],
)
def test_invalid(c: object, reason: str) -> None:
    made = refused(c)
    assert (made.outcome, made.reason, made.fetch_status) == (Admitted.INVALID, reason, -7)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"path": 7}, "bad_field"),
        ({"path": "L L"}, "bad_path"),
        ({"path": "L" * 51}, "bad_path"),
        ({"via": 3}, "bad_field"),
        ({"queue": b"x"}, "bad_field"),
        ({"directive": 4}, "bad_directive"),
        ({"directive": "1"}, "bad_field"),
        ({"cost": 1.5}, "bad_field"),
        ({"metadata": {"x": object()}}, "bad_metadata"),
        ({"metadata": {"x": "y" * 70_000}}, "record_too_large"),
        ({"source_tag": "\ud800"}, "error: UnicodeEncodeError"),
    ],
)
def test_refused(fields: dict[str, Any], reason: str) -> None:
    made = refused(Candidate("http://e.example/", **fields))
    assert made.outcome is Admitted.REFUSED
    assert made.reason.startswith(reason)
    assert made.fetch_status < 0


def test_out_of_scope_gets_its_negative_status_and_rule() -> None:
    made = refused("http://e.example/", Preparer(Settings(), stock_scope(Settings())))
    assert (made.outcome, made.fetch_status, made.reason) == (Admitted.OUT_OF_SCOPE, -5000, "0 Reject")


def test_the_length_limit_is_a_setting() -> None:
    preparer = Preparer(Settings(max_uri_bytes=100))
    assert refused("http://e.example/" + "a" * 100, preparer).reason == "too_long"
    assert prepared("http://e.example/" + "a" * 80, preparer).uri.endswith("a")
    assert prepared("http://e.example/" + "a" * 8000).uri.endswith("a")


def test_given_values_beat_the_policies_and_are_clamped() -> None:
    made = prepared(Candidate("http://e.example/", queue="a b", directive=0, precedence=999, cost=300))
    assert (made.queue, made.directive, made.precedence, made.cost) == ("a%20b", 0, 255, 127)
    assert decode(made.record).queue == "a%20b"
    same = prepared(Candidate("http://e.example/", queue="example,e,"))
    assert (same.queue, decode(same.record).queue) == ("example,e,", None), "what the policy gives anyway is not stored"
    low = prepared(Candidate("http://e.example/", precedence=-5, cost=-1))
    assert (low.precedence, low.cost) == (0, 0)


def test_a_dedup_key_stands_in_for_the_canonical_form() -> None:
    """Field case B9."""
    one, two = (prepared(Candidate("http://e.example/#/a", dedup_key=k)) for k in ("/a", "/b"))
    assert one.fingerprint == dedup_fingerprint("/a") != two.fingerprint
    assert prepared("http://e.example/#/a").fingerprint == prepared("http://e.example/#/b").fingerprint


def test_the_uri_found_is_the_uri_fetched() -> None:
    """Field case B10."""
    assert record("http://e.example/?B=1&A=2").uri == "http://e.example/?B=1&A=2"


@pytest.mark.parametrize(
    ("uri", "path", "via", "wanted"),
    [
        ("http://example.com/a", "R", "http://www.example.com/a", True),
        ("http://example.com/a", "LR", "http://example.com/A", True),
        ("http://example.com/a", "R", "http://example.com/a", False),
        ("http://example.com/a", "R", "http://example.com/b", False),
        ("http://example.com/a", "L", "http://www.example.com/a", False),
        ("http://example.com/a", "R", None, False),
    ],
)
def test_a_redirect_to_another_spelling_is_forced(uri: str, path: str, via: str | None, wanted: bool) -> None:
    made = prepared(Candidate(uri, path=path, via=via))
    assert made.force is wanted
    assert decode(made.record).force_fetch is wanted


def test_a_via_that_is_no_uri_is_dropped_and_others_are_normalised() -> None:
    assert record("http://e.example/", via="-").via is None
    assert record("http://e.example/", via="HTTP://V.example").via == "http://v.example/"


def test_seeds_come_early_and_links_later() -> None:
    assert prepared(Candidate("http://e.example/", is_seed=True)).directive == 2
    assert prepared("http://e.example/").directive == 3


def test_sheets_of_the_uri_price_it_and_sheets_of_the_host_go_with_the_queue() -> None:
    site = Sheet("site", {"queue_total_budget": 5}, ("http://(com,example,",))
    deep = Sheet("deep", {"cost_assignment_policy": "zero", "queue_total_budget": 9}, ("http://(com,example,)/deep/",))
    made = prepared("http://example.com/deep/x", with_sheets((site, deep)))
    assert made.cost == 0
    assert made.sheets == ("site",), "a queue's budget does not depend on which of its URIs was met last"
    assert prepared("http://u:p@example.com:80/x", with_sheets((site, deep))).sheets == ("site",)


def test_a_prerequisite_has_the_sheets_of_its_parent() -> None:
    sheet = Sheet("s", {"force_queue_assignment": "mine"}, ("http://(com,example,)/deep/",))
    preparer = with_sheets((sheet,))
    assert prepared(Candidate("http://example.com/robots.txt", path="P", via="http://example.com/deep/x"), preparer).queue == "mine"
    assert prepared("http://example.com/robots.txt", preparer).queue == "com,example,"


def test_a_trap_can_be_given_a_queue_and_budget_of_its_own() -> None:
    """Field case I5: a cap on the URIs under one prefix."""
    trap = Sheet("trap", {"force_queue_assignment": "trap"}, ("http://(com,example,)/calendar/",))
    preparer = with_sheets((trap,))
    assert {prepared(f"http://example.com/calendar/{i}", preparer).queue for i in range(50)} == {"trap"}
    assert prepared("http://example.com/", preparer).queue == "com,example,"


def test_groups_put_queues_into_one_partition() -> None:
    preparer = Preparer(Settings(queue_group="domain"), partitions=64)
    made = [prepared(f"http://h{i}.example.com/", preparer) for i in range(20)]
    assert {m.group for m in made} == {"com,example,"}
    assert len({m.partition for m in made}) == 1
    assert len({m.queue for m in made}) == 20


def test_groups_by_sheet() -> None:
    preparer = with_sheets((Sheet("s", {"queue_group": "server-7"}, ("example.com", "other.example")),))
    assert prepared("http://a.example.com/", preparer).group == prepared("http://other.example/", preparer).group == "server-7"
    assert prepared("http://third.example/", preparer).group == ""


def test_preloaded_precedences() -> None:
    preparer = Preparer(Settings(uri_precedence_policy="preloaded"), preloaded={"http://(example,e,)/X": 40})
    assert prepared("http://e.example/X", preparer).precedence == 41
    assert prepared("http://e.example/x", preparer).precedence == 1


def test_the_clock_is_given() -> None:
    assert decode(prepared("http://e.example/", Preparer(Settings(), now_ms=lambda: 123)).record).added_ms == 123


def test_scope_log_gets_a_line_a_verdict() -> None:
    lines: list[str] = []
    scope = stock_scope(Settings(), SeedSurts(("http://(com,example,",)), log_to_file=True)
    preparer = Preparer(Settings(), scope, scope_log=lines.append)
    preparer.prepare("http://example.com/")
    preparer.prepare("http://e.example/")
    assert lines == ["1 SurtPrefixedDecideRule ACCEPT http://example.com/", "0 RejectDecideRule REJECT http://e.example/"]


class TestOutlinks:
    parent = record("http://www.example.com/dir/page", path="L", via="http://v.example/", source_tag="tag", heritable={"k": "v"})

    def test_links_inherit_and_remember_where_they_stood(self) -> None:
        links, surplus = Preparer(Settings()).outlinks(self.parent, [("../x#frag", "L", "a/@href"), ("//c.example/i.png", "E", "img/@src")])
        assert surplus == 0
        assert [(c.uri, c.path, c.via, c.via_context) for c in links] == [
            ("http://www.example.com/x", "LL", "http://www.example.com/dir/page", "a/@href"),
            ("http://c.example/i.png", "LE", "http://www.example.com/dir/page", "img/@src"),
        ]
        assert {(c.source_tag, c.heritable["k"], c.is_seed) for c in links} == {("tag", "v", False)}

    def test_the_cap_is_counted(self) -> None:
        links, surplus = Preparer(Settings(max_outlinks=3)).outlinks(self.parent, [(f"/{i}", "L", None) for i in range(10)])
        assert (len(links), surplus) == (3, 7)

    def test_the_cap_may_come_from_a_sheet(self) -> None:
        preparer = with_sheets((Sheet("s", {"max_outlinks": 1}, ("http://(com,example,www,)/dir/",)),))
        assert preparer.outlinks(self.parent, [("a", "L", None), ("b", "L", None)])[1] == 1

    def test_equal_links_count_once(self) -> None:
        links, surplus = Preparer(Settings(max_outlinks=2)).outlinks(self.parent, [("/a", "L", "a/@href")] * 50)
        assert (len(links), surplus) == (1, 0)

    def test_bad_links_are_told_when_prepared(self) -> None:
        links, _ = Preparer(Settings()).outlinks(self.parent, [("http://[", "L", None), (None, "L", None), (["x"], "L", None)])  # type: ignore[list-item]
        assert refused(links[0]).outcome is Admitted.INVALID
        assert len(links) == 3

    @pytest.mark.parametrize(("base", "wanted"), [("http://b.example/d/", "http://b.example/d/x"), ("/d/", "http://www.example.com/d/x")])
    def test_a_base_is_used(self, base: str, wanted: str) -> None:
        assert Preparer(Settings()).outlinks(self.parent, [("x", "L", None)], base)[0][0].uri == wanted

    def test_a_broken_base_is_not(self) -> None:
        assert Preparer(Settings()).outlinks(self.parent, [("x", "L", None)], "http://[")[0][0].uri == "http://www.example.com/dir/x"

    def test_an_unknown_hop_is_the_callers_mistake(self) -> None:
        with pytest.raises(BadArgument):
            Preparer(Settings()).outlinks(self.parent, [("x", "Q", None)])


class TestPrerequisites:
    @pytest.mark.parametrize(("directive", "wanted", "precedence"), [(3, 2, 1), (1, 0, 1), (0, 0, 0)])
    def test_one_directive_better_in_the_same_queue(self, directive: int, wanted: int, precedence: int) -> None:
        preparer = Preparer(Settings(preference_depth_hops=0, parallel_queues=5))
        parent = prepared(Candidate("http://e.example/one/two", path="L", directive=3, source_tag="t"), preparer)
        kept = decode(parent.record)
        made = prepared(preparer.prerequisite(_with(kept, directive=directive), "/robots.txt"), preparer)
        assert (made.uri, made.queue, made.directive, made.precedence) == ("http://e.example/robots.txt", parent.queue, wanted, precedence)
        assert made.force
        assert made.source_tag == "t"
        assert decode(made.record).prerequisite

    def test_a_queue_that_was_given_is_kept(self) -> None:
        preparer = Preparer(Settings())
        parent = record("http://e.example/x", queue="mine")
        assert prepared(preparer.prerequisite(parent, "dns:e.example"), preparer).queue == "mine"


def _with(kept: UriRecord, **changes: Any) -> UriRecord:
    from dataclasses import replace

    return replace(kept, **changes)


class TestSeedsInMidCrawl:
    """Field case I4, Heritrix §5.4."""

    def scoped(self, policy: str, rules: list[dict[str, object]] | None = None) -> tuple[Preparer, list[tuple[str, str]]]:
        told: list[tuple[str, str]] = []
        config = Settings(seed_redirects=policy)
        seeds = SeedSurts(("http://(com,example,)/",))
        scope = build_sequence(rules, seeds) if rules else stock_scope(config, seeds)
        return Preparer(config, scope, on_new_seed=lambda uri, prefix: told.append((uri, prefix))), told

    @pytest.mark.parametrize(
        ("policy", "target", "widens"),
        [
            ("strict", "https://www.example.com/", True),
            ("strict", "http://www7.example.com/start", True),
            ("strict", "http://other.example/", False),
            ("strict", "http://www.example.com:8080/", False),
            ("always", "http://other.example/", True),
            ("always", "https://www.example.com/", True),
            ("never", "https://www.example.com/", False),
        ],
    )
    def test_redirects_of_seeds(self, policy: str, target: str, widens: bool) -> None:
        preparer, told = self.scoped(policy)
        seed = record("http://example.com/", preparer, is_seed=True)
        links, _ = preparer.outlinks(seed, [(target, "R", "location:")])
        made = prepared(links[0], preparer)
        assert decode(made.record).is_seed is widens
        assert bool(told) is widens
        followed = preparer.prepare(Candidate(target.rstrip("/") + "/next", path="RL", via=target))
        assert isinstance(followed, Prepared) is widens

    def test_a_redirect_of_a_page_is_no_seed(self) -> None:
        preparer, told = self.scoped("always")
        page = record("http://example.com/x", preparer, path="L")
        links, _ = preparer.outlinks(page, [("http://other.example/", "R", None)])
        prepared(links[0], preparer)
        assert not told

    def test_a_chain_of_redirects_ends(self) -> None:
        preparer, _ = self.scoped("always")
        seed = record("http://example.com/", preparer, is_seed=True, path="RRRR")
        links, _ = preparer.outlinks(seed, [("http://other.example/", "R", None)])
        assert not links[0].is_seed

    def test_the_redirect_is_taken_by_scopes_without_transclusion_too(self) -> None:
        preparer, told = self.scoped("strict", [{"rule": "reject"}, {"rule": "surt_prefixed"}])
        links, _ = preparer.outlinks(record("http://example.com/", preparer, is_seed=True), [("http://www.example.com/", "R", None)])
        assert prepared(links[0], preparer).force
        assert told == [("http://www.example.com/", "http://(com,example,www,)/")]

    def test_a_new_seed_brings_its_scope(self) -> None:
        preparer, told = self.scoped("strict")
        assert refused("http://new.example/x", preparer).outcome is Admitted.OUT_OF_SCOPE
        prepared(Candidate("http://new.example/", is_seed=True), preparer)
        assert told == [("http://new.example/", "http://(example,new,)/")]
        prepared("http://new.example/x", preparer)

    def test_the_redirect_from_root_rule_makes_a_seed(self) -> None:
        preparer, told = self.scoped("never", [{"rule": "reject"}, {"rule": "add_redirect_from_root_server"}, {"rule": "surt_prefixed"}])
        made = prepared(Candidate("http://www.other.example/", path="R", via="http://other.example/"), preparer)
        assert decode(made.record).is_seed
        assert told == [("http://www.other.example/", "http://(example,other,www,)/")]


def test_no_input_ever_raises() -> None:
    scope = stock_scope(Settings(), SeedSurts(("http://(",)))
    base = Settings(parallel_queues=3, cost_assignment_policy="anti_calendar", uri_precedence_policy="hops", queue_group="domain")
    preparer = Preparer(base, scope, Sheets((Sheet("s", {"min_delay_ms": 1}, ("http://(com,",)),), base), partitions=4)
    for raw in uris(5000):
        made = preparer.prepare(Candidate(raw, path="LP", via=raw))
        assert isinstance(made, Admission) or decode(made.record).uri == made.uri
        if isinstance(made, Admission):
            assert not made.reason.startswith("error")


ANYTHING = (
    st.none() | st.integers() | st.text(max_size=20) | st.binary(max_size=5) | st.floats() | st.lists(st.text(max_size=3), max_size=2)
)
FIELDS = dict.fromkeys(("path", "via", "queue", "directive", "cost", "source_tag", "dedup_key", "metadata"), ANYTHING)


@settings(max_examples=300)
@given(st.builds(Candidate, uri=ANYTHING | st.just("http://e.example/"), **FIELDS))  # type: ignore[arg-type]
def test_no_field_ever_raises(c: Candidate) -> None:
    assert isinstance(Preparer(Settings()).prepare(c), Prepared | Admission)
