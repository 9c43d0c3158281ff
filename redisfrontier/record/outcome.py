"""What goes over the counter: admissions (schedule), claims (claim), outcomes and their answers (finish)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, overload

from redisfrontier.record.codec import decode
from redisfrontier.record.record import Candidate, UriRecord


class Admitted(StrEnum):
    """How `schedule` answered one input."""

    ADDED = "added"
    KNOWN = "known"
    REQUEUED = "requeued"
    OUT_OF_SCOPE = "out_of_scope"
    INVALID = "invalid"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Admission:
    """The answer to one scheduled URI, in the order of the inputs.

    `reason` says how a known one is known (pending, leased, dated, finished, maybe_seen), which rule put
    one out of scope, why one is invalid or refused. `id` is "partition:id" where there is one.
    """

    uri: str
    outcome: Admitted
    reason: str = ""
    id: str = ""
    fetch_status: int = 0
    """-5000 for out of scope (Heritrix' CandidateScoper), -7 for invalid, else 0."""

    @property
    def accepted(self) -> bool:
        """Will it be fetched because of this call?"""
        return self.outcome in (Admitted.ADDED, Admitted.REQUEUED)


@dataclass(frozen=True)
class Claim:
    """A URI leased to this worker; `finish`, `release` or `extend` it before `lease_until_ms` (server clock)."""

    id: str
    token: str
    queue: str
    attempts: int
    """Attempts made before this one."""
    lost_leases: int
    lease_until_ms: int
    packed: bytes

    @cached_property
    def record(self) -> UriRecord:
        """The decoded record; raises RecordError when a newer or broken one was stored."""
        return decode(self.packed)

    @property
    def uri(self) -> str:
        """The URI to fetch, as it was found (escaped)."""
        return self.record.uri

    @property
    def path(self) -> str:
        """The hop path."""
        return self.record.path

    @property
    def via(self) -> str | None:
        """The page it was found on."""
        return self.record.via

    def outcome(self, fetch_status: int, **result: Any) -> Outcome:
        """An Outcome of this claim; keywords are the fields of Outcome."""
        return Outcome(self, fetch_status, **result)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The raw result of one fetch; disposition, politeness, retries and budgets are the server's business.

    A field that makes no sense (negative or NaN delay, a date in the past …) falls back to the default back-off.
    """

    claim: Claim
    fetch_status: int
    duration_ms: int | None = None
    """From the beginning to the end of the fetch."""
    size_bytes: int = 0
    digest: str | None = None
    """Signature of the content, for change detection."""
    modified_ms: int | None = None
    crawl_delay_seconds: float | None = None
    """From robots.txt."""
    retry_after: str | int | float | None = None
    """The header as it came: seconds or an HTTP date."""
    http_date: str | None = None
    """The answer's own Date header, against which a Retry-After date is read."""
    redirect: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    metadata: dict[str, Any] | None = None
    http_credential: bool = False
    """A 401 for which a credential is now attached: it goes round again."""
    robots_unreachable: bool = False
    prerequisite: Candidate | None = None
    """With fetch status -50: what must be fetched before."""
    delay_ms: float | None = None
    force_retire: bool = False
    refetch_in_ms: float | None = None
    retry_after_ms: float | None = None


class Finished(StrEnum):
    """How `finish`, `release` or `extend` answered one claim."""

    OK = "ok"
    GONE = "gone"
    STALE = "stale"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Settled:
    """The answer to one outcome: `verdict` is succeeded, failed, disregarded, retry, deleted or empty."""

    id: str
    answer: Finished
    verdict: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Claims(Sequence[Claim]):
    """What one claim brought; when short of what was asked, `wait_ms` says when to come again."""

    items: tuple[Claim, ...]
    wait_ms: int | None
    """0: again now; None: only new work or another call brings something."""
    run_state: str
    """RUN, PAUSE or FINISH."""
    now_ms: int
    version: int
    """Of the crawl's settings, scope and sheets."""

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, i: int) -> Claim: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Claim, ...]: ...
    def __getitem__(self, i: int | slice) -> Claim | tuple[Claim, ...]:
        return self.items[i]

    @property
    def next_due_ms(self) -> int | None:
        """Server time at which something is due."""
        return None if self.wait_ms is None else self.now_ms + self.wait_ms
