"""Redis clients from URLs, with everything pinned that the scripts count on; and the refusal of clients that would spoil records."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import redis
import redis.asyncio
from redis.asyncio.connection import ConnectionPool as AsyncConnectionPool
from redis.asyncio.connection import UnixDomainSocketConnection as AsyncUnixDomainSocketConnection
from redis.asyncio.connection import parse_url as parse_url_async
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.connection import ConnectionPool, UnixDomainSocketConnection, parse_url
from redis.retry import Retry

from redisfrontier.errors import BadArgument
from redisfrontier.store.fitness import check_server, look, look_async
from redisfrontier.store.retry import Backoff, is_unavailable

__all__ = [
    "AsyncClient",
    "Backoff",
    "SyncClient",
    "adopt",
    "check_server",
    "connect",
    "connect_async",
    "is_unavailable",
    "look",
    "look_async",
    "redacted",
]

#: Seconds until a TCP, TLS or socket connection must stand, and until an answer must come. No script runs longer than 20 ms; what
#: takes seconds is a server that forks, loads or swaps, and waiting for that is the retry family's business.
CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 15.0
#: A connection idle for this long is checked by a PING before it is used again.
HEALTH_CHECK_SECONDS = 30

#: Options a URL may carry, besides ssl_…; protocol and decode_responses may stand there and are overruled.
_OPTIONS = frozenset(
    (
        *("db", "username", "password", "client_name", "protocol", "decode_responses"),
        *("socket_timeout", "socket_connect_timeout", "socket_keepalive", "max_connections", "health_check_interval"),
    )
)
_UNIX = (UnixDomainSocketConnection, AsyncUnixDomainSocketConnection)
Client = TypeVar("Client")
#: The clients' types, for modules outside the store, which do not import redis.
SyncClient: TypeAlias = redis.Redis
AsyncClient: TypeAlias = redis.asyncio.Redis
_REMEDY = "use redis://[user:password@]host[:port][/db], rediss://… (TLS), or unix:///path/of/the.sock[?db=N]"


def connect(url: str, **options: Any) -> SyncClient:
    """A client for `url` (redis://, rediss://, unix://); it connects with its first command.

    Binary answers, RESP2, time-outs and no hidden retries are pinned. `options` are those of redis.ConnectionPool and win over the
    URL's. Raises BadArgument for a URL that cannot be used.
    """
    pool = ConnectionPool(retry=Retry(NoBackoff(), 0), **_settled(parse_url, url, options))
    return redis.Redis.from_pool(pool)


def connect_async(url: str, **options: Any) -> AsyncClient:
    """The same for asyncio; may be called outside a running loop."""
    pool = AsyncConnectionPool(retry=AsyncRetry(NoBackoff(), 0), **_settled(parse_url_async, url, options))
    return redis.asyncio.Redis.from_pool(pool)


def adopt(client: Client) -> Client:
    """`client` itself (sync, asyncio, cluster, fake), or BadArgument at once if it decodes answers: records are not text."""
    getter = getattr(client, "get_encoder", None)
    if getter is not None and getter().decode_responses:
        raise BadArgument(
            "the Redis client decodes its answers (decode_responses=True); records are binary",
            remedy="give a client made with decode_responses=False, or give the URL",
        )
    return client


def redacted(url: str) -> str:
    """`url` without its password, for messages and logs."""
    hidden = re.sub(r"(?<=://)([^/@?#]*?):[^/@]*@", r"\1:***@", url)
    return re.sub(r"([?&]password=)[^&#]*", r"\1***", hidden)


def _settled(parse: Callable[[str], Any], url: str, options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        asked: dict[str, Any] = parse(url)
    except (ValueError, AttributeError, TypeError) as error:
        raise BadArgument(f"not a Redis URL: {redacted(str(url))!r} ({redacted(str(error))})", remedy=_REMEDY) from None
    given = asked.keys() - {"host", "port", "db", "path", "connection_class"}
    if strange := sorted(name for name in given if name not in _OPTIONS and not name.startswith("ssl_")):
        raise BadArgument(f"{redacted(url)!r}: cannot take {', '.join(strange)} from a URL", remedy=_REMEDY)
    if issubclass(asked.get("connection_class", object), _UNIX) and not asked.get("path"):
        raise BadArgument(f"{url!r}: no path of a socket", remedy=_REMEDY)
    if re.match(r"rediss?://[^/?#]*/(?!\d*/?(?:[?#]|$))", url):
        raise BadArgument(f"{redacted(url)!r}: the database is a number", remedy=_REMEDY)
    pinned = {"protocol": 2, "decode_responses": False}
    defaults = {
        "socket_connect_timeout": CONNECT_SECONDS,
        "socket_timeout": ANSWER_SECONDS,
        "health_check_interval": HEALTH_CHECK_SECONDS,
    }
    return {**defaults, **asked, **options, **pinned}
