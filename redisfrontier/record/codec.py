"""Records to and from msgpack: [fingerprint, cost, map]; bytes 4–11 and 12 of it are read by the scripts (design §1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgpack

from redisfrontier.errors import RecordError
from redisfrontier.record.record import Candidate, UriRecord

SCHEMA = 1
_KNOWN = frozenset("nucqpvxstdrgfeahm")
_pack = msgpack.Packer(use_bin_type=True, autoreset=True).pack


def shorten_via(uri: str, via: str) -> str | list[object]:
    """`via` as [k, tail] when it shares a beginning of k ≥ 4 characters with `uri`, else as it is."""
    k, most = 0, min(len(uri), len(via))
    if via[:12] == uri[:12]:
        k = min(12, most)
    while k < most and uri[k] == via[k]:
        k += 1
    return [k, via[k:]] if k >= 4 else via


def encode(
    c: Candidate,
    *,
    uri: str,
    canonical: str,
    fingerprint: bytes,
    cost: int,
    directive: int,
    precedence: int,
    queue: str | None = None,
    added_ms: int | None = None,
    unknown: Mapping[str, object] | None = None,
) -> bytes:
    """The stored form of a prepared candidate; what equals its default is left out.

    `uri` is ASCII, `fingerprint` at least 8 bytes (the first 8 are kept), `cost` 0–127,
    `queue` only when the policy would not give it.
    """
    m: dict[str, object] = dict(unknown) if unknown else {}
    m["u"] = uri
    if canonical != uri:
        m["c"] = canonical
    if queue is not None:
        m["q"] = queue
    if directive != 3:
        m["d"] = directive
    if precedence != 1:
        m["r"] = precedence
    if added_ms is not None:
        m["a"] = added_ms
    _found(m, c, uri)
    packed: bytes = _pack([fingerprint[:8], cost, m])
    return packed


def _found(m: dict[str, object], c: Candidate, uri: str) -> None:
    """How it was found, as far as that is told."""
    if c.path:
        m["p"] = c.path
    if c.via:
        m["v"] = shorten_via(uri, c.via)
    if c.via_context:
        m["x"] = c.via_context
    if c.is_seed:
        m["s"] = True
    if c.source_tag:
        m["t"] = c.source_tag
    if c.dedup_key or c.force_fetch or c.prerequisite or c.heritable or c.metadata:
        _rare(m, c)


def _rare(m: dict[str, object], c: Candidate) -> None:
    if c.dedup_key:
        m["g"] = c.dedup_key
    if c.force_fetch:
        m["f"] = True
    if c.prerequisite:
        m["e"] = True
    if c.heritable:
        m["h"] = dict(c.heritable)
    if c.metadata:
        m["m"] = dict(c.metadata)


def is_metadata(key: object, value: object) -> bool:
    """May a record's maps hold this: a text with a text, a whole number or a list of texts?  Anything else would spoil the record."""
    if isinstance(value, list | tuple):
        return isinstance(key, str) and all(isinstance(part, str) for part in value)
    return isinstance(key, str) and isinstance(value, str | int)


def decode(packed: bytes) -> UriRecord:
    """A stored record; raises RecordError for what is no record, or one of a newer schema (which is left as it is)."""
    fingerprint, cost, m = _parts(packed)
    uri = m["u"]
    return UriRecord(
        uri=uri,
        canonical=m.get("c", uri),
        queue=m.get("q"),
        path=m.get("p", ""),
        via=_via(uri, m.get("v")),
        via_context=m.get("x"),
        is_seed=m.get("s", False),
        source_tag=m.get("t"),
        directive=m.get("d", 3),
        precedence=m.get("r", 1),
        cost=cost,
        dedup_key=m.get("g"),
        force_fetch=m.get("f", False),
        prerequisite=m.get("e", False),
        added_ms=m.get("a"),
        heritable=m.get("h", {}),
        metadata=m.get("m", {}),
        fingerprint=fingerprint,
        unknown={k: v for k, v in m.items() if k not in _KNOWN} if not _KNOWN.issuperset(m) else {},
    )


def updated(packed: bytes, metadata: Mapping[str, object]) -> bytes:
    """The record with `metadata` put over its own; everything else, unknown keys too, stays (a value of None removes).

    Raises RecordError as `decode` does.
    """
    fingerprint, cost, m = _parts(packed)
    merged = {k: v for k, v in {**m.get("m", {}), **metadata}.items() if v is not None}
    m.pop("m", None)
    if merged:
        m["m"] = merged
    again: bytes = _pack([fingerprint, cost, m])
    return again


def _parts(packed: bytes) -> tuple[bytes, int, dict[str, Any]]:
    try:
        fingerprint, cost, m = msgpack.unpackb(packed, strict_map_key=True)
    except Exception as e:  # msgpack raises many kinds; all mean the same here
        raise RecordError(f"not a record: {packed[:16]!r}… ({type(e).__name__})", remedy="delete the URI by its id") from e
    if not (isinstance(fingerprint, bytes) and len(fingerprint) == 8 and isinstance(cost, int) and isinstance(m, dict)):
        raise RecordError(f"not a record: {packed[:16]!r}…", remedy="delete the URI by its id")
    schema = m.get("n", SCHEMA)
    if not isinstance(schema, int) or schema > SCHEMA:
        raise RecordError(f"record of schema {schema!r:.20}; this version reads up to {SCHEMA}", remedy="upgrade redisfrontier")
    if not isinstance(m.get("u"), str):
        raise RecordError("a record without a URI", remedy="delete the URI by its id")
    return fingerprint, cost, m


def _via(uri: str, via: Any) -> str | None:
    if isinstance(via, list):
        if len(via) != 2 or not isinstance(via[0], int):
            raise RecordError(f"a record whose via is {via!r:.80}", remedy="delete the URI by its id")
        return uri[: via[0]] + str(via[1])
    return via if via is None else str(via)
