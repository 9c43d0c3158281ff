"""Queues, leases, settings, sheets, scope and stats: an operator's hands on a running crawl."""

from __future__ import annotations

import pytest

from redisfrontier.frontier import Frontier


@pytest.fixture
def frontier(run, redis_url):
    run("uris", "add", *(f"http://h{i}.example/{j}" for i in range(4) for j in range(i + 1)))
    with Frontier.connect(redis_url, "open", worker="w1") as found:
        yield found


def names(ran) -> list[str]:
    return [row["queue"] for row in ran.rows]


def test_queues_are_listed_by_state_name_and_size(run, frontier) -> None:
    run("queues", "retire", "example,h2,", "--reason", "too slow")
    assert names(run("queues", "ls", "--state", "retired", "--json")) == ["example,h2,"]
    assert names(run("queues", "ls", "--match", "h[13]", "--sort", "pending", "--json")) == ["example,h3,", "example,h1,"]
    assert names(run("queues", "ls", "--sort", "queue", "--limit", "2", "--json")) == ["example,h0,", "example,h1,"]
    table = run("queues", "ls", "--state", "retired").out
    assert "too slow" in table
    assert run("queues", "ls", "--match", "nothing").err.strip() == "no such queue"


def test_snooze_and_wake(run, frontier) -> None:
    answer = run("queues", "snooze", "example,h0,", "2h", "--json").one
    assert answer["snoozed_until_ms"] > frontier.stats()["now_ms"] + 7_100_000
    assert "example,h0," not in [c.queue for c in frontier.claim(10)]
    assert run("queues", "wake", "--all", "--json").one == {"woken": 1}
    assert [c.queue for c in frontier.claim(10)] == ["example,h0,"]
    assert "no duration" in run("queues", "snooze", "example,h0,", "soon", code=2).err


def test_retire_and_unretire(run, frontier) -> None:
    assert run("queues", "retire", "example,h0,", "example,h1,", "--json").one == {"retired": 2, "were_retired": 0}
    assert run("queues", "retire", "example,h0,", "--json").one == {"retired": 0, "were_retired": 1}
    assert {c.queue for c in frontier.claim(10)} == {"example,h2,", "example,h3,"}
    assert run("queues", "unretire", "example,h0,", "--json").one == {"unretired": 1}
    assert run("queues", "unretire", "--all", "--json").one == {"unretired": 1}
    assert run("queues", "unretire", code=2).err


def test_budget_and_precedence_of_a_queue(run, frontier) -> None:
    assert run("queues", "budget", "example,h3,", "--total", "0", "--json").one["total_budget"] == 0
    assert "example,h3," not in [c.queue for c in frontier.claim(10)]
    assert run("queues", "show", "example,h3,", "--json").one["state"] == "retired"
    raised = run("queues", "budget", "example,h3,", "--total", "-1", "--precedence", "9", "--json").one
    assert raised["state"] != "retired"
    assert run("settings", "show", "--queue", "example,h3,", "base_precedence", "--json").one["from"] == {"base_precedence": "operator"}


def test_removing_a_queue_asks_and_counts(run, frontier) -> None:
    assert run("queues", "rm", "example,h3,", typed="n\n", code=1).err
    assert run("queues", "rm", "example,h3,", "--yes", "--json").rows == [{"queue": "example,h3,", "deleted": 4}]
    assert run("queues", "rm", "--match", "h[01]", "--yes", "--json").rows == [
        {"queue": "example,h0,", "deleted": 1},
        {"queue": "example,h1,", "deleted": 2},
    ]
    assert "no queue" in run("queues", "rm", "example,none,", "--yes", code=2).err


@pytest.mark.parametrize(
    "verb", [("snooze", "example,none,", "1h"), ("wake", "example,none,"), ("retire", "example,none,"), ("show", "x y")]
)
def test_a_queue_that_is_not_there_is_never_a_silent_ok(run, verb) -> None:
    failed = run("queues", *verb, code=2)
    assert failed.out == ""
    assert failed.err.startswith("Error: ")


