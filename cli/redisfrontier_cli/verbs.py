"""The shape of every command: the options that all share, before or after the command's name, and an example in its help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from redisfrontier_cli.where import Where

Setter = Callable[[Where, Any], None]


def _note(setter: Setter) -> Callable[[click.Context, click.Parameter, Any], Any]:
    def callback(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        root = ctx.find_root()
        if root.obj is None:
            root.obj = Where()
        from_environment = ctx.get_parameter_source(str(param.name)) is ParameterSource.ENVIRONMENT
        told: set[str] = root.meta.setdefault("redisfrontier.told", set())
        # What stands on the command line wins over the environment, wherever it stands.
        if value and not (from_environment and told & _SAME.get(str(param.name), {str(param.name)})):
            setter(root.obj, value)
        if value and not from_environment:
            told.add(str(param.name))
        return value

    return callback


#: Options that name the same thing in two ways.
_SAME = {"redis": {"redis", "dir"}, "dir": {"redis", "dir"}}


def _set_url(found: Where, value: str) -> None:
    found.url, found.directory = value, None


def _set_directory(found: Where, value: str) -> None:
    found.url, found.directory = None, Path(value)


def _set_crawl(found: Where, value: str) -> None:
    found.crawl = value


def _set_json(found: Where, value: bool) -> None:
    found.json = value


_SHARED: tuple[tuple[str, dict[str, Any], Setter, str], ...] = (
    ("--redis", {"metavar": "URL", "envvar": "REDISFRONTIER_URL"}, _set_url, "Server: redis://, rediss:// or unix:// URL."),
    ("--dir", {"metavar": "DIR", "envvar": "REDISFRONTIER_DIR"}, _set_directory, "A private server in this directory instead."),
    ("--crawl", {"metavar": "NAME", "envvar": "REDISFRONTIER_CRAWL"}, _set_crawl, "The crawl; not needed if there is only one."),
    ("--json", {"is_flag": True, "default": None}, _set_json, "Answer in JSON; lists are one object a line."),
)


def shared_options() -> list[click.Parameter]:
    """--redis, --dir, --crawl and --json; each stands before or after the command's name."""
    return [click.Option([name], expose_value=False, callback=_note(setter), help=text, **more) for name, more, setter, text in _SHARED]


class Verb(click.Command):
    """A command with the shared options and an example in its help."""

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example
        self.params.extend(shared_options())

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example."""
        if self.example:
            with formatter.section("Example"):
                for line in self.example.splitlines():
                    formatter.write(f"  {line}\n")


class Noun(click.Group):
    """The verbs of one thing."""

    command_class = Verb

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(shared_options())
