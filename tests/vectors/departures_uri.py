"""Departures in URI syntax, SURT forms and canonical forms."""

from __future__ import annotations

import encodings.idna
import re
from collections.abc import Iterator

from redisfrontier.errors import InvalidUri
from redisfrontier.uri.authority import split_authority
from redisfrontier.uri.canonical import Canonicalizer
from tests.vectors import kind_canonical
from tests.vectors.departure import Case, Departure

#: The keys of a case's input that may hold URIs, or plain text that is read as one.
_TEXT_KEYS = ("uri", "rel", "base", "text", "via", "plain", "seeds", "mixed", "line")
_WITH_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*:)?[/\\]{2,}([^/?#\\]*)")
_BARE_HOST = re.compile(r"([^/?#\\:\s]*\.[^/?#\\\s]*|[^/?#\\:\s]+)(?:[/?#\\].*)?", re.DOTALL)
_DOT_SEGMENT = re.compile(r"(?:^|[/\\])(?:\.|%2e){1,2}(?:[/?#\\]|$)", re.IGNORECASE)
_NO_HTTP_HOST = re.compile(r"https?:[/\\]{2}(?:[?#]|[/\\]|@|:)", re.IGNORECASE)
_RELATIVE_DEFAULT_PORT = re.compile(r"[/\\]{2}[^/?#\\]*:0*(?:80|443)(?:[/?#\\]|$)")
_COLON_IN_RELATIVE = re.compile(r"(?:https?:[^/?#\\]*|[0-9+.\-][A-Za-z0-9+.\-]*):", re.IGNORECASE)
_QUAD = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})")
_HERITRIX_MAX_CHARACTERS = 2083


def texts(case: Case) -> Iterator[str]:
    """Every URI-like text of a case's input, each line and each word of it; tabs and line ends dropped, as the fix-up does it."""
    for key in _TEXT_KEYS:
        value = case["in"].get(key)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                words = [word for word in text.split() if "://" in word]
                for part in {text, *text.splitlines(), *words}:
                    yield re.sub(r"[\t\r\n]", "", part).strip()


def relative(case: Case) -> str:
    """The relative reference of a case without its fragment, or ''."""
    return re.sub(r"[\t\r\n]", "", case["in"].get("rel", "")).strip().partition("#")[0]


def authorities(case: Case) -> Iterator[str]:
    """The authority of every URI or bare host name of a case, without userinfo."""
    for text in texts(case):
        found = _WITH_AUTHORITY.match(text) or _BARE_HOST.fullmatch(text)
        if found:
            yield found.group(1).rpartition("@")[2]


def hosts(case: Case) -> Iterator[str]:
    """The host of every URI of a case, as written."""
    return (authority.partition(":")[0] for authority in authorities(case) if not authority.startswith("["))


def _odd_ipv4(host: str) -> bool:
    name = host.removesuffix(".").lower()
    if not re.fullmatch(r"[0-9]+|0x[0-9a-f]*", name.rpartition(".")[2]):
        return False
    return not _QUAD.fullmatch(name) or any(int(number) > 255 for number in name.split("."))


def _impossible_port(authority: str) -> bool:
    host, colon, port = authority.partition(":")
    if not colon or not port or host.startswith("["):
        return False
    digits = port.lstrip("0") if re.fullmatch(r"[0-9]+", port) else ""
    return not digits or len(digits) > 5 or int(digits) > 65_535


