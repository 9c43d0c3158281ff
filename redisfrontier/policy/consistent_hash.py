"""Spread keys over a number of buckets so that most stay where they are when the number grows (Heritrix' parallel queues, §3)."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache

#: Points of one bucket on the ring.
REPLICAS = 128
#: Irreducible polynomial of degree 64 of the standard Rabin fingerprint, the coefficient of x^0 in the highest bit.
_POLYNOMIAL = 0xD74307D3FD3382DB
_HIGHEST = 1 << 63
#: Longer keys are not kept, so that the cache is bounded in bytes too.
_CACHED_CHARACTERS = 256


def _powers(count: int) -> list[int]:
    """x^i modulo the polynomial, for i below `count`."""
    powers, value = [], _HIGHEST
    for _ in range(count):
        powers.append(value)
        value = (value >> 1) ^ (_POLYNOMIAL if value & 1 else 0)
    return powers


def _byte_table() -> tuple[int, ...]:
    """What a byte that leaves the fingerprint at its low end adds to it."""
    powers = _powers(72)
    table = []
    for byte in range(256):
        value = 0
        for bit in range(8):
            if byte >> bit & 1:
                value ^= powers[71 - bit]
        table.append(value)
    return tuple(table)


_TABLE = _byte_table()
_EMPTY = _powers(65)[64]


def rabin64(text: str) -> int:
    """The 64-bit Rabin fingerprint of the UTF-16 units of `text`, low byte first, as a signed number."""
    value, table = _EMPTY, _TABLE
    for byte in text.encode("utf-16-le", "surrogatepass"):
        value = (value >> 8) ^ table[(value ^ byte) & 0xFF]
    return value - (1 << 64) if value & _HIGHEST else value


@lru_cache(maxsize=64)
def _ring(buckets: int) -> tuple[list[int], list[int]]:
    points = sorted((rabin64(f"{bucket}.{replica}"), bucket) for bucket in range(buckets) for replica in range(REPLICAS))
    return [position for position, _ in points], [bucket for _, bucket in points]


def bucket_for(key: str, buckets: int) -> int:
    """The bucket, 0 ≤ b < `buckets`, of `key`: that of the first point at or after its fingerprint, round the ring."""
    return _remembered(key, buckets) if len(key) <= _CACHED_CHARACTERS else _bucket_for(key, buckets)


def _bucket_for(key: str, buckets: int) -> int:
    positions, owners = _ring(buckets)
    return owners[bisect_left(positions, rabin64(key)) % len(owners)]


_remembered = lru_cache(maxsize=16_384)(_bucket_for)
