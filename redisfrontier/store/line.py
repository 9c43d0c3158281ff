"""Scripts straight over a connection: packed at once by hiredis, answers as they come; redis-py's own way costs more than all the rest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import redis
import redis.asyncio
from hiredis import pack_command
from redis.exceptions import RedisError, ResponseError

Command = tuple[Any, ...]
#: Of a pool that may not have this many connections none is kept: the client itself may need it.
SMALL_POOL = 10


def packed(commands: Sequence[Command]) -> list[bytes]:
    """Commands as they go over the wire, in one piece."""
    return [pack_command(commands[0]) if len(commands) == 1 else b"".join([pack_command(command) for command in commands])]


class Line:
    """The way of a sync client.  With `keeps` (a client that nobody else uses) it keeps its connection between two calls, until `close`."""

    def __init__(self, client: redis.Redis) -> None:
        self._client, self.keeps = client, False
        self._kept: list[Any] = []

    def exchange(self, commands: Sequence[Command]) -> list[Any]:
        """The answers, in order, error answers as objects; raises what redis-py raises for a connection that fails."""
        wire = packed(commands)
        connection = self._connection()
        try:
            connection.send_packed_command(wire)
            replies = [_answer(connection) for _ in commands]
        except BaseException:  # half an answer may still come: nobody else may read it
            connection.disconnect()
            self._client.connection_pool.release(connection)
            raise
        if self.keeps and self._client.connection_pool.max_connections >= SMALL_POOL:
            self._kept.append(connection)
        else:
            self._client.connection_pool.release(connection)
        return replies

    def close(self) -> None:
        """Give the connection back to the client's pool."""
        while self._kept:
            self._client.connection_pool.release(self._kept.pop())

    def _connection(self) -> Any:
        """A connection with nothing to read on it: the one kept, if it is this process' own and still stands, else one of the pool."""
        try:
            connection = self._kept.pop()
        except IndexError:
            return self._client.connection_pool.get_connection()
        if connection.pid != os.getpid():  # the other side of a fork goes on with it
            return self._client.connection_pool.get_connection()
        try:
            if connection.can_read():
                connection.disconnect()
        except (RedisError, OSError):
            connection.disconnect()
        return connection


class AsyncLine:
    """The way of an asyncio client."""

    def __init__(self, client: redis.asyncio.Redis) -> None:
        self._client = client

    async def exchange(self, commands: Sequence[Command]) -> list[Any]:
        """As Line.exchange."""
        wire, pool = packed(commands), self._client.connection_pool
        connection: Any = await pool.get_connection()
        try:
            await connection.send_packed_command(wire)
            return [await _answer_async(connection) for _ in commands]
        except BaseException:  # as above; a task may be cancelled anywhere
            await connection.disconnect(nowait=True)
            raise
        finally:
            await pool.release(connection)


def _answer(connection: Any) -> Any:
    try:
        return connection.read_response()
    except ResponseError as error:
        return error


async def _answer_async(connection: Any) -> Any:
    try:
        return await connection.read_response()
    except ResponseError as error:
        return error
