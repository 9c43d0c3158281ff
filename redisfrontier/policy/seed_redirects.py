"""Decide whether the target of a seed's redirect becomes a seed itself, and so widens the scope (Heritrix §5.4)."""

from __future__ import annotations

from redisfrontier.policy.hops import hop_count, last_hop
from redisfrontier.policy.scope.domain_rules import host_basename
from redisfrontier.uri.parse import Uri

#: A chain of redirects makes seeds up to this many hops from the first one.
MAX_HOPS = 5
_WEB = frozenset({"http", "https"})


def becomes_seed(source: Uri, target: Uri, path: str, policy: str) -> bool:
    """Whether `target`, reached by `path` from the seed `source`, is to be a seed.

    `policy` is the setting seed_redirects: strict (same host apart from www, http or https, same port), always, never.
    """
    if policy == "never" or last_hop(path) != "R" or hop_count(path) >= MAX_HOPS or not target.host:
        return False
    return policy == "always" or _same_site(source, target)


def _same_site(source: Uri, target: Uri) -> bool:
    schemes = {source.scheme, target.scheme}
    return (
        host_basename(source.host) == host_basename(target.host) and source.port == target.port and (len(schemes) == 1 or schemes <= _WEB)
    )
