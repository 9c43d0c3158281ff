"""What a check of the doctor says: how it is, how it should be, what the difference costs and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    NOTE = "note"
    """Worth knowing; nothing has to be done."""
    WARN = "warn"
    """Costs memory or speed."""
    BAD = "bad"
    """Work can be lost, or has been."""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; `crawl` is empty for the server's own."""

    name: str
    level: Level
    found: str
    costs: str = ""
    """What the difference costs; empty if there is none."""
    remedy: str = ""
    crawl: str = ""


def ok(name: str, found: object, crawl: str = "") -> Check:
    """All is as it should be."""
    return Check(name, Level.OK, str(found), crawl=crawl)
