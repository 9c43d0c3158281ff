"""`redisfrontier uris reorder`: what of a queue is given out first, changed while the crawl runs."""

from __future__ import annotations

import click

from redisfrontier.errors import BadArgument
from redisfrontier.frontier import Frontier
from redisfrontier.record.record import UriRecord
from redisfrontier.steps import queues as steps
from redisfrontier.steps.show import unscoped
from redisfrontier_cli.matching import matcher
from redisfrontier_cli.verbs import Verb
from redisfrontier_cli.where import where


@click.command(
    "reorder",
    cls=Verb,
    example="redisfrontier uris reorder https://www.example.org/news --precedence 0\n"
    "redisfrontier uris reorder --match '/archive/' --queue org,example,www, --precedence 200",
)
@click.argument("given", nargs=-1, metavar="[URI]…")
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
    there, test = where(), matcher(pattern)
    with there.frontier(patient=True) as frontier:
        marks = _marks(frontier, given)
        if queue:
            frontier.queue(queue)  # raises for one that is not there
        wanted = set(marks.values()) if marks else {queue} if queue else None

        def these(record: UriRecord) -> bool:
            return record.fingerprint in marks if marks else test is None or test(record.uri)

        in_queue = wanted.__contains__ if wanted else lambda _: True
        moved = frontier.run(frontier.session.with_live(steps.reorder, in_queue, these, directive=directive, precedence=precedence))
        rows = [{"queue": name, "moved": n} for name, n in sorted(moved.items()) if n]
        there.output.rows(rows, ("queue", "moved"), empty="none was there, or all were in that place")


def _marks(frontier: Frontier, given: tuple[str, ...]) -> dict[bytes, str]:
    """Fingerprints of URIs, with their queues."""
    found = (unscoped(frontier.policy, uri) for uri in given)
    return {prepared.fingerprint[:8]: prepared.queue for prepared in found}
