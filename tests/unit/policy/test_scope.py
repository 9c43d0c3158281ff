"""Sequences of decide rules: order, explanations, configuration, what hostile sites are bounded by."""

from __future__ import annotations

import json

import pytest

from redisfrontier.errors import SettingError
from redisfrontier.policy.scope.build import build_rule, build_sequence, rule_names, stock_rules, stock_scope
from redisfrontier.policy.scope.decision import Decision, subject_of
from redisfrontier.policy.scope.sequence import DecideRuleSequence
from redisfrontier.policy.scope.surt_rules import SeedSurts
from redisfrontier.settings import Settings
from redisfrontier.uri.parse import parse

UNAVAILABLE = {
    "content_length",
    "resource_no_longer_than",
    "resource_longer_than",
    "response_content_length",
    "identical_digest",
    "external_geo_location",
    "ip_address_set",
    "scripted",
    "expression",
}
SEEDS = SeedSurts(("http://(com,example,www,)/",), plus=("http://(org,plus,",), minus=("http://(com,example,www,)/private",))


def scope() -> DecideRuleSequence:
    return stock_scope(Settings(), SEEDS)


def decide(sequence: DecideRuleSequence, uri: str, path: str = "L", via: str | None = "http://www.example.com/", **more: object) -> str:
    verdict = sequence.decide(subject_of(parse(uri), path, parse(via) if via else None, **more))  # type: ignore[arg-type]
    return f"{verdict.index} {verdict.rule} {verdict.decision}"


@pytest.mark.parametrize(
    ("uri", "path", "wanted"),
    [
        ("http://www.example.com/a", "L", "1 SurtPrefixed ACCEPT"),
        ("https://www.example.com/a", "L", "1 SurtPrefixed ACCEPT"),
        ("http://other.example/", "L", "0 Reject REJECT"),
        ("http://other.example/x.png", "LE", "3 Transclusion ACCEPT"),
        ("http://x.plus.org/", "L", "1 SurtPrefixed ACCEPT"),
        ("http://www.example.com/private/x", "L", "4 SurtPrefixed REJECT"),
        ("http://www.example.com/a", "L" * 21, "2 TooManyHops REJECT"),
        ("http://www.example.com/s/" + "x/y/" * 3, "L", "6 PathologicalPath REJECT"),
        ("http://other.example/robots.txt", "LP", "8 PrerequisiteAccept ACCEPT"),
        ("mailto:a@www.example.com", "LE", "9 SchemeNotInSet REJECT"),
    ],
)
def test_stock_scope(uri: str, path: str, wanted: str) -> None:
    assert decide(scope(), uri, path) == wanted


def test_without_seeds_nothing_is_in_scope() -> None:
    assert decide(stock_scope(Settings()), "http://www.example.com/") == "0 Reject REJECT"


def test_no_rule_at_all_is_out_of_scope() -> None:
    verdict = DecideRuleSequence([]).decide(subject_of(parse("http://e.example/")))
    assert (verdict.decision, verdict.accepts, verdict.index) == (Decision.NONE, False, -1)


@pytest.mark.parametrize(
    "trap",
    [
        "http://www.example.com" + "/p/www.x.com" * 3 + "/p/",
        "http://www.example.com/" + "/".join(str(i) for i in range(21)),
        "http://www.example.com/cal/2026/cal/2026/cal/2026/",
    ],
    ids=["repetition", "depth", "cycle"],
)
def test_traps_are_refused(trap: str) -> None:
    """Field case I5."""
    assert decide(scope(), trap).endswith("REJECT")


def test_links_that_grow_by_an_escape_at_each_hop_are_refused() -> None:
    """Field case H-e."""
    nested = build_sequence([{"rule": "accept"}, {"rule": "nested_escapes"}])
    assert decide(nested, "http://e.example/100%25").endswith("ACCEPT")
    assert decide(nested, "http://e.example/%2525").endswith("ACCEPT")
    assert decide(nested, "http://e.example/%25252525").endswith("REJECT")


