"""Answers as a server would have given them, for tests without one."""

from __future__ import annotations

from redisfrontier.worker.exchange import Exchange

PAGE = "http://site.example/dir/page.html"


def answer(body: str | bytes = b"", *, status: int = 200, uri: str = PAGE, content_type: str = "text/html", **headers: str) -> Exchange:
    """An exchange; header names with _ for -."""
    raw = body.encode() if isinstance(body, str) else body
    fields = [("Content-Type", content_type)] if content_type else []
    fields += [(k.replace("_", "-"), v) for k, v in headers.items()]
    return Exchange(uri, status, began_ms=1_700_000_000_123, duration_ms=45, headers=tuple(fields), body=raw)
