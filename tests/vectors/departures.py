"""Where we differ from Heritrix on purpose; each departure stands in ARCHITECTURE.md too."""

from __future__ import annotations

from tests.vectors.departure import Case, Departure
from tests.vectors.departures_crawl import CRAWL_DEPARTURES
from tests.vectors.departures_frontier import FRONTIER_DEPARTURES
from tests.vectors.departures_policy import POLICY_DEPARTURES
from tests.vectors.departures_uri import URI_DEPARTURES

DEPARTURES: tuple[Departure, ...] = (*URI_DEPARTURES, *POLICY_DEPARTURES, *CRAWL_DEPARTURES, *FRONTIER_DEPARTURES)


def departure_of(kind: str, case: Case) -> str | None:
    """The departure that explains why a case comes out differently: a listed defect of Heritrix, a rule, or none."""
    if case.get("defect") and case.get("a11"):
        return "defect §11: " + ", ".join(map(str, case["a11"]))
    for departure in DEPARTURES:
        if (departure.kinds is None or kind in departure.kinds) and departure.covers(case):
            return departure.name
    return None
