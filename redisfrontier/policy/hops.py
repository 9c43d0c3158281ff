"""Hop paths: how a URI was reached from its seed, one letter a hop, and what can be counted in one (Heritrix §8.1).

L link, P prerequisite, E embed, X speculative embed, R redirect, I inferred, M manifest (sitemap), S form submission.
"""

from __future__ import annotations

#: Letters that a hop path shows; of a longer one the overflow is counted: '3+' and the last 50 letters.
SHOWN_HOPS = 50
#: Longest text taken for a hop path: the shown letters, '+' and an overflow of up to 9 digits.
MAX_PATH_CHARACTERS = SHOWN_HOPS + 10


def extend(path: str, hop: str) -> str:
    """`path` with one more hop; beyond 50 letters the oldest is dropped and counted."""
    if len(path) < SHOWN_HOPS:
        return path + hop
    return f"{_overflow(path) + 1}+{path[-(SHOWN_HOPS - 1) :]}{hop}"


def hop_count(path: str) -> int:
    """All hops, those no longer shown included."""
    if len(path) <= SHOWN_HOPS:
        return len(path)
    before, plus, shown = path.partition("+")
    return int(before) + len(shown) if plus and _is_number(before) else len(path)


def link_hop_count(path: str) -> int:
    """The L hops that are shown."""
    return path.count("L")


def embed_hop_count(path: str) -> int:
    """The hops since the last L."""
    return len(path) - 1 - path.rfind("L")


def trans_hops(path: str) -> int:
    """The hops since the last L or M: how deep a transclusion is (S does not end it here, as in Heritrix)."""
    return len(path) - 1 - max(path.rfind("L"), path.rfind("M"))


def last_hop(path: str) -> str:
    """The letter of the last hop, '' for a seed."""
    return path[-1:]


def _overflow(path: str) -> int:
    before, plus, _ = path.partition("+")
    return int(before) if plus and _is_number(before) else 0


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9
