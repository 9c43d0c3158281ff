"""Rules that compare the host of a URI with that of the page it was found on."""

from __future__ import annotations

import re

from redisfrontier.policy.public_suffix import assignment_level, is_address
from redisfrontier.policy.scope.decision import Rule, Subject
from redisfrontier.policy.scope.options import Options
from redisfrontier.uri.parse import Uri
from redisfrontier.uri.surt import surt

_WWW = re.compile(r"www[0-9]*\.")


def hop_crosses_assignment_level_domain(o: Options) -> Rule:
    """Holds where the registered domain (public suffix plus one label) differs from that of the via."""
    vote = o.decision()

    def holds(s: Subject) -> bool:
        return s.via is not None and _domain(s.uri) != _domain(s.via)

    return Rule("HopCrossesAssignmentLevelDomain", vote, holds, vote)


def add_redirect_from_root_server(o: Options) -> Rule:
    """Holds for a redirect from the root page of a host to the same host, www apart; such a URI becomes a seed."""
    vote = o.decision()

    def holds(s: Subject) -> bool:
        via = s.via
        if via is None or s.path[-1:] != "R" or via.path != "/" or not s.uri.host:
            return False
        return host_basename(s.uri.host) == host_basename(via.host)

    return Rule("AddRedirectFromRootServerToScope", vote, holds, vote, makes_seed=True)


def host_basename(host: str) -> str:
    """A host name without a leading www, www1, www23 …"""
    return _WWW.sub("", host, count=1) if host.startswith("www") else host


def _domain(uri: Uri) -> str:
    """What Heritrix compares: the assigned domain; without one the whole authority, without that the whole URI."""
    if "." in uri.host and not is_address(uri.host):
        return assignment_level(uri.host)
    return surt(uri).partition(")")[0]
