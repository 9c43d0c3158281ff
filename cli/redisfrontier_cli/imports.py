"""`redisfrontier uris import`: what other crawlers know, from the text of a Nutch `readdb -dump` or plain lines."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import click

from redisfrontier.candidates import Preparer
from redisfrontier.errors import InvalidUri
from redisfrontier.frontier import Frontier
from redisfrontier.operate.nutch_dump import BadBlock, DumpReader
from redisfrontier.operate.nutch_import import known
from redisfrontier.operate.nutch_merge import merged
from redisfrontier.record.record import Candidate
from redisfrontier.steps.adopt import Known, adopt
from redisfrontier_cli.failures import PARTLY
from redisfrontier_cli.output import packed, progress, remark
from redisfrontier_cli.verbs import Verb
from redisfrontier_cli.where import where

#: URIs taken in by one round.
BATCH = 3000
#: Bad pieces told to people one by one.
TOLD = 50
_KINDS = ("waiting", "dated", "finished", "known", "out_of_scope", "invalid", "refused")


@click.command("import", cls=Verb, example="redisfrontier uris import --format nutch-dump dump/ segment1.txt.gz")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FILE|DIR…")
@click.option(
    "--format", "kind", type=click.Choice(("nutch-dump", "lines")), required=True, help="What the files are; .gz and .bz2 dumps too."
)
@click.option("--scope", "scoped", is_flag=True, help="Leave out what the crawl's scope rejects; else all is taken in.")
@click.pass_context
def import_(ctx: click.Context, paths: tuple[Path, ...], kind: str, scoped: bool) -> None:
    """Take in what another crawler knows. Several dumps and segments with duplicates are merged by Nutch' rules first.

    Unfetched URIs wait, those with a date wait for it (fetched ones only if the crawl recrawls), all others are known as
    finished. Importing again changes nothing. URIs that are known already stay as they are.
    """
    there = where()
    with there.frontier(patient=True) as frontier:
        taking = Taking(frontier, scoped, there.json)
        taking.all(taking.nutch(paths) if kind == "nutch-dump" else taking.lines(paths))
        there.output.done("imported: " + ", ".join(f"{n} {what}" for what, n in taking.counted().items() if n), taking.counted())
    if taking.bad or taking.counts["invalid"] or taking.counts["refused"]:
        ctx.exit(PARTLY)


class Taking:
    """One import: what became of each URI, and bad pieces as they are met."""

    def __init__(self, frontier: Frontier, scoped: bool, json: bool) -> None:
        self._frontier, self._json = frontier, json
        policy = frontier.policy
        scope = policy.scope if scoped else None
        self._preparer = Preparer(policy.settings, scope, policy.sheets, policy.canonical, policy.partitions)
        self.counts: Counter[str] = Counter()
        self.bad = 0

    def nutch(self, paths: Iterable[Path]) -> Iterator[Known]:
        """The records of dumps, one a URI."""
        settings, reader = self._preparer.settings, DumpReader(self._report)
        for record in merged(reader.files(paths), settings, int(time.time() * 1000), key=self._identity):
            yield known(record, settings)

    def _identity(self, uri: str) -> str:
        try:
            return self._preparer.canonical(uri)
        except InvalidUri:  # taking it in tells so
            return uri

    def lines(self, paths: Iterable[Path]) -> Iterator[Known]:
        """One URI a line; blank lines and those with # are passed over."""
        for path in paths:
            with path.open(encoding="utf-8", errors="replace") as lines:
                for text in (line.strip() for line in lines):
                    if text and not text.startswith("#"):
                        yield Known(Candidate(text), 0)

    def all(self, uris: Iterator[Known]) -> None:
        """Take them in."""
        with progress("importing") as more:
            while batch := list(islice(uris, BATCH)):
                answers = self._frontier.run(self._frontier.session.with_live(adopt, self._preparer, batch))
                for item, (what, why) in zip(batch, answers, strict=True):
                    self.counts[what] += 1
                    if what in ("invalid", "refused"):
                        self._tell(
                            f"{what}: {why}: {item.candidate.uri[:200]!r}", {"uri": item.candidate.uri, "outcome": what, "reason": why}
                        )
                more(len(batch), "")

    def counted(self) -> dict[str, int]:
        """How many became what."""
        return {**{kind: self.counts[kind] for kind in _KINDS}, "bad_pieces": self.bad}

    def _report(self, bad: BadBlock) -> None:
        self.bad += 1
        self._tell(
            f"{bad.source}:{bad.line}: {bad.reason}", {"source": bad.source, "line": bad.line, "reason": bad.reason, "text": bad.text}
        )

    def _tell(self, sentence: str, values: dict[str, object]) -> None:
        told = self.bad + self.counts["invalid"] + self.counts["refused"]
        if self._json:
            remark(packed(values))
        elif told <= TOLD:
            remark(sentence)
