"""Vectors of kind classkey: the queue that each assignment policy gives to a URI."""

from __future__ import annotations

from typing import Any

from redisfrontier.errors import InvalidUri
from redisfrontier.policy.queueing import queue_policy
from redisfrontier.settings import Settings
from redisfrontier.uri.parse import parse

_POLICIES = {
    "SurtAuthority": "surt_authority",
    "SurtAuthorityWithLimits": "surt_authority_with_limits",
    "Hostname": "hostname",
    "HostnameWithLimits": "hostname_with_limits",
    "AssignmentLevelSurt": "assignment_level_surt",
    "Bucket": "bucket",
}
_OPTIONS = {
    "limit": "queue_assignment_limit",
    "parallelQueues": "parallel_queues",
    "parallelQueuesRandomAssignment": "parallel_queues_random_assignment",
    "forceQueueAssignment": "force_queue_assignment",
}


def run(case: dict[str, Any]) -> list[str]:
    """The mismatches of one case."""
    given, expected = case["in"], case["out"]
    config = dict(given.get("config") or {})
    defer = config.pop("deferToPrevious", True)
    values: dict[str, Any] = {_OPTIONS[k]: v for k, v in config.items()}
    settings = Settings().changed({"queue_assignment_policy": _POLICIES[given["policy"]], **values})
    try:
        uri = parse(given["uri"])
    except InvalidUri as e:
        return [] if isinstance(expected, dict) and expected.get("rejected") else [f"refused: {e}"]
    via = given.get("via")
    got = queue_policy(settings)(uri, given.get("path") or "", via, given.get("class_key") if defer else None)
    return [] if got == expected else [f"got {got!r}, want {expected!r}"]
