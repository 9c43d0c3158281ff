"""Vectors of kind `surt`: SURT forms, implied prefixes, directives, conversions of prefixes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from redisfrontier.errors import InvalidUri
from redisfrontier.uri import surt
from redisfrontier.uri.parse import parse


def _of_uri(given: dict[str, Any]) -> Any:
    try:
        uri = parse(given["uri"])
    except InvalidUri:
        return {"rejected": True}
    return {"uri": uri.text, "surt": surt.surt(uri), "candidate": surt.candidate_surt(uri)}


def _directive(given: dict[str, Any]) -> Any:
    prefix = surt.directive_prefix(given["text"])
    return {"consumed": bool(prefix), "set": [prefix] if prefix else []}


def _text(given: dict[str, Any]) -> str:
    text = given.get("text", given.get("uri"))
    assert isinstance(text, str)
    return text


KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "uri": _of_uri,
    "raw": lambda given: surt.surt(_text(given)),
    "raw_preserve_case": lambda given: surt.surt(_text(given), preserve_case=True),
    "plain": lambda given: surt.plain_surt(_text(given)),
    "prefix": lambda given: surt.implied_prefix(_text(given)),
    "prefix_no_https_coercion": lambda given: surt.implied_prefix(_text(given), https_as_http=False),
    "directive": _directive,
    "host_prefix": lambda given: surt.to_hosts_prefix(given["prefix"]),
    "domain_prefix": lambda given: surt.to_domains_prefix(given["prefix"]),
}


def run(case: dict[str, Any]) -> list[str]:
    """Differences between what the case expects and what our functions give."""
    given, wanted = case["in"], case["out"]
    got = KINDS[given["kind"]](given)
    if isinstance(wanted, dict) and "rejected" in wanted:
        wanted = {"rejected": True}
    return [] if got == wanted else [f"expected {wanted!r}, got {got!r}"]
