"""Which Redis failures pass by themselves, and how long to wait for that: bounded exponential back-off with jitter."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from redis import exceptions

from redisfrontier.errors import Unavailable

T = TypeVar("T")
#: Told before each wait: the failure and the seconds until the next try.
OnWait = Callable[[BaseException, float], None]
#: Any error of the Redis client, for those who may not import it.
RedisTrouble = exceptions.RedisError

_PASSING = "LOADING|READONLY|MISCONF|OOM|BUSY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|NOREPLICAS"
#: The code at the start of the answer, or, as Redis 6.2 reports it, after the place in the script where the command failed.
_PASSING_TEXT = re.compile(rf"(?:^-?|@user_script: ?\d+: -?)(?:ERR )?(?:{_PASSING})(?: |$)")
#: A slot that is just moving: the script met a key that has already left for another node.
_MOVING_TEXT = "non local key"
_PASSING_TYPES = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    exceptions.ReadOnlyError,
    exceptions.OutOfMemoryError,
    exceptions.TryAgainError,
    exceptions.ClusterError,
    exceptions.SlotNotCoveredError,
    ConnectionError,
    TimeoutError,
)
_LASTING_TYPES = (exceptions.AuthenticationError, exceptions.AuthorizationError)


def is_unavailable(error: BaseException) -> bool:
    """Is this a failure that passes by itself: not reachable, loading, failing over, disk or memory full, busy, a slot moving?

    A wrong password or a missing permission is not; nor is any other answer of the server.
    """
    if isinstance(error, _LASTING_TYPES):
        return False
    if isinstance(error, _PASSING_TYPES):
        return True
    if isinstance(error, exceptions.ResponseError):
        text = str(error)
        return bool(_PASSING_TEXT.search(text) or _MOVING_TEXT in text)
    return False


@dataclass(frozen=True, slots=True)
class Backoff:
    """How often, how far apart and how long a failed call is repeated.

    Waits are `first_seconds`, doubled each time up to `cap_seconds`, each shortened by a random share of at most `jitter`; when
    `give_up_seconds` have passed since the first failure, the call ends with Unavailable. 0 = one try.
    """

    first_seconds: float = 0.05
    cap_seconds: float = 5.0
    give_up_seconds: float = 60.0
    jitter: float = 0.5
    clock: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random
    sleep: Callable[[float], None] = time.sleep
    sleep_async: Callable[[float], Awaitable[None]] = asyncio.sleep

    def waits(self) -> Iterator[float]:
        """The seconds to wait before each further try; ends when the time is up (counted from the first item asked for)."""
        end = self.clock() + self.give_up_seconds
        step = self.first_seconds
        while (left := end - self.clock()) > 0:
            yield min(step * (1 - self.jitter * self.random()), left)
            step = min(step * 2, self.cap_seconds)

    def call(self, ask: Callable[[], T], on_wait: OnWait | None = None) -> T:
        """What `ask` returns, asked again while Redis is unavailable; raises Unavailable at the end, other errors at once."""
        waits: Iterator[float] | None = None
        tries = 0
        while True:
            tries += 1
            try:
                return ask()
            except Exception as error:
                waits = waits or self.waits()
                self.sleep(self._next(waits, error, tries, on_wait))

    async def call_async(self, ask: Callable[[], Awaitable[T]], on_wait: OnWait | None = None) -> T:
        """The same for a coroutine function."""
        waits: Iterator[float] | None = None
        tries = 0
        while True:
            tries += 1
            try:
                return await ask()
            except Exception as error:
                waits = waits or self.waits()
                pause = self._next(waits, error, tries, on_wait)
            await self.sleep_async(pause)

    def _next(self, waits: Iterator[float], error: Exception, tries: int, on_wait: OnWait | None) -> float:
        if not is_unavailable(error):
            raise error
        pause = next(waits, None)
        if pause is None:
            raise Unavailable(f"Redis is unavailable ({tries} tries): {type(error).__name__}: {error}") from error
        if on_wait is not None:
            on_wait(error, pause)
        return pause
