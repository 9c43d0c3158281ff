"""Every command has help with an example, takes the shared options, and stands in README's table."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from redisfrontier_cli.main import NOUNS, cli
from tests.conftest import ROOT


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for noun in cli.list_commands(context):
        command = cli.get_command(context, noun)
        assert command is not None
        if isinstance(command, click.Group):
            yield from ((f"{noun} {verb}", found) for verb, found in command.commands.items())
        else:
            yield noun, command


ALL = dict(commands())


@pytest.mark.parametrize("name", ALL)
def test_help_explains_and_shows_an_example(name) -> None:
    shown = CliRunner().invoke(cli, [*name.split(), "--help"], env={"COLUMNS": "120"})
    assert shown.exit_code == 0
    examples = shown.stdout.split("Example:\n")[1].strip().splitlines()
    assert all("redisfrontier" in line for line in examples)
    assert any(re.search(rf"redisfrontier (--\w+ \S+ )*{name}\b", line) for line in examples)
    for option in ("--redis", "--dir", "--crawl", "--json"):
        assert option in shown.stdout
    for parameter in ALL[name].params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert parameter.help, parameter.name


@pytest.mark.parametrize("name", ALL)
def test_examples_parse(name) -> None:
    """The words of an example are options and arguments that the command takes."""
    for line in ALL[name].example.splitlines():
        words = re.sub(r"^.*?redisfrontier ", "", line.split(" | jq")[0])
        words = re.sub(r"'[^']*'|\"[^\"]*\"", "quoted", words)
        words = re.sub(r"^(--\w+ \S+ )+", "", words).removeprefix(name).split()
        context = click.Context(ALL[name], info_name=name)
        given = {option for word in words if (option := word.split("=")[0]).startswith("-") and option != "-"}
        known = {option for p in ALL[name].get_params(context) for option in (*p.opts, *p.secondary_opts)}
        assert given <= known, line


def test_readme_lists_exactly_the_commands() -> None:
    table = re.findall(r"^\| `([a-z]+(?: [a-z]+)?)` \| (.+) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert dict(table) == {name: command.get_short_help_str(200) for name, command in ALL.items()}


def test_the_group_names_every_noun_and_the_exit_codes() -> None:
    shown = CliRunner().invoke(cli, ["--help"]).stdout
    assert all(noun in shown for noun in NOUNS)
    assert "Exit codes" in shown


def test_each_noun_is_one_module() -> None:
    assert set(NOUNS) == {name.split()[0] for name in ALL}
    assert all((ROOT / "cli" / "redisfrontier_cli" / f"{noun}.py").is_file() for noun in NOUNS)
