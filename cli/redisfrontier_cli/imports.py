"""`redisfrontier uris import`: what other crawlers know, from the text of a Nutch `readdb -dump` or plain lines."""

from __future__ import annotations

from pathlib import Path

import click

from redisfrontier_cli.verbs import Verb


@click.command("import", cls=Verb, example="redisfrontier uris import --format nutch-dump dump/")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE|DIR…")
def import_(paths: tuple[Path, ...]) -> None:
    """to come"""
