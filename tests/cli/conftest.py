"""Runs the command as a person would, against the real server of the test run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from redisfrontier_cli.main import cli

#: A crawl that takes every URI, so that tests need no seeds.
OPEN_SCOPE = 'name = "open"\n[metadata]\noperator_contact_url = "https://www.example.org/c.html"\n[[scope]]\nrule = "accept"\n'


@dataclass(frozen=True)
class Ran:
    """What a command has said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict]:
        """JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def one(self) -> dict:
        """The only JSON object."""
        (row,) = self.rows
        return row


Run = Callable[..., Ran]


def run_with(environment: dict[str, str | None]) -> Run:
    def run(*words: str, typed: str | bytes | None = None, code: int = 0) -> Ran:
        result = CliRunner().invoke(cli, list(words), input=typed, env=environment)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        ran = Ran(result.exit_code, result.stdout, result.stderr)
        assert ran.code == code, f"exit code {ran.code}, wanted {code}:\n{ran.out}{ran.err}"
        return ran

    return run


@pytest.fixture
def bare(redis_url: str) -> Run:
    """`bare("crawl", "ls")` on an empty server; asserts exit code 0 unless told another."""
    return run_with({"REDISFRONTIER_URL": redis_url, "REDISFRONTIER_DIR": None, "REDISFRONTIER_CRAWL": None})


@pytest.fixture
def run(bare: Run, tmp_path) -> Run:
    """The same with one running crawl, `open`, exact and without a scope."""
    path = tmp_path / "open.toml"
    path.write_text(OPEN_SCOPE)
    bare("crawl", "create", "-f", str(path), "--set", "uniqueness=exact", "--start")
    return bare
