"""Turn the raw text of a link or seed into one escaped, absolute URI, or refuse it with a reason.

The fix-up is Heritrix' (heritrix-frontier §3, §8.4 and its golden vectors); host names, IPv4 and IPv6 literals, dot segments
and ports follow the WHATWG URL standard, where the two differ (listed in ARCHITECTURE.md).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from redisfrontier.errors import InvalidUri
from redisfrontier.uri.authority import split_authority

#: Longest URI taken, in bytes of its escaped form. Heritrix refuses over 2,083; real sites go beyond.
MAX_URI_BYTES = 65_535

_DEFAULT_PORTS = {"http": 80, "https": 443}
_PATH_SAFE = r"A-Za-z0-9\-~_.*/=&+,:;@$!()%|'"
_QUERY_SAFE = _PATH_SAFE + r"{}\[\]^?"
_UNSAFE_IN_PATH = re.compile(f"[^{_PATH_SAFE}]")
_UNSAFE_IN_QUERY = re.compile(f"[^{_QUERY_SAFE}]")
#: Most links are already in their final form; they need one match and no further work. The last label starts with a letter,
#: so that it cannot be a number (IPv4).
_FINISHED = re.compile(
    r"(https?)://((?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*)(?::([1-9][0-9]{3}))?"
    rf"(/[{_PATH_SAFE}]*)(?:\?([{_QUERY_SAFE}]+))?"
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_TRIMMED = "".join(map(chr, range(33)))
_DROPPED = re.compile(r"[\t\n\r]+")
_ONE_DOT = frozenset((".", "%2e", "%2E"))
_TWO_DOTS = frozenset(a + b for a in _ONE_DOT for b in _ONE_DOT)


class Uri(NamedTuple):
    """One absolute URI in escaped ASCII form, with its parts.

    `host` is lower case, in Punycode, without a final dot, IPv6 in brackets; '' for URIs without an authority (dns:, mailto:).
    `port` is -1 when absent or the default of http or https. `path` is '/' at least where there is a host. No fragment.
    """

    text: str
    scheme: str
    userinfo: str | None
    host: str
    port: int
    path: str
    query: str | None

    def __str__(self) -> str:
        return self.text


def parse(raw: str, base: str | Uri | None = None) -> Uri:
    """The URI that `raw` means, resolved against `base` if it is relative.

    Raises InvalidUri whatever the input, with one of the reasons not_a_string, blank, too_long, control_character (NUL),
    unparsable (lone surrogates), no_scheme (relative without a base), no_host, bad_host, bad_port.
    """
    if type(raw) is str:
        found = _FINISHED.fullmatch(raw)
        if found is not None and "/." not in raw and "/%2" not in raw and len(raw) <= MAX_URI_BYTES:
            scheme, host, port, path, query = found.groups()
            return Uri(raw, scheme, None, host, int(port) if port else -1, path, query)
    return _parse_any(raw, base)


def _parse_any(raw: str, base: str | Uri | None) -> Uri:
    text = _cleaned(raw)
    origin = base if base is None or isinstance(base, Uri) else parse(base)
    if not text and origin is None:
        raise InvalidUri("blank", raw)
    scheme, rest = _split_scheme(text, origin, raw)
    if rest.startswith("//"):
        if rest.startswith("////"):
            rest = "//" + rest.lstrip("/")
        authority, path, query = _split_rest(rest)
        if authority:
            return _with_authority(scheme or _scheme_of(origin, raw), authority, path, query, raw)
        path = path or "/"
    else:
        path, query = _split_query(rest)
    if scheme in _DEFAULT_PORTS:
        raise InvalidUri("no_host", raw)
    if scheme:
        return _without_authority(scheme, path, query, raw)
    if origin is None:
        raise InvalidUri("no_scheme", raw)
    return _resolved(origin, path, query, raw)


def _cleaned(raw: str) -> str:
    """Heritrix' cleaning: no-break spaces are blanks, ends trimmed, tabs and line ends dropped, backslashes turned, fragment cut."""
    if not isinstance(raw, str):
        raise InvalidUri("not_a_string", repr(type(raw).__name__))
    if len(raw) > MAX_URI_BYTES:
        raise InvalidUri("too_long", raw)
    if "\0" in raw:
        raise InvalidUri("control_character", raw)
    if not raw.isascii():
        try:
            raw.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidUri("unparsable", ascii(raw[:200])) from None
    text = _DROPPED.sub("", raw.replace("\u00a0", " ").strip(_TRIMMED))
    if "\\" in text:
        before, mark, query = text.partition("?")
        text = before.replace("\\", "/") + mark + query
    return text.partition("#")[0]


