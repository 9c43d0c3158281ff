"""Crawls: made by name, from a file, from a Heritrix configuration; started, paused, stopped, removed."""

from __future__ import annotations

from pathlib import Path

from redisfrontier.frontier import Frontier
from tests.conftest import ROOT

BEANS = ROOT / "tests" / "unit" / "crawl" / "data" / "crawler-beans.cxml"
CONTACT = "https://www.example.org/crawler.html"


def test_a_first_crawl_by_name(bare) -> None:
    made = bare("crawl", "create", "first", "--contact", CONTACT)
    assert "made crawl first" in made.out
    assert "next: redisfrontier --crawl first seeds add" in made.out
    bare("seeds", "add", "https://www.example.com/")
    bare("crawl", "start")
    (row,) = bare("crawl", "ls", "--json").rows
    assert (row["crawl"], row["state"], row["pending"]) == ("first", "RUN", 1)


def test_names_are_not_taken_twice(bare) -> None:
    bare("crawl", "create", "first")
    again = bare("crawl", "create", "first", code=5)
    assert "exists already" in again.err
    assert "Try:" in again.err


def test_a_crawl_without_a_contact_does_not_start(bare) -> None:
    bare("crawl", "create", "first")
    refused = bare("crawl", "start", code=5)
    assert "operator_contact_url" in refused.err
    bare("crawl", "describe", f"operator_contact_url={CONTACT}")
    bare("crawl", "start")
    assert bare("crawl", "describe", "operator_contact_url=nonsense", code=2).err


def test_pause_resume_and_stop_reach_the_crawl(run, redis_url) -> None:
    with Frontier.connect(redis_url, "open") as frontier:
        frontier.schedule(["http://a.example/", "http://b.example/"])
        for verb, state in (("pause", "PAUSE"), ("resume", "RUN"), ("stop", "FINISH"), ("start", "RUN")):
            assert run("crawl", verb, "--json").one["state"] == state
            assert frontier.claim().run_state == state
    stopped = run("crawl", "stop", "--reason", "enough")
    assert "is stopped" in stopped.out
    assert run("stats", "--json").one["finish_reason"] == "enough"


def test_removing_asks_first(run, redis_client) -> None:
    run("uris", "add", "http://a.example/")
    assert "Remove crawl open" in run("crawl", "rm", typed="n\n", code=1).err
    assert run("crawl", "ls", "--json").rows
    run("crawl", "rm", "--yes")
    assert run("crawl", "ls", "--json").rows == []
    assert redis_client.keys("*") == []


def test_a_file_makes_the_whole_crawl(bare, tmp_path) -> None:
    (tmp_path / "seeds.txt").write_text("http://one.example/\nbad line\n+http://(example,two,\n")
    text = (ROOT / "deploy" / "crawl.toml").read_text().replace("[seeds]", '[seeds]\nfiles = ["seeds.txt"]')
    path = tmp_path / "crawl.toml"
    path.write_text(text)
    made = bare("crawl", "create", "-f", str(path), "--start", "--json", code=6)
    assert made.one["state"] == "RUN"
    assert made.one["seeds"] == {"added": 3, "known": 0, "requeued": 0, "directives": 1, "bad": 1}
    assert '"line": 2' in made.err
    shown = bare("crawl", "show", "--json").one
    assert shown["crawl"] == "news-weekly"
    assert shown["sheets"] == ["gentle", "query-pages"]
    assert shown["metadata"]["operator"] == "Web archive team"
    assert len(shown["scope"]) == 10
    assert (tmp_path / "seeds.txt").read_text().startswith("http://one.example/\nbad line")


def test_options_go_over_the_file(bare, tmp_path) -> None:
    path = tmp_path / "crawl.toml"
    path.write_text((ROOT / "deploy" / "crawl.toml").read_text())
    bare("crawl", "create", "other", "-f", str(path), "--set", "min_delay_ms=2s", "--set", "retry_delay_seconds=5m", "--partitions", "2")
    shown = bare("crawl", "show", "--json").one
    assert (shown["crawl"], shown["partitions"]) == ("other", 2)
    assert (shown["settings"]["min_delay_ms"], shown["settings"]["retry_delay_seconds"]) == (2000, 300)


def test_a_bad_file_makes_nothing(bare, tmp_path, redis_client) -> None:
    path = tmp_path / "crawl.toml"
    path.write_text('name = "x"\n[metadata]\noperator_contact_url = "https://e.org/"\n[settings]\nmin_delay = 3\n')
    failed = bare("crawl", "create", "-f", str(path), code=2)
    assert "crawl.toml" in failed.err
    assert "min_delay_ms" in failed.err
    path.write_text('name = "x"\n[metadata]\noperator_contact_url = "https://e.org/"\n[seeds]\nfile = "none.txt"\n')
    assert "none.txt" in bare("crawl", "create", "-f", str(path), code=2).err
    assert bare("crawl", "create", "-f", str(tmp_path / "no.toml"), code=2).err
    assert bare("crawl", "create", code=2).err
    assert redis_client.keys("*") == []


def test_a_heritrix_configuration_is_told_line_by_line(bare, tmp_path) -> None:
    told = bare("crawl", "create", "-f", str(BEANS), "--dry-run", "--json").rows
    assert told[-1] == {"crawl": told[-1]["crawl"], "created": False}
    lines = [row for row in told if "verdict" in row]
    assert {row["verdict"] for row in lines} >= {"taken", "ignored"}
    assert [row["line"] for row in lines] == sorted(row["line"] for row in lines)
    assert bare("crawl", "ls", "--json").rows == []


def test_one_crawl_of_another_version_does_not_hide_the_others(run, redis_client) -> None:
    redis_client.sadd("rf:crawls", "future")
    redis_client.hset("rf:{future}:conf", mapping={"schema": "99"})
    rows = {row["crawl"]: row for row in run("crawl", "ls", "--json").rows}
    assert "99" in rows["future"]["trouble"]
    assert rows["open"]["state"] == "EMPTY"
    assert "which one?" in run("stats", code=2).err


def test_a_private_server_keeps_its_crawl_between_commands(bare, tmp_path: Path) -> None:
    place = str(tmp_path / "job")
    assert "there is no directory" in bare("--dir", place, "crawl", "ls", code=2).err
    bare("--dir", place, "crawl", "create", "first")
    assert bare("crawl", "ls", "--dir", place, "--json").one["crawl"] == "first"
    assert bare("crawl", "ls", "--json").rows == []
