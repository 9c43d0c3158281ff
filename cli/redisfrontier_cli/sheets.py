"""`redisfrontier sheets`: named overrides of settings for some URIs, by SURT prefix or by rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from redisfrontier.crawl.rule_check import check_rule
from redisfrontier.errors import BadArgument
from redisfrontier.frontier import Frontier
from redisfrontier.policy.sheets import Sheet, Sheets
from redisfrontier.steps import crawl as steps
from redisfrontier_cli.pairs import setting_values
from redisfrontier_cli.verbs import Noun, Verb
from redisfrontier_cli.where import where


@click.group(cls=Noun)
def sheets() -> None:
    """Other settings for some URIs. The longest SURT prefix wins; a sheet bound to rules beats those bound to prefixes."""


def _all(frontier: Frontier) -> list[Sheet]:
    found: list[Sheet] = frontier.run(frontier.session.with_live(steps.sheets))
    return found


def _described(sheet: Sheet) -> dict[str, Any]:
    return {
        "sheet": sheet.name,
        "settings": dict(sheet.settings),
        "surt_prefixes": list(sheet.surt_prefixes),
        "rules": [dict(rule) for rule in sheet.rules],
        "order": sheet.order,
    }


@sheets.command("ls", cls=Verb, example="redisfrontier sheets ls")
def ls() -> None:
    """List the sheets: what they set, and for which URIs."""
    there = where()
    with there.frontier() as frontier:
        rows = [_described(sheet) for sheet in _all(frontier)]
        there.output.rows(rows, ("sheet", "settings", "surt_prefixes", "rules", "order"), empty="no sheets")


@sheets.command("show", cls=Verb, example="redisfrontier sheets show gentle")
@click.argument("name")
def show(name: str) -> None:
    """Show one sheet."""
    there = where()
    with there.frontier() as frontier:
        there.output.thing(_described(_named(frontier, name)))


@sheets.command("put", cls=Verb, example="redisfrontier sheets put gentle --surt 'http://(net,example,' --set min_delay_ms=10s")
@click.argument("name")
@click.option("--set", "given", multiple=True, required=True, metavar="SETTING=VALUE", help="What it sets; may be repeated.")
@click.option("--surt", "prefixes", multiple=True, metavar="PREFIX", help="SURT prefix or host it applies to; may be repeated.")
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="JSON",
    help='Decide rule, e.g. {"rule": "matches_regex", "regex": ".*[?].*"}; may be repeated.',
)
@click.option("--order", type=int, default=0, help="Among sheets bound to rules: later ones win.")
def put(name: str, given: tuple[str, ...], prefixes: tuple[str, ...], rules: tuple[str, ...], order: int) -> None:
    """Add a sheet, or replace the one of that name as a whole. Queues that use it follow at once."""
    if not prefixes and not rules:
        raise BadArgument(f"sheet {name!r} applies to nothing", remedy="give --surt PREFIX or --rule JSON")
    sheet = Sheet(_checked_name(name), dict(setting_values(given)), prefixes, tuple(_rule(text) for text in rules), order)
    there = where()
    with there.frontier() as frontier:
        Sheets([*(s for s in _all(frontier) if s.name != name), sheet], frontier.settings())  # raises what is wrong with it
        frontier.set_sheet(sheet)
        there.output.thing(_described(sheet))


@sheets.command("rm", cls=Verb, example="redisfrontier sheets rm gentle")
@click.argument("name")
def rm(name: str) -> None:
    """Remove a sheet; what it applied to goes back to the crawl's settings."""
    there = where()
    with there.frontier() as frontier:
        _named(frontier, name)
        frontier.remove_sheet(name)
        there.output.done(f"sheet {name} is removed", {"sheet": name, "removed": True})


def _named(frontier: Frontier, name: str) -> Sheet:
    for sheet in _all(frontier):
        if sheet.name == name:
            return sheet
    raise BadArgument(f"there is no sheet {name!r}", remedy="see `redisfrontier sheets ls`")


def _checked_name(name: str) -> str:
    # Combinations of sheets are kept as names separated by blanks.
    if not name.isprintable() or any(c.isspace() for c in name) or not 0 < len(name) <= 64:
        raise BadArgument(f"sheet name {name[:80]!r}", remedy="1 to 64 characters without blanks")
    return name


def _rule(text: str) -> Mapping[str, Any]:
    try:
        rule = json.loads(text)
    except ValueError:
        rule = None
    if not isinstance(rule, dict):
        raise BadArgument(f"not a rule in JSON: {text[:80]!r}", remedy='for example {"rule": "matches_regex", "regex": ".*[?].*"}')
    check_rule(rule)
    return rule
