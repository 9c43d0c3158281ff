"""`redisfrontier uris reorder`: what of a queue is given out first, changed while the crawl runs."""

from __future__ import annotations

from collections.abc import Callable

import click

from redisfrontier.errors import BadArgument
from redisfrontier.record.record import UriRecord
from redisfrontier.steps import queues
from redisfrontier.steps import uris as steps
from redisfrontier.steps.queues import Place, Test
from redisfrontier_cli.matching import matcher
from redisfrontier_cli.output import progress
from redisfrontier_cli.verbs import Verb
from redisfrontier_cli.where import where


@click.command(
    "reorder",
    cls=Verb,
    example="redisfrontier uris reorder https://www.example.org/news --precedence 0\n"
    "redisfrontier uris reorder --match '/archive/' --queue org,example,www, --precedence 200",
)
@click.argument("given", nargs=-1, metavar="[URI|ID]…")
@click.option("--match", "pattern", metavar="REGEX", help="All URIs in which this occurs.")
@click.option("--queue", help="Only in this queue; with neither URIs nor --match: all of it.")
@click.option("--precedence", type=click.IntRange(0, 255), help="Low is given out first.")
@click.option("--directive", type=click.IntRange(0, 3), help="Goes before precedence: 0 highest, 1 high, 2 medium, 3 normal.")
def reorder(given: tuple[str, ...], pattern: str | None, queue: str | None, precedence: int | None, directive: int | None) -> None:
    """Give waiting, leased or dated URIs another place in their queues. For a whole queue among others: `queues budget --precedence`."""
    if precedence is None and directive is None:
        raise BadArgument("where to?", remedy="give --precedence or --directive")
    if bool(given) == bool(pattern or queue):
        raise BadArgument("which URIs?", remedy="give URIs, or --match REGEX and/or --queue QUEUE")
    there, test, to = where(), matcher(pattern), Place(directive, precedence)
    with there.frontier(patient=True) as frontier:
        if given:
            answers = frontier.run(frontier.session.with_live(steps.reorder, frontier.policy, given, to))
            rows = [
                {"uri": uri, "answer": "moved" if moved else "not there, or in that place"}
                for uri, moved in zip(given, answers, strict=True)
            ]
            there.output.rows(rows, ("uri", "answer"))
            return
        if queue:
            frontier.queue(queue)  # raises for one that is not there
        in_queue = queue.__eq__ if queue else lambda _: True
        with progress("moving"):
            moved = frontier.run(frontier.session.with_live(queues.reorder, in_queue, _of_record(test), to))
        counts = [{"queue": name, "moved": n} for name, n in sorted(moved.items()) if n]
        there.output.rows(counts, ("queue", "moved"), empty="none was there, or all were in that place")


def _of_record(test: Callable[[str], bool] | None) -> Test | None:
    def holds(record: UriRecord) -> bool:
        return test is not None and test(record.uri)

    return holds if test is not None else None
