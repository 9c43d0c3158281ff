"""Departures in seed lists and journal lines."""

from __future__ import annotations

import base64
import re
import unicodedata

from tests.vectors.departure import Case, Departure
from tests.vectors.departures_uri import URI_DEPARTURES

_SEEDS = frozenset({"seeds"})
_BOM_LINE = re.compile(r"^[ \t\f\v]*\ufeff[\s\ufeff]*(#.*)?$", re.MULTILINE)


def _text(case: Case) -> str:
    given = case["in"]
    raw = base64.b64decode(given["base64"]) if "base64" in given else given.get("text", "").encode()
    return raw.decode("utf-8", "replace")


def _letter_beyond_bmp(case: Case) -> bool:
    first = [line.strip("\ufeff \t")[:1] for line in re.split(r"\r\n|\r|\n", _text(case))]
    return any(c > "\uffff" and unicodedata.category(c)[0] in "LN" for c in first if c)


def _uri_departure_in_bytes(case: Case) -> bool:
    inner = {**case, "in": {"text": _text(case)}}
    return "base64" in case["in"] and any(d.covers(inner) for d in URI_DEPARTURES if d.kinds is None or "seeds" in d.kinds)


CRAWL_DEPARTURES: tuple[Departure, ...] = (
    Departure(
        "bom-is-blank",
        "a byte order mark alone, or before a comment, is a blank line: Heritrix hands it to the SURT rules as a directive, where it does "
        "nothing; here every line that does nothing is reported to the operator, and this one is no mistake of theirs",
        lambda case: _BOM_LINE.search(_text(case)) is not None,
        _SEEDS,
    ),
    Departure(
        "comments-run-to-the-end",
        "a comment ends with its line; Heritrix' pattern stops at Unicode line separators, and takes such a comment for an entry",
        lambda case: re.search(r"#[^\n\r]*[\x85\u2028\u2029]", _text(case)) is not None,
        _SEEDS,
    ),
    Departure(
        "letters-beyond-bmp",
        "a host name may start with any letter; Heritrix looks at one UTF-16 unit and drops names that start beyond U+FFFF",
        _letter_beyond_bmp,
        _SEEDS,
    ),
    Departure(
        "uri-departure-in-bytes",
        "a seed list given as bytes holds a URI that one of the URI departures is about",
        _uri_departure_in_bytes,
        _SEEDS,
    ),
)
