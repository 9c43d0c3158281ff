"""Departures in queue assignment, costs, precedence, directives and scope."""

from __future__ import annotations

import re

from redisfrontier.errors import InvalidUri
from redisfrontier.uri.parse import Uri, parse
from tests.vectors.departure import Case, Departure

_CLASSKEY = frozenset({"classkey"})
_HOPS = frozenset({"hops"})


def _basis(case: Case) -> Uri | None:
    given = case["in"]
    text = given["via"] if (given.get("path") or "").endswith("P") and given.get("via") else given.get("uri", "")
    try:
        return parse(text)
    except InvalidUri:
        return None


def _userinfo_in_key(case: Case) -> bool:
    basis = _basis(case)
    return basis is not None and basis.userinfo is not None


def _default_port_in_key(case: Case) -> bool:
    basis = _basis(case)
    port = {"https": 443, "ftp": 21, "sftp": 22, "ws": 80, "wss": 443}.get(basis.scheme) if basis else None
    return port is not None and isinstance(case["out"], str) and re.search(rf"#{port}(?!\d)", case["out"]) is not None


def _throws(case: Case) -> bool:
    return isinstance(case["out"], dict) and case["out"].get("throws") == "NullPointerException"


POLICY_DEPARTURES: tuple[Departure, ...] = (
    Departure(
        "userinfo-no-queue",
        "user names and passwords never make a queue of their own: they would dodge politeness (§11 item 9)",
        _userinfo_in_key,
        frozenset({"classkey", "hops"}),
    ),
    Departure(
        "default-port-no-queue",
        "the port that a scheme has anyway never makes a queue of its own (§11 item 9)",
        _default_port_in_key,
        _CLASSKEY,
    ),
    Departure(
        "no-host-is-no-error",
        "the limited host name policy breaks on URIs without a host (dns:, mailto: …); here they go where the other policies put them",
        lambda case: case["in"]["policy"] == "HostnameWithLimits" and _throws(case),
        _CLASSKEY,
    ),
    Departure(
        "bucket-named-once",
        "of a host without an assignment level that policy appends the parallel bucket twice; here once, as the other policies do",
        lambda case: case["in"]["policy"] == "AssignmentLevelSurt" and re.search(r"(\+\d+)\1\Z", str(case["out"])) is not None,
        _CLASSKEY,
    ),
    Departure(
        "redirect-without-via",
        "a redirect whose source is not known is prepared like any URI; Heritrix breaks on it",
        lambda case: case["in"]["kind"] == "prepare" and _throws(case),
        _HOPS,
    ),
)
