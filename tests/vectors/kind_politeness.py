"""Vectors of kind politeness: how long a host rests after one fetch, or after each of several, as the real server computes it."""

from __future__ import annotations

from typing import Any

from redisfrontier.crawl.heritrix_names import SETTINGS
from redisfrontier.store import keys
from redisfrontier.worker.robots import Robots, product_token
from tests.vectors.real_server import RealServer
from tests.vectors.replay import Replay

_SERVER = RealServer()
_SETTINGS = {path.partition(".")[2] for path in SETTINGS if path.startswith("disposition.")}
_AGENT = "redisfrontier-test"
#: The golden lists of several delays are rounded to this.
_ROUNDED_MS = 50


def setup() -> None:
    """Start the server."""
    _SERVER.start()


def teardown() -> None:
    """Stop it."""
    _SERVER.stop()


def run(case: dict[str, Any]) -> list[str]:
    """The mismatches of one case."""
    given, want = case["in"], case["out"]
    sizes = [int(size) for size in given.get("bandwidth_fetches", [0])]
    replay = Replay(_SERVER, {k: v for k, v in given.items() if k in _SETTINGS}, tick=0)
    try:
        delays = _delays(given, sizes, replay)
    finally:
        replay.close()
    if not isinstance(want, list):
        return [] if delays == [want] else [f"want {want}, got {delays[0]}"]
    near = len(want) == len(delays) and all(abs(w - g) <= _ROUNDED_MS for w, g in zip(want, delays, strict=True))
    return [] if near else [f"want {want}, got {delays}"]


def _delays(given: dict[str, Any], sizes: list[int], replay: Replay) -> list[int]:
    frontier = replay.frontier
    frontier.set_settings({"max_in_flight": len(sizes)})
    frontier.set_clock(1_000_000)
    uris = [given["uri"], *(f"{given['uri']}{i}" for i in range(1, len(sizes)))]
    frontier.schedule(uris)
    found = []
    for claim, size in zip(frontier.claim(per_queue=len(sizes)), sizes, strict=True):
        outcome = claim.outcome(200, size_bytes=size, duration_ms=_duration(given), crawl_delay_seconds=_crawl_delay(given))
        frontier.finish([outcome])
        found.append(frontier.queue(claim.queue).get("not_before", 1_000_000) - 1_000_000)
        # The rest of one fetch must not hide that of the next: they are all made at the same instant.
        frontier.client.hset(keys.queue_state(frontier.session.name, 0, claim.queue), "not_before", 0)
    return found


def _duration(given: dict[str, Any]) -> int | None:
    if "began" not in given or "completed" not in given:
        return None
    return max(0, given["completed"] - given["began"])  # a clock that was set back in between


def _crawl_delay(given: dict[str, Any]) -> float | None:
    agent = next((v for k, v in given.items() if "agent" in k.lower() and isinstance(v, str)), _AGENT)
    return Robots(given["robots"], product_token(agent)).crawl_delay_seconds if "robots" in given else None
