"""The one place that prints: tables and sentences for people, JSON and JSON lines for programs, both safe from hostile text."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from redisfrontier_cli.durations import spoken

Row = Mapping[str, Any]
#: Rows of one table; a longer list is shown in several, so that it never has to be held whole.
ROWS_OF_A_TABLE = 500
#: A table is drawn this wide where the width is not known (a pipe, a file).
WIDTH_OF_NO_TERMINAL = 160


def plain(value: object) -> str:
    """A value on one line, as people read it; whatever could move a cursor, colour a terminal or turn a line round is escaped."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        value = f"{value:g}"
    if isinstance(value, list | tuple):
        value = ", ".join(str(v) for v in value)
    if isinstance(value, Mapping):
        value = ", ".join(f"{k}={v}" for k, v in value.items())
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str("" if value is None else value))


def shown(name: str, value: object) -> str:
    """The value of a named field: times (…_ms over a billion seconds) as dates, durations in words, the rest as `plain`."""
    if isinstance(value, int) and not isinstance(value, bool) and name.endswith("_ms"):
        return when(value) if value > 10**11 else spoken(value)
    return plain(value)


def headed(name: str) -> str:
    """The name of a field as a heading."""
    return plain(name).removesuffix("_ms").replace("_", " ")


def when(at_ms: int) -> str:
    """A time in ms since the epoch, in UTC."""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return str(at_ms)


def packed(value: object) -> str:
    """One line of JSON, ASCII only, so that no control character survives."""
    return json.dumps(value, ensure_ascii=True, default=str)


class Output:
    """Where a command's results go: `json` lines, or tables and sentences on standard output; remarks go to standard error."""

    def __init__(self, json: bool) -> None:
        self.json = json

    @property
    def _console(self) -> Console:
        out = Console(file=sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=False)
        if not out.is_terminal:
            out.width = WIDTH_OF_NO_TERMINAL
        return out

    def thing(self, values: Row, *, title: str = "") -> None:
        """One thing with named values."""
        if self.json:
            self._line(packed(values))
        else:
            self._console.print(_described(values, title))

    def rows(self, rows: Iterable[Row], columns: Sequence[str], *, limit: int = 0, empty: str = "nothing", more: str = "") -> int:
        """A list, read as it comes; people see the `columns`, at most `limit` rows (0: all), and are told if there are more."""
        left = iter(rows)
        wanted: Iterable[Row] = islice(left, limit) if limit else left
        count = sum(1 for row in wanted if self._line(packed(row))) if self.json else self._tables(iter(wanted), columns)
        if limit and count == limit and next(left, None) is not None:
            remark(f"only the first {limit} are shown; {more or '--limit 0 shows all'}")
        if not count and not self.json:
            remark(empty)
        return count

    def done(self, sentence: str, values: Row) -> None:
        """What a command has done: a sentence, or its values."""
        self._line(packed(values) if self.json else plain(sentence))

    def text(self, text: str) -> None:
        """A text of several lines that is meant for people only; programs get nothing."""
        if not self.json:
            for line in text.splitlines():
                self._line(plain(line))

    def watch(self, look: Callable[[], Row], again: Callable[[], bool]) -> None:
        """The same thing over and over, in place on a terminal; a line each for programs."""
        with suppress(KeyboardInterrupt):  # how a person ends it
            if self.json or not sys.stdout.isatty():
                self.thing(look())
                while again():
                    self.thing(look())
                return
            with Live(_described(look(), ""), console=self._console, auto_refresh=False) as live:
                while again():
                    live.update(_described(look(), ""), refresh=True)

    def _tables(self, rows: Iterator[Row], columns: Sequence[str]) -> int:
        count, console = 0, self._console
        while part := list(islice(rows, ROWS_OF_A_TABLE)):
            count += len(part)
            table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
            for name in columns:
                numbers = all(isinstance(row.get(name), int | float) and not name.endswith("_ms") for row in part)
                table.add_column(headed(name), justify="right" if numbers else "left", overflow="fold")
            for row in part:
                table.add_row(*(Text(shown(name, row.get(name))) for name in columns))
            console.print(table)
        return count

    def _line(self, text: str) -> bool:
        print(text, flush=False)
        return True


def _described(values: Row, title: str) -> RenderableType:
    parts: list[RenderableType] = [Text(plain(title), style="bold")] if title else []
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            table.add_row(Text(headed(name)), Text("\n".join(f"{plain(k)} = {plain(v)}" for k, v in value.items())))
        else:
            table.add_row(Text(headed(name)), Text(shown(name, value)))
    return Group(*parts, table)


def remark(text: str) -> None:
    """One line to standard error."""
    print(plain(text), file=sys.stderr)


def failure(message: str, remedy: str, code: int, *, json: bool) -> None:
    """Why a command has failed and what to do about it, to standard error."""
    if json:
        print(packed({"error": message, "remedy": remedy, "exit_code": code}), file=sys.stderr)
        return
    remark(f"Error: {message}")
    if remedy:
        remark(f"  Try: {remedy}")


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int, str], None]]:
    """A bar on a terminal's standard error while something long runs; call it with (how many more are done, a word about it)."""
    console = Console(file=sys.stderr, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        yield _no_bar
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    # Standard output is left alone: it may be a file, while the bar is on the terminal.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(what, total=total)

        def advance(more: int, text: str) -> None:
            bar.update(task, advance=more, description=plain(f"{what} {text}"))

        yield advance


def _no_bar(more: int, text: str) -> None:
    """Nobody watches."""
