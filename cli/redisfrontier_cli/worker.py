"""`redisfrontier worker`: one process of the reference crawler."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from redisfrontier.worker import run_worker
from redisfrontier.worker.options import WorkerOptions
from redisfrontier_cli.durations import DURATION
from redisfrontier_cli.verbs import Verb
from redisfrontier_cli.where import only_crawl, where

_PATH = click.Path(file_okay=False, path_type=Path)


@click.command(cls=Verb, example="redisfrontier --crawl news worker --concurrency 50 --warc-dir warcs --stop-when-empty")
@click.option("--user-agent", help="Instead of the one made from the crawl's metadata.")
@click.option("--concurrency", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Fetches at once.")
@click.option("--stop-when-empty", is_flag=True, help="Leave when the whole crawl has nothing left that could be fetched.")
@click.option("--max-uris", type=click.IntRange(min=0), default=0, help="Leave after about so many URIs; 0 never.")
@click.option("--resolve", multiple=True, metavar="HOST:IP", help="As curl's: no DNS for this host (or HOST:PORT:IP); may be repeated.")
@click.option("--warc-dir", type=_PATH, help="Write WARC files here.")
@click.option("--log-dir", type=_PATH, help="Write a crawl.log in Heritrix' format here.")
@click.option("--worker", "worker", help="Its name; restarted under the same name it takes its old leases back.")
@click.option("--lease", "lease_ms", type=DURATION, metavar="DURATION", help="How long a claim holds; slow fetches extend theirs.")
@click.option(
    "--fetch-timeout", type=DURATION, default="20m", show_default=True, metavar="DURATION", help="Longest a fetch may take in all."
)
@click.option(
    "--idle-timeout", type=DURATION, default="20s", show_default=True, metavar="DURATION", help="Longest wait for the next bytes."
)
@click.option("--max-body-bytes", type=click.IntRange(min=1), default=20_000_000, show_default=True, help="Longer bodies are cut off.")
@click.option("--favicons", is_flag=True, help="Infer /favicon.ico of every site.")
@click.option("--progress/--no-progress", default=None, help="A bar instead of JSON log lines; default: on a terminal.")
def worker(progress: bool | None, fetch_timeout: int, idle_timeout: int, **given: Any) -> None:
    """Run one crawler process: claims, fetches politely, obeys robots.txt, follows links. Start as many as you like.

    Interrupt (Ctrl-C or SIGTERM): running fetches end, what it holds is given back.
    """
    there = where()
    with there.server() as url:
        bar = sys.stderr.isatty() and not there.json if progress is None else progress
        options = WorkerOptions(
            crawl=there.crawl or only_crawl(url),
            url=url,
            progress=bar,
            fetch_timeout_seconds=fetch_timeout / 1000,
            idle_timeout_seconds=idle_timeout / 1000,
            **given,
        )
        code = run_worker(options)
    click.get_current_context().exit(code)
