"""How large a blocked Bloom filter must be: blocks of 512 bits, k bits a URI, for a wanted rate of false positives (design §4)."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache

#: Bits of one half of a block. Blocks overlap: the second half of each is the first half of the next, which evens out how full they are.
HALF_BITS = 256
#: Blocks of one page, a key of at most 4 MB (lua/include/bitfield.lua).
PAGE_BLOCKS = 131_071
#: Each further slice is this many times larger; its rate halves.
GROWTH = 4
#: Slices a filter may have: 4^9 times the URIs that were expected.
SLICES = 10
#: Bits set by a URI: the scripts have nine of them written out, and a fingerprint has bytes enough for fifteen.
FEWEST, MOST = 9, 15
#: How much larger than at best a filter may be to have fewer of them: each is looked at.
ROOM = 1.3


def slices(expected: int, rate: float) -> list[tuple[int, int, int]]:
    """(blocks, bits a URI, URIs) of each slice; all together stay below `rate`."""
    found = []
    for number in range(SLICES):
        uris = expected * GROWTH**number
        bits, k = shape(rate / 2 ** (number + 1))
        found.append((math.ceil(uris * bits / HALF_BITS), k, uris))
    return found


@lru_cache(maxsize=64)
def shape(rate: float) -> tuple[float, int]:
    """Bits of filter a URI takes, and bits set by one, for the rate: the fewest of these that keep the filter near its least size."""
    needed = [(_bits_for(rate, k), k) for k in range(FEWEST, MOST + 1)]
    return next((bits, k) for bits, k in needed if bits <= ROOM * min(needed)[0])


def _bits_for(rate: float, k: int) -> float:
    """Bits of filter that a URI takes in the least filter that holds the rate, if k bits are set by one."""
    return bisect_left(range(1024), True, lo=8, key=lambda half_bits: false_positives(half_bits / 2, k) <= rate) / 2


def false_positives(bits: float, k: int) -> float:
    """The share of unknown URIs that a full filter takes for known: blocks fill unevenly (Poisson), and positions may coincide.

    The first half of a block holds the odd numbered bits of its own URIs and the even numbered ones of the block before; the second half
    the even numbered bits of its own and the odd numbered ones of the next block.
    """
    mean, odd = HALF_BITS / bits, (k + 1) // 2
    weights = [math.exp(-mean)]
    while len(weights) < mean or weights[-1] > 1e-18:
        weights.append(weights[-1] * mean / len(weights))
    first, second = _half_set(weights, odd, k - odd), _half_set(weights, k - odd, odd)
    return sum(weight * a * b for weight, a, b in zip(weights, first, second, strict=True))


def _half_set(weights: list[float], own: int, foreign: int) -> list[float]:
    """How probably `own` positions of a half are all set, by the number of URIs of the block; its neighbour's set `foreign` bits each."""
    clear = 1 - 1 / HALF_BITS
    full = [(1 - clear**thrown) ** own for thrown in range((own + foreign) * len(weights))]
    return [sum(map(float.__mul__, weights, full[own * held :: foreign])) for held in range(len(weights))]
