"""Vectors of kind `uuri`: a raw URI, absolute or relative to a base, is fixed up or refused."""

from __future__ import annotations

from typing import Any

from redisfrontier.errors import InvalidUri
from redisfrontier.uri.parse import parse


def run(case: dict[str, Any]) -> list[str]:
    """Differences between what the case expects and what our parser gives."""
    given, wanted = case["in"], case["out"]
    try:
        uri = parse(given["uri"]) if "uri" in given else parse(given["rel"], given["base"])
    except InvalidUri as error:
        return [] if "rejected" in wanted else [f"refused: {error}"]
    if "rejected" in wanted:
        return [f"expected a refusal, got {uri.text!r}"]
    got = {
        "uri": uri.text,
        "escaped": uri.text,
        "scheme": uri.scheme,
        "host": uri.host or None,
        "port": uri.port,
        "userinfo": uri.userinfo,
        "path": uri.path or None,
        "query": uri.query,
    }
    return [f"{key}: expected {value!r}, got {got[key]!r}" for key, value in wanted.items() if got[key] != value]
