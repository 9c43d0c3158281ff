"""Can this Redis server keep a frontier: version, eviction, cluster mode; told from its own INFO and CONFIG."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import redis
import redis.asyncio
from redis import exceptions

from redisfrontier.errors import ServerUnfit

MINIMUM_VERSION = (6, 2)


def check_server(info: Mapping[str, Any], config: Mapping[str, Any], *, cluster_client: bool = False) -> None:
    """Raise ServerUnfit, with a remedy, if the server is older than 6.2, may evict keys, or is a cluster node met by a plain client.

    `info`: what INFO says (all sections); `config`: what CONFIG GET maxmemory-policy says, or {} where CONFIG is forbidden.
    """
    text = str(info.get("redis_version", ""))
    if version_of(text) < MINIMUM_VERSION:
        raise ServerUnfit(f"the server is Redis {text or 'of an unknown version'}; 6.2 or newer is needed", remedy="upgrade Redis")
    policy = str(config.get("maxmemory-policy") or info.get("maxmemory_policy") or "noeviction")
    if policy != "noeviction":
        raise ServerUnfit(
            f"maxmemory-policy is {policy}: the server may evict queues and records",
            remedy="CONFIG SET maxmemory-policy noeviction, and the same in redis.conf (see deploy/redis.conf)",
        )
    if info.get("redis_mode") == "cluster" and not cluster_client:
        raise ServerUnfit(
            "the server is a node of a Redis Cluster, the client is one for a single server",
            remedy="use a single server (or a primary with replicas)",
        )


def version_of(text: str) -> tuple[int, ...]:
    """(7, 0, 15) of "7.0.15"; what follows the numbers ("-rc1") is left out, () if there are none."""
    found = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def look(client: redis.Redis) -> tuple[dict[str, Any], dict[str, str]]:
    """What `check_server` needs, from a live server; config is {} where CONFIG is forbidden or renamed."""
    info: Any = client.info()
    try:
        config: Any = client.config_get("maxmemory-policy")
    except exceptions.ResponseError:
        config = {}
    return dict(info), _as_text(config)


async def look_async(client: redis.asyncio.Redis) -> tuple[dict[str, Any], dict[str, str]]:
    """The same for an asyncio client."""
    info: Any = await client.info()
    try:
        config: Any = await client.config_get("maxmemory-policy")
    except exceptions.ResponseError:
        config = {}
    return dict(info), _as_text(config)


def _as_text(config: Mapping[Any, Any]) -> dict[str, str]:
    return {_text(name): _text(value) for name, value in config.items()}


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
