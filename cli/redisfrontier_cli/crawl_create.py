"""`redisfrontier crawl create`: a crawl from a file or from options, with its seeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from redisfrontier.crawl.definition import CrawlDefinition
from redisfrontier.crawl.seeds import STANDARD_INPUT
from redisfrontier.errors import DefinitionError
from redisfrontier.frontier import Frontier
from redisfrontier_cli.crawl_file import read_definition
from redisfrontier_cli.failures import PARTLY, REFUSED, Failed
from redisfrontier_cli.pairs import setting_values
from redisfrontier_cli.seeds import Loading
from redisfrontier_cli.verbs import Verb
from redisfrontier_cli.where import backoff, crawl_names, where

_EXAMPLE = """\
redisfrontier crawl create news --contact https://www.example.org/crawler.html
redisfrontier crawl create -f crawl.toml --start
redisfrontier crawl create -f crawler-beans.cxml --dry-run"""


@click.command("create", cls=Verb, example=_EXAMPLE)
@click.argument("name", required=False)
@click.option("-f", "--file", "path", type=click.Path(path_type=Path), help="crawl.toml, .yaml, or a Heritrix crawler-beans.cxml.")
@click.option("--set", "given", multiple=True, metavar="SETTING=VALUE", help="A setting; may be repeated. Durations: min_delay_ms=2s.")
@click.option("--contact", metavar="URL", help="Your page about this crawl; no crawl starts without one.")
@click.option("--partitions", type=click.IntRange(1, 1024), help="Parts it is spread over, fixed for good; 1 unless on a cluster.")
@click.option("--start", is_flag=True, help="Start it as soon as its seeds are in.")
@click.option("--dry-run", is_flag=True, help="Only read the file and say what it means.")
@click.pass_context
def create(
    ctx: click.Context,
    name: str | None,
    path: Path | None,
    given: tuple[str, ...],
    contact: str | None,
    partitions: int | None,
    start: bool,
    dry_run: bool,
) -> None:
    """Make a crawl from a file, or by NAME with default settings; seeds named in the file are loaded."""
    there = where()
    read = read_definition(path, name, there.output) if path else CrawlDefinition(_named(name or there.crawl))
    definition = _changed(read, setting_values(given), contact, partitions)
    _seed_files_are_there(definition)
    if start or (path and not dry_run):
        definition.metadata.checked()
    if dry_run:
        there.output.done(f"{definition.name} could be made; nothing was changed", {"crawl": definition.name, "created": False})
        return
    with there.server(make=True) as url:
        if definition.name in crawl_names(url):
            raise Failed(f"crawl {definition.name!r} exists already", "choose another name, or remove it: redisfrontier crawl rm", REFUSED)
        with Frontier.create(url, definition, backoff=backoff(patient=True)) as frontier:
            loaded = Loading(frontier, there.json)
            loaded.load(definition.seeds, frontier.start if start else lambda: None)
            _tell_created(frontier, loaded, start)
    if loaded.bad:
        ctx.exit(PARTLY)


def _named(name: str | None) -> str:
    if not name:
        raise click.UsageError("Give the crawl a NAME, or a file with -f.")
    return name


def _seed_files_are_there(definition: CrawlDefinition) -> None:
    for name in definition.seeds.files:
        if name != STANDARD_INPUT and not Path(name).is_file():
            raise DefinitionError(f"seeds: there is no file {name}", remedy="correct its name; it counts from the crawl file's directory")


def _changed(definition: CrawlDefinition, values: dict[str, Any], contact: str | None, partitions: int | None) -> CrawlDefinition:
    metadata = definition.metadata.changed({"operator_contact_url": contact} if contact else {})
    if contact:
        metadata.checked()
    settings = definition.settings.changed(values)
    return replace(definition, settings=settings, metadata=metadata, partitions=partitions or definition.partitions)


def _tell_created(frontier: Frontier, loaded: Loading, started: bool) -> None:
    name, uniqueness = frontier.session.name, frontier.settings().uniqueness
    there, state = where(), "running" if started else "paused"
    seeds = f"; {loaded.sentence()}" if any(loaded.counts.values()) or loaded.bad else ""
    values = {"crawl": name, "created": True, "state": "RUN" if started else "PAUSE", "uniqueness": uniqueness, "seeds": loaded.summary()}
    there.output.done(f"made crawl {name} (uniqueness: {uniqueness}); it is {state}{seeds}", values)
    if not started and not loaded.counts["added"]:
        there.output.text(f"next: redisfrontier --crawl {name} seeds add https://…, then redisfrontier --crawl {name} crawl start")
