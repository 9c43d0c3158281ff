"""`redisfrontier crawl`: make, list, start, pause, stop and remove crawls."""

from __future__ import annotations

from typing import Any

import click

from redisfrontier.crawl.metadata import NAMES, CrawlMetadata
from redisfrontier.errors import DefinitionError, FrontierError, SchemaMismatch
from redisfrontier.frontier import Frontier
from redisfrontier.operate import memory as operate
from redisfrontier.settings import Settings
from redisfrontier.steps.crawl import put_document
from redisfrontier_cli.crawl_create import create
from redisfrontier_cli.failures import REFUSED, Failed
from redisfrontier_cli.pairs import assignments
from redisfrontier_cli.stats import for_people
from redisfrontier_cli.verbs import Noun, Verb
from redisfrontier_cli.where import backoff, crawl_names, where


@click.group(cls=Noun)
def crawl() -> None:
    """Make, start, pause, stop and remove crawls. A new crawl is paused until it is started."""


crawl.add_command(create)


@crawl.command("ls", cls=Verb, example="redisfrontier crawl ls")
def ls() -> None:
    """List the crawls of the server with their main figures."""
    there = where()
    with there.server() as url:
        rows = [_listed(url, name) for name in crawl_names(url)]
        columns = ("crawl", "state", "pending", "in_flight", "succeeded", "failed", "uniqueness", "partitions", "trouble")
        wanted = [c for c in columns if c != "trouble" or any(row.get("trouble") for row in rows)]
        there.output.rows(rows, wanted, empty="no crawls yet; make one: redisfrontier crawl create NAME")


def _listed(url: str, name: str) -> dict[str, Any]:
    try:
        with Frontier.connect(url, name, backoff=backoff()) as frontier:
            found, live = frontier.stats(), frontier.run(frontier.session.live())
            figures = {k: found[k] for k in ("state", "pending", "in_flight", "succeeded", "failed")}
            return {"crawl": name, **figures, "uniqueness": live.settings.uniqueness, "partitions": live.partitions}
    except (SchemaMismatch, FrontierError) as error:  # one crawl of another version must not hide the others
        return {"crawl": name, "trouble": str(error)}


@crawl.command("show", cls=Verb, example="redisfrontier --crawl news crawl show")
def show() -> None:
    """Show one crawl: figures, what it waits for, metadata, scope, sheets, and the settings that are not the defaults."""
    there = where()
    with there.frontier() as frontier:
        live, found, usual = frontier.run(frontier.session.live()), frontier.stats(), Settings()
        settings = {n: getattr(live.settings, n) for n in Settings.__slots__ if getattr(live.settings, n) != getattr(usual, n)}
        scope = [str(rule.get("rule")) for rule in live.scope_rules] or "stock (ten rules)"
        about = {"metadata": dict(live.metadata), "scope": scope, "sheets": list(live.sheets.names), "settings": settings}
        stats = {"crawl": live.name, **found} if there.json else for_people(live.name, found)
        there.output.thing({**stats, "partitions": live.partitions, "surt_prefixes": len(live.surts), **about})


@crawl.command("memory", cls=Verb, example="redisfrontier --crawl news crawl memory")
def memory() -> None:
    """Show what a crawl takes in Redis: records, queues, uniqueness (filter or index), leases; estimated from a bounded sample."""
    there = where()
    with there.frontier() as frontier:
        there.output.thing({"crawl": frontier.session.name, **frontier.run(frontier.session.with_live(operate.memory))})


@crawl.command("start", cls=Verb, example="redisfrontier --crawl news crawl start")
def start() -> None:
    """Let a new or paused crawl run; workers notice within a second."""
    there = where()
    with there.frontier() as frontier:
        _has_contact(frontier)
        frontier.start()
        there.output.done(f"{frontier.session.name} runs", {"crawl": frontier.session.name, "state": "RUN"})


def _has_contact(frontier: Frontier) -> None:
    metadata = CrawlMetadata().changed({n: v for n, v in frontier.metadata().items() if n in NAMES})
    try:
        metadata.checked()
    except DefinitionError as error:
        remedy = "redisfrontier crawl describe operator_contact_url=https://www.example.org/crawler.html"
        raise Failed(str(error), remedy, REFUSED) from error


@crawl.command("resume", cls=Verb, example="redisfrontier --crawl news crawl resume")
@click.pass_context
def resume(ctx: click.Context) -> None:
    """Let a paused crawl go on (the same as start)."""
    ctx.invoke(start)


@crawl.command("pause", cls=Verb, example="redisfrontier --crawl news crawl pause")
def pause() -> None:
    """Give out no more URIs; new ones and finishes are still taken."""
    there = where()
    with there.frontier() as frontier:
        frontier.pause()
        out = frontier.stats()["in_flight"]
        there.output.done(
            f"{frontier.session.name} is paused; {out} URIs are still out",
            {"crawl": frontier.session.name, "state": "PAUSE", "in_flight": out},
        )


@crawl.command("stop", cls=Verb, example='redisfrontier --crawl news crawl stop --reason "budget spent"')
@click.option("--reason", default="ended by operator", show_default=True, help="Kept with the crawl.")
def stop(reason: str) -> None:
    """End a crawl: gives out and takes in no more URIs, finishes are still taken. `start` opens it again."""
    there = where()
    with there.frontier() as frontier:
        frontier.stop(reason)
        there.output.done(f"{frontier.session.name} is stopped", {"crawl": frontier.session.name, "state": "FINISH", "reason": reason})


@crawl.command(
    "describe", cls=Verb, example="redisfrontier crawl describe operator_contact_url=https://www.example.org/crawler.html audience=public"
)
@click.argument("given", nargs=-1, required=True, metavar="NAME=TEXT…")
def describe(given: tuple[str, ...]) -> None:
    """Change the metadata: who crawls, for whom, and how the crawler names itself to the sites."""
    there = where()
    with there.frontier() as frontier:
        known = {n: v for n, v in frontier.metadata().items() if n in NAMES}
        news = assignments(given)
        CrawlMetadata().changed({**known, **news}).checked()
        values = [part for pair in news.items() for part in pair]
        frontier.run(frontier.session.with_live(put_document, "meta", "HSET", values))
        there.output.thing({**known, **news})


@crawl.command("rm", cls=Verb, example="redisfrontier --crawl old-test crawl rm --yes")
@click.option("--yes", is_flag=True, help="Do not ask.")
def rm(yes: bool) -> None:
    """Remove a crawl with all its URIs, for good. If it is interrupted, call it again."""
    there = where()
    with there.frontier(patient=True) as frontier:
        name, found = frontier.session.name, frontier.stats()
        if not yes:
            question = f"Remove crawl {name} with {found['admitted']} URIs ({found['pending']} pending), for good?"
            click.confirm(question, abort=True, err=True)
        gone = frontier.delete_crawl()
        there.output.done(f"{name} is removed ({gone} keys)", {"crawl": name, "removed": True, "keys": gone})
