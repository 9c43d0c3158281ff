"""`redisfrontier queues`: the hosts' queues of a crawl: look, snooze, wake, retire, budgets, remove."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from redisfrontier.errors import BadArgument
from redisfrontier_cli.durations import DURATION, spoken
from redisfrontier_cli.matching import largest, matcher, smallest
from redisfrontier_cli.output import progress, when
from redisfrontier_cli.verbs import Noun, Verb
from redisfrontier_cli.where import where

STATES = ("ready", "due", "inactive", "in_process", "retired", "exhausted")
_COLUMNS = ("queue", "state", "pending", "in_flight", "succeeded", "failed", "precedence", "spent", "not_before", "why")
_ASCENDING = ("queue", "precedence", "not_before")


@click.group(cls=Noun)
def queues() -> None:
    """The hosts' queues. Low precedence runs first: 1 before 10."""


@queues.command(
    "ls", cls=Verb, example="redisfrontier queues ls --state retired\nredisfrontier queues ls --match 'example' --sort pending --limit 20"
)
@click.option("--state", type=click.Choice(STATES), help="Only queues of this state.")
@click.option("--match", "pattern", metavar="REGEX", help="Only queues in whose name this occurs.")
@click.option(
    "--sort",
    type=click.Choice(("pending", "in_flight", "succeeded", "failed", "spent", "bytes", *_ASCENDING)),
    help="Greatest first; precedence, not_before and queue: least first.",
)
@click.option("--limit", type=click.IntRange(min=0), default=100, show_default=True, help="How many; 0 all.")
def ls(state: str | None, pattern: str | None, sort: str | None, limit: int) -> None:
    """List queues. Without --sort the list begins at once, however many there are."""
    there = where()
    with there.frontier() as frontier:
        rows: Iterable[dict[str, Any]] = frontier.queues(state, matcher(pattern))
        if sort:
            rows = (smallest if sort in _ASCENDING else largest)(rows, sort, limit + 1 if limit else 0)
        rows = (_shown(row, there.json) for row in rows)
        there.output.rows(rows, _COLUMNS, limit=limit, empty="no such queue")


def _shown(row: dict[str, Any], json: bool) -> dict[str, Any]:
    """With the times a person asks for: from when on it may be fetched, or why it is retired."""
    if json:
        return row
    at = max(int(row.get("not_before", 0)), int(row.get("snoozed_until", 0)))
    defaults = dict.fromkeys(("pending", "in_flight", "succeeded", "failed", "precedence", "spent"), 0)
    why = row.get("retired_why") if row.get("state") == "retired" else row.get("trouble")
    return {**defaults, **row, "not_before": when(at) if at else "", "why": why or ""}


@queues.command("show", cls=Verb, example="redisfrontier queues show org,example,www,")
@click.argument("queue")
def show(queue: str) -> None:
    """Show one queue with all its fields, and its first URIs."""
    there = where()
    with there.frontier() as frontier:
        row = frontier.queue(queue)
        if there.json:
            there.output.thing(row)
            return
        times = ("not_before", "snoozed_until", "slow_at", "retired_at", "last_at", "bandwidth_until")
        there.output.thing({k: when(v) if k in times and v else v for k, v in row.items()})
        there.output.rows(
            frontier.uris(queue),
            ("id", "uri", "path", "directive", "precedence"),
            limit=10,
            empty="no URI waits in it",
            more=f"redisfrontier uris ls --queue {queue}",
        )


@queues.command("snooze", cls=Verb, example="redisfrontier queues snooze org,example,www, 2h")
@click.argument("queue")
@click.argument("duration", type=DURATION)
def snooze(queue: str, duration: int) -> None:
    """Give out no URI of a queue for a while."""
    there = where()
    with there.frontier() as frontier:
        until, long = frontier.snooze(queue, duration)
        values = {"queue": queue, "snoozed_until_ms": until, "long": long}
        there.output.done(f"{queue} sleeps for {spoken(duration)}, until {when(until)} UTC", values)


