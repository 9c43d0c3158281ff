"""`redisfrontier stats`: the numbers of a crawl, what it waits for and until when."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import click

from redisfrontier_cli.durations import DURATION, spoken
from redisfrontier_cli.output import when
from redisfrontier_cli.verbs import Verb
from redisfrontier_cli.where import where

_EXAMPLE = "redisfrontier --crawl news stats --watch 5s"


@click.command(cls=Verb, example=_EXAMPLE)
@click.option("--watch", type=DURATION, metavar="DURATION", help="Show it again and again, this far apart.")
@click.option("--times", type=click.IntRange(min=0), default=0, hidden=True, help="Leave after so many; 0: never.")
def stats(watch: int | None, times: int) -> None:
    """State, counters, queues by state, and what the crawl is waiting for.

    admitted = pending + in_flight + later + succeeded + failed + disregarded + excluded + deleted, at every moment.
    """
    there = where()
    with there.frontier() as frontier:

        def look() -> Mapping[str, Any]:
            found = frontier.stats()
            return found if there.json else for_people(frontier.session.name, found)

        seen = 1

        def again() -> bool:
            nonlocal seen
            seen += 1
            if times and seen > times:
                return False
            time.sleep((watch or 0) / 1000)
            return True

        if watch is None:
            there.output.thing(look())
        else:
            there.output.watch(look, again)


def for_people(name: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """The figures in the order and the words in which people look for them."""
    queues = ", ".join(f"{count} {state}" for state, count in found["queues"].items() if count) or "none"
    now = found["now_ms"]
    shown = {"crawl": name, "state": state_in_words(found), "waiting for": waiting_in_words(found)}
    shown |= {k: found[k] for k in _ORDER}
    shown |= {k: found[k] for k in _RARE if found.get(k)}
    running = spoken(found["running_ms"])
    return shown | {"queues": queues, "running": running, "server time": f"{when(now)} UTC", "settings version": found["version"]}


_ORDER = ("admitted", "pending", "in_flight", "later", "succeeded", "failed", "disregarded", "excluded", "deleted", "bytes")
_RARE = ("lost", "corrupt", "maybe_seen")
_STATES = {
    "RUN": "running",
    "PAUSE": "paused: takes new URIs, gives none out",
    "EMPTY": "empty: running, with nothing left to fetch",
    "FINISH": "stopped",
}


def state_in_words(found: Mapping[str, Any]) -> str:
    """RUN, PAUSE … and what it means."""
    words = _STATES.get(found["state"], "")
    reason = f" ({found['finish_reason']})" if found.get("finish_reason") and found["state"] == "FINISH" else ""
    return f"{found['state']} - {words}{reason}"


def waiting_in_words(found: Mapping[str, Any]) -> str:
    """What happens next, and when."""
    due, now = found["next_due_ms"], found["now_ms"]
    if due is None or found["waiting_for"] in ("workers", "nothing"):
        return str(found["waiting_for"])
    if due <= now:
        return f"{found['waiting_for']}, due now (a worker's next claim brings it)"
    return f"{found['waiting_for']}, in {spoken(due - now)} ({when(due)} UTC)"
