"""Vectors of kind deciderules: single rules, sequences and the stock scope."""

from __future__ import annotations

import re
from typing import Any

from redisfrontier.errors import InvalidUri, SettingError
from redisfrontier.policy.scope.build import build_rule, build_sequence, stock_scope
from redisfrontier.policy.scope.decision import Subject, subject_of
from redisfrontier.policy.scope.sequence import DecideRuleSequence
from redisfrontier.policy.scope.surt_rules import SeedSurts
from redisfrontier.settings import Settings
from redisfrontier.uri.parse import parse
from redisfrontier.uri.surt import directive_prefix, implied_prefix

_SEED_LINE = re.compile(r"\s*(\S+)\s*(?:#.*)?")
_SCHEME = re.compile(r"[a-zA-Z][\w+\-]+:.*")


def run(case: dict[str, Any]) -> list[str]:
    """The mismatches of one case."""
    given, expected = case["in"], case["out"]
    try:
        sequence = _sequence(given)
    except SettingError as e:
        return [] if isinstance(expected, dict) and "throws" in expected else [f"refused: {e}"]
    try:
        verdict = sequence.decide(_subject(given))
    except InvalidUri as e:
        return [f"URI refused: {e}"]
    if given["rule"] in ("sequence", "stock_scope"):
        got: Any = {
            "decision": verdict.decision.value,
            "accepts": verdict.accepts,
            "rule_index": verdict.index,
            "rule": verdict.rule or None,
        }
        expected = {**expected, "rule": expected.get("rule") or None}
    elif isinstance(expected, dict) and "seed_after" in expected:
        got = {"decision": verdict.decision.value, "seed_after": verdict.becomes_seed}
    else:
        got = verdict.decision.value
    return [] if got == expected else [f"got {got!r}, want {expected!r}"]


def _sequence(given: dict[str, Any]) -> DecideRuleSequence:
    config = dict(given.get("config") or {})
    if given["rule"] == "stock_scope":
        return stock_scope(
            Settings(),
            _seeds(config["seeds"]),
            negative_surts=config.get("negativeSurts", ""),
            reject_regexes=config.get("rejectRegexes", ()),
        )
    if given["rule"] == "sequence":
        rules = [_rule(r["rule"], dict(r.get("config") or {})) for r in config["rules"]]
        return DecideRuleSequence(rules)
    return DecideRuleSequence([_rule(given["rule"], config)])


def _rule(name: str, config: dict[str, Any]) -> Any:
    seeds = _seeds(config.pop("seeds", ""))
    if name == "sequence":
        return build_sequence([config], seeds)
    return build_rule({"rule": name, **config}, seeds)


def _seeds(text: str) -> SeedSurts:
    """The prefixes of a seed text: URIs and lines that begin with + or −."""
    seeds, plus, minus = [], [], []
    for line in text.splitlines():
        found = _SEED_LINE.fullmatch(line)
        if found is None or found.group(1).startswith("#"):
            continue
        entry = found.group(1)
        if entry[0] in "+-":
            (plus if entry[0] == "+" else minus).append(directive_prefix(entry[1:]))
        else:
            seeds.append(implied_prefix(parse(entry if _SCHEME.fullmatch(entry) else f"http://{entry}").text))
    return SeedSurts(tuple(seeds), tuple(plus), tuple(minus))


def _subject(given: dict[str, Any]) -> Subject:
    return subject_of(
        parse(given["uri"]),
        given.get("path") or "",
        parse(given["via"]) if given.get("via") else None,
        is_seed=given.get("seed", False),
        source_tag=given.get("source"),
        status=given.get("status", 0),
        content_type=given.get("content_type"),
    )
