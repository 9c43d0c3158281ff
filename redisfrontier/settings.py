"""Every setting of a crawl, with its default, range, unit and the place that reads it.

Names are Heritrix' in snake_case (seed 002); what has no counterpart there carries its unit.
`Settings` is what a crawl runs with; a sheet overrides some of it for some URIs (see policy/sheets.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any

from redisfrontier.errors import SettingError

Value = bool | int | float | str | tuple[str, ...]


def _setting(
    default: Value,
    doc: str,
    *,
    low: float | None = None,
    high: float | None = None,
    one_of: tuple[str, ...] = (),
    server: bool = False,
    sheet: bool = False,
    fixed: bool = False,
) -> Any:
    """One setting: `server` = read by the scripts, `sheet` = may differ by sheet, `fixed` = only at creation."""
    meta = {"doc": doc, "low": low, "high": high, "one_of": one_of, "server": server, "sheet": sheet, "fixed": fixed}
    return field(default=default, metadata=meta)


@dataclass(frozen=True, slots=True)
class Settings:
    """The effective settings of a crawl, or of one of its sheets merged over them."""

    # -- frontier (seed 002) --
    queue_total_budget: int = _setting(-1, "cost units a queue may spend in all; below 0 none, 0 retires at once", server=True, sheet=True)
    balance_replenish_amount: int = _setting(3000, "cost units of one session of a queue; 0 or less: a session never ends", server=True, sheet=True)
    error_penalty_amount: int = _setting(100, "cost units charged on top of a failure", low=0, server=True, sheet=True)
    precedence_floor: int = _setting(255, "queues of this precedence or a worse (higher) one are not crawled", low=0, high=256, server=True)
    queue_precedence_policy: str = _setting(
        "base", "how a queue's precedence is found", one_of=("base", "success_counts", "highest_uri"), server=True, sheet=True
    )
    base_precedence: int = _setting(3, "precedence of a queue before its policy adds to it; low runs first", low=0, high=255, server=True, sheet=True)
    increment_counts: tuple[str, ...] = _setting(("100", "1000"), "success_counts: successes after which precedence grows by one; the last repeats", server=True)
    snooze_long_ms: int = _setting(300_000, "a longer snooze is reported as long", low=0, server=True)
    retry_delay_seconds: int = _setting(900, "wait before -1, -2, -3 are tried again", low=0, high=31_536_000, server=True, sheet=True)
    max_retries: int = _setting(30, "attempts of one URI in all, deferrals included", low=1, high=10_000, server=True, sheet=True)
    recovery_log_enabled: bool = _setting(True, "let a follower write frontier.recover.gz", server=True)
    max_outlinks: int = _setting(6000, "links taken from one page; the surplus is counted", low=0, sheet=True)
    extract_independently: bool = _setting(False, "run later extractors even when one has claimed the document", sheet=True)
    dump_pending_at_close: bool = _setting(False, "write what is pending to crawl.log when the crawl stops")
    inbound: int = _setting(40_000, "accepted for Heritrix' sake; not needed: there is no inbound queue")
    outbound: int = _setting(200, "accepted for Heritrix' sake; not needed: there is no outbound queue")
    # -- politeness (Heritrix' DispositionProcessor) --
    delay_factor: float = _setting(5.0, "politeness delay = this × fetch duration", low=0, high=1000, server=True, sheet=True)
    min_delay_ms: int = _setting(3000, "smallest politeness delay", low=0, high=86_400_000, server=True, sheet=True)
    max_delay_ms: int = _setting(30_000, "greatest politeness delay, Crawl-delay apart", low=0, high=86_400_000, server=True, sheet=True)
    respect_crawl_delay_up_to_seconds: int = _setting(300, "cap of robots.txt Crawl-delay", low=0, high=86_400, server=True, sheet=True)
    max_per_host_bandwidth_usage_kb_sec: int = _setting(0, "KB/s a queue may take; 0 off", low=0, server=True, sheet=True)
    unset_delay_ms: int = _setting(5000, "politeness delay when an outcome tells neither delay nor duration", low=0, high=86_400_000, server=True, sheet=True)
    max_in_flight: int = _setting(1, "URIs of one queue that may be out at once", low=1, high=10_000, server=True, sheet=True)
    group_max_in_flight: int = _setting(1, "URIs of one queue group that may be out at once", low=1, high=10_000, server=True)
    # -- leases --
    lease_ms: int = _setting(1_200_000, "how long a claim holds a URI unless extended", low=100, high=86_400_000, server=True)
    max_lost_leases: int = _setting(3, "lost leases that a URI survives; the next one is its failure", low=0, high=1000, server=True)
    max_in_flight_per_worker: int = _setting(0, "leases one worker may hold; 0 no cap", low=0, server=True)
    # -- retry and back-off (design 8) --
    retry_scope: str = _setting("queue", "what waits for a retry: the whole queue (Heritrix) or the URI", one_of=("queue", "uri"), server=True, sheet=True)
    retry_statuses: tuple[str, ...] = _setting((), "further fetch statuses that are tried again", server=True, sheet=True)
    slow_statuses: tuple[str, ...] = _setting(("429", "503"), "answers that slow a host down", server=True, sheet=True)
    slow_base_ms: int = _setting(60_000, "first back-off of a slow host; doubles", low=0, high=86_400_000, server=True, sheet=True)
    slow_max_ms: int = _setting(86_400_000, "cap of every back-off and Retry-After", low=0, high=604_800_000, server=True, sheet=True)
    slow_forgive_ms: int = _setting(1_800_000, "quiet time after which a slow run is forgotten", low=0, high=604_800_000, server=True, sheet=True)
    slow_jitter: float = _setting(0.1, "share by which a back-off varies, lest all hosts return together", low=0, high=0.5, server=True)
    failure_run_limit: int = _setting(3, "connection failures in a row from which on the retry delay doubles", low=1, server=True, sheet=True)
    robots_retry_ms: int = _setting(300_000, "rest of a host whose robots.txt is unreachable", low=0, high=86_400_000, server=True, sheet=True)
    robots_max_tries: int = _setting(3, "unreachable robots.txt answers after which the queue retires", low=1, server=True, sheet=True)
    # -- limits of the crawl (0 = none) --
    max_documents_download: int = _setting(0, "documents after which the crawl finishes; 0 none", low=0, server=True)
    max_bytes_download: int = _setting(0, "bytes after which the crawl finishes; 0 none", low=0, server=True)
    max_time_seconds: int = _setting(0, "running time, pauses apart, after which the crawl finishes; 0 none", low=0, server=True)
    max_documents_per_queue: int = _setting(-1, "successes after which a queue retires; below 0 none", server=True, sheet=True)
    max_bytes_per_queue: int = _setting(-1, "bytes after which a queue retires; below 0 none", server=True, sheet=True)
    max_documents_per_source_tag: int = _setting(-1, "successes of one source tag after which its URIs are not admitted; below 0 none", server=True)
    max_record_bytes: int = _setting(65_536, "size of a stored record above which the URI is refused", low=1024, high=1_048_576)
    max_uri_bytes: int = _setting(65_535, "length above which a URI is refused", low=64, high=65_535)
    soft_memory_percent: int = _setting(90, "share of maxmemory at which admission stops; 100 off", low=10, high=100, server=True)
    # -- recrawl --
    retention: str = _setting("pending", "keep finished records, or pending ones only", one_of=("pending", "keep"), server=True, fixed=True)
    recrawl_schedule: str = _setting(
        "none",
        "when a finished URI comes back",
        one_of=("none", "fixed", "fixed_rate", "nutch_adaptive", "stormcrawler", "stormcrawler_adaptive"),
        server=True,
        sheet=True,
    )
    fetch_interval_seconds: int = _setting(2_592_000, "interval of a new URI", low=1, high=315_360_000, server=True, sheet=True)
    max_fetch_interval_seconds: int = _setting(7_776_000, "db.fetch.interval.max", low=1, high=315_360_000, server=True, sheet=True)
    db_fetch_retry_max: int = _setting(3, "Nutch' db.fetch.retry.max: retries before a page counts as gone", low=1, server=True, sheet=True)
    adaptive_inc_rate: float = _setting(0.4, "growth of the interval of an unchanged page", low=0, high=10, server=True, sheet=True)
    adaptive_dec_rate: float = _setting(0.2, "shrinkage of the interval of a changed page", low=0, high=1, server=True, sheet=True)
    adaptive_min_interval_seconds: int = _setting(60, "shortest adaptive interval", low=1, server=True, sheet=True)
    adaptive_max_interval_seconds: int = _setting(31_536_000, "longest adaptive interval", low=1, server=True, sheet=True)
    adaptive_sync_delta: bool = _setting(True, "nutch_adaptive: pull the next fetch towards the time of change", server=True, sheet=True)
    adaptive_sync_delta_rate: float = _setting(0.3, "nutch_adaptive: how far it is pulled", low=0, high=1, server=True, sheet=True)
    fetch_error_interval_seconds: int = _setting(7200, "stormcrawler_adaptive: next try after a fetch error", low=1, server=True, sheet=True)
    future_uris_keep_alive: bool = _setting(True, "a crawl that only waits for dates of refetches goes on; false: it counts as EMPTY")
    max_fetch_errors: int = _setting(3, "stormcrawler_adaptive: fetch errors after which a URI is not fetched again", low=1, server=True, sheet=True)
    # -- uniqueness (design 4) --
    uniqueness: str = _setting("auto", "how a URI is known again", one_of=("auto", "bloom", "bitfield", "exact"), server=True, fixed=True)
    expected_uris: int = _setting(10_000_000, "URIs the filter is sized for", low=1000, high=100_000_000_000, server=True, fixed=True)
    false_positive_rate: float = _setting(1e-6, "share of new URIs a Bloom filter may take for known", low=1e-9, high=0.01, server=True, fixed=True)
    # -- before scheduling: queues, costs, precedence, directives (Heritrix' FrontierPreparer) --
    queue_assignment_policy: str = _setting(
        "surt_authority",
        "which queue a URI belongs to",
        one_of=(
            "surt_authority",
            "surt_authority_with_limits",
            "hostname",
            "hostname_with_limits",
            "assignment_level_surt",
            "bucket",
        ),
        fixed=True,
    )
    queue_assignment_limit: int = _setting(-1, "…_with_limits: how many labels are kept; -1 all", low=-1, fixed=True)
    queue_assignment_buckets: int = _setting(1021, "bucket: how many queues there are", low=1, high=1_000_000, fixed=True)
    force_queue_assignment: str = _setting("", "one queue name for all URIs it applies to", sheet=True)
    parallel_queues: int = _setting(1, "queues one authority is spread over", low=1, high=1000, sheet=True)
    parallel_queues_random_assignment: bool = _setting(False, "spread by the whole URI instead of its first path segment", sheet=True)
    queue_group: str = _setting("", "queue group: none, domain, or a name of its own", sheet=True)
    cost_assignment_policy: str = _setting("unit", "what a URI costs", one_of=("unit", "zero", "wag", "anti_calendar"), sheet=True)
    uri_precedence_policy: str = _setting("cost", "where a URI stands in its queue", one_of=("cost", "base", "hops", "preloaded"), sheet=True)
    base_uri_precedence: int = _setting(1, "base and hops policies: the least precedence", low=0, high=255, sheet=True)
    hops_navlinks_only: bool = _setting(True, "hops policy: count L hops only", sheet=True)
    preference_depth_hops: int = _setting(-1, "hops from a seed that are preferred; -1 off", low=-1, sheet=True)
    preference_embed_hops: int = _setting(1, "embed hops that are preferred", low=0, sheet=True)
    # -- scope of a crawl that defines none --
    max_hops: int = _setting(20, "TooManyHops", low=0, sheet=False)
    max_trans_hops: int = _setting(2, "Transclusion", low=0)
    max_speculative_hops: int = _setting(1, "Transclusion", low=0)
    max_repetitions: int = _setting(2, "PathologicalPath", low=1)
    max_path_depth: int = _setting(20, "TooManyPathSegments", low=1)
    scope_log_to_file: bool = _setting(False, "write to scope.log which rule decided each URI (Heritrix' logToFile)")
    seed_redirects: str = _setting("strict", "does the target of a seed's redirect widen the scope", one_of=("strict", "always", "never"))
    # -- robots (for the crawler) --
    robots_policy_name: str = _setting("obey", "obey = classic, ignore, or robots_txt_only", one_of=("obey", "classic", "ignore", "robots_txt_only"), sheet=True)
    robots_validity_duration_seconds: int = _setting(86_400, "how long a robots.txt is believed; 0 for ever", low=0, sheet=True)

    def changed(self, values: Mapping[str, object]) -> Settings:
        """These settings with `values` (raw, by name) put over them.

        Raises SettingError that names the first bad setting, why, and what is allowed.
        """
        known: dict[str, Any] = {name: checked(name, raw) for name, raw in values.items()}
        return replace(self, **known)


SPECS: Mapping[str, Mapping[str, Any]] = {f.name: {**f.metadata, "default": f.default, "type": type(f.default)} for f in fields(Settings)}
SERVER = tuple(n for n, s in SPECS.items() if s["server"])
SHEET = tuple(n for n, s in SPECS.items() if s["sheet"])
FIXED = tuple(n for n, s in SPECS.items() if s["fixed"])


def checked(name: str, raw: object) -> Value:
    """`raw` (typed, or text as Redis, TOML or a command line gives it) as the value of setting `name`; raises SettingError."""
    spec = SPECS.get(name)
    if spec is None:
        near = get_close_matches(name, SPECS, 1)
        raise SettingError(f"unknown setting {name!r:.80}", remedy=f"did you mean {near[0]!r}?" if near else "see `redisfrontier settings ls`")
    try:
        value = _typed(spec["type"], raw)
    except (ValueError, TypeError, OverflowError):
        raise SettingError(f"setting {name} = {raw!r:.80}: not {_KIND[spec['type']]}", remedy=str(spec["doc"])) from None
    if spec["one_of"] and value not in spec["one_of"]:
        raise SettingError(f"setting {name} = {raw!r:.80}: unknown choice", remedy="one of " + ", ".join(spec["one_of"]))
    _in_range(name, value, spec)
    return value


def as_text(value: Value) -> str:
    """A value as it is written to Redis: plain text, booleans 0/1, lists separated by blanks."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return " ".join(value) if isinstance(value, tuple) else str(value)


