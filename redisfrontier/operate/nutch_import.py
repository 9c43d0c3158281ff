"""From a record of a Nutch database to what a crawl here takes in: what is due waits, what has a date waits for it, the rest is known."""

from __future__ import annotations

from redisfrontier.operate.nutch_dump import DumpRecord
from redisfrontier.policy.merge import UriState
from redisfrontier.policy.schedules import NEVER_MS
from redisfrontier.settings import Settings
from redisfrontier.status import FIXED_INTERVAL_KEY, Status
from redisfrontier.steps.adopt import Known

_FETCH_STATUS = {
    Status.DB_FETCHED: 200,
    Status.DB_NOTMODIFIED: 304,
    Status.DB_REDIR_TEMP: 302,
    Status.DB_REDIR_PERM: 301,
    Status.DB_GONE: 404,
}


def known(record: DumpRecord, settings: Settings) -> Known:
    """Unfetched: due at its time.  Fetched: refetched at its time if the crawl recrawls, else finished."""
    state = record.state
    never = state.time_ms >= NEVER_MS or _fixed_never(state)
    again = state.status == Status.DB_UNFETCHED or settings.recrawl_schedule != "none"
    verdict = "failed" if state.status in (Status.DB_GONE, Status.DB_PARSE_FAILED) else "succeeded"
    return Known(record.candidate(), state.time_ms if again and not never else None, verdict, _result(record))


def _fixed_never(state: UriState) -> bool:
    fixed = state.metadata.get(FIXED_INTERVAL_KEY)
    return isinstance(fixed, int) and fixed < 0 and state.status != Status.DB_UNFETCHED


def _result(record: DumpRecord) -> str:
    """In the order of res: (lua/include/result.lua); what a dump does not tell is 0 or -."""
    s = record.state
    if s.status == Status.DB_UNFETCHED and not s.retries and not s.signature:
        return ""
    due = 0 if s.time_ms >= NEVER_MS else s.time_ms
    fields = (s.status, _FETCH_STATUS.get(Status(s.status), 0) if s.status in _FETCH_STATUS else 0, record.fetched_ms, s.modified_ms)
    return " ".join(str(value) for value in (*fields, s.interval_seconds, s.retries, s.signature or "-", due))
