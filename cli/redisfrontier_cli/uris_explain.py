"""`redisfrontier uris explain`: why a URI is not being fetched."""

from __future__ import annotations

import click

from redisfrontier.operate import explain as operate
from redisfrontier.record.record import Candidate
from redisfrontier_cli.verbs import Verb
from redisfrontier_cli.where import where


@click.command("explain", cls=Verb, example="redisfrontier uris explain https://www.example.org/a --via https://www.example.org/ --path L")
@click.argument("uri")
@click.option("--via", help="The page it is found on; the scope looks at it.")
@click.option("--path", default="", help="Its hop path (LLE…); the scope looks at it.")
def explain(uri: str, via: str | None, path: str) -> None:
    """Say why a URI is not being fetched now: one reason, and what it rests on."""
    there = where()
    with there.frontier() as frontier:
        found = frontier.run(frontier.session.with_live(operate.explain, frontier.policy, Candidate(uri, path=path, via=via)))
        there.output.text(found.words)
        there.output.thing({"reason": found.reason.value, **found.facts})
