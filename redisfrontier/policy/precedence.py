"""Where a URI stands within its directive: Heritrix' URI precedence policies (§2.3); low runs first."""

from __future__ import annotations

from collections.abc import Iterable

from redisfrontier.errors import InvalidUri
from redisfrontier.policy.hops import link_hop_count
from redisfrontier.settings import Settings
from redisfrontier.uri.parse import Uri, parse
from redisfrontier.uri.surt import surt

#: Precedences are kept in one byte (design §9).
MAX_PRECEDENCE = 255
#: What the policy behind `preloaded` gives to a URI that nothing was loaded for.
DEFAULT_BASE = 1


def uri_precedence(
    uri: Uri, path: str, cost: int, settings: Settings, preloaded: int | None = None, default_base: int = DEFAULT_BASE
) -> int:
    """The precedence of `uri` by the policy of `settings`, not yet clamped to 0–255.

    `preloaded` is what was loaded for this URI before the crawl, None if nothing was (policy preloaded only).
    """
    policy = settings.uri_precedence_policy
    if policy == "cost":
        return cost
    base = settings.base_uri_precedence
    if policy == "hops":
        return base + (link_hop_count(path) if settings.hops_navlinks_only else len(path))
    if policy == "preloaded":
        # A sum of 0 counts as nothing loaded, as in Heritrix.
        return (base + preloaded if preloaded is not None else 0) or default_base
    return base


def clamped(precedence: int) -> int:
    """A precedence as it is stored: over 255 counts as 255, below 0 as 0 (design §9)."""
    return 0 if precedence < 0 else min(precedence, MAX_PRECEDENCE)


def preload_key(uri: Uri) -> str:
    """The key under which a preloaded precedence is kept: the SURT with its case."""
    return surt(uri, preserve_case=True)


def read_preloaded(lines: Iterable[str]) -> tuple[dict[str, int], list[tuple[int, str]]]:
    """Preloaded precedences by key from lines `URI integer` (a missing scheme is http), and the bad lines with their number."""
    loaded: dict[str, int] = {}
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        try:
            raw, value = fields
            loaded[preload_key(parse(raw if "://" in raw else f"http://{raw}"))] = int(value)
        except (ValueError, InvalidUri):
            bad.append((number, line.strip()[:200]))
    return loaded, bad
