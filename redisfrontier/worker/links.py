"""The links of one answer with their hop types and contexts, found by a chain of extractors as in Heritrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urljoin

from redisfrontier.worker import body
from redisfrontier.worker.exchange import Exchange
from redisfrontier.worker.html import HtmlLinks
from redisfrontier.worker.speculate import MAX_SPECULATIVE, absolute_uris, css_uris, script_uris

#: Hop letters (seed 001): navigational, embedded, redirect, speculative, inferred.
LINK, EMBED, REDIRECT, SPECULATIVE, INFERRED = "L", "E", "R", "X", "I"

_HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_SCRIPTS = ("javascript", "ecmascript")
_UNCRAWLABLE = ("javascript:", "mailto:", "data:", "tel:", "sms:", "about:", "blob:", "#")
_NOFOLLOW = ("nofollow", "none")


@dataclass(frozen=True, slots=True)
class Link:
    """A reference as the page has it, relative or not."""

    uri: str
    hop: str
    context: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What the crawl's settings say about extraction."""

    obey_nofollow: bool = True
    """Heed rel=nofollow, meta robots and X-Robots-Tag (robots policy obey)."""
    extract_independently: bool = False
    """Let later extractors look at a document that an earlier one has claimed."""
    favicons: bool = False
    max_chars: int = 20_000_000
    """Of a document, after its content encoding is undone."""


@dataclass(slots=True)
class Extraction:
    """Links in order of discovery, each (URI, hop) once; `base` resolves the relative ones."""

    base: str
    links: list[Link] = field(default_factory=list)
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def add(self, uri: str | None, hop: str, context: str) -> None:
        """Note a reference unless it cannot be crawled (javascript:, mailto:, only a fragment …) or is there already."""
        text = (uri or "").strip()
        if not text or text.lower().startswith(_UNCRAWLABLE) or (text, hop) in self._seen:
            return
        self._seen.add((text, hop))
        self.links.append(Link(text, hop, context))

    def speculate(self, uris: Iterable[str], context: str) -> None:
        """Add the first few guesses as X links."""
        for uri in islice(uris, MAX_SPECULATIVE):
            self.add(uri, SPECULATIVE, context)


def extract(exchange: Exchange, rules: Rules) -> Extraction:
    """Every link of an answer from 200 to 399; other answers have none (Heritrix' processErrorOutlinks = false)."""
    out = Extraction(exchange.uri)
    if not 200 <= exchange.status < 400:
        return out
    _headers(exchange, out)
    if not exchange.body or (rules.obey_nofollow and _forbidden(exchange.header("X-Robots-Tag"))):
        return out
    document = body.text(exchange, rules.max_chars)
    for extractor in _CHAIN:
        if extractor(exchange, document, rules, out) and not rules.extract_independently:
            break
    return out


def redirect_target(exchange: Exchange) -> str | None:
    """The absolute target of a 3xx answer; None when it is none or names none."""
    location = _utf8(exchange.header("Location")) if 300 <= exchange.status < 400 else None
    return _joined(exchange.uri, location) if location else None


def _headers(exchange: Exchange, out: Extraction) -> None:
    out.add(redirect_target(exchange), REDIRECT, "location:")
    refresh = refresh_target(_utf8(exchange.header("Refresh")) or "")
    if refresh:
        out.add(_joined(exchange.uri, refresh), REDIRECT, "refresh:")


def _html(exchange: Exchange, document: str, rules: Rules, out: Extraction) -> bool:
    if not is_html(exchange, document):
        return False
    page = HtmlLinks(document, obey_nofollow=rules.obey_nofollow)
    if page.base:
        out.base = _joined(exchange.uri, page.base)
    if page.nofollow:
        return True
    for uri, hop, context in page.references():
        out.add(uri, hop, context)
    for uri, context in page.refreshes():
        out.add(refresh_target(uri), REDIRECT, context)
    for sheet in page.styles():
        for uri in css_uris(sheet):
            out.add(uri, EMBED, "=EMBED_MISC")
    out.speculate((uri for script in page.scripts() for uri in script_uris(script)), "=JS_MISC")
    if rules.favicons:
        out.add(_joined(exchange.uri, "/favicon.ico"), INFERRED, "=INFERRED_MISC")
    return True


def _css(exchange: Exchange, document: str, _: Rules, out: Extraction) -> bool:
    if exchange.content_type != "text/css":
        return False
    for uri in css_uris(document):
        out.add(uri, EMBED, "=EMBED_MISC")
    return True


def _script(exchange: Exchange, document: str, _: Rules, out: Extraction) -> bool:
    if not any(s in exchange.content_type for s in _SCRIPTS):
        return False
    out.speculate(script_uris(document), "=JS_MISC")
    return True


def _any_text(exchange: Exchange, document: str, _: Rules, out: Extraction) -> bool:
    kind = exchange.content_type
    if not (kind.startswith("text/") or kind.endswith(("json", "xml"))):
        return False
    out.speculate(absolute_uris(document), "=SPECULATIVE_MISC")
    return True


_CHAIN: tuple[Callable[[Exchange, str, Rules, Extraction], bool], ...] = (_html, _css, _script, _any_text)


def is_html(exchange: Exchange, document: str) -> bool:
    """By its type; without one, by how it begins."""
    if exchange.content_type:
        return exchange.content_type in _HTML
    return document[:1000].lstrip().lower().startswith(("<!doctype html", "<html", "<head", "<body"))


def refresh_target(text: str) -> str | None:
    """The URI of a refresh value such as `5; url='next.html'`; None when it only reloads."""
    _, separator, rest = text[:4096].replace(",", ";", 1).partition(";") if ";" not in text[:20] else text[:4096].partition(";")
    rest = rest.strip()
    if rest[:3].lower() == "url" and rest[3:].lstrip().startswith("="):
        rest = rest[3:].lstrip()[1:].strip()
    return rest.strip("\"' ") or None if separator else None


def _joined(base: str, reference: str) -> str:
    """`reference` made absolute; one that cannot be is returned as it is, for the frontier to refuse with its reason."""
    try:
        return urljoin(base, reference.strip())
    except ValueError:
        return reference


def _utf8(header: str | None) -> str | None:
    """A header that carries raw UTF-8, as many servers send Location."""
    try:
        return header.encode("latin-1").decode("utf-8") if header else header
    except UnicodeError:
        return header


def _forbidden(robots_tag: str | None) -> bool:
    return bool(robots_tag) and any(w.strip().lower() in _NOFOLLOW for w in (robots_tag or "").split(","))
