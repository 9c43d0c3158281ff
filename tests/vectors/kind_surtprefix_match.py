"""Vectors of kind `surtprefix_match`: sets of SURT prefixes, minimal, and whether they hold a URI."""

from __future__ import annotations

import re
from typing import Any

from redisfrontier.uri import surt
from redisfrontier.uri.parse import parse
from redisfrontier.uri.surt_prefixes import SurtPrefixSet

_ENTRY = re.compile(r"\s*(\S+)\s*(?:#.*)?")


def entries(text: str) -> list[str]:
    """The entries of a SURT source file: one a line, comments and blank lines left out."""
    found = (_ENTRY.fullmatch(line) for line in text.splitlines())
    return [match.group(1) for match in found if match and not match.group(1).startswith("#")]


def prefixes(given: dict[str, Any]) -> list[str]:
    """The prefixes that a case gives, in any of its four ways."""
    if "plain" in given:
        return [surt.implied_prefix(text) for text in given["plain"]]
    if "surts_text" in given:
        return [entry.lower() for entry in entries(given["surts_text"])]
    if "mixed" in given:
        lines = entries(given["mixed"])
        return [surt.directive_prefix(line[1:]) if line.startswith("+") else surt.implied_prefix(line) for line in lines]
    given_prefixes: list[str] = given["prefixes"]
    return given_prefixes


def run(case: dict[str, Any]) -> list[str]:
    """Differences between what the case expects and what our set gives; filled at once and one by one."""
    given, wanted = case["in"], case["out"]
    texts = prefixes(given)
    one_by_one = SurtPrefixSet()
    for text in texts:
        one_by_one.add(text)
    kept = list(SurtPrefixSet(texts))
    if kept != list(one_by_one):
        return [f"at once {kept!r}, one by one {list(one_by_one)!r}"]
    if given.get("to_hosts"):
        kept = [surt.to_hosts_prefix(prefix) for prefix in kept]
    if given.get("to_domains"):
        kept = [surt.to_domains_prefix(prefix) for prefix in kept]
    prefix_set = SurtPrefixSet(kept)
    candidate = surt.candidate_surt(parse(given["uri"]))
    got = {"set": list(prefix_set), "candidate": candidate, "match": prefix_set.matches(candidate)}
    return [f"{key}: expected {value!r}, got {got[key]!r}" for key, value in wanted.items() if got[key] != value]