def test_explain_tells_every_vote_and_the_decisive_one() -> None:
    votes = scope().explain(subject_of(parse("http://www.example.com/private/x"), "LE", parse("http://www.example.com/")))
    assert [(v.index, v.rule, v.decision.value) for v in votes if v.decision is not Decision.NONE] == [
        (0, "Reject", "REJECT"),
        (1, "SurtPrefixed", "ACCEPT"),
        (3, "Transclusion", "ACCEPT"),
        (4, "SurtPrefixed", "REJECT"),
    ]
    assert [v.index for v in votes if v.decisive] == [4]
    assert [v.index for v in votes if not v.asked] == [3, 5, 7, 9], "rules that could only say what stands already"
    assert len(votes) == 10


def test_the_log_line_names_the_deciding_rule() -> None:
    sequence = build_sequence(stock_rules(Settings()), SEEDS, log_to_file=True, log_extra_info=True)
    subject = subject_of(parse("http://www.example.com/a\n"), "L", parse("http://www.example.com/"), source_tag="s")
    line = sequence.log_line(subject, sequence.decide(subject))
    before, _, extra = line.partition(" {")
    assert before == "1 SurtPrefixedDecideRule ACCEPT http://www.example.com/a"
    assert json.loads("{" + extra) == {"hopPath": "L", "via": "http://www.example.com/", "seed": "s", "host": "www.example.com"}


def test_widening_reaches_rules_on_seeds_and_directives_on_their_sign() -> None:
    sequence = scope()
    assert sequence.widen("http://(net,new,)/")
    assert not sequence.widen("http://(net,new,)/"), "known already"
    assert decide(sequence, "http://new.net/x") == "1 SurtPrefixed ACCEPT"
    assert sequence.widen("http://(net,new,)/no", "-")
    assert decide(sequence, "http://new.net/no/x") == "4 SurtPrefixed REJECT"
    assert decide(sequence, "http://www.example.com/x") == "1 SurtPrefixed ACCEPT"


def test_also_check_via_takes_what_lies_one_hop_off() -> None:
    """Seed 001."""
    rules = [{"rule": "reject"}, {"rule": "surt_prefixed", "also_check_via": True}]
    sequence = build_sequence(rules, SEEDS)
    assert decide(sequence, "http://other.example/", "L", "http://www.example.com/a.html").endswith("ACCEPT")
    assert decide(sequence, "http://third.example/", "LL", "http://other.example/").endswith("REJECT")


def test_surts_from_a_file_and_their_dump(tmp_path: object) -> None:
    text = "# comment\nexample.net\n+http://(org,literal,\nhttp://www.example.edu/path1/x  # trailing\n"
    rule = {"rule": "surt_prefixed", "surts_source_file": "surts.txt", "seeds_as_surt_prefixes": False, "surts_dump_file": "surts.dump"}
    sequence = build_sequence([rule], SEEDS, read={"surts.txt": text}.__getitem__)
    wanted = ["http://(edu,example,www,)/path1/", "http://(net,example,", "http://(org,literal,", "http://(org,plus,"]
    assert sequence.surt_dumps() == [("surts.dump", "".join(f"{p}\n" for p in wanted))]


def test_a_missing_surts_file_is_named() -> None:
    with pytest.raises(SettingError, match=r"scope rule 0: surts_source_file '/no/such/file'"):
        build_sequence([{"rule": "surt_prefixed", "surts_source_file": "/no/such/file"}])


def test_heritrix_names_are_understood() -> None:
    kind = "org.archive.modules.deciderules.surt.SurtPrefixedDecideRule"
    rule = build_rule({"rule": kind, "seedsAsSurtPrefixes": "false", "surtsSource": "example.com", "decision": "reject"})
    assert (rule.name, rule.vote) == ("SurtPrefixed", Decision.REJECT)
    assert build_rule({"rule": "AddRedirectFromRootServerToScope"}).makes_seed
    assert build_rule({"rule": "TooManyHopsDecideRule", "maxHops": "3"}).holds(subject_of(parse("http://e.example/"), "LLLL"))


