"""The documents tell the truth: their examples run and print what they say, and every departure of the vectors is listed."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess

import pytest

from redisfrontier import Candidate, Frontier
from tests.conftest import ROOT, real_program
from tests.vectors.departures import DEPARTURES

README = (ROOT / "README.md").read_text()
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()


def test_the_python_example_prints_what_it_says(tmp_path, monkeypatch) -> None:
    real_program()
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    told = re.findall(r"^ +# (.+)$", code, re.MULTILINE)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(code, "README.md", "exec"), {})  # our own README
    assert [line.strip() for line in shown.getvalue().splitlines()] == told


def test_the_redis_cli_commands_show_something(redis_url) -> None:
    socket = redis_url.removeprefix("unix://")
    with Frontier.create(redis_url, "example") as frontier:
        frontier.start()
        frontier.schedule([Candidate("http://site.example/", is_seed=True), "http://site.example/b", "http://site.example/c"])
        (claim,) = frontier.claim(1)
        lines = [line for line in README.splitlines() if line.startswith("redis-cli ")]
        shown = [ask(socket, line) for line in lines]
        frontier.finish([claim.outcome(200)])
        resting = ask(socket, next(line for line in lines if ":due'" in line))
    assert len(lines) == 5
    assert "in_process" in shown[0]
    assert "2" in shown[1].split()
    assert "example,site," in resting
    assert claim.token in shown[3]
    assert shown[4].split()[:3] == ["3", "2", "1"]


def ask(socket: str, line: str) -> str:
    command = line.replace("redis-cli", f"redis-cli -s {socket}", 1)
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=20)
    return done.stdout


@pytest.mark.parametrize("name", sorted({departure.name for departure in DEPARTURES}))
def test_every_departure_of_the_vectors_is_listed_with_its_reason(name) -> None:
    assert f"`{name}`" in ARCHITECTURE
