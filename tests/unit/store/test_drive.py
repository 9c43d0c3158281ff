"""What of a pipeline is sent again: lost scripts at once, passing failures after a pause, the rest never; sync and async alike."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import fakeredis
import pytest
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import NoScriptError, OutOfMemoryError, ResponseError

from redisfrontier.errors import BadArgument, NoCrawl, Unavailable
from redisfrontier.store.drive import LOADS, AsyncDriver, Driver, refuse, translated
from redisfrontier.store.ops import Ask
from redisfrontier.store.retry import Backoff
from redisfrontier.store.scripts import load

ASKS = [Ask(script, ("k",), (i,)) for i, script in enumerate(("claim", "finish", "stats"))]
CLAIM, FINISH, STATS = (ask.wire() for ask in ASKS)
LOST, FULL, CUT = NoScriptError("No matching script."), OutOfMemoryError("command not allowed"), Disconnected("cut")
#: Answers to each send in turn; an exception: the send fails as a whole.
Script = Sequence[list[Any] | Exception]
#: Runs ASKS against a script: the replies and what was sent, waits as "wait".
Run = Callable[[Script], tuple[Any, list[Any]]]


class _Server:
    def __init__(self, script: Script) -> None:
        self.script, self.sent = list(script), list[Any]()

    def send(self, commands: Sequence[Any]) -> list[Any]:
        self.sent.append(list(commands))
        reply = self.script.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def send_async(self, commands: Sequence[Any]) -> list[Any]:
        return self.send(commands)

    def wait(self, error: BaseException, seconds: float) -> None:
        self.sent.append("wait")


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Run:
    backoff = Backoff(first_seconds=0.0001, cap_seconds=0.0001, give_up_seconds=0.05)

    def one(script: Script) -> tuple[Any, list[Any]]:
        server = _Server(script)
        if request.param == "sync":
            driver = Driver(fakeredis.FakeRedis(), backoff, server.wait)
            monkeypatch.setattr(driver, "_send", server.send)
            return driver.ask(ASKS), server.sent
        other = AsyncDriver(fakeredis.FakeAsyncRedis(), backoff, server.wait)
        monkeypatch.setattr(other, "_send", server.send_async)
        return asyncio.run(other.ask(ASKS)), server.sent

    return one


def loading(name: str) -> tuple[str, str, str]:
    return ("SCRIPT", "LOAD", load(name).text)


def test_what_is_answered_is_sent_once(run: Run) -> None:
    refused = ResponseError("NOCRAWL none")
    assert run([[b"a", refused, b"c"]]) == ([b"a", refused, b"c"], [[CLAIM, FINISH, STATS]])


def test_lost_scripts_are_loaded_and_only_their_calls_sent_again_at_once(run: Run) -> None:
    replies, sent = run([[LOST, b"b", LOST], [b"sha", b"sha", b"a", b"c"]])
    assert replies == [b"a", b"b", b"c"]
    assert sent[1:] == [[loading("claim"), loading("stats"), CLAIM, STATS]]


def test_what_met_a_passing_failure_is_sent_again_after_a_pause(run: Run) -> None:
    replies, sent = run([[b"a", FULL, b"c"], [FULL], [b"b"]])
    assert replies == [b"a", b"b", b"c"]
    assert sent[1:] == ["wait", [FINISH], "wait", [FINISH]]


def test_both_at_once(run: Run) -> None:
    replies, sent = run([[LOST, FULL, b"c"], [b"sha", b"a"], [LOST], [b"sha", b"b"]])
    assert replies == [b"a", b"b", b"c"]
    assert sent[1:] == [[loading("claim"), CLAIM], "wait", [FINISH], [loading("finish"), FINISH]]


def test_a_cut_line_repeats_what_has_no_answer_yet(run: Run) -> None:
    replies, sent = run([CUT, [LOST, b"b", b"c"], CUT, [b"sha", b"a"]])
    assert replies == [b"a", b"b", b"c"]
    assert sent[1:] == ["wait", [CLAIM, FINISH, STATS], [loading("claim"), CLAIM], "wait", [loading("claim"), CLAIM]]


def test_a_server_that_keeps_no_script_is_given_up(run: Run) -> None:
    replies, sent = run([[LOST, b"b", b"c"], *([[b"sha", LOST]] * LOADS)])
    assert replies == [LOST, b"b", b"c"]
    assert len(sent) == 1 + LOADS


def test_an_outage_that_lasts_is_unavailable(run: Run) -> None:
    with pytest.raises(Unavailable):
        run([CUT] * 1000)


def test_other_failures_are_raised_at_once(run: Run) -> None:
    with pytest.raises(ValueError, match="mine"):
        run([ValueError("mine")])


def test_errors_are_told_by_their_code() -> None:
    assert isinstance(translated(ResponseError("NOCRAWL none")), NoCrawl)
    assert isinstance(translated(ResponseError("ERR BADARG no")), BadArgument)
    strange = ResponseError("WHAT is that")
    assert translated(strange) is strange
    with pytest.raises(BadArgument, match="no"):
        refuse(ResponseError("BADARG no"))
    with pytest.raises(KeyError):
        refuse(KeyError("BADARG no"))
