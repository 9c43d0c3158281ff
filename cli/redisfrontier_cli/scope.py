"""`redisfrontier scope`: what each rule of the crawl's scope says of a URI, and which one decides."""

from __future__ import annotations

import click

from redisfrontier.errors import BadArgument
from redisfrontier.policy.queueing import queue_name
from redisfrontier.policy.scope.decision import subject_of
from redisfrontier.record.record import Candidate
from redisfrontier.steps.show import unscoped
from redisfrontier.uri.parse import parse
from redisfrontier_cli.verbs import Noun, Verb
from redisfrontier_cli.where import where


@click.group(cls=Noun)
def scope() -> None:
    """Why a URI is in or out of scope."""


@scope.command("test", cls=Verb, example="redisfrontier scope test https://img.example.net/a.png --via https://www.example.com/ --path LE")
@click.argument("uri")
@click.option("--via", help="The page it is found on.")
@click.option(
    "--path",
    default="",
    help="Hops from the seed: L link, E embed, R redirect, X speculative, I inferred, P prerequisite, S sitemap, M manifest.",
)
@click.option("--seed", is_flag=True, help="As a seed.")
@click.option("--source-tag", help="As tagged with this seed.")
def test(uri: str, via: str | None, path: str, seed: bool, source_tag: str | None) -> None:
    """Show every rule's vote on a URI; the last vote other than NONE decides, and no vote at all means out of scope.

    Also shows the canonical form and the queue. Nothing is changed.
    """
    there = where()
    with there.frontier() as frontier:
        preparer = frontier.policy
        if preparer.scope is None:
            raise BadArgument("the crawl takes every URI", remedy="give it a scope in its file")
        prepared = unscoped(preparer, Candidate(uri, path=path, via=via, is_seed=seed, source_tag=source_tag))
        target, source = parse(uri), parse(via) if via else None
        subject = subject_of(target, path, source, is_seed=seed, source_tag=source_tag, queue=queue_name(prepared.queue))
        verdict = preparer.scope.decide(subject)
        votes = [
            {"rule": v.index, "name": v.rule, "vote": v.decision.value, "asked": v.asked, "decides": v.decisive}
            for v in preparer.scope.explain(subject)
        ]
        about = {
            "uri": target.text,
            "in_scope": verdict.accepts,
            "surt": subject.surt,
            "canonical": preparer.canonical(target),
            "queue": prepared.queue,
        }
        if there.json:
            there.output.thing({**about, "decided_by": verdict.rule or None, "votes": votes})
            return
        there.output.rows(votes, ("rule", "name", "vote", "asked", "decides"))
        there.output.thing({**about, "decided by": verdict.rule or "no rule: out of scope"})
