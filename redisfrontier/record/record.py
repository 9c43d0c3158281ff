"""What is known of one URI: the raw `Candidate` that a client offers and the `UriRecord` that the frontier keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: One value of the heritable or metadata maps.
MetaValue = str | int | list[str]
_NOTHING: Mapping[str, MetaValue] = {}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A link, seed or prerequisite as it was found; only `uri` is needed.

    `queue`, `directive`, `precedence` and `cost` are left to the policies when None.
    """

    uri: str
    path: str = ""
    via: str | None = None
    via_context: str | None = None
    is_seed: bool = False
    source_tag: str | None = None
    force_fetch: bool = False
    prerequisite: bool = False
    queue: str | None = None
    directive: int | None = None
    precedence: int | None = None
    cost: int | None = None
    dedup_key: str | None = None
    heritable: Mapping[str, MetaValue] = field(default_factory=lambda: _NOTHING)
    metadata: Mapping[str, MetaValue] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class UriRecord:
    """A stored URI, by the long names (design §9 gives the one-letter keys)."""

    uri: str
    canonical: str
    queue: str | None
    path: str
    via: str | None
    via_context: str | None
    is_seed: bool
    source_tag: str | None
    directive: int
    precedence: int
    cost: int
    dedup_key: str | None
    force_fetch: bool
    prerequisite: bool
    added_ms: int | None
    heritable: Mapping[str, MetaValue]
    metadata: Mapping[str, MetaValue]
    #: The first 8 bytes of the fingerprint, from the head.
    fingerprint: bytes
    #: Keys of the map that this version does not know; they are kept when the record is written again.
    unknown: Mapping[str, object]

    @property
    def depth(self) -> int:
        """Hops from the seed, counted in the hop path (Heritrix' `hopCount`)."""
        from redisfrontier.policy.hops import hop_count

        return hop_count(self.path)
