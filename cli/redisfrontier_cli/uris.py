"""`redisfrontier uris`: add URIs, list what waits, show all that is known of one, delete, forget, fetch again, import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

import click

from redisfrontier.errors import FrontierError
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Admission, Admitted
from redisfrontier.record.record import Candidate
from redisfrontier.steps import uris as steps
from redisfrontier_cli.failures import PARTLY
from redisfrontier_cli.imports import import_
from redisfrontier_cli.matching import matcher
from redisfrontier_cli.output import progress
from redisfrontier_cli.uris_explain import explain
from redisfrontier_cli.uris_reorder import reorder
from redisfrontier_cli.verbs import Noun, Verb
from redisfrontier_cli.where import where

#: URIs offered by one call.
BATCH = 2000
_BAD = (Admitted.INVALID, Admitted.REFUSED)


@click.group(cls=Noun)
def uris() -> None:
    """Add, find, delete and import URIs. A URI is known again by its canonical form."""


uris.add_command(import_)
uris.add_command(reorder)
uris.add_command(explain)


@uris.command(
    "add",
    cls=Verb,
    example="redisfrontier uris add https://www.example.org/a --path L\ncat links.txt | redisfrontier uris add -f -",
)
@click.argument("given", nargs=-1, metavar="[URI]…")
@click.option("-f", "--file", "file", type=click.File("r", encoding="utf-8", errors="replace"), help="One URI a line; - is standard input.")
@click.option("--via", help="The page they were found on.")
@click.option("--path", default="", help="Their hop path (LLE…).")
@click.option("--queue", help="Put them into this queue instead of the policy's.")
@click.option("--directive", type=click.IntRange(0, 3), help="0 highest, 1 high, 2 medium, 3 normal.")
@click.option("--precedence", type=click.IntRange(0, 255), help="Place inside the queue; low runs first.")
@click.option("--force", is_flag=True, help="Queue them although they are known.")
@click.pass_context
def add(ctx: click.Context, /, given: tuple[str, ...], file: Any, force: bool, **fields: Any) -> None:
    """Offer URIs to the crawl; one answer each: added, known (and how), requeued, out_of_scope, invalid, refused (and why)."""
    there, wanted = where(), _wanted(given, file, force, fields)
    counts: Counter[str] = Counter()
    with there.frontier(patient=True) as frontier:
        rows = _offered(frontier, wanted, counts)
        columns = ("outcome", "reason", "id", "uri")
        told = rows if there.json or not file else (row for row in rows if row["outcome"] in (*_BAD, Admitted.OUT_OF_SCOPE))
        there.output.rows(told, columns, empty="")
        if not there.json:
            there.output.text(", ".join(f"{n} {kind}" for kind, n in counts.items()) or "no URI was given")
    if any(counts[kind] for kind in _BAD):
        ctx.exit(PARTLY)


def _wanted(given: Iterable[str], file: Iterable[str] | None, force: bool, fields: dict[str, Any]) -> Iterator[Candidate]:
    lines = (line.strip() for line in file or ())
    for text in chain(given, (line for line in lines if line and not line.startswith("#"))):
        yield Candidate(text, force_fetch=force, **fields)


def _offered(frontier: Frontier, wanted: Iterable[Candidate], counts: Counter[str]) -> Iterator[dict[str, Any]]:
    left = iter(wanted)
    with progress("URIs") as more:
        while batch := list(islice(left, BATCH)):
            for answer in frontier.schedule(batch):
                counts[answer.outcome.value] += 1
                yield _row(answer)
            more(len(batch), "")


def _row(answer: Admission) -> dict[str, Any]:
    return {"uri": answer.uri, "outcome": answer.outcome.value, "reason": answer.reason, "id": answer.id}


@uris.command(
    "ls", cls=Verb, example="redisfrontier uris ls --queue org,example,www, --limit 20\nredisfrontier uris ls --match '/calendar/' --json"
)
@click.option("--queue", help="Only those of this queue.")
@click.option("--match", "pattern", metavar="REGEX", help="Only URIs in which this occurs.")
@click.option("--limit", type=click.IntRange(min=0), default=100, show_default=True, help="How many; 0 all.")
def ls(queue: str | None, pattern: str | None, limit: int) -> None:
    """List pending URIs, queue by queue in the order in which they are given out."""
    there, test = where(), matcher(pattern)
    with there.frontier() as frontier:
        if queue:
            frontier.queue(queue)  # raises for one that is not there
        rows = (row for row in frontier.uris(queue) if test is None or test(str(row.get("uri", ""))))
        there.output.rows(rows, ("id", "queue", "uri", "path", "via", "directive", "precedence"), limit=limit, empty="no URI waits")


@uris.command("show", cls=Verb, example="redisfrontier uris show https://www.example.org/a")
@click.argument("uri", metavar="URI|ID")
def show(uri: str) -> None:
    """Show all that is known of a URI: record, place, attempts, lease, date, result.

    In a crawl with a Bloom filter a URI is only "maybe_seen"; its id (of `uris ls`) finds the rest.
    """
    there = where()
    with there.frontier() as frontier:
        found = frontier.show(uri)
        if not there.json:
            record = found.pop("record", {})
            found |= {name: value for name, value in record.items() if value and name not in found}
        there.output.thing(found)


@uris.command(
    "delete",
    cls=Verb,
    example="redisfrontier uris delete https://www.example.org/a\nredisfrontier uris delete --match '[?]sessionid=' --yes",
)
@click.argument("given", nargs=-1, metavar="[URI|ID]…")
@click.option("--match", "pattern", metavar="REGEX", help="All URIs, pending, leased or dated, in which this occurs.")
@click.option("--queue", help="With --match: only in this queue.")
@click.option("--exclude", is_flag=True, help="They stay known, so that they never come back.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(given: tuple[str, ...], pattern: str | None, queue: str | None, exclude: bool, yes: bool) -> None:
    """Delete URIs, also leased ones (their fetch then counts nothing). They may be found again unless --exclude is given."""
    test = matcher(pattern)
    if bool(given) == bool(test):
        raise click.UsageError("Give URIs, or --match REGEX.")
    there, how = where(), "excluded" if exclude else "deleted"
    with there.frontier(patient=True) as frontier:
        if test is None:
            answers = frontier.run(frontier.session.with_live(steps.delete, frontier.policy, given, how))
            rows = [{"uri": uri, "answer": how if gone else "not there"} for uri, gone in zip(given, answers, strict=True)]
            there.output.rows(rows, ("uri", "answer"))
            return
        if not yes:
            click.confirm(f"Delete every URI that matches {pattern!r} in {queue or 'all queues'}?", abort=True, err=True)
        with progress("deleting"):
            gone = frontier.delete(queue.__eq__ if queue else lambda _: True, lambda record: test(record.uri), excluded=exclude)
        there.output.rows([{"queue": q, how: n} for q, n in gone.items()], ("queue", how), empty="none was there")


@uris.command("forget", cls=Verb, example="redisfrontier uris forget https://www.example.org/a")
@click.argument("given", nargs=-1, required=True, metavar="URI…")
def forget(given: tuple[str, ...]) -> None:
    """Let finished (or maybe seen) URIs be found again by the next link to them. Those that wait or are leased stay: see delete."""
    there = where()
    with there.frontier() as frontier:
        rows = [{"uri": uri, "answer": answer} for uri, answer in zip(given, frontier.forget(given), strict=True)]
        there.output.rows(rows, ("uri", "answer"))


@uris.command("retry", cls=Verb, example="redisfrontier uris retry https://www.example.org/failed")
@click.argument("given", nargs=-1, required=True, metavar="URI…")
@click.pass_context
def retry(ctx: click.Context, given: tuple[str, ...]) -> None:
    """Fetch URIs again although they are finished, failed or maybe seen; with the path and via they had, where that is still known."""
    there = where()
    with there.frontier() as frontier:
        answers = frontier.schedule([_again(frontier, uri) for uri in given])
        there.output.rows([_row(a) for a in answers], ("outcome", "reason", "id", "uri"))
    if any(a.outcome in _BAD for a in answers):
        ctx.exit(PARTLY)


def _again(frontier: Frontier, uri: str) -> Candidate:
    try:
        known = frontier.show(uri).get("record", {})
    except FrontierError:  # schedule tells what is wrong with it
        known = {}
    if "uri" not in known:
        return Candidate(uri, force_fetch=True)
    kept = {name: known.get(name) for name in ("via", "via_context", "source_tag", "dedup_key", "queue")}
    return Candidate(known["uri"], path=known["path"], is_seed=known["is_seed"], force_fetch=True, **kept)