def _split_scheme(text: str, origin: Uri | None, raw: str) -> tuple[str, str]:
    """(scheme in lower case or '' if relative, what follows it); `http:x` is relative to a base of the same scheme."""
    found = _SCHEME.match(text)
    if found is None:
        return "", text
    scheme, rest = found.group(1).lower(), text[found.end() :]
    if rest.startswith("//"):
        # Browsers take three or more slashes after http: for two.
        return scheme, "//" + rest.lstrip("/") if scheme in _DEFAULT_PORTS else rest
    if origin is not None and scheme == origin.scheme and origin.host:
        return "", rest
    if scheme in _DEFAULT_PORTS:
        raise InvalidUri("no_host", raw)
    return scheme, rest


def _split_rest(rest: str) -> tuple[str, str, str | None]:
    """'//authority/path?query' in its three parts."""
    before, query = _split_query(rest[2:])
    authority, slash, path = before.partition("/")
    return authority, slash + path, query


def _split_query(rest: str) -> tuple[str, str | None]:
    path, _, query = rest.partition("?")
    return path, query or None


def _scheme_of(origin: Uri | None, raw: str) -> str:
    if origin is None:
        raise InvalidUri("no_scheme", raw)
    return origin.scheme


def _with_authority(scheme: str, authority: str, path: str, query: str | None, raw: str) -> Uri:
    try:
        userinfo, host, port = split_authority(authority)
    except InvalidUri as error:
        raise InvalidUri(error.reason, raw) from None
    if userinfo is not None:
        userinfo = _escaped(userinfo, _UNSAFE_IN_PATH)
    if port == _DEFAULT_PORTS.get(scheme):
        port = -1
    path = _without_dots(_escaped(path, _UNSAFE_IN_PATH)) or "/"
    return _assembled(scheme, userinfo, host, port, path, query, raw)


def _without_authority(scheme: str, path: str, query: str | None, raw: str) -> Uri:
    path = _escaped(path, _UNSAFE_IN_PATH)
    if path.startswith("/"):
        # A second slash would make the next reader take the path for an authority.
        path = "/" + _without_dots(path).lstrip("/")
    return _assembled(scheme, None, "", -1, path, query, raw)


def _resolved(origin: Uri, path: str, query: str | None, raw: str) -> Uri:
    """A relative path or query on `origin`; an empty reference is `origin` itself."""
    if not path and query is None:
        return origin
    if not path:
        path = origin.path
    elif not path.startswith("/"):
        path = (origin.path[: origin.path.rfind("/") + 1] or "/") + path
    if not origin.host:
        return _without_authority(origin.scheme, path, query, raw)
    path = _without_dots(_escaped(path, _UNSAFE_IN_PATH))
    return _assembled(origin.scheme, origin.userinfo, origin.host, origin.port, path, query, raw)


def _assembled(scheme: str, userinfo: str | None, host: str, port: int, path: str, query: str | None, raw: str) -> Uri:
    text = scheme + ":"
    if host:
        text += "//" + ("" if userinfo is None else userinfo + "@") + host + ("" if port < 0 else f":{port}")
    text += path
    if query is not None:
        query = _escaped(query, _UNSAFE_IN_QUERY)
        text += "?" + query
    if len(text) > MAX_URI_BYTES:
        raise InvalidUri("too_long", raw)
    return Uri(text, scheme, userinfo, host, port, path, query)


def _escaped(part: str, unsafe: re.Pattern[str]) -> str:
    """Every unsafe character as the escapes of its UTF-8 bytes; existing escapes and stray '%' are left as they are."""
    return unsafe.sub(_escape, part)


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found.group().encode("utf-8"))


def _without_dots(path: str) -> str:
    """`path` (from its first slash) without '.' and '..' segments, escaped dots included, as browsers do."""
    if "/." not in path and "/%2" not in path:
        return path
    segments = path.split("/")
    kept: list[str] = []
    for segment in segments[1:]:
        if segment in _TWO_DOTS:
            del kept[-1:]
        elif segment not in _ONE_DOT:
            kept.append(segment)
    if segments[-1] in _ONE_DOT or segments[-1] in _TWO_DOTS:
        kept.append("")
    return "/" + "/".join(kept)
