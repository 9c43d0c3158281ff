"""Vectors of kind dispositions: one URI, finished with one status, until nothing more comes of it; on a real server."""

from __future__ import annotations

from typing import Any

from tests.vectors.real_server import RealServer
from tests.vectors.replay import Replay, lines_differ, same

_SERVER = RealServer()
_VERDICTS = {"succeeded": "success", "failed": "failure", "disregarded": "disregard", "retry": "retry"}


def setup() -> None:
    """Start the server."""
    _SERVER.start()


def teardown() -> None:
    """Stop it."""
    _SERVER.stop()


def run(case: dict[str, Any]) -> list[str]:
    """The mismatches of one case."""
    given, want = case["in"], case["out"]
    replay = Replay(_SERVER, given.get("settings", {}), tick=0)
    try:
        return _compared(given, want, replay)
    finally:
        replay.close()


def _compared(given: dict[str, Any], want: dict[str, Any], replay: Replay) -> list[str]:
    replay.schedule({"uri": given.get("uri", "http://a.example/1"), **{k: given[k] for k in ("cost",) if k in given}})
    tries = []
    while attempt := _attempt(given, replay):
        tries.append(attempt)
        if not given.get("until_final") or attempt["verdict"] != "retry":
            break
        replay.pass_time(attempt["queue_delay_ms"])
    bad = [] if tries == want["tries"] else [f"tries: want {want['tries']}, got {tries}"]
    got, after = replay.after(), want["after"]
    if given.get("until_final"):  # the golden driver looked once more after its clock had moved: the counters are to be compared
        for side in (got, after):
            side["queues"] = {name: _counters(q) for name, q in side["queues"].items()}
    bad += [f"after: {b}" for b in same(after, got)]
    spent = sum(q["spend"] for q in got["queues"].values())
    if spent != want["total_spend"]:
        bad.append(f"total_spend: want {want['total_spend']}, got {spent}")
    return bad + _journal(want, replay)


def _attempt(given: dict[str, Any], replay: Replay) -> dict[str, Any] | None:
    claim = replay.claim()
    if claim is None:
        return None
    before = replay.frontier.queue(claim.queue).get("spent", 0)
    _, verdict = replay.settle(claim, given)
    row = replay.after()["queues"][claim.queue]
    return {
        "verdict": _VERDICTS.get(verdict, verdict),
        "spend": row["spend"] - before,
        "queue_state": row["state"],
        "queue_delay_ms": row["wake_at"] - replay.now if "wake_at" in row else 0,
        "attempts": claim.attempts + 1,
    }


def _counters(queue: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in queue.items() if k not in ("state", "wake_at", "session_balance")}


def _journal(want: dict[str, Any], replay: Replay) -> list[str]:
    lines = [" ".join(line.split(" ")[:2]) for line in want.get("journal", [])]
    return [f"journal {b}" for b in lines_differ(lines, replay.journal())] if lines else []
