"""Which failures pass, and how the waits between the tries run."""

from __future__ import annotations

import pytest
from redis import exceptions

from redisfrontier.errors import Unavailable
from redisfrontier.store.retry import Backoff, is_unavailable

PASSING = [
    exceptions.ConnectionError("Error 111 connecting to localhost:6379. Connection refused."),
    exceptions.TimeoutError("Timeout reading from socket"),
    exceptions.BusyLoadingError("Redis is loading the dataset in memory"),
    exceptions.ReadOnlyError("You can't write against a read only replica."),
    exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'."),
    exceptions.ClusterDownError("CLUSTERDOWN The cluster is down"),
    exceptions.TryAgainError("Multiple keys request during rehashing of slot"),
    exceptions.MasterDownError("MASTERDOWN Link with MASTER is down"),
    exceptions.ResponseError("MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk."),
    exceptions.ResponseError("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."),
    exceptions.ResponseError("NOREPLICAS Not enough good replicas to write."),
    exceptions.ResponseError("LOADING Redis is loading the dataset in memory"),
    exceptions.ResponseError("Script attempted to access a non local key in a cluster node script: 5d7c, on @user_script:3."),
    # Redis 6.2 wraps what a command inside a script answers.
    exceptions.ResponseError("Error running script (call to f_5d): @user_script:1: @user_script: 1: -OOM command not allowed"),
    exceptions.ResponseError("Error running script (call to f_5d): @user_script:7: @user_script: 7: -READONLY You can't write"),
    ConnectionResetError("reset by peer"),
    TimeoutError(),
]
LASTING = [
    exceptions.AuthenticationError("invalid username-password pair or user is disabled."),
    exceptions.NoPermissionError("this user has no permissions to run the 'zadd' command"),
    exceptions.ResponseError("WRONGTYPE Operation against a key holding the wrong kind of value"),
    exceptions.ResponseError("BUSYGROUP Consumer Group name already exists"),
    exceptions.ResponseError("BUSYKEY Target key name already exists."),
    exceptions.ResponseError("NOCRAWL no crawl of that name: OOM"),
    exceptions.NoScriptError("No matching script."),
    exceptions.MovedError("3999 127.0.0.1:6381"),
    exceptions.DataError("Invalid input of type: 'dict'."),
    Unavailable(),
    OSError(28, "No space left on device"),
    ValueError("OOM"),
]


@pytest.mark.parametrize("error", PASSING, ids=str)
def test_passing_failures_are_one_family(error: Exception) -> None:
    assert is_unavailable(error)


@pytest.mark.parametrize("error", LASTING, ids=str)
def test_other_failures_are_not_in_it(error: Exception) -> None:
    assert not is_unavailable(error)


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)

    def backoff(self, random: float = 0.0, **options: float) -> Backoff:
        return Backoff(clock=lambda: self.now, random=lambda: random, sleep=self.sleep, sleep_async=self.sleep_async, **options)


def failing(times: int, error: Exception) -> tuple[list[int], object]:
    tries: list[int] = []

    def ask() -> str:
        tries.append(1)
        if len(tries) <= times:
            raise error
        return "answer"

    return tries, ask


def test_waits_double_up_to_the_cap_and_end_in_time() -> None:
    clock = Clock()
    tries, ask = failing(10**9, PASSING[0])
    with pytest.raises(Unavailable, match=r"\d+ tries.*Connection refused") as caught:
        clock.backoff(first_seconds=1, cap_seconds=8, give_up_seconds=30).call(ask)
    assert clock.slept == [1, 2, 4, 8, 8, 7]
    assert len(tries) == 7
    assert caught.value.__cause__ is PASSING[0]
    assert caught.value.remedy


def test_jitter_shortens_each_wait_by_its_share_at_most() -> None:
    clock = Clock()
    _, ask = failing(3, PASSING[1])
    assert clock.backoff(random=1.0, first_seconds=1, jitter=0.25).call(ask) == "answer"
    assert clock.slept == [0.75, 1.5, 3.0]


def test_no_patience_means_one_try() -> None:
    clock = Clock()
    tries, ask = failing(1, PASSING[0])
    with pytest.raises(Unavailable):
        clock.backoff(give_up_seconds=0).call(ask)
    assert (len(tries), clock.slept) == (1, [])


def test_a_lasting_failure_is_raised_at_once() -> None:
    clock = Clock()
    tries, ask = failing(1, LASTING[2])
    with pytest.raises(exceptions.ResponseError, match="WRONGTYPE"):
        clock.backoff().call(ask)
    assert (len(tries), clock.slept) == (1, [])


def test_the_time_counts_from_the_first_failure_not_from_the_making() -> None:
    clock = Clock()
    backoff = clock.backoff(give_up_seconds=10)
    clock.now += 1000
    _, ask = failing(2, PASSING[0])
    assert backoff.call(ask) == "answer"


def test_each_wait_is_told() -> None:
    clock = Clock()
    told: list[tuple[str, float]] = []
    _, ask = failing(2, PASSING[0])
    clock.backoff(first_seconds=1).call(ask, lambda error, pause: told.append((type(error).__name__, pause)))
    assert told == [("ConnectionError", 1), ("ConnectionError", 2)]


async def test_the_asyncio_form_waits_alike() -> None:
    clock = Clock()
    tries, ask = failing(3, PASSING[4])

    async def ask_async() -> str:
        return ask()

    assert await clock.backoff(first_seconds=1).call_async(ask_async) == "answer"
    assert clock.slept == [1, 2, 4]
    tries.clear()
    with pytest.raises(Unavailable):
        await clock.backoff(give_up_seconds=0).call_async(ask_async)
