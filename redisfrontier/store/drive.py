"""Sends what the steps of an operation ask for, sync or async: pipelines, lost script caches, outages, errors by their code."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, NoReturn, TypeVar

import redis
import redis.asyncio
from redis.exceptions import NoScriptError, ResponseError

from redisfrontier import errors
from redisfrontier.store.ops import Ask
from redisfrontier.store.retry import Backoff, is_unavailable
from redisfrontier.store.scripts import load

T = TypeVar("T")
#: The steps of an operation: yields what to ask, is sent the replies (errors among them as objects), returns the result.
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


def translated(error: ResponseError) -> Exception:
    """The library's error for an error reply `CODE text`; the reply itself if its code is not ours."""
    code, _, rest = str(error).removeprefix("ERR ").partition(" ")
    return _CODES[code](rest) if code in _CODES else error


def refuse(error: BaseException) -> NoReturn:
    """Raise an error reply as the library's error."""
    raise (translated(error) if isinstance(error, ResponseError) else error) from None


def _again(asks: Sequence[Ask], replies: list[Any]) -> tuple[list[int], list[tuple[str, str]]]:
    """Which asks met a server that has lost their scripts, and the commands that load these."""
    lost = [i for i, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
    return lost, [("SCRIPT LOAD", load(name).text) for name in sorted({asks[i].script for i in lost})]


def _raise_passing(replies: list[Any]) -> None:
    for reply in replies:
        if isinstance(reply, Exception) and is_unavailable(reply):
            raise reply


class Driver:
    """Runs steps over a sync client."""

    def __init__(self, client: redis.Redis, backoff: Backoff, on_wait: OnWait | None = None) -> None:
        self.client, self.backoff, self.on_wait = client, backoff, on_wait

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
        replies: list[Any] = [None] * len(asks)
        left = list(range(len(asks)))

        def once() -> None:
            nonlocal left
            for i, reply in zip(left, self._once([asks[i] for i in left]), strict=True):
                replies[i] = reply
            left = [i for i in left if isinstance(replies[i], Exception) and is_unavailable(replies[i])]
            _raise_passing([replies[i] for i in left])

        self.backoff.call(once, self.on_wait)
        return replies

    def _once(self, asks: Sequence[Ask]) -> list[Any]:
        replies = self._send([ask.wire() for ask in asks])
        for _ in range(LOADS):
            lost, loads = _again(asks, replies)
            if not lost:
                break
            again = self._send([*loads, *(asks[i].wire() for i in lost)])
            for i, reply in zip(lost, again[len(loads) :], strict=True):
                replies[i] = reply
        return replies

    def _send(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        if len(commands) == 1:
            try:
                return [self._one(commands[0]) if commands[0][0] == "EVALSHA" else self.client.execute_command(*commands[0])]
            except ResponseError as error:
                return [error]
        with self.client.pipeline(transaction=False) as pipe:
            for command in commands:
                pipe.execute_command(*command)
            return list(pipe.execute(raise_on_error=False))

    def _one(self, command: tuple[Any, ...]) -> Any:
        """The reply of a single script, straight from a connection: redis-py's way there costs as much as the rest of a claim."""
        pool = self.client.connection_pool
        connection = pool.get_connection()
        try:
            connection.send_command(*command)
            return connection.read_response()
        except ResponseError:
            raise
        except BaseException:  # half a reply may still come: nobody else may read it
            connection.disconnect()
            raise
        finally:
            pool.release(connection)


class AsyncDriver:
    """Runs steps over an asyncio client."""

    def __init__(self, client: redis.asyncio.Redis, backoff: Backoff, on_wait: OnWait | None = None) -> None:
        self.client, self.backoff, self.on_wait = client, backoff, on_wait

    async def run(self, steps: Steps[T]) -> T:
        """As Driver.run."""
        replies: list[Any] | None = None
        try:
            while True:
                asks = steps.send(replies)  # type: ignore[arg-type]
                replies = await self.ask(asks) if asks else []
        except StopIteration as end:
            result: T = end.value
            return result

    async def ask(self, asks: Sequence[Ask]) -> list[Any]:
        """As Driver.ask."""
        replies: list[Any] = [None] * len(asks)
        left = list(range(len(asks)))

        async def once() -> None:
            nonlocal left
            for i, reply in zip(left, await self._once([asks[i] for i in left]), strict=True):
                replies[i] = reply
            left = [i for i in left if isinstance(replies[i], Exception) and is_unavailable(replies[i])]
            _raise_passing([replies[i] for i in left])

        await self.backoff.call_async(once, self.on_wait)
        return replies

    async def _once(self, asks: Sequence[Ask]) -> list[Any]:
        replies = await self._send([ask.wire() for ask in asks])
        for _ in range(LOADS):
            lost, loads = _again(asks, replies)
            if not lost:
                break
            again = await self._send([*loads, *(asks[i].wire() for i in lost)])
            for i, reply in zip(lost, again[len(loads) :], strict=True):
                replies[i] = reply
        return replies

    async def _send(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        if len(commands) == 1:
            try:
                return [await self.client.execute_command(*commands[0])]
            except ResponseError as error:
                return [error]
        async with self.client.pipeline(transaction=False) as pipe:
            for command in commands:
                pipe.execute_command(*command)
            return list(await pipe.execute(raise_on_error=False))
