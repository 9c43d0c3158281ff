"""`redisfrontier bench`: measures the frontier on this machine, on a private server of its own."""

from __future__ import annotations

import click

from redisfrontier_cli.output import progress
from redisfrontier_cli.verbs import Noun, Verb
from redisfrontier_cli.where import where


@click.group(cls=Noun)
def bench() -> None:
    """Measure this machine. Starts a private Redis in a temporary directory; touches no other."""


@bench.command("core", cls=Verb, example="redisfrontier bench core --json\nredisfrontier bench core --uris 100000 --hosts 1000")
@click.option("--uris", type=click.IntRange(min=1000), default=1_000_000, show_default=True, help="URIs for CPU and memory figures.")
@click.option("--hosts", type=click.IntRange(min=10), default=10_000, show_default=True, help="Over so many hosts.")
@click.option("--cycle-uris", type=click.IntRange(min=100), default=100_000, show_default=True, help="URIs of the full cycle.")
@click.option("--sync-cycles", type=click.IntRange(min=10), default=5_000, show_default=True, help="Single claim and finish cycles.")
def core(uris: int, hosts: int, cycle_uris: int, sync_cycles: int) -> None:
    """Schedule, claim, finish: µs of Redis CPU each, cycles per second, bytes per URI. Some minutes with the default sizes."""
    from redisfrontier.operate.bench_core import Plan, run

    with progress("measuring") as more:
        found = run(Plan(uris, hosts, cycle_uris, sync_cycles, tell=lambda what: more(0, what)))
    where().output.thing(found)


@bench.command("policy", cls=Verb, example="redisfrontier bench policy --json")
@click.option("--uris", type=click.IntRange(min=100), default=20_000, show_default=True, help="How many different URIs.")
@click.option("--hosts", type=click.IntRange(min=1), default=2_000, show_default=True, help="Over so many hosts.")
def policy(uris: int, hosts: int) -> None:
    """Parse, canonicalise, scope, queue: µs of CPU per URI in this process. Needs no server."""
    from redisfrontier.operate.bench_policy import policy_figures

    with progress("measuring"):
        figures = policy_figures(uris, hosts)
    rows = [{"step": figure.name, "microseconds": round(figure.microseconds, 2)} for figure in figures]
    where().output.rows(rows, ("step", "microseconds"))
