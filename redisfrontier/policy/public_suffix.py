"""Find the part of a host name that a registry assigns: public suffix plus one label (Heritrix' assignment level)."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

#: Longest host name in the DNS; what is longer is hostile, and not kept in caches.
MAX_NAME_CHARACTERS = 253
#: Labels of the longest public suffix there may be (today's has 5).
_MOST_SUFFIX_LABELS = 10


@cache
def _rules() -> frozenset[str]:
    """The public suffix list, private section included, in Punycode: 'co.uk', '*.ck', '!www.ck'."""
    text = (files("publicsuffixlist") / "public_suffix_list.dat").read_text("utf-8")
    lines = (line.split(None, 1)[0] for line in text.splitlines() if line.strip() and not line.startswith("//"))
    return frozenset(_punycode(rule.lower()) for rule in lines)


def _punycode(rule: str) -> str:
    if rule.isascii():
        return rule
    return ".".join(label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii") for label in rule.split("."))


def assignment_level(host: str) -> str:
    """The assigned part of `host` (lower case, no final dot): 'example.co.uk' of 'a.b.example.co.uk'.

    An unknown top-level domain counts as a public suffix. A host that is itself a public suffix gives the longest
    assigned name within it, as Heritrix does (§3); a single label and an address stand for themselves.
    """
    return _remembered(host) if len(host) <= MAX_NAME_CHARACTERS else _assigned(host)


def _assigned(host: str) -> str:
    labels = host.split(".")
    if len(labels) < 2 or is_address(host):
        return host
    return ".".join(labels[-1 - _suffix_labels(labels) :])


_remembered = lru_cache(maxsize=65_536)(_assigned)


def is_address(host: str) -> bool:
    """Is a host name an IPv4 address, or an IPv6 one in brackets?"""
    return host.startswith("[") or host.rpartition(".")[2].isdigit()


def _suffix_labels(labels: list[str]) -> int:
    """How many labels the longest public suffix has that leaves at least one label over."""
    rules = _rules()
    for n in range(min(len(labels) - 1, _MOST_SUFFIX_LABELS), 1, -1):
        name = ".".join(labels[-n:])
        if f"!{'.'.join(labels[-n - 1 :])}" in rules or name in rules:
            return n
        if f"*.{'.'.join(labels[1 - n :])}" in rules and f"!{name}" not in rules:
            return n
    return 1
