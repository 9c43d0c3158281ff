"""Split the authority of a URI into userinfo, host and port, each checked and in its one normal form."""

from __future__ import annotations

import re
from functools import lru_cache

import can_ada

from redisfrontier.errors import InvalidUri

#: Longer authorities are legal but rare, and a cache of them would not be bounded in bytes.
_CACHED_CHARACTERS = 256
#: Heritrix takes letters, digits, '-' and '_' between single dots; browsers take more, but no name server has such names.
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
#: A last label that WHATWG reads as a number makes the whole host an IPv4 address.
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")


def split_authority(authority: str) -> tuple[str | None, str, int]:
    """(userinfo as written or None, host, port or -1) of the text between '//' and the path; escaped blanks at its end are dropped.

    Raises InvalidUri no_host, bad_host (also a second '@', as in Heritrix) or bad_port (not a number from 1 to 65535).
    """
    if len(authority) <= _CACHED_CHARACTERS:
        return _remembered(authority)
    return _split(authority)


def _split(authority: str) -> tuple[str | None, str, int]:
    while authority.endswith("%20"):
        authority = authority[:-3]
    before, at, after = authority.partition("@")
    userinfo, place = (before, after) if at else (None, authority)
    if place.startswith("["):
        host, bracket, rest = place.partition("]")
        host += bracket
        colon, port = rest[:1], rest[1:]
    else:
        host, colon, port = place.partition(":")
    if colon and colon != ":":
        raise InvalidUri("bad_host", authority)
    if not host:
        raise InvalidUri("no_host", authority)
    return userinfo, _normal_host(host), _port(port, authority)


_remembered = lru_cache(maxsize=16_384)(_split)


def _port(digits: str, authority: str) -> int:
    if not digits:
        return -1
    if not (digits.isascii() and digits.isdigit()):
        raise InvalidUri("bad_port", authority)
    significant = digits.lstrip("0")
    if not significant or len(significant) > 5 or int(significant) > 65_535:
        raise InvalidUri("bad_port", authority)
    return int(significant)


def _normal_host(host: str) -> str:
    if "@" in host:
        # The host parser would take what stands before it for userinfo and drop it.
        raise InvalidUri("bad_host", host)
    name = host.lower() if host.isascii() else ""
    if not name or "%" in name or name[0] == "[" or _ENDS_IN_NUMBER.fullmatch(name.removesuffix(".")):
        # International names, escapes and address literals: the WHATWG host parser.
        try:
            name = can_ada.parse(f"http://{host}/").hostname
        except ValueError:
            raise InvalidUri("bad_host", host) from None
    name = name.removesuffix(".")
    if not _HOST.fullmatch(name) and not name.startswith("["):
        raise InvalidUri("bad_host", host)
    return name
