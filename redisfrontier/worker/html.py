"""What an HTML page refers to, element by element, with Heritrix' contexts such as `a/@href`."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

#: attribute, hop; in the order in which contexts are tried on an element.
_REFERENCES: dict[str, tuple[tuple[str, str], ...]] = {
    "a": (("href", "L"),),
    "area": (("href", "L"),),
    "img": (("src", "E"), ("longdesc", "L")),
    "script": (("src", "E"),),
    "iframe": (("src", "E"),),
    "frame": (("src", "E"),),
    "source": (("src", "E"),),
    "audio": (("src", "E"),),
    "video": (("src", "E"), ("poster", "E")),
    "track": (("src", "E"),),
    "embed": (("src", "E"),),
    "object": (("data", "E"),),
    "input": (("src", "E"),),
    "body": (("background", "E"),),
}
_SELECTOR = (
    "a[href],area[href],link[href],img,script[src],iframe[src],frame[src],source,audio,video,"
    "track[src],embed[src],object[data],input[src],body[background]"
)
#: rel values of <link> whose target the page itself needs.
_NEEDED = frozenset(
    ("stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "preload", "modulepreload", "manifest")
)
_NO_DOCUMENT = frozenset({"dns-prefetch", "preconnect", "pingback", "nofollow"})
_MAX_ATTRIBUTE = 70_000


class HtmlLinks:
    """A parsed page: its base, whether it forbids following, and its references."""

    def __init__(self, document: str, *, obey_nofollow: bool) -> None:
        self._tree = LexborHTMLParser(document)
        self._obey = obey_nofollow
        base = self._tree.css_first("base[href]")
        self.base: str | None = _attribute(base, "href") if base is not None else None
        self.nofollow: bool = obey_nofollow and any(self._forbids(m) for m in self._tree.css("meta[name][content]"))

    def references(self) -> Iterator[tuple[str, str, str]]:
        """(raw URI, hop, context) of every element that refers to something."""
        for node in self._tree.css(_SELECTOR):
            tag = node.tag or ""
            if self._obey and tag in ("a", "area") and "nofollow" in _words(node, "rel"):
                continue
            if tag == "link":
                yield from _link(node)
                continue
            for name, hop in _REFERENCES[tag]:
                value = _attribute(node, name)
                if value:
                    yield value, hop, f"{tag}/@{name}"
            if tag in ("img", "source"):
                for uri in srcset_uris(_attribute(node, "srcset") or ""):
                    yield uri, "E", f"{tag}/@srcset"

    def refreshes(self) -> Iterator[tuple[str, str]]:
        """The content of every meta refresh, with its context."""
        for node in self._tree.css("meta[http-equiv][content]"):
            if (_attribute(node, "http-equiv") or "").lower() == "refresh":
                yield _attribute(node, "content") or "", "meta"

    def styles(self) -> Iterator[str]:
        """The text of every style element and attribute."""
        for node in self._tree.css("style"):
            yield node.text() or ""
        for node in self._tree.css("[style]"):
            yield _attribute(node, "style") or ""

    def scripts(self) -> Iterator[str]:
        """The text of every inline script that is one (no data blocks but JSON)."""
        for node in self._tree.css("script:not([src])"):
            kind = (_attribute(node, "type") or "").lower()
            if not kind or "script" in kind or "json" in kind or kind == "module":
                yield node.text() or ""

    @staticmethod
    def _forbids(node: LexborNode) -> bool:
        if (_attribute(node, "name") or "").strip().lower() != "robots":
            return False
        said = {w.strip().lower() for w in (_attribute(node, "content") or "").split(",")}
        return bool(said & {"nofollow", "none"})


def _link(node: LexborNode) -> Iterator[tuple[str, str, str]]:
    rel = _words(node, "rel")
    href = _attribute(node, "href")
    if href and not rel & _NO_DOCUMENT:
        yield href, "E" if rel & _NEEDED else "L", "link/@href"


def srcset_uris(text: str) -> Iterator[str]:
    """The URIs of a srcset value, read as the HTML standard splits it (commas inside a URI stay)."""
    rest = text[:_MAX_ATTRIBUTE]
    while rest := rest.lstrip(" \t\n\r\f,"):
        uri, _, rest = _cut(rest)
        if uri.endswith(","):
            yield uri.rstrip(",")
            continue
        yield uri
        rest = _after_descriptors(rest)


def _cut(text: str) -> tuple[str, str, str]:
    for i, c in enumerate(text):
        if c in " \t\n\r\f":
            return text[:i], c, text[i + 1 :]
    return text, "", ""


def _after_descriptors(text: str) -> str:
    """What follows the next comma outside parentheses."""
    depth = 0
    for i, c in enumerate(text):
        if c == "(":
            depth += 1
        elif c == ")":
            depth = max(0, depth - 1)
        elif c == "," and depth == 0:
            return text[i + 1 :]
    return ""


def _attribute(node: LexborNode, name: str) -> str | None:
    value = node.attributes.get(name)
    return value if value is None else value[:_MAX_ATTRIBUTE]


def _words(node: LexborNode, name: str) -> set[str]:
    return set((_attribute(node, name) or "").lower().split())
