"""The scheduling directive of a URI: which of the four classes of its queue it runs in (Heritrix' FrontierPreparer, §8.5)."""

from __future__ import annotations

from redisfrontier.policy.hops import hop_count, trans_hops
from redisfrontier.settings import Settings

HIGHEST, HIGH, MEDIUM, NORMAL = range(4)


def directive(path: str, given: int | None, settings: Settings, *, is_seed: bool = False, prerequisite: bool = False) -> int:
    """The directive of a URI reached by `path`; `given` is what it came with (None: MEDIUM for a seed, else NORMAL).

    A prerequisite keeps what it came with: it must stay ahead of the URI that waits for it.
    Departure from Heritrix (§11 item 11): `preference_depth_hops` n prefers URIs of up to n hops, not n − 1, and counts
    the hops that a long path no longer shows; it never puts a URI back.
    """
    current = given if given is not None else MEDIUM if is_seed and not path else NORMAL
    if prerequisite:
        return current
    depth = settings.preference_depth_hops
    if path[-1:] == "R":
        return HIGH if depth >= 0 else MEDIUM
    # With a depth of 0 all links are preferred, and the crawl goes depth first.
    if depth == 0 or (depth > 0 and hop_count(path) <= depth):
        return min(current, HIGH)
    if current == NORMAL and 0 < trans_hops(path) <= settings.preference_embed_hops:
        return MEDIUM
    return current
