"""crawl.log in Heritrix' form: one line a finished URI, fields of the width and order of Heritrix §7.5."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from redisfrontier.worker.visit import Visit

_MAX_FIELD = 70_000


def line(visit: Visit, *, logged_ms: int, slot: int, extra: Sequence[str] = ()) -> str:
    """The line of a visit, without its end; `slot` stands for Heritrix' thread number."""
    claim, exchange, record = visit.claim, visit.exchange, visit.claim.record
    tried = claim.attempts + 1
    notes = [*visit.annotations, *extra, *([f"{tried}t"] if tried > 1 else [])]
    answered = exchange is not None and exchange.status > 0
    fields = [
        _stamp(logged_ms),
        f"{visit.outcome.fetch_status:5d}",
        f"{len(exchange.body):10d}" if exchange is not None and answered else f"{'-':>10}",
        _field(claim.uri),
        _field(claim.path),
        _field(claim.via),
        _field(exchange.content_type if exchange is not None else "") if answered else "no-type",
        f"#{slot:03d}",
        _began(exchange.began_ms, exchange.duration_ms) if exchange is not None else "-",
        _field(exchange.digest if exchange is not None else None),
        _field(record.source_tag),
        _field(",".join(notes)),
    ]
    return " ".join(fields)


def _stamp(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _began(began_ms: int, duration_ms: int) -> str:
    moment = datetime.fromtimestamp(began_ms // 1000, UTC).strftime("%Y%m%d%H%M%S")
    return f"{moment}{began_ms % 1000:03d}+{duration_ms}"


def _field(text: str | None) -> str:
    """A field without blanks, control characters or anything that could end the line; '-' when empty."""
    if not text:
        return "-"
    return "".join(c if "!" <= c <= "~" else f"%{ord(c):02X}" if ord(c) < 256 else "?" for c in text[:_MAX_FIELD])


class CrawlLog:
    """The file itself, written line by line so that a kill loses none but the last."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: TextIO = path.open("a", encoding="ascii", buffering=1)

    def write(self, text: str) -> None:
        """Append one line."""
        self._file.write(text + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()