def test_nested_sequences_vote_what_they_decide() -> None:
    inner = {"rule": "sequence", "rules": [{"rule": "accept"}, {"rule": "too_many_hops", "max_hops": 1}]}
    sequence = build_sequence([{"rule": "reject"}, inner])
    assert decide(sequence, "http://e.example/", "L") == "1 DecideRuleSequence ACCEPT"
    assert decide(sequence, "http://e.example/", "LL") == "1 DecideRuleSequence REJECT"
    silent = build_sequence([{"rule": "accept"}, {"rule": "sequence", "rules": []}])
    assert decide(silent, "http://e.example/") == "0 Accept ACCEPT"


def test_an_empty_list_of_regexes_never_holds() -> None:
    """Heritrix §11 item 19: a rule without regexes says nothing."""
    for name in ("matches_list_regex", "not_matches_list_regex"):
        for logical_or in (True, False):
            sequence = build_sequence([{"rule": "reject"}, {"rule": name, "list_logical_or": logical_or}])
            assert decide(sequence, "http://e.example/") == "0 Reject REJECT"


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"rule": "too_many_hop"}, "too_many_hops"),
        ({"rule": "too_many_hops", "max_hop": 1}, "max_hops"),
        ({"rule": "too_many_hops", "max_hops": "many"}, "whole number"),
        ({"rule": "too_many_hops", "max_hops": True}, "whole number"),
        ({"rule": "pathological_path", "max_repetitions": 0}, "at least 1"),
        ({"rule": "pathological_path", "decision": "ACCEPT"}, "decision"),
        ({"rule": "matches_regex", "regex": "(?!x)"}, "look-ahead"),
        ({"rule": "matches_regex", "regex": 3}, "a text"),
        ({"rule": "has_via", "decision": "MAYBE"}, "ACCEPT, REJECT, NONE"),
        ({"rule": "has_via", "enabled": "perhaps"}, "true or false"),
        ({"rule": "matches_list_regex", "regex_list": 7}, "a list"),
        ({"rule": "sequence", "rules": ["accept"]}, "list of rules"),
        ({"rule": "scripted"}, "not available"),
        ({"rule": "ip_address_set"}, "not available"),
        ({}, "without a name"),
        ({"rule": 7}, "without a name"),
    ],
)
def test_bad_configurations_are_named(config: dict[str, object], named: str) -> None:
    with pytest.raises(SettingError) as caught:
        build_rule(config)
    assert named in f"{caught.value} {caught.value.remedy}"


@pytest.mark.parametrize("name", rule_names())
def test_every_rule_of_the_list_is_made_or_explained(name: str) -> None:
    if name in UNAVAILABLE:
        with pytest.raises(SettingError, match="not available"):
            build_rule({"rule": name})
    else:
        rule = build_rule({"rule": name})
        assert rule.holds(subject_of(parse("http://e.example/"))) in (True, False, None)


def test_a_disabled_rule_never_votes() -> None:
    assert decide(build_sequence([{"rule": "accept", "enabled": False}]), "http://e.example/") == "-1  NONE"


@pytest.mark.parametrize(
    ("uri", "via", "crosses"),
    [
        ("http://a.example.com:8080/", "http://b.example.com/", False),
        ("http://a.co.uk/", "http://b.co.uk/", True),
        ("http://localhost:8080/", "http://localhost/", True),
        ("http://192.0.2.7:81/", "http://192.0.2.7/", True),
        ("dns:example.com", "http://example.com/", True),
    ],
)
def test_crossing_the_assigned_domain(uri: str, via: str, crosses: bool) -> None:
    rule = build_rule({"rule": "hop_crosses_assignment_level_domain"})
    assert rule.holds(subject_of(parse(uri), "L", parse(via))) is crosses
