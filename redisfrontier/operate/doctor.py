"""Is the Redis server fit for a frontier: version, eviction, encodings, persistence, memory, disk; what each miss costs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from redisfrontier.errors import ServerUnfit
from redisfrontier.operate.checks import Check, Level, ok
from redisfrontier.store.crawl_ops import read
from redisfrontier.store.drive import Steps
from redisfrontier.store.fitness import check_server
from redisfrontier.store.ops import text, texts
from redisfrontier.store.server_program import settings_text

#: A temporary file of a snapshot or rewrite that is older is nobody's.
ORPHAN_SECONDS = 3600
_LEAVE = "see deploy/redis.conf"
#: Settings that must be at least what deploy/redis.conf says, with what a smaller value costs.
_AT_LEAST = {
    "hash-max-ziplist-entries": "record and index buckets leave their compact form: about 60 bytes more for every URI",
    "hash-max-ziplist-value": "one long record makes its bucket leave the compact form: 162 bytes a record instead of 101",
    "zset-max-ziplist-entries": "queues beyond this length take 110 bytes a URI instead of 46",
    "zset-max-ziplist-value": "queues leave the compact form: 110 bytes a URI instead of 46",
}
#: Settings that must be exactly so: level and cost of a miss.
_EXACTLY = {
    "appendonly": (Level.BAD, "a crash of Redis loses everything since the last snapshot, or everything"),
    "no-appendfsync-on-rewrite": (Level.WARN, "during a rewrite a crash loses more than the last second"),
    "aof-load-truncated": (Level.WARN, "after a crash in the middle of a write Redis does not start by itself"),
    "lazyfree-lazy-user-del": (Level.WARN, "deleting large keys makes all clients wait"),
    "lazyfree-lazy-server-del": (Level.WARN, "deleting large keys makes all clients wait"),
}
Config = Mapping[str, str]


def server(*, local: bool, now_seconds: float | None = None) -> Steps[list[Check]]:
    """All checks of the server; `local`: its directory can be looked into from here."""
    names = (*_AT_LEAST, *_EXACTLY, "appendfsync", "maxmemory-policy", "dir")
    info_reply, script, *replies = yield [read("INFO"), read("EVAL", "return 7", 0), *(read("CONFIG GET", name) for name in names)]
    if isinstance(info_reply, Exception):
        raise info_reply
    info = {text(k): v for k, v in info_reply.items()}
    config = _config(replies)
    checks = [_fit(info, config), _scripts(script), _role(info)]
    checks += _settings(config) if config else [_forbidden()]
    checks += [*_persistence(info), *_memory(info)]
    return checks + (_disk(config.get("dir", ""), info, now_seconds or time.time()) if local else [])


def _config(replies: list[Any]) -> dict[str, str]:
    """Names and values; empty where CONFIG is forbidden or renamed."""
    found: dict[str, str] = {}
    for reply in replies:
        if not isinstance(reply, Exception):
            found.update(texts(reply))
    return found


def _wanted() -> dict[str, str]:
    pairs = (line.split(None, 1) for line in settings_text().splitlines() if line and not line.startswith("#"))
    return {pair[0]: pair[1].strip() for pair in pairs if len(pair) == 2}


def _fit(info: Mapping[str, Any], config: Config) -> Check:
    version = (
        f"Redis {info.get('redis_version')}, {config.get('maxmemory-policy') or info.get('maxmemory_policy') or 'no eviction policy told'}"
    )
    try:
        check_server(info, config)
    except ServerUnfit as error:
        return Check("server", Level.BAD, str(error), "queues or records can be lost, or no command works", error.remedy)
    return ok("server", version)


def _scripts(reply: Any) -> Check:
    """A PING answers when scripts do not; this one ran."""
    if isinstance(reply, Exception) or int(reply) != 7:
        return Check(
            "scripts", Level.BAD, f"a script fails: {reply}", "no operation works", "allow EVAL, EVALSHA and SCRIPT (deploy/users.acl)"
        )
    return ok("scripts", "run")


def _role(info: Mapping[str, Any]) -> Check:
    role = str(info.get("role", "?"))
    if role != "master":
        return Check("role", Level.BAD, f"this server is a {role}", "it refuses all writes", "name the primary in --redis")
    return ok("role", f"primary with {info.get('connected_slaves', 0)} replicas")


def _forbidden() -> Check:
    return Check(
        "settings",
        Level.NOTE,
        "CONFIG GET is forbidden for this user",
        "encodings and persistence stay unchecked",
        "ask as a user with +config|get",
    )


def _settings(config: Config) -> list[Check]:
    wanted = _wanted()
    checks = [_at_least(name, config[name], wanted[name], costs) for name, costs in _AT_LEAST.items() if name in config]
    for name, (level, costs) in _EXACTLY.items():
        if name in config:
            good = config[name] == wanted[name]
            remedy = f"CONFIG SET {name} {wanted[name]}, and the same in redis.conf"
            checks.append(ok(name, config[name]) if good else Check(name, level, config[name], costs, remedy))
    fsync = config.get("appendfsync", "everysec")
    if fsync == "no" and config.get("appendonly") == "yes":
        checks.append(
            Check("appendfsync", Level.WARN, fsync, "a crash of the machine loses up to 30 s of work", "CONFIG SET appendfsync everysec")
        )
    return checks


def _at_least(name: str, value: str, wanted: str, costs: str) -> Check:
    if value.isdigit() and int(value) >= int(wanted):
        return ok(name, value)
    remedy = f"CONFIG SET {name} {wanted}, and the same in redis.conf; keys that exist convert when Redis restarts"
    return Check(name, Level.WARN, f"{value}, not {wanted}", costs, remedy)


def _persistence(info: Mapping[str, Any]) -> list[Check]:
    checks = []
    for name, what in (
        ("aof_last_write_status", "append-only file"),
        ("aof_last_bgrewrite_status", "rewrite"),
        ("rdb_last_bgsave_status", "snapshot"),
    ):
        status = str(info.get(name, "ok"))
        if status != "ok":
            costs = "what came after is in memory only; Redis may refuse writes (MISCONF)"
            checks.append(Check(what, Level.BAD, f"the last one failed ({status})", costs, "look at disk space and the Redis log"))
    return checks or [ok("persistence", "the last write, rewrite and snapshot succeeded")]


def _memory(info: Mapping[str, Any]) -> list[Check]:
    used, most, rss = (int(info.get(name, 0)) for name in ("used_memory", "maxmemory", "used_memory_rss"))
    shown = f"{used / 1e6:.1f} MB used, {rss / 1e6:.1f} MB resident, " + (f"{most / 1e6:.0f} MB allowed" if most else "no maxmemory")
    if not most:
        costs = "when the machine is full, the kernel kills Redis or something else"
        return [Check("memory", Level.WARN, shown, costs, "CONFIG SET maxmemory to what the machine can spare (about 70 %)")]
    if used >= 0.9 * most:
        return [
            Check(
                "memory", Level.BAD, shown, "admission of new URIs stops (soft_memory_percent)", "raise maxmemory, or let the crawl drain"
            )
        ]
    checks = [ok("memory", shown)]
    if rss > 1.5 * used and used > 100_000_000:
        checks.append(
            Check(
                "fragmentation",
                Level.WARN,
                f"{rss / used:.2f}",
                "that much of the memory is wasted",
                "CONFIG SET activedefrag yes, or restart",
            )
        )
    return checks


def _disk(directory: str, info: Mapping[str, Any], now: float) -> list[Check]:
    """Temporary files that a crashed snapshot or rewrite has left behind; they once filled disks."""
    if not directory or info.get("rdb_bgsave_in_progress") or info.get("aof_rewrite_in_progress"):
        return []
    try:
        found = [path for path in Path(directory).glob("temp-*") if path.suffix in (".rdb", ".aof")]
        orphans = [(path, size.st_size) for path in found if now - (size := path.stat()).st_mtime > ORPHAN_SECONDS]
    except OSError:
        return []
    if not orphans:
        return [ok("orphaned files", f"none in {directory}")]
    total = sum(size for _, size in orphans) / 1e6
    names = ", ".join(path.name for path, _ in orphans[:5])
    return [
        Check(
            "orphaned files",
            Level.WARN,
            f"{len(orphans)} in {directory}: {names}",
            f"{total:.1f} MB of disk",
            "delete them; no snapshot is running",
        )
    ]
