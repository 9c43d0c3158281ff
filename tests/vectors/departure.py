"""What a departure is: a rule over cases with the reason why we differ from Heritrix there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Case = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Departure:
    """One rule: which cases it covers, of which kinds of vectors (None: of any), and why we differ. Looked at after a difference only."""

    name: str
    reason: str
    covers: Callable[[Case], bool]
    kinds: frozenset[str] | None = None