def test_leases_of_a_dead_worker_go_back(run, frontier) -> None:
    claims = frontier.claim(3)
    frontier.claim(1, worker="w2")
    rows = run("leases", "ls", "--worker", "w1", "--json").rows
    assert {row["id"] for row in rows} == {c.id for c in claims}
    assert run("leases", "release", "--id", claims[0].id, "--json").one == {"released": 1}
    assert run("leases", "release", "--worker", "w1", "--json").one == {"released": 2}
    assert [row["worker"] for row in run("leases", "ls", "--json").rows] == ["w2"]
    assert "not leased" in run("leases", "release", "--id", "0:999", code=2).err
    assert run("leases", "release", code=2).err


def test_settings_are_looked_up_and_changed(run, frontier) -> None:
    assert all("delay" in f"{row['setting']} {row['meaning']}" for row in run("settings", "ls", "delay", "--json").rows)
    run("settings", "set", "min_delay_ms=500ms", "retry_delay_seconds=2m")
    assert frontier.settings().min_delay_ms == 500
    shown = run("settings", "show", "--changed", "--json").one
    assert shown["settings"]["retry_delay_seconds"] == 120
    assert shown["from"]["min_delay_ms"] == "crawl"
    assert "did you mean 'min_delay_ms'" in run("settings", "set", "min_delay=3", code=2).err
    assert "fixed" in run("settings", "set", "uniqueness=bloom", code=2).err
    assert "out of range" in run("settings", "set", "max_retries=5", "max_in_flight=0", code=2).err
    assert frontier.settings().max_retries == 30


def test_sheets_and_what_holds_for_a_uri_and_a_queue(run, frontier) -> None:
    run("sheets", "put", "gentle", "--surt", "http://(example,", "--set", "min_delay_ms=10s", "--set", "max_retries=2")
    run("sheets", "put", "close", "--surt", "h1.example", "--set", "min_delay_ms=20s")
    run("sheets", "put", "query", "--rule", '{"rule": "matches_regex", "regex": ".*[?].*"}', "--set", "queue_total_budget=5")
    found = run("settings", "show", "--uri", "http://h1.example/?x", "--json").one
    assert found["sheets"] == ["gentle", "close", "query"]
    values = found["settings"]
    assert (values["min_delay_ms"], values["max_retries"], values["queue_total_budget"]) == (20_000, 2, 5)
    assert (found["from"]["min_delay_ms"], found["from"]["max_retries"]) == ("sheet close", "sheet gentle")
    run("uris", "add", "http://new.example/")
    assert run("settings", "show", "--queue", "example,new,", "--json").one["settings"]["min_delay_ms"] == 10_000
    assert run("sheets", "show", "close", "--json").one["surt_prefixes"] == ["h1.example"]
    run("sheets", "rm", "close")
    assert [row["sheet"] for row in run("sheets", "ls", "--json").rows] == ["gentle", "query"]


@pytest.mark.parametrize(
    "bad",
    [
        ("x y", "--surt", "a.example", "--set", "min_delay_ms=1"),
        ("s", "--set", "min_delay_ms=1"),
        ("s", "--surt", "a.example", "--set", "precedence_floor=1"),
        ("s", "--surt", "a.example", "--set", "nonsense=1"),
        ("s", "--rule", "{", "--set", "min_delay_ms=1"),
        ("s", "--rule", '{"rule": "nonsense"}', "--set", "min_delay_ms=1"),
        ("s", "--rule", '{"rule": "matches_regex", "regex": "("}', "--set", "min_delay_ms=1"),
    ],
)
def test_a_bad_sheet_changes_nothing(run, bad) -> None:
    assert "Error" in run("sheets", "put", *bad, code=2).err
    assert run("sheets", "ls", "--json").rows == []


