"""Merging what is known of one URI: latest record wins, then Nutch' CrawlDbReducer rules (seed 003), in any order of arrival alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from heapq import nlargest
from typing import Final

from redisfrontier.policy.schedules import NEVER_MS, Change, Next, Schedule, Visit, force_refetch, schedule_of
from redisfrontier.record.record import MetaValue
from redisfrontier.settings import Settings
from redisfrontier.status import FIXED_INTERVAL_KEY, REDIRECT_KEY, Status, has_db_status, has_fetch_status

#: Nutch' generate mark; a merge is the end of that lease, so it never survives one.
GENERATE_KEY: Final = "_ngt_"
#: Links of one URI that add to its score (`db.update.max.inlinks`); the greatest count.
MAX_INLINKS: Final = 10_000
_NOTHING: Final[Mapping[str, MetaValue]] = {}


@dataclass(frozen=True, slots=True)
class UriState:
    """One record of a URI: what a database holds of it, or the result of one fetch, by the range of `status`."""

    status: int
    time_ms: int
    """DB: when it is due (NEVER_MS: never). FETCH: when it was fetched."""
    interval_seconds: int = 0
    """0: the default."""
    retries: int = 0
    modified_ms: int = 0
    """When the page last changed; 0: unknown."""
    signature: str | None = None
    score: float = 0.0
    metadata: Mapping[str, MetaValue] = field(default_factory=lambda: _NOTHING)


def order_key(state: UriState) -> tuple[object, ...]:
    """The total order of records: (time, status byte, signature), the greatest is the latest (design §9).

    The other fields follow only so that unequal records never tie; a missing signature is below every other.
    """
    rest = (state.interval_seconds, state.retries, state.modified_ms, state.score, sorted((k, repr(v)) for k, v in state.metadata.items()))
    return (state.time_ms, state.status, state.signature is not None, state.signature or "", *rest)


def latest(states: Iterable[UriState]) -> UriState | None:
    """The latest of several records of one URI, whatever their order; None of none."""
    return max(states, key=order_key, default=None)


def merge_all(states: Iterable[UriState], settings: Settings, now_ms: int, *, additions: bool = True) -> UriState | None:
    """All records of one URI, database records and fetches of any number of segments mixed, as one (see `merge`)."""
    old: list[UriState] = []
    updates: list[UriState] = []
    for state in states:
        (old if has_db_status(state.status) else updates).append(state)
    return merge(latest(old), updates, settings, now_ms, additions=additions)


def merge(old: UriState | None, updates: Iterable[UriState], settings: Settings, now_ms: int, *, additions: bool = True) -> UriState | None:
    """The database record after `updates`, of which the latest fetch alone counts; None when there is nothing to keep.

    `old` is the database record so far, `updates` are FETCH, LINKED, SIGNATURE and PARSE_METADATA records in any order
    (others have no effect). `additions` false keeps URIs out that are not known yet. `now_ms` dates new links.
    """
    found = _Updates.of(updates)
    if old is None and not additions:
        return None
    if found.fetch is None:
        if found.links:
            return _linked(old, found, schedule_of(settings), now_ms)
        return None if old is None else _unmarked(old)
    return _Merging(old, found.fetch, found, settings).result()


@dataclass(frozen=True, slots=True)
class _Updates:
    fetch: UriState | None
    signature: str | None
    links: list[UriState]
    parsed: UriState | None

    @classmethod
    def of(cls, updates: Iterable[UriState]) -> _Updates:
        kinds: dict[int, list[UriState]] = {Status.FETCH_SUCCESS: [], Status.LINKED: [], Status.SIGNATURE: [], Status.PARSE_METADATA: []}
        for state in updates:
            kind = Status.FETCH_SUCCESS if has_fetch_status(state.status) else state.status
            if kind in kinds:
                kinds[kind].append(state)
        signed = latest(kinds[Status.SIGNATURE])
        links = nlargest(MAX_INLINKS, kinds[Status.LINKED], key=lambda s: (s.score, order_key(s)))
        return cls(latest(kinds[Status.FETCH_SUCCESS]), signed.signature if signed else None, links, latest(kinds[Status.PARSE_METADATA]))

    def score(self, before: float) -> float:
        """OPIC: what the links bring is added."""
        return before + sum(link.score for link in self.links)


def _linked(old: UriState | None, found: _Updates, schedule: Schedule, now_ms: int) -> UriState:
    """A URI that was only linked: a known one keeps its state, a new one is due at once."""
    if old is not None:
        return _unmarked(replace(old, score=found.score(old.score)))
    fresh = schedule.initialise(now_ms)
    metadata = found.links[0].metadata
    return _unmarked(UriState(Status.DB_UNFETCHED, now_ms, fresh.interval_seconds, 0, score=found.score(0.0), metadata=metadata))


def _unmarked(state: UriState) -> UriState:
    if GENERATE_KEY not in state.metadata:
        return state
    return replace(state, metadata={k: v for k, v in state.metadata.items() if k != GENERATE_KEY})


class _Merging:
    """One fetch put over one (or no) database record; the old status never matters, only times, signature, score, metadata."""

    def __init__(self, old: UriState | None, fetch: UriState, found: _Updates, settings: Settings) -> None:
        self.old, self.fetch, self.found, self.settings = old, fetch, found, settings
        self.schedule = schedule_of(settings)
        self.signature = found.signature if found.signature is not None else fetch.signature
        self.old_signature = old.signature if old else None
        self.old_modified = old.modified_ms if old else 0

    def result(self) -> UriState:
        status = self.fetch.status
        if status in _PAGES:
            return self._page(_PAGES[status])
        if status == Status.FETCH_GONE:
            return self._state(Status.DB_GONE, self.schedule.gone(self._visit()), self._kept_signature())
        if status == Status.PARSE_FAILED:
            return self._state(Status.DB_PARSE_FAILED, self.schedule.gone(self._visit()), self._kept_signature())
        return self._retried()

    def _page(self, status: int) -> UriState:
        """A success, a redirect or a 304: compared by signature, scheduled, or fetched anew when its interval is too long."""
        change = self._change()
        after = self.schedule.fetched(self._visit(change))
        if after.due_ms is not None and after.interval_seconds > self.settings.max_fetch_interval_seconds:
            again = force_refetch(after.due_ms, after.interval_seconds, self.fetch.time_ms, self.settings, asap=False)
            return self._state(Status.DB_UNFETCHED, again, None, parsed=True)
        if change is Change.NOTMODIFIED:  # nothing changed, so neither does the time of change
            kept = replace(after, modified_ms=self.old_modified)
            return self._state(Status.DB_NOTMODIFIED, kept, self.old_signature if self.old else self.signature, parsed=True)
        signature = self.signature if status == Status.DB_FETCHED else self.fetch.signature
        return self._state(status, after, signature, parsed=True)

    def _retried(self) -> UriState:
        """To be retried; also every FETCH code that this version does not know."""
        visit = self._visit()
        after = self.schedule.retry(visit)
        if after.retries < self.schedule.retry_max:
            return self._state(Status.DB_UNFETCHED, after, self._kept_signature())
        return self._state(Status.DB_GONE, replace(self.schedule.gone(visit), retries=after.retries), self._kept_signature())

    def _change(self) -> Change:
        if self.fetch.status == Status.FETCH_NOTMODIFIED:
            return Change.NOTMODIFIED
        if self.fetch.status != Status.FETCH_SUCCESS or not self.old_signature or not self.signature:
            return Change.UNKNOWN  # redirects are never compared by signature
        return Change.NOTMODIFIED if self.old_signature == self.signature else Change.MODIFIED

    def _visit(self, change: Change = Change.UNKNOWN) -> Visit:
        fetch, old = self.fetch, self.old
        fixed = self._metadata(parsed=False).get(FIXED_INTERVAL_KEY)
        redirected = fetch.status in _REDIRECTS  # no page, so the old page's time of change says nothing of it
        return Visit(
            at_ms=fetch.time_ms,
            interval_seconds=fetch.interval_seconds or (old.interval_seconds if old else 0),
            modified_ms=fetch.modified_ms or (0 if redirected else self.old_modified),
            retries=fetch.retries,
            change=change,
            planned_ms=old.time_ms if old else 0,
            fixed_seconds=fixed if isinstance(fixed, int) else None,
        )

    def _kept_signature(self) -> str | None:
        return self.old_signature if self.old else self.signature

    def _state(self, status: int, after: Next, signature: str | None, *, parsed: bool = False) -> UriState:
        return UriState(
            status=int(status),
            time_ms=NEVER_MS if after.due_ms is None else after.due_ms,
            interval_seconds=after.interval_seconds,
            retries=after.retries,
            modified_ms=after.modified_ms,
            signature=None if after.forget_signature else signature,
            score=self.found.score(self.old.score if self.old else self.fetch.score),
            metadata=self._metadata(parsed=parsed),
        )

    def _metadata(self, *, parsed: bool) -> Mapping[str, MetaValue]:
        """The old ones, the fetch's over them, on a page the parser's over these; a new answer ends an old redirect."""
        merged = dict(self.old.metadata) if self.old else {}
        if self.fetch.status in _ANSWERS:
            merged.pop(REDIRECT_KEY, None)
        merged.update(self.fetch.metadata)
        if parsed and self.found.parsed:
            merged.update(self.found.parsed.metadata)
        merged.pop(GENERATE_KEY, None)
        return merged


_PAGES: Final[Mapping[int, int]] = {
    Status.FETCH_SUCCESS: Status.DB_FETCHED,
    Status.FETCH_REDIR_TEMP: Status.DB_REDIR_TEMP,
    Status.FETCH_REDIR_PERM: Status.DB_REDIR_PERM,
    Status.FETCH_NOTMODIFIED: Status.DB_NOTMODIFIED,
}
_REDIRECTS: Final = frozenset({Status.FETCH_REDIR_TEMP, Status.FETCH_REDIR_PERM})
_ANSWERS: Final = _PAGES.keys() - {Status.FETCH_NOTMODIFIED}
