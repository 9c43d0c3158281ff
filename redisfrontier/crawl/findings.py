"""What a foreign crawl configuration gave, line by line: taken, ignored, refused or unknown, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What became of one line."""

    TAKEN = "taken"
    IGNORED = "ignored"
    """Known, and without effect here; the crawl is the same without it."""
    REFUSED = "refused"
    """Known, but its value cannot be used."""
    UNKNOWN = "unknown"
    """Nobody here knows it; the crawl may differ from Heritrix'."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line's finding; `text` is what stands there, in short, `why` what it became or why it became nothing."""

    line: int
    text: str
    verdict: Verdict
    why: str

    def __str__(self) -> str:
        return f"{self.line}: {self.verdict}: {self.text}: {self.why}"


class Findings:
    """Gathers findings; each is told once, even when two beans refer to its line."""

    __slots__ = ("_all",)

    def __init__(self) -> None:
        self._all: list[Finding] = []

    def taken(self, line: int, text: str, why: str) -> None:
        """It has become part of the crawl."""
        self._add(line, text, Verdict.TAKEN, why)

    def ignored(self, line: int, text: str, why: str) -> None:
        """It has no effect here."""
        self._add(line, text, Verdict.IGNORED, why)

    def refused(self, line: int, text: str, why: str) -> None:
        """Its value cannot be used."""
        self._add(line, text, Verdict.REFUSED, why)

    def unknown(self, line: int, text: str, why: str) -> None:
        """It is not known."""
        self._add(line, text, Verdict.UNKNOWN, why)

    def sorted(self) -> list[Finding]:
        """All of them, by line."""
        return sorted(dict.fromkeys(self._all), key=lambda f: f.line)

    def _add(self, line: int, text: str, verdict: Verdict, why: str) -> None:
        self._all.append(Finding(line, shown(text), verdict, why))


def shown(text: str, limit: int = 120) -> str:
    """A text on one line, cut to `limit` characters, without control characters."""
    flat = "".join(c if c.isprintable() else " " for c in text)
    flat = " ".join(flat.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def needs_attention(findings: Iterable[Finding]) -> list[Finding]:
    """Those an operator must look at before the crawl may be called the same: refused and unknown ones."""
    return [f for f in findings if f.verdict in (Verdict.REFUSED, Verdict.UNKNOWN)]
