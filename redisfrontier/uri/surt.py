"""Write URIs in SURT form (host reversed, so that a domain is a string prefix) and derive SURT prefixes (heritrix-frontier §8.4)."""

from __future__ import annotations

import re
from functools import lru_cache

from redisfrontier.errors import InvalidUri
from redisfrontier.uri.parse import Uri, parse

_SCHEME = re.compile(r"\w+://", re.ASCII)
_BLANK = re.compile(r"[ \t\n\v\f\r]")
_USERINFO = re.compile(r"[-\w.!~*'()%;:&=+$,]+", re.ASCII)
_PORT = re.compile(r":\d+\Z", re.ASCII)
_DOTTED_QUAD = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}", re.ASCII)
#: A cache of longer names would not be bounded in bytes.
_CACHED_CHARACTERS = 256
#: Ports that a scheme has anyway; http and https never carry theirs after parsing.
_KNOWN_PORTS = {"ftp": 21, "sftp": 22, "ws": 80, "wss": 443}


def surt(uri: Uri | str, *, preserve_case: bool = False) -> str:
    """The SURT form `scheme://(tld,host,:port@userinfo)/path`, in lower case unless told otherwise.

    A string is taken as it is; what has no authority (dns:, mailto:) comes back unchanged. IP addresses are not reversed.
    """
    if not isinstance(uri, str) and uri.host and uri.userinfo is None and uri.scheme.isalnum():
        port = "" if uri.port < 0 else f":{uri.port}"
        query = "" if uri.query is None else "?" + uri.query
        form = f"{uri.scheme}://({_reversed(uri.host)}{port}){uri.path}{query}"
        return form if preserve_case else form.lower()
    text = uri if isinstance(uri, str) else uri.text
    split = _split(text)
    if split is None:
        return text
    scheme, userinfo, host, port, path = split
    form = f"{scheme}({_reversed(host)}{port}{userinfo}){path}"
    return form if preserve_case else _lower(form)


def candidate_surt(uri: Uri | str) -> str:
    """The SURT form in which a URI is held against prefixes: https counts as http."""
    return _http(surt(uri))


def surt_authority(uri: Uri) -> str:
    """What stands between '://(' and ')' in the SURT form, without userinfo and default ports; '' without an authority."""
    if not uri.host:
        return ""
    port = "" if uri.port < 0 or uri.port == _KNOWN_PORTS.get(uri.scheme) else f":{uri.port}"
    return _reversed(uri.host) + port


def plain_surt(text: str) -> str:
    """The SURT form of a URI or host name as people write it: a missing scheme is http, no slash is added after a bare host.

    Text that is no URI is used as it is, as in Heritrix.
    """
    colon, dot = text.find(":"), text.find(".")
    if colon < 0 or 0 <= dot < colon:
        text = "http://" + text
    closed = text.endswith("/")
    try:
        text = parse(text).text
    except InvalidUri:
        pass
    return surt(text if closed else text.removesuffix("/"))


def implied_prefix(text: str, *, https_as_http: bool = True) -> str:
    """The SURT prefix that a seed, a host name or plain text stands for.

    With a path: up to its last slash. Without one the host stays open to its subdomains; a slash after the host closes it.
    """
    prefix = _as_prefix(plain_surt(text))
    return _http(prefix) if https_as_http else prefix


def directive_prefix(text: str) -> str:
    """The SURT prefix that the text after '+' or '-' names: literal if it holds a '(', else implied; '' if blank."""
    text = text.strip()
    if text.find("(") > 0:
        return _lower(text)
    return implied_prefix(text) if text else ""


def to_hosts_prefix(prefix: str) -> str:
    """`prefix` closed after its host, for rules on hosts."""
    if prefix.endswith(")"):
        return prefix
    closing = prefix.find(")")
    if closing >= 0:
        return prefix[: closing + 1]
    return prefix + (")" if prefix.endswith(",") else ",)")


def to_domains_prefix(prefix: str) -> str:
    """`prefix` opened to all subdomains of its host, a leading www dropped, for rules on domains."""
    return prefix.partition(")")[0].removesuffix("www,")


def _split(text: str) -> tuple[str, str, str, str, str] | None:
    """(scheme://, @userinfo, host, :port, path on) of a URI with an authority, else None.

    By hand rather than by one expression, since that would take quadratic time on hostile text.
    """
    start = _SCHEME.match(text)
    if start is None or _BLANK.search(text):
        return None
    rest = text[start.end() :]
    userinfo = ""
    user = _USERINFO.match(rest)
    if user is not None and rest[user.end() : user.end() + 1] == "@" and user.end() + 1 < len(rest):
        userinfo, rest = "@" + user.group(), rest[user.end() + 1 :]
    if not rest:
        return None
    slash = rest.find("/", 1)
    place, path = (rest, "") if slash < 0 else (rest[:slash], rest[slash:])
    port = _PORT.search(place, 1)
    if port is None:
        return start.group(), userinfo, place, "", path
    return start.group(), userinfo, place[: port.start()], port.group(), path


def _reversed(host: str) -> str:
    return _reversed_once(host) if len(host) <= _CACHED_CHARACTERS else _reverse(host)


def _reverse(host: str) -> str:
    if _DOTTED_QUAD.fullmatch(host):
        return host
    labels = host[:-1].split(".")
    labels[-1] += host[-1]
    labels.reverse()
    return ",".join(labels) + ","


_reversed_once = lru_cache(maxsize=16_384)(_reverse)


def _lower(text: str) -> str:
    """Lower case, character by character, so that the length never changes."""
    return text.lower() if text.isascii() else "".join(c.lower()[0] for c in text)


def _http(form: str) -> str:
    return "http" + form[5:] if form.startswith("https://") else form


def _as_prefix(form: str) -> str:
    """Cut after the last slash of a path; without a path drop the closing parenthesis."""
    slashes = form.find("//")
    last = form.rfind("/")
    if slashes >= 0 and last >= slashes + 2:
        form = form[: last + 1]
    if form.endswith("/"):
        return form
    before, closing, after = form.rpartition(")")
    return before + after if closing else form
