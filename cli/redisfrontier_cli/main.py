"""The `redisfrontier` command: its nouns, the shared options, errors as messages and exit codes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

import redisfrontier
from redisfrontier_cli.failures import EXIT_CODES, Failed, failed
from redisfrontier_cli.verbs import shared_options
from redisfrontier_cli.where import Where

#: Each noun with the module that holds it, in the order of the help.
NOUNS = {
    "crawl": "make, start, pause, stop and remove crawls",
    "settings": "look up and change settings",
    "sheets": "other settings for some URIs",
    "seeds": "what a crawl begins with",
    "scope": "why a URI is in or out of scope",
    "uris": "add, find, delete and import URIs",
    "queues": "the hosts' queues: look, snooze, retire, budgets",
    "leases": "what crawlers hold at the moment",
    "stats": "how far a crawl is and what it waits for",
    "doctor": "is the server fit, are the crawls whole",
    "worker": "run the reference crawler",
    "bench": "measure this machine",
}


class Nouns(click.Group):
    """The whole command; a noun's module is imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The nouns."""
        return list(NOUNS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A noun's command."""
        if cmd_name not in NOUNS:
            return None
        found: click.Command = getattr(import_module(f"redisfrontier_cli.{cmd_name}"), cmd_name)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The nouns, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(NOUNS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A first crawl, and the exit codes."""
        with formatter.section("A first crawl"):
            for line in _FIRST_CRAWL:
                formatter.write(f"  {line}\n")
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), text) for code, text in EXIT_CODES.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run; every error that can be foreseen becomes a message, a remedy and an exit code."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError) as error:
            if isinstance(error, Failed):
                error.json = error.json or _json(ctx)
            raise
        except Exception as error:
            known = failed(error, json=_json(ctx))
            if known is None:
                raise
            raise known from error


_FIRST_CRAWL = (
    "export REDISFRONTIER_DIR=/tmp/first      # a private Redis; or REDISFRONTIER_URL=redis://…",
    "redisfrontier crawl create first --contact https://www.example.org/crawler.html",
    "redisfrontier seeds add https://www.example.com/",
    "redisfrontier crawl start",
    "redisfrontier worker --stop-when-empty --max-uris 20",
    "redisfrontier stats",
)


def _json(ctx: click.Context) -> bool:
    return isinstance(ctx.obj, Where) and ctx.obj.json


@click.group(cls=Nouns, params=shared_options(), context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(redisfrontier.__version__, "--version", prog_name="redisfrontier")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """The frontier of a web crawler, in Redis: look into it, feed it, steer it."""
    if ctx.obj is None:
        ctx.obj = Where()


def main(prog_name: str | None = None) -> None:
    """The console script."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
        sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    cli(prog_name=prog_name)
