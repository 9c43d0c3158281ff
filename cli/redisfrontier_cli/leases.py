"""`redisfrontier leases`: which URIs crawlers hold, since when and until when; and giving them back for a dead worker."""

from __future__ import annotations

import click

from redisfrontier.errors import BadArgument
from redisfrontier.record.outcome import Claim, Finished
from redisfrontier_cli.verbs import Noun, Verb
from redisfrontier_cli.where import where


@click.group(cls=Noun)
def leases() -> None:
    """What crawlers hold at the moment; a lease that runs out goes back to its queue by itself."""


@leases.command("ls", cls=Verb, example="redisfrontier leases ls --worker crawler7-4711")
@click.option("--worker", help="Only those of this worker.")
@click.option("--limit", type=click.IntRange(min=0), default=100, show_default=True, help="How many; 0 all.")
def ls(worker: str | None, limit: int) -> None:
    """List leases: URI id, queue, worker, since and until when, attempts before this one."""
    there = where()
    with there.frontier() as frontier:
        columns = ("id", "queue", "worker", "since_ms", "expires_ms", "attempts", "lost_leases")
        there.output.rows(frontier.leases(worker), columns, limit=limit, empty="nothing is leased")


@leases.command("release", cls=Verb, example="redisfrontier leases release --worker crawler7-4711")
@click.option("--worker", help="All that this worker holds, as after its death.")
@click.option("--id", "ids", multiple=True, metavar="ID", help="One lease, by the id that `leases ls` shows; may be repeated.")
def release(worker: str | None, ids: tuple[str, ...]) -> None:
    """Give leases back to their queues, untried and free; a late finish of their worker then has no effect."""
    if (worker is None) == (not ids):
        raise BadArgument("whose leases?", remedy="give either --worker NAME or --id ID")
    there = where()
    with there.frontier() as frontier:
        if worker is not None:
            count = frontier.release_worker(worker)
        else:
            held = {row["id"]: row for row in frontier.leases() if row["id"] in ids}
            if missing := [id_ for id_ in ids if id_ not in held]:
                raise BadArgument(f"not leased: {', '.join(missing)}", remedy="see `redisfrontier leases ls`")
            claims = [Claim(id_, row["token"], row["queue"], 0, 0, 0, b"") for id_, row in held.items()]
            count = sum(answer is Finished.OK for answer in frontier.release(claims))
        there.output.done(f"{count} given back", {"released": count})
