"""The Lua scripts: found in the wheel or the checkout, named by their SHA-1."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha1
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from redisfrontier.store.splice import splice


@dataclass(frozen=True, slots=True)
class Script:
    """One op's text as the server runs it."""

    name: str
    text: str
    sha: str


def folder() -> Traversable:
    """Where the Lua files are."""
    shipped = resources.files("redisfrontier") / "lua"
    return shipped if shipped.is_dir() else Path(__file__).parents[2] / "lua"


def names() -> list[str]:
    """All ops, sorted."""
    return sorted(entry.name.removesuffix(".lua") for entry in folder().iterdir() if entry.name.endswith(".lua"))


@lru_cache(maxsize=1)
def often_read() -> Counter[str]:
    """How many of the scripts that run all the time fetch a setting: those stand first in a partition's hash, and are found soon."""
    fetches = [re.search(r"call\('HMGET', K_CONF, '.*", load(name).text) for name in ("claim", "finish", "schedule")]
    return Counter(name for fetch in fetches if fetch for name in re.findall(r"'(\w+)'", fetch[0]))


@lru_cache(maxsize=128)
def load(name: str) -> Script:
    """The op of that name, ready to be sent."""
    where = folder()
    raw = (where / f"{name}.lua").read_text(encoding="utf-8")
    text = splice(raw, where / "include")
    return Script(name, text, sha1(text.encode(), usedforsecurity=False).hexdigest())