def from_text(values: Mapping[str, str]) -> Settings:
    """Settings as read back from Redis; unknown names (of a newer version) are left out."""
    return Settings().changed({n: v for n, v in values.items() if n in SPECS})


_KIND = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", tuple: "a list"}


def _typed(kind: type, raw: object) -> Value:
    if kind is bool:
        return _TRUTH[str(raw).strip().lower()] if str(raw).strip().lower() in _TRUTH else _refuse()
    if kind is int:
        if isinstance(raw, bool) or (isinstance(raw, float) and raw != int(raw)):
            _refuse()
        return int(raw)  # type: ignore[call-overload,no-any-return]
    if kind is float:
        number = _refuse() if isinstance(raw, bool) else float(raw)  # type: ignore[arg-type]
        return number if math.isfinite(number) else _refuse()
    if kind is tuple:
        parts: Iterable[object] = raw.replace(",", " ").split() if isinstance(raw, str) else raw  # type: ignore[assignment]
        return tuple(str(p) for p in parts)
    return raw if isinstance(raw, str) else _refuse()


_TRUTH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def _refuse() -> Any:
    raise ValueError


def _in_range(name: str, value: Value, spec: Mapping[str, Any]) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return
    low, high = spec["low"], spec["high"]
    if (low is not None and value < low) or (high is not None and value > high):
        span = f"{'' if low is None else low}…{'' if high is None else high}"
        raise SettingError(f"setting {name} = {value!s:.80}: out of range {span}", remedy=str(spec["doc"]))
