"""From a raw link to a candidate with everything `schedule` needs: URI → scope → sheets → queue, cost, directive, precedence → record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from redisfrontier.errors import BadArgument, InvalidUri
from redisfrontier.policy.cost import MAX_COST, cost
from redisfrontier.policy.directive import HIGHEST, directive
from redisfrontier.policy.field_checks import check_fields
from redisfrontier.policy.hops import extend
from redisfrontier.policy.precedence import clamped, preload_key, uri_precedence
from redisfrontier.policy.queueing import QueuePolicy, basis_uri, group_of, queue_name, queue_policy
from redisfrontier.policy.scope.decision import Subject, Verdict, subject_of
from redisfrontier.policy.scope.sequence import DecideRuleSequence
from redisfrontier.policy.seed_redirects import becomes_seed
from redisfrontier.policy.sheets import Sheets
from redisfrontier.record.codec import encode
from redisfrontier.record.outcome import Admission, Admitted
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.settings import Settings
from redisfrontier.uri.canonical import Canonicalizer
from redisfrontier.uri.fingerprint import dedup_fingerprint, fingerprint, partition_of
from redisfrontier.uri.parse import Uri, parse
from redisfrontier.uri.surt import candidate_surt, implied_prefix

OUT_OF_SCOPE_STATUS = -5000
RUNTIME_EXCEPTION_STATUS = -5
UNFETCHABLE_STATUS = -7
PREREQUISITE_CONTEXT = "=PREREQ_MISC"
HOP_LETTERS = "LPEXRIMS"

_CACHED_AUTHORITIES = 65_536
_CACHED_VIAS = 4096
#: Longer texts are not kept, so that the caches are bounded in bytes too.
_CACHED_CHARACTERS = 2048
#: How a URI was found that comes without a word about it.
_PLAIN = Candidate("")
#: A link as an extractor gives it: raw URI, hop letter, where it stood (`a/@href`).
Link = tuple[str, str, str | None]


class Prepared(NamedTuple):
    """A candidate ready for `schedule`: what the script needs beside the packed record."""

    uri: str
    partition: int
    fingerprint: bytes
    queue: str
    group: str
    #: Sheets of the queue (those of its authority's root URI), weakest first.
    sheets: tuple[str, ...]
    directive: int
    precedence: int
    cost: int
    force: bool
    source_tag: str
    record: bytes


class Preparer:
    """Prepares candidates for one crawl. `scope` None takes every URI; without `sheets` the settings hold for all.

    `preloaded` gives precedences by `precedence.preload_key`; `on_new_seed(uri, prefix)` is told of seeds that came in mid-crawl and
    of the SURT prefix that they add to the scope; `scope_log` takes the lines of scope.log; `now_ms` dates the records.
    """

    def __init__(
        self,
        settings: Settings,
        scope: DecideRuleSequence | None = None,
        sheets: Sheets | None = None,
        canonicalizer: Canonicalizer | None = None,
        partitions: int = 1,
        *,
        preloaded: Mapping[str, int] | None = None,
        on_new_seed: Callable[[str, str], None] | None = None,
        scope_log: Callable[[str], None] | None = None,
        now_ms: Callable[[], int] | None = None,
    ) -> None:
        self.settings = settings
        self.scope = scope
        self.sheets = sheets if sheets is not None else Sheets((), settings)
        self.canonical = canonicalizer or Canonicalizer()
        self.partitions = partitions
        self._preloaded = preloaded or {}
        self._on_new_seed = on_new_seed
        self._scope_log = scope_log if scope is not None and scope.log_to_file else None
        self._now_ms = now_ms
        self._policies: dict[tuple[object, ...], QueuePolicy] = {}
        self._assign = self._queue_policy(settings)
        self._remembered_via = lru_cache(maxsize=_CACHED_VIAS)(_parsed)
        self._remembered_sheets = lru_cache(maxsize=_CACHED_AUTHORITIES)(self._sheets_of_root)

    def prepare(self, c: str | Candidate) -> Prepared | Admission:
        """`c` ready for scheduling, or why it is not: out of scope, invalid, refused. Never raises, whatever `c` is."""
        try:
            return self._prepared(c.uri, c) if isinstance(c, Candidate) else self._prepared(c, _PLAIN)
        except InvalidUri as e:
            return Admission(e.text, Admitted.INVALID, e.reason, fetch_status=UNFETCHABLE_STATUS)
        except BadArgument as e:
            return Admission(_shown(c), Admitted.REFUSED, str(e), fetch_status=UNFETCHABLE_STATUS)
        except Exception as e:  # one bad item must not end a batch; Heritrix' scoper gives −5 then
            return Admission(_shown(c), Admitted.REFUSED, f"error: {type(e).__name__}: {e}"[:200], fetch_status=RUNTIME_EXCEPTION_STATUS)

    def _prepared(self, raw: str, c: Candidate) -> Prepared | Admission:
        """`raw` as `c` tells that it was found."""
        uri = parse(raw)
        if len(uri.text) > self.settings.max_uri_bytes:
            raise InvalidUri("too_long", uri.text)
        if c is not _PLAIN:
            check_fields(c)
        via = self._via(c.via) if c.via else None
        path = c.path
        settings, assign = self.settings, self._assign
        if self.sheets:
            settings = self._settings_for(uri, path, via, c)
            assign = self._queue_policy(settings)
        by_policy = assign(uri, path, via, None)
        queue = queue_name(c.queue) if c.queue else by_policy
        if self.scope is not None:
            verdict = self._scoped(self.scope, Subject(uri, path, via, c.is_seed, c.source_tag, queue, candidate_surt(uri)))
            if isinstance(verdict, Admission):
                return verdict
            if verdict.becomes_seed and not c.is_seed:
                c = replace(c, is_seed=True)
        canonical = self.canonical(uri)
        force = c.force_fetch or (path[-1:] == "R" and via is not None and self._same_page(uri, via, canonical))
        if force is not c.force_fetch or (c.via and c.via != (via and via.text)):
            c = replace(c, force_fetch=force, via=via.text if via else None)
        if c.queue and queue == by_policy:
            c = replace(c, queue=None)
        return self._finished(c, uri, basis_uri(uri, path, via), canonical, queue, settings)

    def _finished(self, c: Candidate, uri: Uri, basis: Uri, canonical: str, queue: str, settings: Settings) -> Prepared:
        """The numbers of a URI that is taken, and its record, which names the queue only where the policy would not give it."""
        price = c.cost if c.cost is not None else cost(uri, c.via, settings)
        price = 0 if price < 0 else min(price, MAX_COST)
        order = directive(c.path, c.directive, settings, is_seed=c.is_seed, prerequisite=c.prerequisite)
        precedence = clamped(c.precedence if c.precedence is not None else self._precedence(uri, c.path, price, settings))
        mark = dedup_fingerprint(c.dedup_key) if c.dedup_key else fingerprint(canonical)
        names = self._queue_sheets(basis) if self.sheets and basis.host else ()
        group = group_of(basis, queue, self.sheets.effective(names)) or "" if names or self.settings.queue_group else ""
        record = encode(
            c,
            uri=uri.text,
            canonical=canonical,
            fingerprint=mark,
            cost=price,
            directive=order,
            precedence=precedence,
            queue=queue if c.queue else None,
            added_ms=self._now_ms() if self._now_ms else None,
        )
        if len(record) > self.settings.max_record_bytes:
            raise BadArgument(f"record_too_large: {len(record)} bytes")
        partition = partition_of(queue, self.partitions, group or None)
        return Prepared(uri.text, partition, mark, queue, group, names, order, precedence, price, c.force_fetch, c.source_tag or "", record)

    def outlinks(self, parent: UriRecord, links: Iterable[Link], base: str | None = None) -> tuple[list[Candidate], int]:
        """The links of a page as candidates, equal ones once, at most `max_outlinks`; and how many were over.

        `base` is the page's base URI (default: its own). What cannot be resolved is passed on as it is: `prepare` says why.
        The target of a seed's redirect becomes a seed as the setting `seed_redirects` says.
        """
        page = parse(parent.uri)
        origin = (base and _resolved(base, page)[1]) or page
        most = self.effective(page).max_outlinks
        found: dict[tuple[str, str, str | None], Candidate] = {}
        surplus = 0
        for raw, hop, context in links:
            if len(found) >= most:
                surplus += 1
                continue
            text, target = _resolved(raw, origin)
            key = (text, hop, context)
            if key not in found:
                found[key] = self._link(parent, page, text, target, hop, context)
        return list(found.values()), surplus

    def prerequisite(self, parent: UriRecord, raw: str) -> Candidate:
        """What must be fetched before `parent` (dns:host, /robots.txt, a login page): forced, one directive better, in its queue."""
        text, _ = _resolved(raw, parse(parent.uri))
        return Candidate(
            text,
            path=extend(parent.path, "P"),
            via=parent.uri,
            via_context=PREREQUISITE_CONTEXT,
            source_tag=parent.source_tag,
            force_fetch=True,
            prerequisite=True,
            queue=parent.queue,
            directive=max(parent.directive - 1, HIGHEST),
            precedence=0 if parent.directive == HIGHEST else None,
            heritable=parent.heritable,
        )

    def effective(self, uri: Uri) -> Settings:
        """The settings for a URI as such, by its sheets."""
        return self._settings_for(uri, "", None, Candidate(uri.text)) if self.sheets else self.settings

    def _link(self, parent: UriRecord, page: Uri, text: str, target: Uri | None, hop: str, context: str | None) -> Candidate:
        if len(hop) != 1 or hop not in HOP_LETTERS:
            raise BadArgument(f"hop {hop!r} is not one of {HOP_LETTERS}")
        path = extend(parent.path, hop)
        seed = parent.is_seed and target is not None and becomes_seed(page, target, path, self.settings.seed_redirects)
        return Candidate(
            text,
            path=path,
            via=parent.uri,
            via_context=context,
            is_seed=seed,
            source_tag=parent.source_tag,
            force_fetch=seed,
            heritable=parent.heritable,
        )

    def _scoped(self, scope: DecideRuleSequence, subject: Subject) -> Admission | Verdict:
        """The verdict if in scope, else the refusal; a seed that is taken brings its own prefix into the scope."""
        verdict = scope.decide(subject)
        if self._scope_log is not None:
            self._scope_log(scope.log_line(subject, verdict))
        if not verdict.accepts:
            reason = f"{verdict.index} {verdict.rule or 'no rule decided'}"
            return Admission(subject.uri.text, Admitted.OUT_OF_SCOPE, reason, fetch_status=OUT_OF_SCOPE_STATUS)
        if subject.is_seed or verdict.becomes_seed:
            prefix = implied_prefix(subject.uri.text)
            if scope.widen(prefix) and self._on_new_seed is not None:
                self._on_new_seed(subject.uri.text, prefix)
        return verdict

    def _same_page(self, uri: Uri, via: Uri, canonical: str) -> bool:
        """Does a redirect lead to another spelling of the page it came from? Such a target must be fetched though it is known."""
        return uri.text != via.text and self.canonical(via) == canonical

    def _precedence(self, uri: Uri, path: str, price: int, settings: Settings) -> int:
        loaded = self._preloaded.get(preload_key(uri)) if self._preloaded and settings.uri_precedence_policy == "preloaded" else None
        return uri_precedence(uri, path, price, settings, loaded)

    def _settings_for(self, uri: Uri, path: str, via: Uri | None, c: Candidate) -> Settings:
        subject = subject_of(uri, path, via, is_seed=c.is_seed, source_tag=c.source_tag)
        basis = basis_uri(uri, path, via)
        return self.sheets.effective(self.sheets.names_for(subject.surt if basis is uri else candidate_surt(basis), subject))

    def _via(self, text: str) -> Uri | None:
        return self._remembered_via(text) if len(text) <= _CACHED_CHARACTERS else _parsed(text)

    def _queue_sheets(self, basis: Uri) -> tuple[str, ...]:
        """The sheets of a queue are those of its authority's root URI, whatever URI of it is met last."""
        find = self._remembered_sheets if len(basis.host) <= _CACHED_CHARACTERS else self._sheets_of_root
        return find(basis.scheme, basis.host, basis.port)

    def _sheets_of_root(self, scheme: str, host: str, port: int) -> tuple[str, ...]:
        root = parse(f"{scheme}://{host}{f':{port}' if port >= 0 else ''}/")
        subject = subject_of(root)
        return self.sheets.names_for(subject.surt, subject)

    def _queue_policy(self, settings: Settings) -> QueuePolicy:
        """The policy under `settings`; combinations of sheets that assign alike share one, with its cache of hosts."""
        key = (settings.force_queue_assignment, settings.parallel_queues, settings.parallel_queues_random_assignment)
        policy = self._policies.get(key)
        if policy is None:
            policy = self._policies[key] = queue_policy(settings)
        return policy


def _parsed(text: str) -> Uri | None:
    try:
        return parse(text)
    except InvalidUri:
        return None


def _resolved(raw: str, origin: Uri) -> tuple[str, Uri | None]:
    try:
        target = parse(raw, origin)
    except InvalidUri:
        return str(raw), None
    return target.text, target


def _shown(c: object) -> str:
    text: object = c.uri if isinstance(c, Candidate) else c
    return text[:200] if isinstance(text, str) else repr(type(text).__name__)