def _idna_2003_differs(host: str) -> bool:
    """Whether IDNA 2003, strict about letters, digits, hyphens and empty labels, reads a host unlike UTS #46."""
    if host.isascii():
        return False
    try:
        labels = [encodings.idna.ToASCII(label).decode().lower() for label in re.split("[.\u3002\uff0e\uff61]", host)]
        strict = all(re.fullmatch(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", label) for label in labels)
        return not strict or split_authority(host)[1] != ".".join(labels)
    except (UnicodeError, InvalidUri):
        return True


def _too_long_for_heritrix(case: Case) -> bool:
    lengths = (sum(1 if c < "\x7f" else 3 * len(c.encode("utf-8", "replace")) for c in text) for text in texts(case))
    return any(length > _HERITRIX_MAX_CHARACTERS for length in lengths)


def _unsettled(case: Case) -> bool:
    """Whether Heritrix' own outcome changes when the same rules see it again."""
    wanted = case["out"]
    if not isinstance(wanted, str) or "rules" not in case["in"]:
        return False
    return Canonicalizer(kind_canonical.rules(case["in"])).once(wanted) != wanted


def _format_names_missing_group(case: Case) -> bool:
    given = case["in"]
    listed = [given["rule"]] if "rule" in given else given.get("rules", [])
    for rule in listed:
        if isinstance(rule, dict) and rule.get("rule") == "Regex":
            groups = re.compile(rule.get("regex", "(.*)")).groups
            if any(int(number) > groups for number in re.findall(r"\$([0-9])", rule.get("format", "$1"))):
                return True
    return False


URI_DEPARTURES: tuple[Departure, ...] = (
    Departure(
        "ipv6",
        "IPv6 literals are taken in their RFC 5952 form (WHATWG; §11 item 21 of the list of Heritrix' known problems)",
        lambda case: any(authority.startswith("[") for authority in authorities(case)),
    ),
    Departure(
        "ipv4-forms",
        "a host whose last label is a number is an IPv4 address (WHATWG): 1.2.3, 0x7f.1 and 3232235777 are written as dotted quads, "
        "256.1.1.1 is refused; else one machine would have many queues",
        lambda case: any(map(_odd_ipv4, hosts(case))),
    ),
    Departure(
        "impossible-ports",
        "a port that is no number from 1 to 65535 is refused everywhere (WHATWG); Heritrix drops negative ports, one of two ports, and "
        "checks the range for absolute http and https URIs only",
        lambda case: any(map(_impossible_port, authorities(case))),
    ),
    Departure(
        "default-port-of-relative",
        "the default port is dropped from //host:80/ references too, so that it cannot split a host's queue",
        lambda case: bool(_RELATIVE_DEFAULT_PORT.match(relative(case))),
    ),
    Departure(
        "trailing-dot-before-port",
        "the final dot of a host is dropped before a port too, so that it cannot split a host's queue",
        lambda case: any(re.match(r"[^:]*\.:", authority) for authority in authorities(case)),
    ),
    Departure(
        "escaped-dot-segments",
        "%2e and %2e%2e are dot segments (WHATWG): every browser and server reads them so, and the two spellings are one page",
        lambda case: any("%2e" in text.lower() and _DOT_SEGMENT.search(text) for text in texts(case)),
    ),
    Departure(
        "idna-uts46",
        "international host names follow UTS #46 (WHATWG), not IDNA 2003: ß, ς and joiners are kept, characters newer than Unicode 3.2 "
        "are taken; so browsers resolve them today",
        lambda case: any(map(_idna_2003_differs, hosts(case))),
    ),
    Departure(
        "escaped-hosts",
        "escapes in a host name are decoded (WHATWG, field case H-b), so that three spellings of one host are one queue",
        lambda case: any(re.search(r"%[0-9A-Fa-f]{2}", host) for host in hosts(case)),
    ),
    Departure(
        "long-uris",
        "URIs of up to 65,535 bytes are taken whole (field case E8); Heritrix refuses over 2,083 characters",
        _too_long_for_heritrix,
    ),
    Departure(
        "bar-in-relative-path",
        "'|' is taken in relative paths as in absolute ones; Heritrix refuses it only there",
        lambda case: "|" in relative(case),
    ),
    Departure(
        "outer-percent-signs",
        "a relative reference whose first character is escaped and whose last is '%' keeps both signs; the library under Heritrix takes "
        "them for quotes",
        lambda case: relative(case).endswith("%") and not re.match(r"[\w./?#&=;:~-]", relative(case), re.ASCII),
    ),
    Departure(
        "scheme-of-relative",
        "a scheme begins with a letter, and what follows a redundant http: is a path even if it holds a colon (WHATWG); Heritrix reads "
        "http:example.com:80/a, relative to a page, as scheme example.com",
        lambda case: bool(_COLON_IN_RELATIVE.match(relative(case))),
    ),
    Departure(
        "nul",
        "a NUL or a lone surrogate makes a URI invalid: no author writes one, and NUL is a classic way round filters",
        lambda case: any(re.search("[\0\ud800-\udfff]", text) for text in texts(case)),
    ),
    Departure(
        "http-without-host",
        "an http or https URI without a host is refused (field case H-d), also where Heritrix lets an empty authority pass; surplus "
        "slashes are dropped whatever the case of the scheme's letters",
        lambda case: any(map(_NO_HTTP_HOST.match, texts(case))),
    ),
    Departure(
        "canonical-form-settles",
        "the rules run again until nothing changes, so that a canonical form is its own canonical form; Heritrix runs them once",
        _unsettled,
        frozenset({"canonical"}),
    ),
    Departure(
        "format-checked-early",
        "a format that names a group its regex lacks is refused when the rule is made, not when the first URI matches",
        _format_names_missing_group,
        frozenset({"canonical"}),
    ),
)
