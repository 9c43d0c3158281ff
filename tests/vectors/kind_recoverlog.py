"""Vectors of kind `recoverlog`: lines of frontier.recover.gz, written and read."""

from __future__ import annotations

from typing import Any

from redisfrontier.errors import InvalidUri
from redisfrontier.operate.journal import Journal, Tag, parse
from redisfrontier.uri.parse import parse as parse_uri

_TAGS = {
    "added": Tag.ADDED,
    "emitted": Tag.EMITTED,
    "included": Tag.INCLUDED,
    "disregard": Tag.DISREGARDED,
    "reenqueued": Tag.REENQUEUED,
    "success": Tag.SUCCEEDED,
    "failure": Tag.FAILED,
}


def run(case: dict[str, Any]) -> list[str]:
    """Differences between what the case expects and what our codec gives."""
    given, expected = case["in"], case["out"]
    if given["kind"] == "write":
        text = _written(given["ops"])
        return [] if text == expected else [f"expected {expected!r}, got {text!r}"]
    return _read(given["line"], given.get("trim", True), expected)


def _written(ops: list[dict[str, Any]]) -> str:
    text: list[str] = []
    journal = Journal(text.append, clock=lambda: 0)
    for op in ops:
        if op["op"] == "serious_error":
            journal.error(op["message"])
            continue
        via = op.get("via")
        journal.line(_TAGS[op["op"]], parse_uri(op["uri"]).text, op.get("path") or "", parse_uri(via).text if via else None)
    return "".join(text).replace("1970-01-01T00:00:00Z", "<TIMESTAMP>")


def _read(line: str, trim: bool, expected: dict[str, Any]) -> list[str]:
    try:
        entry = parse(line, trim)
    except InvalidUri as e:
        return [] if "throws" in expected else [f"refused ({e.reason}), expected {expected!r}"]
    if entry is None:
        return [] if expected.get("skipped") else [f"skipped, expected {expected!r}"]
    got = {"tag": entry.tag, "uri": entry.uri, "path": entry.path, "via": entry.via, "context": entry.context}
    if "throws" in expected or expected.get("skipped"):
        return [f"expected {expected!r}, got {got!r}"]
    return [f"{k}: expected {v!r}, got {got[k]!r}" for k, v in expected.items() if got[k] != v]
