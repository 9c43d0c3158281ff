"""Sends what the steps of an operation ask for, sync or async: pipelines, lost script caches, outages, errors by their code."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from typing import Any, NoReturn, TypeVar

import redis
import redis.asyncio
from redis.exceptions import NoScriptError, ResponseError

from redisfrontier import errors
from redisfrontier.store.line import AsyncLine, Command, Line
from redisfrontier.store.ops import Ask
from redisfrontier.store.retry import Backoff, is_unavailable
from redisfrontier.store.scripts import load

T = TypeVar("T")
#: The steps of an operation: yields what to ask, is sent the replies (errors among them as objects), returns the result.  Nothing to ask
#: is a pause in which other tasks of an event loop may run.
Steps = Generator[Sequence[Ask], list[Any], T]
#: How often in a row a server may lose its scripts while an operation runs: somebody may be flushing them again and again.
LOADS = 20
#: Told of each wait for Redis: failure, seconds.
OnWait = Callable[[BaseException, float], None]

_CODES: dict[str, type[errors.FrontierError]] = {
    "NOCRAWL": errors.NoCrawl,
    "BADARG": errors.BadArgument,
    "SCHEMA": errors.SchemaMismatch,
    "STATE": errors.WrongState,
    "LIMIT": errors.LimitReached,
    "FULL": errors.Full,
    "WRONGKEY": errors.WrongKeyType,
    "WRONGTYPE": errors.WrongKeyType,
}


def translated(error: Exception) -> Exception:
    """The library's error for an error reply `CODE text`; the reply itself if its code is not ours."""
    code, _, rest = str(error).removeprefix("ERR ").partition(" ")
    return _CODES[code](rest) if code in _CODES else error


def refuse(error: BaseException) -> NoReturn:
    """Raise an error reply as the library's error."""
    raise (translated(error) if isinstance(error, ResponseError) else error) from None


class _Round:
    """Some asks on their way: what is to be sent now, what after a pause, and what has been answered."""

    __slots__ = ("_asks", "_later", "_left", "_loads", "_losses", "replies")

    def __init__(self, asks: Sequence[Ask]) -> None:
        self._asks = asks
        self._left, self._later = list(range(len(asks))), list[int]()
        self._loads, self._losses = list[Command](), 0
        self.replies: list[Any] = [None] * len(asks)

    def commands(self) -> list[Command]:
        """What is to be sent now, with the scripts that the server has lost; empty: nothing more in this try."""
        return [*self._loads, *[self._asks[i].wire() for i in self._left]]

    def take(self, replies: list[Any]) -> None:
        """Note the replies to `commands`."""
        failed = []
        for i, reply in zip(self._left, replies[len(self._loads) :], strict=True):
            self.replies[i] = reply
            if isinstance(reply, Exception):
                failed.append(i)
        self._left, self._loads = [], []
        if failed:
            self._later += [i for i in failed if is_unavailable(self.replies[i])]
            self._again([i for i in failed if isinstance(self.replies[i], NoScriptError)])

    def _again(self, lost: list[int]) -> None:
        if lost and self._losses < LOADS:
            self._losses += 1
            self._left = lost
            self._loads = [("SCRIPT", "LOAD", load(name).text) for name in sorted({self._asks[i].script for i in lost})]

    def end(self) -> None:
        """End this try: raises the first passing failure that was answered; only what met one is sent in the next."""
        if self._later:
            self._left, self._later, self._losses = self._later, [], 0
            raise self.replies[self._left[0]]


class Driver:
    """Runs steps over a sync client."""

    def __init__(self, client: redis.Redis, backoff: Backoff, on_wait: OnWait | None = None) -> None:
        self.client, self.backoff, self.on_wait = client, backoff, on_wait
        self._line = Line(client)

    def own_client(self) -> None:
        """Nobody else uses the client: one of its connections may be kept."""
        self._line.keeps = True

    def close(self) -> None:
        """Give the connection back; the client stays open."""
        self._line.close()

    def run(self, steps: Steps[T]) -> T:
        """The result of the steps; raises Unavailable when Redis stays away longer than the back-off allows."""
        replies: list[Any] | None = None
        try:
            while True:
                asks = steps.send(replies)  # type: ignore[arg-type]
                replies = self.ask(asks) if asks else []
        except StopIteration as end:
            result: T = end.value
            return result

    def ask(self, asks: Sequence[Ask]) -> list[Any]:
        """The replies, in order; only what a passing failure has kept from being answered is sent again."""
        round_ = _Round(asks)
        self.backoff.call(lambda: self._try(round_), self.on_wait)
        return round_.replies

    def _try(self, round_: _Round) -> None:
        while commands := round_.commands():
            round_.take(self._send(commands))
        round_.end()

    def _send(self, commands: Sequence[Command]) -> list[Any]:
        if _scripts_only(commands):
            return self._line.exchange(commands)
        with self.client.pipeline(transaction=False) as pipe:
            for command in commands:
                pipe.execute_command(*command)
            return list(pipe.execute(raise_on_error=False))


class AsyncDriver:
    """Runs steps over an asyncio client."""

    def __init__(self, client: redis.asyncio.Redis, backoff: Backoff, on_wait: OnWait | None = None) -> None:
        self.client, self.backoff, self.on_wait = client, backoff, on_wait
        self._line = AsyncLine(client)

    async def run(self, steps: Steps[T]) -> T:
        """As Driver.run."""
        replies: list[Any] | None = None
        try:
            while True:
                asks = steps.send(replies)  # type: ignore[arg-type]
                replies = await self.ask(asks) if asks else await asyncio.sleep(0, [])
        except StopIteration as end:
            result: T = end.value
            return result

    async def ask(self, asks: Sequence[Ask]) -> list[Any]:
        """As Driver.ask."""
        round_ = _Round(asks)
        await self.backoff.call_async(lambda: self._try(round_), self.on_wait)
        return round_.replies

    async def _try(self, round_: _Round) -> None:
        while commands := round_.commands():
            round_.take(await self._send(commands))
        round_.end()

    async def _send(self, commands: Sequence[Command]) -> list[Any]:
        if _scripts_only(commands):
            return await self._line.exchange(commands)
        async with self.client.pipeline(transaction=False) as pipe:
            for command in commands:
                pipe.execute_command(*command)
            return list(await pipe.execute(raise_on_error=False))


def _scripts_only(commands: Sequence[Command]) -> bool:
    """Answers of reading commands are left to redis-py, which knows how each is to be read."""
    return all(command[0] in _OF_SCRIPTS for command in commands)


_OF_SCRIPTS = frozenset({"EVALSHA", "SCRIPT"})