def test_scope_explains_every_vote(bare) -> None:
    bare("crawl", "create", "stock")
    bare("seeds", "add", "http://www.example.com/")
    told = bare("scope", "test", "http://img.example.net/a.png", "--via", "http://www.example.com/", "--path", "LE", "--json").one
    assert (told["in_scope"], told["decided_by"], told["queue"]) == (True, "Transclusion", "net,example,img,")
    assert [vote["rule"] for vote in told["votes"]] == list(range(10))
    assert [vote["name"] for vote in told["votes"] if vote["decides"]] == ["Transclusion"]
    far = bare("scope", "test", "http://img.example.net/a.png", "--via", "http://www.example.com/", "--path", "LL")
    assert "in scope    no" in far.out
    assert bare("stats", "--json").one["admitted"] == 1


def test_stats_say_what_the_crawl_waits_for(run, frontier) -> None:
    assert run("stats", "--json").one["waiting_for"] == "workers"
    claims = frontier.claim(10)
    told = run("stats", "--json").one
    assert (told["in_flight"], told["pending"], told["waiting_for"]) == (4, 6, "a worker")
    frontier.finish(c.outcome(-2) for c in claims)
    told = run("stats").out
    assert "politeness, retry or snooze of a queue, in 14 min" in told
    run("crawl", "pause")
    assert "paused" in run("stats").out
    run("crawl", "stop")
    assert run("stats", "--json").one["state"] == "FINISH"


def test_stats_can_be_watched(run) -> None:
    seen = run("stats", "--watch", "10ms", "--times", "3", "--json").rows
    assert [row["state"] for row in seen] == ["EMPTY"] * 3


def test_uris_are_reordered_one_by_one_by_pattern_and_by_queue(run, frontier) -> None:
    assert run("uris", "reorder", "http://h3.example/2", "--precedence", "0", "--json").one["answer"] == "moved"
    (first, *_) = run("uris", "ls", "--queue", "example,h3,", "--json").rows
    assert first["uri"] == "http://h3.example/2"
    assert run("uris", "reorder", "--match", "/[13]$", "--directive", "2", "--json").rows == [
        {"queue": "example,h1,", "moved": 1},
        {"queue": "example,h2,", "moved": 1},
        {"queue": "example,h3,", "moved": 2},
    ]
    order = [row["uri"][-1] for row in run("uris", "ls", "--queue", "example,h3,", "--json").rows]
    assert order == ["1", "3", "2", "0"]
    assert run("uris", "reorder", "--queue", "example,h3,", "--directive", "3", "--precedence", "9", "--json").one["moved"] == 4
    assert [row["uri"][-1] for row in run("uris", "ls", "--queue", "example,h3,", "--json").rows] == ["0", "1", "2", "3"]


def test_a_leased_uri_goes_back_to_its_new_place(run, frontier) -> None:
    (claim,) = frontier.claim(1, queue="example,h1,")
    run("uris", "reorder", claim.uri, "--precedence", "200")
    frontier.release([claim])
    assert [row["uri"][-1] for row in run("uris", "ls", "--queue", "example,h1,", "--json").rows] == ["1", "0"]
    again = run("uris", "reorder", claim.uri, claim.id, "http://none.example/", "--precedence", "200", "--json").rows
    assert [row["answer"] for row in again] == ["not there, or in that place"] * 3
    assert run("uris", "reorder", claim.id, "--precedence", "0", "--json").one["answer"] == "moved"
    assert run("uris", "reorder", claim.uri, code=2).err
    assert run("uris", "reorder", "--precedence", "1", code=2).err


def test_a_better_uri_moves_its_queue_where_that_is_the_policy(run, frontier) -> None:
    run("settings", "set", "queue_precedence_policy=highest_uri")
    run("uris", "add", "http://late.example/", "--precedence", "50")
    run("uris", "reorder", "http://late.example/", "--precedence", "0")
    assert run("queues", "show", "example,late,", "--json").one["precedence"] == 3
