"""Rules on the hop path."""

from __future__ import annotations

from redisfrontier.policy.hops import hop_count
from redisfrontier.policy.regexes import full_matcher
from redisfrontier.policy.scope.decision import Decision, Rule, Subject
from redisfrontier.policy.scope.options import Options

#: Hops that end a transclusion, seen from the tail of a path.
_NAVIGATION = "LSM"


def too_many_hops(o: Options) -> Rule:
    """Holds for more than `max_hops` (20) hops of any kind; REJECT by default."""
    vote, most = o.decision(Decision.REJECT), o.number("max_hops", 20)
    return Rule("TooManyHops", vote, lambda s: hop_count(s.path) > most, vote)


def transclusion(o: Options) -> Rule:
    """Holds for what a page shows of others: 1 to `max_trans_hops` (2) hops since the last link, redirects not counted.

    More than `max_speculative_hops` (1) X hops among them disqualify.
    """
    vote, most, speculative = o.decision(), o.number("max_trans_hops", 2), o.number("max_speculative_hops", 1)

    def holds(s: Subject) -> bool:
        tail = s.path[_after_navigation(s.path) :]
        return bool(tail) and tail.count("X") <= speculative and len(tail) - tail.count("R") <= most

    return Rule("Transclusion", vote, holds, vote)


def hops_path_matches_regex(o: Options) -> Rule:
    """Holds where `regex` matches the whole hop path."""
    vote, matches = o.decision(), full_matcher(o.text("regex", "."))
    return Rule("HopsPathMatchesRegex", vote, lambda s: matches(s.path), vote)


def _after_navigation(path: str) -> int:
    if path[-1:] in _NAVIGATION:
        return len(path)
    return max(path.rfind(hop) for hop in _NAVIGATION) + 1
