"""`redisfrontier settings`: what can be set, what holds for a crawl, a URI or a queue, and changing it while the crawl runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from redisfrontier.errors import BadArgument
from redisfrontier.frontier import Frontier
from redisfrontier.settings import SPECS, as_text
from redisfrontier.steps import effective
from redisfrontier_cli.pairs import setting_values
from redisfrontier_cli.verbs import Noun, Verb
from redisfrontier_cli.where import where


@click.group(cls=Noun)
def settings() -> None:
    """Look up and change settings; names are Heritrix' in snake_case."""


@settings.command("ls", cls=Verb, example="redisfrontier settings ls delay")
@click.argument("word", required=False)
def ls(word: str | None) -> None:
    """List every setting (or those with WORD in name or description): default, range, what it does. Needs no server."""
    rows = [_described(name, spec) for name, spec in SPECS.items() if word is None or word.lower() in f"{name} {spec['doc']}".lower()]
    where().output.rows(rows, ("setting", "default", "range", "scope", "meaning"), empty=f"no setting has {word!r} in it")


def _described(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    low, high = spec["low"], spec["high"]
    span = ", ".join(spec["one_of"]) or (
        "" if low is None and high is None else f"{'' if low is None else low}…{'' if high is None else high}"
    )
    scope = "creation" if spec["fixed"] else "crawl, sheet" if spec["sheet"] else "crawl"
    return {"setting": name, "default": as_text(spec["default"]), "range": span, "scope": scope, "meaning": spec["doc"]}


@settings.command(
    "show",
    cls=Verb,
    example="redisfrontier settings show --uri https://www.example.org/a\nredisfrontier settings show --queue org,example,www,",
)
@click.argument("names", nargs=-1, metavar="[SETTING]…")
@click.option("--uri", help="What holds for this URI, by its sheets.")
@click.option("--path", default="", help="The URI's hop path (LLE…), where sheets look at it.")
@click.option("--via", help="The page it was found on.")
@click.option("--queue", help="What holds for this queue: its sheets, and what an operator has set.")
@click.option("--changed", is_flag=True, help="Only what is not a default.")
def show(names: tuple[str, ...], uri: str | None, path: str, via: str | None, queue: str | None, changed: bool) -> None:
    """Show values and where each comes from: default, crawl, a sheet, or an operator."""
    if uri and queue:
        raise BadArgument("a URI and a queue at once", remedy="give --uri or --queue")
    if unknown := [n for n in names if n not in SPECS]:
        raise BadArgument(f"unknown setting {unknown[0]!r}", remedy="see `redisfrontier settings ls`")
    there = where()
    with there.frontier() as frontier:
        found = _effective(frontier, uri, path, via, queue)
        wanted = [n for n in names or SPECS if not changed or found.origin[n] != "default"]
        if there.json:
            values = {n: getattr(found.settings, n) for n in wanted}
            there.output.thing({"sheets": found.sheets, "settings": values, "from": {n: found.origin[n] for n in wanted}})
            return
        if uri or queue:
            there.output.text(f"sheets: {', '.join(found.sheets) or 'none'}")
        rows = [{"setting": n, "value": as_text(getattr(found.settings, n)), "from": found.origin[n]} for n in wanted]
        there.output.rows(rows, ("setting", "value", "from"), empty="all settings have their defaults")


def _effective(frontier: Frontier, uri: str | None, path: str, via: str | None, queue: str | None) -> effective.Effective:
    if queue:
        found: effective.Effective = frontier.run(frontier.session.with_live(effective.of_queue, queue))
        return found
    preparer = frontier.policy
    return effective.of_uri(preparer, uri, path, via) if uri else effective.of_crawl(preparer.sheets)


@settings.command("set", cls=Verb, example="redisfrontier settings set min_delay_ms=2s max_retries=10")
@click.argument("given", nargs=-1, required=True, metavar="SETTING=VALUE…")
def set_(given: tuple[str, ...]) -> None:
    """Change settings of the crawl; all or none. Workers follow within a second. Durations may be written 500ms, 2s, 5m, 1d."""
    there = where()
    with there.frontier() as frontier:
        values = setting_values(given)
        before = frontier.settings()
        frontier.set_settings(values)
        rows = [{"setting": n, "before": as_text(getattr(before, n)), "value": as_text(v)} for n, v in values.items()]
        there.output.rows(rows, ("setting", "before", "value"))
