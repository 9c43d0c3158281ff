"""One HTTP exchange as it went over the wire, or the Heritrix fetch status of its failure."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

# Heritrix' own fetch statuses, as far as a crawler sets them (Heritrix §5.1).
DNS_FOUND = 1
DNS_FAILED = -1
CONNECT_FAILED = -2
CONNECT_LOST = -3
TIMED_OUT = -4
RUNTIME_EXCEPTION = -5
DNS_PREREQUISITE_FAILED = -6
UNFETCHABLE = -7
DEFERRED = -50
ROBOTS_PREREQUISITE_FAILED = -61
ROBOTS_PRECLUDED = -9998

LENGTH_TRUNCATED = "lenTrunc"
TIME_TRUNCATED = "timeTrunc"


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was asked and what came back; `status` is the HTTP status, or a negative fetch status without an answer."""

    uri: str
    status: int
    began_ms: int
    """Wall clock of this machine, ms since the epoch."""
    duration_ms: int
    reason: str = ""
    http_version: str = "1.1"
    headers: tuple[tuple[str, str], ...] = ()
    request_headers: tuple[tuple[str, str], ...] = ()
    request_target: str = "/"
    body: bytes = b""
    """The entity as transferred: chunks joined, content encodings kept."""
    truncated: str = ""
    """'', lenTrunc or timeTrunc: the body goes on beyond what is here."""
    error: str = ""
    server_ip: str | None = None

    def header(self, name: str) -> str | None:
        """The first header of that name, blanks stripped; None when absent or empty."""
        wanted = name.lower()
        return next((v.strip() or None for k, v in self.headers if k.lower() == wanted), None)

    @property
    def content_type(self) -> str:
        """Media type in lower case without parameters; '' when unknown or not of the form type/subtype."""
        kind = (self.header("Content-Type") or "").split(";", 1)[0].strip().lower()
        return kind if kind.isascii() and kind.isprintable() and " " not in kind and kind.count("/") == 1 else ""

    @property
    def digest(self) -> str | None:
        """`sha1:` and base 32 of the body; None when the server gave no answer."""
        return f"sha1:{base64.b32encode(hashlib.sha1(self.body, usedforsecurity=False).digest()).decode()}" if self.status > 0 else None

    @property
    def modified_ms(self) -> int | None:
        """Last-Modified in ms since the epoch; None when absent or no date."""
        return date_ms(self.header("Last-Modified"))


def date_ms(text: str | None) -> int | None:
    """An HTTP date in ms since the epoch; None for anything else."""
    if not text or len(text) > 100:
        return None
    try:
        return max(0, int(parsedate_to_datetime(text).timestamp() * 1000))
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
