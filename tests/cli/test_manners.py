"""Options, errors, exit codes, hostile text: how every command behaves."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from redisfrontier_cli.durations import milliseconds, spoken
from redisfrontier_cli.main import cli
from redisfrontier_cli.output import plain
from tests.cli.conftest import run_with

HOSTILE = "\x1b[2J\x1b]0;owned\x07[red]x[/red]\u202egnp.exe\x9b31m\ud800"


def test_no_server_is_a_usage_error_with_a_remedy() -> None:
    nowhere = run_with({"REDISFRONTIER_URL": None, "REDISFRONTIER_DIR": None, "REDISFRONTIER_CRAWL": None})
    failed = nowhere("stats", code=2)
    assert "no server is named" in failed.err
    assert "--redis" in failed.err


def test_an_unreachable_server_has_its_own_code(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("redisfrontier_cli.where.SHORT_SECONDS", 0.0)
    away = run_with({"REDISFRONTIER_URL": f"unix://{tmp_path}/no.sock", "REDISFRONTIER_DIR": None, "REDISFRONTIER_CRAWL": None})
    assert "Try: start Redis" in away("stats", code=3).err
    error = json.loads(away("stats", "--json", code=3).err)
    assert error["exit_code"] == 3
    assert error["remedy"]


def test_a_password_does_not_show(monkeypatch) -> None:
    nowhere = run_with({"REDISFRONTIER_URL": None, "REDISFRONTIER_DIR": None, "REDISFRONTIER_CRAWL": None})
    assert "hunter2" not in nowhere("stats", "--redis", "redis://u:hunter2@host:notaport/0", code=2).err


def test_no_such_crawl(run) -> None:
    failed = run("--crawl", "none", "stats", code=4)
    assert "no crawl 'none'" in failed.err
    assert "crawl ls" in failed.err


@pytest.mark.parametrize("words", [("frobnicate",), ("queues", "frobnicate"), ("queues", "ls", "--frobnicate"), ("queues", "snooze")])
def test_wrong_words_are_usage_errors(words) -> None:
    assert CliRunner().invoke(cli, words).exit_code == 2


def test_shared_options_stand_before_or_after(run, redis_url) -> None:
    nowhere = run_with({"REDISFRONTIER_URL": None, "REDISFRONTIER_DIR": None, "REDISFRONTIER_CRAWL": None})
    before = nowhere("--redis", redis_url, "--crawl", "open", "--json", "queues", "ls")
    after = nowhere("queues", "ls", "--redis", redis_url, "--crawl", "open", "--json")
    between = nowhere("queues", "--redis", redis_url, "--json", "ls", "--crawl", "open")
    assert before.out == between.out == after.out == ""


def test_the_command_line_wins_over_the_environment(run, redis_url, tmp_path) -> None:
    other = run_with({"REDISFRONTIER_URL": None, "REDISFRONTIER_DIR": str(tmp_path / "none"), "REDISFRONTIER_CRAWL": "none"})
    assert other("--redis", redis_url, "--crawl", "open", "stats", "--json").one["state"] == "EMPTY"
    assert other("stats", "--redis", redis_url, "--crawl", "open", "--json").one["state"] == "EMPTY"
    assert "there is no directory" in other("stats", code=2).err


def test_a_stopped_crawl_refuses(run) -> None:
    run("crawl", "stop")
    refused = run("uris", "add", "http://a.example/", code=5)
    assert "stopped" in refused.err


def test_hostile_text_cannot_reach_the_terminal(run) -> None:
    run("uris", "add", "http://a.example/", "--via", "http://a.example/\u202e")
    run("queues", "retire", "example,a,", "--reason", HOSTILE.replace("\ud800", ""))
    for ran in (run("queues", "ls"), run("queues", "show", "example,a,"), run("queues", "ls", "--json"), run("uris", "ls")):
        assert not [c for c in ran.out if not c.isprintable() and c != "\n"]
    assert "[red]x[/red]" in run("queues", "ls").out.replace(" ", "").replace("\n", "")
    assert json.loads(run("queues", "ls", "--json").out)["retired_why"].startswith("\x1b[2J")


def test_plain_escapes_what_is_not_printable() -> None:
    shown = plain(HOSTILE)
    assert shown.isprintable()
    assert shown.startswith("\\x1b[2J")
    assert "\\u202e" in shown
    assert plain("한국어 café") == "한국어 café"
    assert (plain(True), plain(None), plain(["a", "b"]), plain(1.5)) == ("yes", "", "a, b", "1.5")


def test_hostile_errors_are_escaped_too(run) -> None:
    failed = run("queues", "show", "x\x1b[31m", code=2)
    assert "\x1b" not in failed.err


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("500ms", 500),
        ("30s", 30_000),
        ("5m", 300_000),
        ("2h", 7_200_000),
        ("1d", 86_400_000),
        ("1h30m", 5_400_000),
        ("1.5h", 5_400_000),
        ("7", 7000),
    ],
)
def test_durations(text, ms) -> None:
    assert milliseconds(text) == ms


@pytest.mark.parametrize("text", ["", "soon", "-5m", "5x", "5m!", "1e9h", "٣m"])
def test_what_is_no_duration(text) -> None:
    with pytest.raises(ValueError):
        milliseconds(text)


@pytest.mark.parametrize(
    ("ms", "words"),
    [(0, "0 ms"), (999, "999 ms"), (42_000, "42 s"), (5_400_000, "1 h 30 min"), (86_400_000, "1 d"), (90_061_000, "1 d 1 h")],
)
def test_durations_in_words(ms, words) -> None:
    assert spoken(ms) == words


def test_bench_policy_needs_no_server() -> None:
    nowhere = run_with({"REDISFRONTIER_URL": None, "REDISFRONTIER_DIR": None, "REDISFRONTIER_CRAWL": None})
    rows = nowhere("bench", "policy", "--uris", "100", "--hosts", "10", "--json").rows
    assert rows
    assert all(row["microseconds"] > 0 for row in rows)
