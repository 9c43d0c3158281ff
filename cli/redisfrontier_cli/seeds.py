"""`redisfrontier seeds`: give a crawl its seeds, from files, standard input or the command line, and list them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from redisfrontier.crawl.seeds import STANDARD_INPUT, LineKind, SeedBatch, SeedLine, SeedSource, batches
from redisfrontier.errors import BadArgument
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Admission, Admitted
from redisfrontier.steps import seeds as steps
from redisfrontier.uri.surt import directive_prefix
from redisfrontier_cli.failures import PARTLY
from redisfrontier_cli.output import packed, progress, remark
from redisfrontier_cli.verbs import Noun, Verb
from redisfrontier_cli.where import where

#: Bad lines told to people one by one; programs are told of all.
BAD_LINES_TOLD = 50
#: Batches after which the scope of this process begins anew.
BATCHES_KEPT = 50
_BAD = (Admitted.INVALID, Admitted.REFUSED, Admitted.OUT_OF_SCOPE)
_LISTS = (".txt", ".gz", ".lst", ".csv", ".seeds", ".dump")


@click.group(cls=Noun)
def seeds() -> None:
    """What a crawl begins with; a seed also brings its site into the scope."""


@seeds.command("add", cls=Verb, example="redisfrontier seeds add seeds.txt https://www.example.org/ +http://(com,example,")
@click.argument("sources", nargs=-1, required=True, metavar="FILE|-|URI|+SURT…")
@click.option("--source-tag", is_flag=True, help="Tag every URI of the crawl with the seed it comes from.")
@click.pass_context
def add(ctx: click.Context, sources: tuple[str, ...], source_tag: bool) -> None:
    """Add seeds: files (also .gz, one entry a line, # comments), - for standard input, or URIs.

    A line +PREFIX or -PREFIX takes a SURT prefix into the scope or out of it. Bad lines are reported by number, the rest goes on.
    """
    there = where()
    with there.frontier(patient=True) as frontier:
        loaded = Loading(frontier, there.json)
        for source in _sources(sources, source_tag):
            loaded.load(source)
        there.output.done(loaded.sentence(), loaded.summary())
    if loaded.bad:
        ctx.exit(PARTLY)


@seeds.command("ls", cls=Verb, example="redisfrontier seeds ls --limit 0 --json")
@click.option("--limit", type=click.IntRange(min=0), default=100, show_default=True, help="How many; 0 all.")
def ls(limit: int) -> None:
    """List the seeds by their number, each with its queue and how it is known: pending, leased, dated, finished, maybe_seen."""
    there = where()
    with there.frontier() as frontier:
        there.output.rows(_listed(frontier), ("index", "uri", "queue", "how"), limit=limit, empty="no seeds yet")


def _listed(frontier: Frontier) -> Iterator[dict[str, Any]]:
    start, preparer = 0, frontier.policy
    while rows := frontier.run(frontier.session.with_live(steps.page, preparer, start)):
        yield from rows
        start += len(rows)


def _sources(given: tuple[str, ...], tag: bool) -> Iterator[SeedSource]:
    """Neighbouring URIs as one inline text, every file for itself, in the order given."""
    inline: list[str] = []
    for word in given:
        if not _is_file(word):
            inline.append(word)
            continue
        if inline:
            yield SeedSource("\n".join(inline), source_tag_seeds=tag)
            inline = []
        yield SeedSource(files=(word,), source_tag_seeds=tag)
    if inline:
        yield SeedSource("\n".join(inline), source_tag_seeds=tag)


def _is_file(word: str) -> bool:
    """A mistyped file name must not become a seed: what looks like a path or a list has to be there."""
    if word == STANDARD_INPUT or Path(word).is_file():
        return True
    if "://" not in word and (word.endswith(_LISTS) or word.startswith(("/", "./", "../", "~"))):
        raise BadArgument(f"there is no file {word!r}", remedy="correct the path; write a URI with its http://")
    return False


class Loading:
    """Streams seed sources into a crawl and counts what became of each line."""

    def __init__(self, frontier: Frontier, json: bool) -> None:
        self._frontier, self._json = frontier, json
        self.counts: Counter[str] = Counter()
        self.bad = 0
        self._taken = 0

    def load(self, source: SeedSource, ready: Callable[[], None] = lambda: None) -> None:
        """Take all lines of a source; `ready` is called once, when the lines that the crawl waits for are in."""
        first = self._frontier.run(self._frontier.session.with_live(steps.next_index))
        called = False
        with progress("seeds") as more:
            for batch in batches(source, first_index=first):
                self._take(batch)
                more(len(batch.surt_lines) + len(batch.bad), f"({self.bad} bad)" if self.bad else "")
                if batch.ready and not called:
                    called = True
                    ready()

    def _take(self, batch: SeedBatch) -> None:
        for line in batch.bad:
            self._report(line, line.reason)
        answers = self._frontier.run(steps.add(self._frontier.session, batch))
        lines = [line for line in batch.surt_lines if line.kind is LineKind.SEED]
        self.counts["directives"] += len(batch.surt_lines) - len(lines)
        for line, answer in zip(lines, answers, strict=True):
            self._count(line, answer)
        self._shed(batch)

    def _shed(self, batch: SeedBatch) -> None:
        """Now and then let go of what this process' scope has learnt: each seed brings its own prefix, a million would fill it."""
        session = self._frontier.session
        live = self._frontier.run(session.live())
        signed = (line.text for line in batch.surt_lines if line.kind is LineKind.DIRECTIVE)
        live.surts += tuple(text[0] + directive_prefix(text[1:]) for text in signed)
        self._taken += 1
        if self._taken % BATCHES_KEPT == 0:
            session.adopt(live)

    def _count(self, line: SeedLine, answer: Admission) -> None:
        self.counts[answer.outcome.value] += 1
        if answer.outcome in _BAD:
            self._report(line, f"{answer.outcome.value} ({answer.reason})")

    def _report(self, line: SeedLine, reason: str) -> None:
        self.bad += 1
        where_ = f"{line.source or 'argument'}:{line.number}" if line.source or line.number else "argument"
        if self._json:
            remark(packed({"line": line.number, "source": line.source, "text": line.text[:500], "reason": reason}))
        elif self.bad <= BAD_LINES_TOLD:
            remark(f"{where_}: {reason}: {line.text[:200]!r}")
        elif self.bad == BAD_LINES_TOLD + 1:
            remark("further bad lines are only counted; --json reports them all")

    def summary(self) -> dict[str, int]:
        """How many lines became what."""
        return {**{kind: self.counts.get(kind, 0) for kind in ("added", "known", "requeued", "directives")}, "bad": self.bad}

    def sentence(self) -> str:
        """The same in words."""
        told = {kind: n for kind, n in self.summary().items() if n or kind == "added"}
        return "seeds: " + ", ".join(f"{n} {kind}" for kind, n in told.items())
