"""Settings of a golden case, in Heritrix' names, as settings and sheets of a crawl of ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from redisfrontier.crawl.heritrix_names import CHOICES, IGNORED, SETTINGS
from redisfrontier.errors import SettingError
from redisfrontier.policy.sheets import Sheet
from redisfrontier.settings import SPECS, Value, checked

#: Property name alone -> our setting; the golden cases tell no bean.
_NAMES = {path.rpartition(".")[2]: name for path, name in SETTINGS.items() if "PrecedencePolicy" not in path}
_IGNORED = {path.rpartition(".")[2] for path in IGNORED}
_WORDS = {
    setting: {cls.replace(ending, ""): value for cls, value in choices.items()}
    for (setting, choices), ending in zip(
        CHOICES.values(), ("QueuePrecedencePolicy", "QueueAssignmentPolicy", "CostAssignmentPolicy", "UriPrecedencePolicy"), strict=True
    )
}


def nearest(name: str, raw: Any) -> Value:
    """The value as our setting takes it; one out of range becomes the nearest that is allowed (a departure covers what differs)."""
    try:
        return checked(name, raw)
    except SettingError:
        low, high = SPECS[name]["low"], SPECS[name]["high"]
        return checked(name, low if low is not None and raw < low else high)


def settings_of(given: dict[str, Any]) -> dict[str, Value]:
    """Everything that is no precedence of single queues."""
    found: dict[str, Value] = {}
    for name, raw in given.items():
        if name in _NAMES:
            found[_NAMES[name]] = nearest(_NAMES[name], raw)
        elif name in ("queuePrecedencePolicy", "queueAssignmentPolicy", "costAssignmentPolicy", "uriPrecedencePolicy"):
            found |= _POLICIES[name](raw)
        elif name not in _IGNORED:
            raise KeyError(f"a setting that this runner does not know: {name}")
    return found


def flat_settings(given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Our name and the raw value of what is no policy; names that are none of ours are left out."""
    for name, raw in given.items():
        if name in _NAMES:
            yield _NAMES[name], raw
        elif name == "queuePrecedencePolicy" and "basePrecedence" in raw:
            yield "base_precedence", raw["basePrecedence"]


def precedences(given: dict[str, Any]) -> dict[str, int]:
    """Precedence by queue (policy ByKey of the golden cases)."""
    return dict(given.get("queuePrecedencePolicy", {}).get("precedences", {}))


def sheets_of(given: dict[str, Any]) -> list[Sheet]:
    """The precedences as sheets of the queues' authorities, for queues that do not exist yet."""
    return [sheet_of(queue, value) for queue, value in precedences(given).items()]


def sheet_of(queue: str, precedence: int) -> Sheet:
    """A sheet that gives one queue its precedence."""
    authority, _, port = queue.partition("#")
    prefix = f"http://({authority}{':' + port if port else ''})"
    return Sheet("precedence-" + queue, {"base_precedence": nearest("base_precedence", precedence)}, (prefix,))


def _queue_precedence(policy: dict[str, Any]) -> dict[str, Value]:
    found: dict[str, Value] = {"queue_precedence_policy": {**_WORDS["queue_precedence_policy"], "ByKey": "base"}[policy["class"]]}
    found["base_precedence"] = nearest("base_precedence", policy.get("basePrecedence", 3))
    if "incrementCounts" in policy:
        found["increment_counts"] = checked("increment_counts", policy["incrementCounts"])
    return found


def _queue_assignment(policy: dict[str, Any]) -> dict[str, Value]:
    words = _WORDS["queue_assignment_policy"] | {"SurtAuthorityWithLimits": "surt_authority_with_limits"}
    found: dict[str, Value] = {"queue_assignment_policy": words[policy.get("policy", "SurtAuthority")]}
    return found | settings_of(policy.get("config", {}))


def _cost(policy: str | dict[str, Any]) -> dict[str, Value]:
    return {"cost_assignment_policy": _WORDS["cost_assignment_policy"][_named(policy)[0]]}


def _uri_precedence(policy: str | dict[str, Any]) -> dict[str, Value]:
    name, config = _named(policy)
    found: dict[str, Value] = {"uri_precedence_policy": {**_WORDS["uri_precedence_policy"], "given": "base"}[name]}  # given: by each URI
    if "basePrecedence" in config:
        found["base_uri_precedence"] = nearest("base_uri_precedence", config["basePrecedence"])
    if "navlinksOnly" in config:
        found["hops_navlinks_only"] = bool(config["navlinksOnly"])
    return found


def _named(policy: str | dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and options of a policy, told as a name alone or as an object."""
    if isinstance(policy, str):
        return policy, {}
    return policy.get("policy") or policy.get("class", ""), {**policy, **policy.get("config", {})}


_POLICIES = {
    "queuePrecedencePolicy": _queue_precedence,
    "queueAssignmentPolicy": _queue_assignment,
    "costAssignmentPolicy": _cost,
    "uriPrecedencePolicy": _uri_precedence,
}
