"""Vectors of kind `canonical`: canonicalisation rules, each by itself and in lists."""

from __future__ import annotations

import re
from typing import Any

from redisfrontier.errors import InvalidUri, SettingError
from redisfrontier.uri.canonical import Canonicalizer
from redisfrontier.uri.parse import parse


def snake_case(name: str) -> str:
    """A Heritrix rule name as ours: StripSessionCFIDs → strip_session_cfids."""
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z]{2})|WWWN?|[A-Z]+s\b|[A-Z][a-z]+", name)
    return re.sub("wwwn", "www_n", "_".join(words).lower())


def config(rule: Any) -> Any:
    """A rule of a case in our configuration."""
    return snake_case(rule) if isinstance(rule, str) else {**rule, "rule": snake_case(rule["rule"])}


def rules(given: dict[str, Any]) -> list[Any] | None:
    """The rule list of a case; None for the default list."""
    if "rule" in given:
        return [config(given["rule"])]
    return None if given["rules"] == "default" else [config(rule) for rule in given["rules"]]


def run(case: dict[str, Any]) -> list[str]:
    """Differences between what the case expects and what our rules give. A single rule is applied once."""
    given, wanted = case["in"], case["out"]
    try:
        canonicalizer = Canonicalizer(rules(given))
        text = given["text"] if "text" in given else parse(given["uri"]).text
    except (SettingError, InvalidUri) as error:
        return [] if isinstance(wanted, dict) and ("throws" in wanted or "rejected" in wanted) else [f"refused: {error}"]
    got = canonicalizer.once(text) if "rule" in given else canonicalizer(text)
    return [] if got == wanted else [f"expected {wanted!r}, got {got!r}"]
