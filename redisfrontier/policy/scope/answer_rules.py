"""Rules on the answer to a fetch: status and content type; before it the status is 0 and there is no type."""

from __future__ import annotations

from redisfrontier.policy.regexes import full_matcher
from redisfrontier.policy.scope.decision import Rule
from redisfrontier.policy.scope.options import Options
from redisfrontier.policy.scope.regex_rules import Build

#: What Heritrix calls the type of a document that told none.
UNKNOWN_TYPE = "unknown"


def fetch_status(o: Options) -> Rule:
    """Holds where the fetch status is one of `status_codes`."""
    vote, codes = o.decision(), frozenset(o.texts("status_codes"))
    return Rule("FetchStatus", vote, lambda s: str(s.status) in codes, vote)


def fetch_status_matches_regex(name: str, *, negate: bool = False) -> Build:
    """Holds where `regex` matches the fetch status in decimal, or does not."""

    def build(o: Options) -> Rule:
        vote, matches = o.decision(), full_matcher(o.text("regex", "."))
        return Rule(name, vote, lambda s: matches(str(s.status)) is not negate, vote)

    return build


def matches_status_code(o: Options) -> Rule:
    """Holds for a fetch status from `lower_bound` (0) to `upper_bound` (600), both included."""
    vote, low, high = o.decision(), o.number("lower_bound", 0), o.number("upper_bound", 600)
    return Rule("MatchesStatusCode", vote, lambda s: low <= s.status <= high, vote)


def not_matches_status_code(o: Options) -> Rule:
    """Holds for a fetch status at or outside `lower_bound` (0) and `upper_bound` (600): the bounds count, as in Heritrix."""
    vote, low, high = o.decision(), o.number("lower_bound", 0), o.number("upper_bound", 600)
    return Rule("NotMatchesStatusCode", vote, lambda s: s.status <= low or s.status >= high, vote)


def content_type_matches_regex(name: str, *, negate: bool = False) -> Build:
    """Holds where `regex` matches the content type, or does not."""

    def build(o: Options) -> Rule:
        vote, matches = o.decision(), full_matcher(o.text("regex", "."))
        return Rule(name, vote, lambda s: matches(s.content_type or UNKNOWN_TYPE) is not negate, vote)

    return build
