"""Vectors of kind hops: hop paths, directives, costs, precedences, prerequisites, whole preparations."""

from __future__ import annotations

from typing import Any

from redisfrontier.candidates import PREREQUISITE_CONTEXT, Prepared, Preparer
from redisfrontier.policy import hops
from redisfrontier.policy.cost import cost
from redisfrontier.policy.directive import directive
from redisfrontier.policy.precedence import uri_precedence
from redisfrontier.policy.queueing import queue_policy
from redisfrontier.record.codec import decode, encode
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.settings import Settings
from redisfrontier.uri.parse import parse
from redisfrontier.uri.surt import surt

_COSTS = {"Unit": "unit", "Zero": "zero", "Wag": "wag", "AntiCalendar": "anti_calendar"}
_PRECEDENCES = {"Cost": "cost", "Base": "base", "Hops": "hops", "Preloaded": "preloaded"}


def run(case: dict[str, Any]) -> list[str]:
    """The mismatches of one case."""
    given = case["in"]
    got, expected = _KINDS[given["kind"]](given), case["out"]
    if isinstance(got, dict) and isinstance(expected, dict) and "throws" not in expected:
        expected = {k: v for k, v in expected.items() if k in got}
    return [] if got == expected else [f"got {got!r}, want {expected!r}"]


def _counts(path: str) -> dict[str, Any]:
    return {
        "hop_count": hops.hop_count(path),
        "link_hop_count": hops.link_hop_count(path),
        "embed_hop_count": hops.embed_hop_count(path),
        "trans_hops": hops.trans_hops(path),
        "last_hop": hops.last_hop(path),
    }


def _extend(given: dict[str, Any]) -> dict[str, Any]:
    path = given["parent_path"]
    for hop in given["hops"]:
        path = hops.extend(path, hop)
    return {"path": path, **_counts(path), "is_location": hops.last_hop(path) == "R"}


def _count(given: dict[str, Any]) -> dict[str, Any]:
    return _counts(given["path"])


def _directive(given: dict[str, Any]) -> int:
    settings = Settings(preference_depth_hops=given["preferenceDepthHops"], preference_embed_hops=given["preferenceEmbedHops"])
    return directive(given["path"], given["directive"], settings)


def _cost(given: dict[str, Any]) -> int:
    return cost(parse(given["uri"]), given.get("via"), Settings(cost_assignment_policy=_COSTS[given["policy"]]))


def _precedence(given: dict[str, Any]) -> int:
    config, uri = given.get("config") or {}, parse(given["uri"])
    settings = Settings(
        uri_precedence_policy=_PRECEDENCES[given["policy"]],
        base_uri_precedence=config.get("basePrecedence", 1),
        hops_navlinks_only=config.get("navlinksOnly", True),
    )
    # The history database of the vectors is keyed by the SURT of each text as it stands.
    loaded = {surt(text, preserve_case=True): value for text, value in config.get("preloaded", {}).items()}
    preloaded = loaded.get(surt(uri, preserve_case=True))
    return uri_precedence(uri, given.get("path", ""), given.get("cost", 1), settings, preloaded, config.get("defaultBase", 1))


def _record(given: dict[str, Any]) -> UriRecord:
    uri = parse(given["uri"]).text
    made = Candidate(uri, path=given["path"], via=given.get("via"))
    return decode(encode(made, uri=uri, canonical=uri, fingerprint=b"\0" * 8, cost=1, directive=given["directive"], precedence=1))


def _prerequisite(given: dict[str, Any]) -> dict[str, Any]:
    made = Preparer(Settings()).prerequisite(_record(given), given["prerequisite"])
    assert made.via_context == PREREQUISITE_CONTEXT
    return {
        "uri": made.uri,
        "path": made.path,
        "via": made.via,
        "via_context": made.via_context,
        "directive": made.directive,
        "prerequisite": made.prerequisite,
        "force_fetch": made.force_fetch,
        "source": made.source_tag,
        "class_key": queue_policy(Settings())(parse(made.uri), made.path, made.via, None),
    }


def _prepare(given: dict[str, Any]) -> dict[str, Any]:
    config = given.get("config") or {}
    settings = Settings(
        preference_depth_hops=config.get("preferenceDepthHops", -1),
        preference_embed_hops=config.get("preferenceEmbedHops", 1),
        cost_assignment_policy=_COSTS[config.get("cost", "Unit")],
        uri_precedence_policy=_PRECEDENCES[config.get("precedence", "Cost")],
    )
    made = Preparer(settings).prepare(Candidate(given["uri"], path=given["path"], via=given.get("via")))
    if not isinstance(made, Prepared):
        return {"refused": made}
    return {
        "directive": made.directive,
        "canonical": decode(made.record).canonical,
        "class_key": made.queue,
        "cost": made.cost,
        "precedence": made.precedence,
        "force_fetch": made.force,
    }


_KINDS = {
    "extend": _extend,
    "count": _count,
    "directive": _directive,
    "cost": _cost,
    "precedence": _precedence,
    "prerequisite": _prerequisite,
    "prepare": _prepare,
}
