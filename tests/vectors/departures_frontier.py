"""Departures in the life of queues: budgets, precedence, retries, deletion, recovery, politeness."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from redisfrontier.errors import SettingError
from redisfrontier.settings import Settings, checked
from tests.vectors.departure import Case, Departure
from tests.vectors.heritrix_settings import flat_settings, precedences

_TRACES = frozenset({"frontier_traces"})
_LIVES = frozenset({"frontier_traces", "dispositions"})
_POLITENESS = frozenset({"politeness"})
_SETTINGS = frozenset({"frontier_traces", "dispositions", "politeness"})
_CONNECTION_FAILED = (-1, -2, -3)
_Step = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]


def _steps(case: Case, *names: str) -> Iterator[_Step]:
    """(step, queues before it, what came of it) of the steps so named."""
    before: dict[str, Any] = {}
    if "ops" not in case["in"]:
        return
    for op, out in zip(case["in"]["ops"], case["out"]["steps"], strict=True):
        if op["op"] in names:
            yield op, before, out
        before = (out.get("after") or {}).get("queues", before)


def _statuses(case: Case) -> list[int]:
    """Every status that a fetch ended with, in order; a drain may repeat its one."""
    if "ops" not in case["in"]:
        return [case["in"]["status"]] * len(case["out"]["tries"])
    found: list[int] = []
    for op, _, out in _steps(case, "finish", "drain"):
        found += [op["status"]] * (len(out["result"]) if op["op"] == "drain" else 1)
    return found


def _scheduled(case: Case) -> Iterator[tuple[int, str, bool]]:
    """(place, URI, forced) of whatever was offered, recovery included."""
    for i, op in enumerate(case["in"].get("ops", ())):
        if op["op"] == "schedule":
            yield i, op["uri"], op.get("force", False)
        for line in op.get("lines", ()):
            yield i, (line[3:].split() or [""])[0], op.get("force", False)


def _all_settings(case: Case) -> dict[str, Any]:
    given = dict(case["in"].get("settings") or (case["in"] if "ops" not in case["in"] else {}))
    for op, _, _ in _steps(case, "set"):
        given |= op["settings"]
    return given


def _slow_host(case: Case) -> bool:
    return any(status in (429, 503) for status in _statuses(case))


def _failure_run(case: Case) -> bool:
    failures = sum(status in _CONNECTION_FAILED for status in _statuses(case))
    return failures >= Settings().failure_run_limit


def _wake_of_a_resting_host(case: Case) -> bool:
    return any(q["state"] == "snoozed" for _, before, _ in _steps(case, "wake_all") for q in before.values())


def _deleted(case: Case) -> Iterator[tuple[int, Callable[[str], bool]]]:
    for i, op in enumerate(case["in"].get("ops", ())):
        if op["op"] == "delete":
            regex = re.compile(op.get("uri_regex", ".*"))
            yield i, lambda uri, regex=regex: bool(regex.fullmatch(uri))


def _found_again(case: Case) -> bool:
    offers = list(_scheduled(case))
    return any(uri == old and j < at < i and hit(uri) for at, hit in _deleted(case) for i, uri, _ in offers for j, old, _ in offers)


def _deleted_while_out(case: Case) -> bool:
    return any(isinstance(out["result"], dict) and "throws" in out["result"] for _, _, out in _steps(case, "finish", "drain", "next"))


def _empty_path(case: Case) -> bool:
    return any(re.match(r"F\S \S+[ \t]{2,}\S+:", line) for op in case["in"].get("ops", ()) for line in op.get("lines", ()))


def _highest_uri(case: Case) -> bool:
    return "HighestUri" in str(_all_settings(case).get("queuePrecedencePolicy"))


def _precedence_changes(case: Case) -> bool:
    given = [case["in"].get("settings", {}), *(op["settings"] for op, _, _ in _steps(case, "set"))]
    moving = [s["queuePrecedencePolicy"] for s in given if "queuePrecedencePolicy" in s]
    waits = any(op.get("delay_ms", 0) != 0 or op["status"] in _CONNECTION_FAILED for op, _, _ in _steps(case, "finish", "drain"))
    return waits and (len(moving) > 1 or any(p.get("class") == "SuccessCounts" for p in moving) or _set_precedence(case))


def _set_precedence(case: Case) -> bool:
    return any("queuePrecedencePolicy" in op["settings"] for op, _, _ in _steps(case, "set"))


def _forced_while_known(case: Case) -> bool:
    offers = list(_scheduled(case))
    return any(forced and any(old == uri and j < i for j, old, _ in offers) for i, uri, forced in offers)


def _budget_raised(case: Case) -> bool:
    total = case["in"].get("settings", {}).get("queueTotalBudget", -1)
    for op, before, _ in _steps(case, "set"):
        new = op["settings"].get("queueTotalBudget", total)
        if total >= 0 and (new < 0 or new > total) and any(q["state"] == "retired" for q in before.values()):
            return True
        total = new
    return False


def _head_looked_at(case: Case) -> bool:
    """Heritrix emits a URI though a better one waits in its queue: it had peeked at the head in a budget test that failed."""
    waiting: dict[str, tuple[int, int]] = {}
    out: list[str] = []
    queued = 0
    for op, _, came in _steps(case, "schedule", "next", "finish", "drain"):
        before, queued = queued, sum(q["count"] for q in came["after"]["queues"].values())
        if op["op"] == "schedule" and came["result"] != "seen":
            waiting[op["uri"]] = (op.get("directive", 3), op.get("precedence", 1))
        elif op["op"] == "finish" and out and came["result"] == "ok":
            done = op.get("uri") or out[0]
            out.remove(done)
            if queued < before:  # not to be tried again
                waiting.pop(done, None)
        for uri in _emitted(op, came["result"]):
            if any(place < waiting.get(uri, (0, 0)) for other, place in waiting.items() if _host(other) == _host(uri)):
                return True
            if op["op"] == "next":
                out.append(uri)
            else:
                waiting.pop(uri, None)
    return False


def _emitted(op: dict[str, Any], result: Any) -> list[str]:
    if op["op"] == "next":
        return [result["uri"]] if result else []
    return result if op["op"] == "drain" else []


def _host(uri: str) -> str:
    return uri.split("/")[2] if "//" in uri else uri


def _out_of_range(case: Case) -> bool:
    given = _all_settings(case)
    return any(_refused(name, raw) for name, raw in flat_settings(given)) or any(not 0 <= p <= 255 for p in precedences(given).values())


def _refused(name: str, raw: Any) -> bool:
    try:
        checked(name, raw)
    except SettingError:
        return True
    return False


def _numbers_past_their_byte(case: Case) -> bool:
    ops = [op for op, _, _ in _steps(case, "schedule")] or [case["in"]]
    return any(not 0 <= (op.get("cost") or 0) <= 127 or not 0 <= op.get("precedence", 1) <= 127 for op in ops)


def _other_queue_policy(case: Case) -> bool:
    now = case["in"].get("settings", {}).get("queueAssignmentPolicy", {}).get("policy", "SurtAuthority")
    return any(op["settings"].get("queueAssignmentPolicy", {}).get("policy", now) != now for op, _, _ in _steps(case, "set"))


def _userinfo_or_default_port(case: Case) -> bool:
    hostname = "Hostname" in str(_all_settings(case))
    return any(re.match(r"\w+://[^/?#]*@", uri) or (hostname and uri.startswith("https:")) for _, uri, _ in _scheduled(case))


def _depth_preferred(case: Case) -> bool:
    return int(_all_settings(case).get("preferenceDepthHops", -1)) >= 0


def _no_fetch_times(case: Case) -> bool:
    return "began" not in case["in"] or "completed" not in case["in"]


FRONTIER_DEPARTURES: tuple[Departure, ...] = (
    Departure(
        "head-not-kept",
        "the head that a failed budget test looked at is not kept: a better URI that comes meanwhile goes first",
        _head_looked_at,
        _TRACES,
    ),
    Departure("slow-hosts", "429 and 503 slow the host: 60 s, doubling, up to a day (§11 item 8)", _slow_host, _LIVES),
    Departure(
        "failure-run", "from the third connection failure in a row on, the host's retry delay doubles (§11 item 7)", _failure_run, _LIVES
    ),
    Departure(
        "wake-keeps-politeness",
        "waking a queue ends its snooze or retry delay, never its politeness: no operator hurries a host by accident",
        _wake_of_a_resting_host,
        _TRACES,
    ),
    Departure("deleted-found-again", "a deleted URI is forgotten and may be found again (§11 item 5)", _found_again, _TRACES),
    Departure(
        "delete-while-out",
        "deletion is safe while URIs of the queue are out; Heritrix breaks (§11 item 4)",
        _deleted_while_out,
        _TRACES,
    ),
    Departure(
        "recover-empty-path",
        "a journal line with an empty hop path and a via is read as written (§11 item 14)",
        _empty_path,
        _TRACES,
    ),
    Departure("highest-uri-on-arrival", "a better URI moves its queue when it arrives (§11 item 1)", _highest_uri, _TRACES),
    Departure(
        "precedence-weighed-always",
        "a queue's precedence is weighed whenever it goes back, delays or not (§11 item 2), and an operator's change at once",
        lambda case: _precedence_changes(case) or "ByKey" in str([op["settings"] for op, _, _ in _steps(case, "set")]),
        _TRACES,
    ),
    Departure(
        "forced-not-doubled",
        "a forced URI that waits or is out is not queued a second time (§11 item 6)",
        _forced_while_known,
        _TRACES,
    ),
    Departure("budget-raise-wakes", "queues retired for their budget come back when it is raised (§11 item 15)", _budget_raised, _TRACES),
    Departure(
        "settings-in-range",
        "a setting that makes no sense (a negative penalty, a negative delay) is refused when it is set",
        _out_of_range,
        _SETTINGS,
    ),
    Departure(
        "numbers-in-a-byte",
        "precedences use the whole 0–255 and are clamped to it (§11 item 3); a cost is 0–127",
        _numbers_past_their_byte,
        _LIVES,
    ),
    Departure(
        "queue-policy-fixed",
        "uniqueness holds within a partition, so the queue assignment policy is fixed when a crawl is made",
        _other_queue_policy,
        _TRACES,
    ),
    Departure(
        "one-queue-a-host",
        "userinfo and default ports make no queue of their own: they would dodge politeness (§11 item 9)",
        _userinfo_or_default_port,
        _TRACES,
    ),
    Departure(
        "depth-preference",
        "preference_depth_hops n prefers URIs of up to n hops, not n − 1 (§11 item 11)",
        _depth_preferred,
        _TRACES,
    ),
    Departure(
        "no-fetch-times",
        "a finish that tells neither delay nor fetch times rests the host for unset_delay_ms, as Heritrix' frontier does",
        _no_fetch_times,
        _POLITENESS,
    ),
    Departure(
        "unset-size-is-nothing",
        "an unset content size adds nothing to the byte counters; Heritrix adds −1",
        lambda case: (case["in"].get("content_size") or 0) < 0,
        frozenset({"dispositions"}),
    ),
)