@queues.command("wake", cls=Verb, example="redisfrontier queues wake --all")
@click.argument("names", nargs=-1, metavar="[QUEUE]…")
@click.option("--all", "every", is_flag=True, help="All queues.")
def wake(names: tuple[str, ...], every: bool) -> None:
    """End snoozes and retry delays; a host's politeness delay stays."""
    there = where()
    with there.frontier(patient=every) as frontier:
        count = sum(frontier.wake(name) for name in _chosen(names, every))
        there.output.done(f"{count} woken", {"woken": count})


@queues.command("retire", cls=Verb, example='redisfrontier queues retire org,example,www, --reason "site asked us to stop"')
@click.argument("names", nargs=-1, required=True, metavar="QUEUE…")
@click.option("--reason", default="operator", show_default=True, help="Kept with the queue.")
def retire(names: tuple[str, ...], reason: str) -> None:
    """Take queues out of the crawl; their URIs stay and new ones are still taken in. `unretire` brings them back."""
    there = where()
    with there.frontier() as frontier:
        count = sum(frontier.retire(name, reason) for name in names)
        already = f", {len(names) - count} were so already" if count < len(names) else ""
        there.output.done(f"{count} retired{already}", {"retired": count, "were_retired": len(names) - count})


@queues.command("unretire", cls=Verb, example="redisfrontier queues unretire org,example,www,")
@click.argument("names", nargs=-1, metavar="[QUEUE]…")
@click.option("--all", "every", is_flag=True, help="All retired queues.")
def unretire(names: tuple[str, ...], every: bool) -> None:
    """Bring retired queues back. One over its budget retires again: see `queues budget`."""
    there = where()
    with there.frontier(patient=every) as frontier:
        count = sum(frontier.unretire(name) for name in _chosen(names, every))
        there.output.done(f"{count} back", {"unretired": count})


@queues.command(
    "budget",
    cls=Verb,
    example="redisfrontier queues budget org,example,www, --total 5000\nredisfrontier queues budget org,example,www, --precedence 1",
)
@click.argument("queue")
@click.option("--total", type=click.IntRange(min=-2), help="Cost units it may spend in all: -1 no limit, -2 as the settings say.")
@click.option("--reset", is_flag=True, help="Forget what it has spent so far.")
@click.option("--precedence", type=click.IntRange(-1, 255), help="Low runs first; -1 as the settings say.")
def budget(queue: str, total: int | None, reset: bool, precedence: int | None) -> None:
    """Show a queue's budget, or change budget or precedence; a raised budget brings back a queue that was retired for it."""
    there = where()
    with there.frontier() as frontier:
        found = frontier.budget(queue, total, reset=reset, precedence=precedence)
        there.output.thing({"queue": queue, **found})


@queues.command(
    "rm", cls=Verb, example="redisfrontier queues rm org,example,trap, --yes\nredisfrontier queues rm --match 'calendar' --exclude --yes"
)
@click.argument("names", nargs=-1, metavar="[QUEUE]…")
@click.option("--match", "pattern", metavar="REGEX", help="Queues in whose name this occurs.")
@click.option("--exclude", is_flag=True, help="Their URIs stay known, so that they never come back.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def rm(names: tuple[str, ...], pattern: str | None, exclude: bool, yes: bool) -> None:
    """Delete all URIs of queues: pending, leased and dated ones. They may be found again unless --exclude is given."""
    if bool(names) == bool(pattern):
        raise BadArgument("which queues?", remedy="give their names, or --match REGEX")
    there = where()
    with there.frontier(patient=True) as frontier:
        wanted = matcher(pattern) or frozenset(names).__contains__
        for name in names:
            frontier.queue(name)  # raises for one that is not there
        if not yes:
            what = ", ".join(names) if names else f"every queue that matches {pattern!r}"
            click.confirm(f"Delete all URIs of {what}?", abort=True, err=True)
        with progress("deleting"):
            gone = frontier.delete(wanted, excluded=exclude)
        rows = [{"queue": name, "deleted": n} for name, n in gone.items()]
        there.output.rows(rows, ("queue", "deleted"), empty="nothing was in them")


def _chosen(names: tuple[str, ...], every: bool) -> tuple[str | None, ...]:
    if bool(names) == every:
        raise BadArgument("which queues?", remedy="give their names, or --all")
    return (None,) if every else names
