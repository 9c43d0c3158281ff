"""Bad input on a real server: a batch goes on past what is refused (issue's list and field cases H), and bad calls change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import redis

from redisfrontier.errors import BadArgument, FrontierError, InvalidUri, SettingError
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Finished
from redisfrontier.record.record import Candidate
from tests.real.conftest import Make, balanced

GOOD = "http://good.example/"


def test_a_batch_goes_on_past_whatever_is_refused(make: Make) -> None:
    frontier = make()
    offered: list[Any] = [
        GOOD,
        "http:/feeds/xml/latest.xml",
        "ht!tp://x/",
        "http://a.example/\x00",
        "http://a.example/" + "x" * 65_536,
        "http://e.com/100%",
        "http://e.com/?s=ni%u011fde",
        None,
        b"http://a.example/",
        Candidate("http://a.example/", metadata={"k": "x" * 70_000}),
        Candidate("http://a.example/", directive=7),
        GOOD,
        "http://last.example/",
    ]
    answers = frontier.schedule(iter(offered))
    assert [str(a.outcome) for a in answers] == [
        *("added", "invalid", "invalid", "invalid", "invalid", "added", "added"),
        *("invalid", "invalid", "refused", "refused", "known", "added"),
    ]
    assert all(a.reason for a in answers if not a.accepted)
    assert sorted(row["uri"] for row in frontier.uris()) == sorted([GOOD, "http://e.com/100%", offered[6], "http://last.example/"])
    assert balanced(frontier)


def test_h_spellings_of_one_uri_are_one_record(make: Make) -> None:
    frontier = make()
    spellings = ["http://➡.ws/", "http://%E2%9E%A1.ws/", "http://xn--hgi.ws/", "HTTP://XN--HGI.WS:80/#top"]
    assert [str(a.outcome) for a in frontier.schedule(spellings)] == ["added", "known", "known", "known"]
    assert [str(a.outcome) for a in frontier.schedule(["http://e.com/%c3%a4", "http://e.com/%C3%A4", "http://e.com/ä"])] == [
        "added",
        "known",
        "known",
    ]
    frontier.schedule(["http://f.com/%E9"])
    assert "http://f.com/%E9" in [row["uri"] for row in frontier.uris()]
    assert len(list(frontier.queues())) == 3


@pytest.mark.parametrize(
    "offered",
    [
        "http://h.example/a\nb",
        "http://h.example/ x",
        "http://h.example/{c:0}",
        "http://{x}.example/",
        "http://h.example:80{/",
        "http://ü x/",
    ],
)
def test_no_uri_can_make_a_key_of_another_crawl(make: Make, redis_client: redis.Redis, offered: str) -> None:
    frontier = make()
    frontier.schedule([offered, Candidate(GOOD, queue=offered), Candidate(GOOD, source_tag=offered, dedup_key=offered)])
    for key in redis_client.scan_iter():
        name = key.decode()
        assert name == "rf:crawls" or name.startswith(("rf:{c}:", "rf:{c:0}:"))
        assert not set(name[3:].partition("}")[2]) & set("{}\n ")
    assert balanced(frontier)


BAD_CALLS: dict[str, tuple[Callable[[Frontier], object], type[FrontierError]]] = {
    "no queues": (lambda f: f.claim(0), BadArgument),
    "no uris": (lambda f: f.claim(per_queue=0), BadArgument),
    "no time": (lambda f: f.claim(lease_ms=0), BadArgument),
    "a worker with blanks": (lambda f: f.claim(worker="a b"), BadArgument),
    "a worker of no letters": (lambda f: f.claim(worker="\n"), BadArgument),
    "a worker too long": (lambda f: f.claim(worker="w" * 129), BadArgument),
    "a queue with braces": (lambda f: f.claim(queue="{c:0}"), BadArgument),
    "a snooze into the past": (lambda f: f.snooze("example,good,", -1), BadArgument),
    "a snooze of nobody": (lambda f: f.snooze("nobody", 1000), BadArgument),
    "a budget of nobody": (lambda f: f.budget("nobody", 5), BadArgument),
    "a queue that is not there": (lambda f: f.queue("nobody"), BadArgument),
    "a uri to show": (lambda f: f.show("no uri"), InvalidUri),
    "a uri to forget": (lambda f: f.forget(["no uri"]), InvalidUri),
    "a setting": (lambda f: f.set_settings({"max_retries": 4, "max_retires": 3}), SettingError),
    "a value": (lambda f: f.set_settings({"max_retries": 4, "lease_ms": -1}), SettingError),
    "a fixed setting": (lambda f: f.set_settings({"max_retries": 4, "uniqueness": "bitfield"}), SettingError),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_a_bad_call_is_refused_in_clear_words_and_changes_nothing(make: Make, redis_client: redis.Redis, case: str) -> None:
    frontier = make()
    frontier.schedule([GOOD])
    frontier.stats()
    before = {key: redis_client.dump(key) for key in redis_client.scan_iter()}
    call, kind = BAD_CALLS[case]
    with pytest.raises(kind) as caught:
        call(frontier)
    assert str(caught.value)
    assert {key: redis_client.dump(key) for key in redis_client.scan_iter()} == before
    assert frontier.settings().max_retries == 30


@pytest.mark.parametrize("name", ["", " ", "a b", "{x}", "-a", "x" * 65, "a:b", "ü", "a\n"])
def test_a_crawl_needs_a_name_that_fits(redis_url: str, redis_client: redis.Redis, name: str) -> None:
    with pytest.raises(BadArgument):
        Frontier.create(redis_url, name)
    with pytest.raises(FrontierError):
        Frontier.connect(redis_url, name)
    assert redis_client.dbsize() == 0


def test_metadata_that_cannot_be_stored_is_left_out_of_a_record(make: Make) -> None:
    frontier = make(retention="keep", min_delay_ms=0, max_record_bytes=2048)
    frontier.schedule([f"http://h{i}.example/" for i in range(6)])
    bad: list[Any] = [
        {5: "x", "ok": 1},
        {"k": object(), "ok": 1},
        {"k": {"deep": 1}, "ok": 1},
        {"k": "\ud800"},
        {"k": 2**70},
        {"k": "x" * 4000},
    ]
    claims = frontier.claim(6)
    settled = frontier.finish(c.outcome(200, metadata=m, etag='"e"') for c, m in zip(claims, bad, strict=True))
    assert [s.answer for s in settled] == [Finished.OK] * 6
    stored = [frontier.show(c.uri)["record"]["metadata"] for c in claims]
    assert stored[:3] == [{"ok": 1, "etag": '"e"'}] * 3
    assert stored[3:] == [{}] * 3
