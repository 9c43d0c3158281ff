"""Vectors of kind frontier_traces: whole sequences of steps, each with its result and the state after it, on a real server."""

from __future__ import annotations

from typing import Any

from tests.vectors.real_server import RealServer
from tests.vectors.replay import Replay, lines_differ, same

_SERVER = RealServer()
#: Steps whose journal lines differ by design: the client relocates after a claim, a prerequisite follows its parent's line …
_OTHER_LINES = ("prerequisite", "import_recover", "include", "delete")


def setup() -> None:
    """Start the server."""
    _SERVER.start()


def teardown() -> None:
    """Stop it."""
    _SERVER.stop()


def run(case: dict[str, Any]) -> list[str]:
    """The mismatches of one case.

    A case marked `quirk` holds queues that wake at the same time: there Heritrix goes by the milliseconds that its steps took, or by
    name, so either reading will do.
    """
    bad = _replayed(case, tick=1)
    if bad and case.get("quirk"):
        return _replayed(case, tick=0) and bad
    return bad


def _replayed(case: dict[str, Any], tick: int) -> list[str]:
    replay = Replay(_SERVER, case["in"]["settings"], tick)
    try:
        for i, (op, step) in enumerate(zip(case["in"]["ops"], case["out"]["steps"], strict=True)):
            result = replay.step(op)
            bad = [] if result == step["result"] else [f"result: want {step['result']!r}, got {result!r}"]
            if op["op"] != "prerequisite":  # here it enters with the finish that follows
                balances = "balanceReplenishAmount" not in op.get("settings", {}) and not _budget_changed(case, i)
                bad += same(step["after"], replay.after(), balances=balances, sizes=False)
            if bad:
                return [f"step {i} {op}: {b}" for b in bad]
        return _emitted(case, replay) + _journal(case, replay)
    finally:
        replay.close()


def _budget_changed(case: dict[str, Any], i: int) -> bool:
    return any("balanceReplenishAmount" in op.get("settings", {}) for op in case["in"]["ops"][:i])


def _emitted(case: dict[str, Any], replay: Replay) -> list[str]:
    return [f"emitted {b}" for b in lines_differ([u for u in case["out"]["emitted"] if u], replay.emitted)]


def _journal(case: dict[str, Any], replay: Replay) -> list[str]:
    if "deferToPrevious" in str(case["in"]) or any(op["op"] in _OTHER_LINES for op in case["in"]["ops"]):
        return []
    want = [" ".join(line.split(" ")[:2]) for line in case["out"]["journal"]]
    return [f"journal {b}" for b in lines_differ(want, replay.journal())]
