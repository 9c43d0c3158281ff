"""What a URI costs its queue: Heritrix' cost assignment policies (§2.5)."""

from __future__ import annotations

import re
from collections.abc import Callable

from redisfrontier.settings import Settings
from redisfrontier.uri.parse import Uri

#: The head of a stored record holds the cost in one byte.
MAX_COST = 127

_CALENDARISH = re.compile(
    r"calendar|year|month|day|date|viewcal|[^0-9]19[0-9][0-9][^0-9]|[^0-9]20[0-9][0-9][^0-9]|event|yr=|calendrier|jour",
    re.IGNORECASE | re.ASCII,
)


def cost(uri: Uri, via: str | None, settings: Settings) -> int:
    """The cost of `uri`, found on the page `via`, by the policy of `settings`."""
    return _POLICIES[settings.cost_assignment_policy](uri, via)


def _unit(uri: Uri, via: str | None) -> int:
    return 1


def _zero(uri: Uri, via: str | None) -> int:
    return 0


def _wag(uri: Uri, via: str | None) -> int:
    """One more for a query, and another if the page it was found on differs in the query only."""
    before, mark, _ = uri.text.partition("?")
    if not mark:
        return 1
    return 3 if (via or "").startswith(before) else 2


def _anti_calendar(uri: Uri, via: str | None) -> int:
    """One more for what looks like a calendar."""
    return 2 if _CALENDARISH.search(uri.text) else 1


_POLICIES: dict[str, Callable[[Uri, str | None], int]] = {"unit": _unit, "zero": _zero, "wag": _wag, "anti_calendar": _anti_calendar}
