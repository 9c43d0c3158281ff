"""Rules on nothing, or on how a URI came to be known: accept, reject, seed, via, source tag, prerequisite, scheme."""

from __future__ import annotations

from redisfrontier.policy.scope.decision import Decision, Rule
from redisfrontier.policy.scope.options import Options

#: Schemes that Heritrix fetches.
SUPPORTED_SCHEMES = ("http", "https", "ftp", "dns", "whois", "sftp")


def accept(o: Options) -> Rule:
    """Votes ACCEPT on everything."""
    return Rule("Accept", Decision.ACCEPT, lambda s: True, Decision.ACCEPT)


def reject(o: Options) -> Rule:
    """Votes REJECT on everything."""
    return Rule("Reject", Decision.REJECT, lambda s: True, Decision.REJECT)


def seed_accept(o: Options) -> Rule:
    """Holds for seeds."""
    return Rule("SeedAccept", Decision.ACCEPT, lambda s: s.is_seed)


def has_via(o: Options) -> Rule:
    """Holds for what was found on a page."""
    vote = o.decision()
    return Rule("HasVia", vote, lambda s: s.via is not None, vote)


def source_seed(o: Options) -> Rule:
    """Holds for what comes from one of `source_seeds`, by its source tag."""
    vote, seeds = o.decision(), frozenset(o.texts("source_seeds"))
    return Rule("SourceSeed", vote, lambda s: s.source_tag in seeds, vote)


def prerequisite_accept(o: Options) -> Rule:
    """Holds for what another URI needs first (its path ends in P)."""
    return Rule("PrerequisiteAccept", Decision.ACCEPT, lambda s: s.path[-1:] == "P")


def scheme_not_in_set(o: Options) -> Rule:
    """Holds for schemes other than `schemes`; REJECT by default."""
    vote, schemes = o.decision(Decision.REJECT), frozenset(o.texts("schemes", SUPPORTED_SCHEMES))
    return Rule("SchemeNotInSet", vote, lambda s: s.uri.scheme not in schemes, vote)
