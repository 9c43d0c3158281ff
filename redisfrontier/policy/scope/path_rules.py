"""Rules on the text of a URI that bound crawler traps: repeated segments, deep paths, nested escapes."""

from __future__ import annotations

import re

from redisfrontier.policy.scope.decision import Decision, Rule
from redisfrontier.policy.scope.options import Options
from redisfrontier.policy.scope.repetition import has_repetition


def pathological_path(o: Options) -> Rule:
    """Votes REJECT where a group of path segments comes more than `max_repetitions` (2) times in a row."""
    times = o.number("max_repetitions", 2, low=1) + 1
    return Rule("PathologicalPath", Decision.REJECT, lambda s: has_repetition(s.uri.text, times))


def too_many_path_segments(o: Options) -> Rule:
    """Holds for paths of more than `max_path_depth` (20) slashes; REJECT by default."""
    vote, most = o.decision(Decision.REJECT), o.number("max_path_depth", 20)
    return Rule("TooManyPathSegments", vote, lambda s: s.uri.path.count("/") > most, vote)


def nested_escapes(o: Options) -> Rule:
    """Holds where an escape was escaped again more than `max_nesting` (2) times, as in %25252520; REJECT by default.

    Not in Heritrix: links that a site escapes anew on every page grow by such a step at each hop.
    """
    vote, most = o.decision(Decision.REJECT), o.number("max_nesting", 2, low=0)
    nested = re.compile(rf"%25(?:25){{{most},}}[0-9A-Fa-f]{{2}}")
    return Rule("NestedEscapes", vote, lambda s: "%25" in s.uri.text and nested.search(s.uri.text), vote)
