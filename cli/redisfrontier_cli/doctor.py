"""`redisfrontier doctor`: is the server fit for a frontier, and are its crawls whole."""

from __future__ import annotations

import click

from redisfrontier_cli.verbs import Verb


@click.command(cls=Verb, example="redisfrontier doctor")
def doctor() -> None:
    """to come"""
