"""URIs guessed from style sheets, scripts and plain text: bounded searches, linear in what they read."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Characters of one script, style sheet or text that are looked at.
MAX_CHARS = 500_000
#: Speculative links taken from one page.
MAX_SPECULATIVE = 300

_CSS_URL = re.compile(r"url\(\s{0,20}(?:\"([^\"\n]{1,2000})\"|'([^'\n]{1,2000})'|([^\s\"'()]{1,2000}))", re.IGNORECASE)
_CSS_IMPORT = re.compile(r"@import\s{1,20}(?:\"([^\"\n]{1,2000})\"|'([^'\n]{1,2000})')", re.IGNORECASE)
_SCRIPT_STRING = re.compile(r"\"([^\s\"'<>\\{}()|^`]{2,500})\"|'([^\s\"'<>\\{}()|^`]{2,500})'")
_PATHLIKE = re.compile(
    r"(?:https?://|//|\.{0,2}/)[\w%~]"
    r"|[\w%~.-]{1,200}/[\w%~./-]{0,300}\.[a-z0-9]{2,5}(?:\?|$)"
    r"|[\w%~-]{1,200}\.(?:html?|php|aspx?|jsp|cgi)(?:\?|$)",
    re.IGNORECASE,
)
_MEDIA_TYPE = re.compile(r"(?:text|image|application|audio|video|font|multipart|message|model)/[\w.+*-]+$", re.IGNORECASE)
_ABSOLUTE = re.compile(r"https?://[^\s\"'<>\\{}|^`]{3,2000}", re.IGNORECASE)


def css_uris(sheet: str) -> Iterator[str]:
    """The references of a style sheet: url(…) and @import."""
    head = sheet[:MAX_CHARS]
    for pattern in (_CSS_URL, _CSS_IMPORT):
        for match in pattern.finditer(head):
            yield next(g for g in match.groups() if g is not None).strip()


def script_uris(script: str) -> Iterator[str]:
    """String literals of a script that look like a URI or a path; media types and bare words do not."""
    for match in _SCRIPT_STRING.finditer(script[:MAX_CHARS].replace("\\/", "/")):
        literal = match.group(1) or match.group(2)
        if _PATHLIKE.match(literal) and not _MEDIA_TYPE.match(literal):
            yield literal


def absolute_uris(body: str) -> Iterator[str]:
    """Absolute http(s) URIs anywhere in a text, closing punctuation left off."""
    for match in _ABSOLUTE.finditer(body[:MAX_CHARS]):
        yield match.group().rstrip(".,;:!?)]")
