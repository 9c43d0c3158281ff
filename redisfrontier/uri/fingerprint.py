"""Give a URI its identity (18 bytes) and a queue its partition, exactly as every client must (design §9)."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256

from redisfrontier.errors import BadArgument

#: Bytes of the SHA-256 that clients pass: three 48-bit numbers for Bloom filters, the first 8 bytes for the exact index.
FINGERPRINT_BYTES = 18
#: Longest queue or group name, in bytes of UTF-8.
MAX_QUEUE_NAME_BYTES = 255

_CRAWL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_WWW = re.compile(r"^www[0-9]*\.|(?<=,)www[0-9]*,\Z")
_SHARED_PART = re.compile(r"[^#+]*")


def fingerprint(canonical: str) -> bytes:
    """The 18-byte identity of a canonical URI within its crawl."""
    return sha256(canonical.encode("utf-8", "surrogatepass")).digest()[:FINGERPRINT_BYTES]


def dedup_fingerprint(key: str) -> bytes:
    """The 18-byte identity that a client's own dedup key gives; never equal to that of a URI."""
    return sha256(b"\0" + key.encode("utf-8", "surrogatepass")).digest()[:FINGERPRINT_BYTES]


def partition_of(queue: str, partitions: int, group: str | None = None) -> int:
    """The partition, 0 ≤ p < partitions, in which a queue lives: that of its group, else of its host without www and port."""
    return 0 if partitions == 1 else _spread(group or queue, bool(group)) % partitions


@lru_cache(maxsize=16_384)
def _spread(name: str, is_group: bool) -> int:
    if not is_group:
        shared = _SHARED_PART.match(name)
        name = _WWW.sub("", shared.group() if shared else name, count=1)
    return int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:4], "big")


def check_queue_name(name: str) -> str:
    """`name` if it is a legal queue or group name, else BadArgument: 1 to 255 bytes, no control characters, blanks, braces."""
    if not name:
        raise BadArgument("a queue name is a non-empty string")
    if any(c in "{}" or c.isspace() or not c.isprintable() for c in name):
        raise BadArgument(f"queue name {name[:80]!r} has a control character, blank or brace", remedy="percent-encode it")
    if len(name.encode("utf-8")) > MAX_QUEUE_NAME_BYTES:
        raise BadArgument(f"queue name {name[:80]!r}… is over {MAX_QUEUE_NAME_BYTES} bytes")
    return name


def check_crawl_name(name: str) -> str:
    """`name` if it is a legal crawl name, else BadArgument: a letter or digit, then up to 63 of letters, digits, '.', '_', '-'."""
    if not _CRAWL_NAME.fullmatch(name):
        raise BadArgument(f"crawl name {name[:80]!r} is not a letter or digit followed by up to 63 of A-Z a-z 0-9 . _ -")
    return name
