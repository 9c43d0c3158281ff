"""How large a blocked Bloom filter must be: blocks of 512 bits, k bits a URI, for a wanted rate of false positives (design §4)."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache

#: Bits of one block, which is read and written whole.
BLOCK_BITS = 512
#: Blocks of one page, a key of at most 4 MB (lua/include/bitfield.lua).
PAGE_BLOCKS = 65_536
#: Each further slice is this many times larger; its rate halves.
GROWTH = 4
#: Slices a filter may have: 4^9 times the URIs that were expected.
SLICES = 10


def slices(expected: int, rate: float) -> list[tuple[int, int, int]]:
    """(blocks, bits a URI, URIs) of each slice; all together stay below `rate`."""
    found = []
    for number in range(SLICES):
        uris = expected * GROWTH**number
        bits, k = shape(rate / 2 ** (number + 1))
        found.append((math.ceil(uris * bits / BLOCK_BITS), k, uris))
    return found


@lru_cache(maxsize=64)
def shape(rate: float) -> tuple[float, int]:
    """Bits of filter a URI takes, and bits set by one, for the rate; the least filter that holds it."""
    at = bisect_left(range(8, 512), True, key=lambda half_bits: false_positives(half_bits / 2, _best_k(half_bits / 2)) <= rate)
    bits = range(8, 512)[at] / 2
    return bits, _best_k(bits)


@lru_cache(maxsize=512)
def _best_k(bits: float) -> int:
    return min(range(4, 21), key=lambda k: false_positives(bits, k))


def false_positives(bits: float, k: int) -> float:
    """The share of unknown URIs that a full filter takes for known: blocks fill unevenly (Poisson), and k positions may coincide."""
    mean = BLOCK_BITS / bits
    total, weight = 0.0, math.exp(-mean)
    for held in range(int(mean * 6) + 40):
        total += weight * (1 - (1 - 1 / BLOCK_BITS) ** (k * held)) ** k
        weight *= mean / (held + 1)
    return total
