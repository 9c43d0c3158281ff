"""`redisfrontier doctor`: is the server fit for a frontier, are its crawls whole, and what does each miss cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from urllib.parse import urlsplit

import click

from redisfrontier.errors import FrontierError
from redisfrontier.frontier import Frontier
from redisfrontier.operate import checkup
from redisfrontier.operate import doctor as examination
from redisfrontier.operate.checks import Check, Level
from redisfrontier.store.connect import connect
from redisfrontier.store.drive import Driver
from redisfrontier_cli.failures import FAILURE
from redisfrontier_cli.verbs import Verb
from redisfrontier_cli.where import backoff, crawl_names, where


@click.command(cls=Verb, example="redisfrontier doctor\nredisfrontier doctor --json | jq 'select(.level == \"bad\")'")
@click.option("--all", "every", is_flag=True, help="Show what is well, too.")
@click.pass_context
def doctor(ctx: click.Context, every: bool) -> None:
    """Check the server against deploy/redis.conf, and the crawls (or --crawl) for foreign keys, wrong counters, broken records.

    Bounded whatever the size; harmless on a live crawl. Levels: ok, note, warn (costs memory or speed), bad (work can be lost:
    exit code 1).
    """
    there = where()
    with there.server() as url:
        checks = list(_checks(url, there.crawl))
    if there.json:
        there.output.rows(({**asdict(c), "level": c.level.value} for c in checks), (), empty="")
    for check in checks:
        if every or check.level is not Level.OK:
            there.output.text(_told(check))
    counts = {level: sum(c.level is level for c in checks) for level in Level}
    there.output.text(f"{len(checks)} checks: " + ", ".join(f"{n} {level}" for level, n in counts.items() if n))
    if counts[Level.BAD]:
        ctx.exit(FAILURE)


def _told(check: Check) -> str:
    where_ = f"{check.crawl}: " if check.crawl else ""
    lines = [f"{check.level.value:<5} {where_}{check.name}: {check.found}"]
    lines += [f"      costs: {check.costs}"] if check.costs else []
    return "\n".join(lines + ([f"      try:   {check.remedy}"] if check.remedy else []))


def _checks(url: str, crawl: str | None) -> Iterator[Check]:
    client = connect(url)
    try:
        yield from Driver(client, backoff()).run(examination.server(local=_is_local(url)))
    finally:
        client.close()
    for name in [crawl] if crawl else crawl_names(url):
        try:
            with Frontier.connect(url, name, backoff=backoff()) as frontier:
                yield from frontier.run(frontier.session.with_live(checkup.crawl))
        except FrontierError as error:
            if crawl:
                raise
            yield Check("crawl", Level.BAD, str(error), "it cannot be worked on", error.remedy, name)


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "unix" or parts.hostname in ("localhost", "127.0.0.1", "::1")
