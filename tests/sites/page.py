"""What a local site answers, and small pieces to write its pages with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from html import escape

#: Path with query as it came over the wire → the answer; None is a 404.
Site = Callable[[str], "Page | None"]


@dataclass(frozen=True, slots=True)
class Page:
    """One answer."""

    body: str | bytes = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0


def html(title: str, *parts: str, head: str = "") -> Page:
    """An HTML page; `parts` are HTML already."""
    name, body = escape(title), "".join(parts)
    return Page(f"<!DOCTYPE html>\n<html><head><title>{name}</title>{head}</head>\n<body><h1>{name}</h1>\n{body}</body></html>")


def links(targets: Iterable[tuple[str, str]]) -> str:
    """A list of links: (href, text); hrefs are written as they are, but for quotes and ampersands."""
    return "<ul>" + "".join(f'<li><a href="{escape(href)}">{escape(text)}</a></li>\n' for href, text in targets) + "</ul>"


def text(body: str) -> Page:
    """A plain text page, such as a robots.txt."""
    return Page(body, content_type="text/plain; charset=utf-8")


def moved(target: str, status: int = 302) -> Page:
    """A redirect."""
    return Page("moved", status, "text/plain", {"Location": target})
