"""The Lua scripts: found in the wheel or the checkout, spliced from their includes, named by their SHA-1."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha1
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

_INCLUDE = re.compile(r"^-- @include (\w+)[ \t]*\n", re.MULTILINE)
_WANTED = re.compile(r"^local WANTED = \{ 'schema' \} -- @wanted.*$", re.MULTILINE)
_SETTING = re.compile(r"(?:\b[sS]|settings_of\(\w+\))\.([a-z_]+)\b")
_EXPORTS = re.compile(r"^-- @exports ([\w ]+)\n", re.MULTILINE)
_LATE = re.compile(r"^-- @late.*\n", re.MULTILINE)
_INSIDE = re.compile(r"^-- @inside.*\n", re.MULTILINE)
_MADE_LATE = re.compile(r"^local late = function\(\)\n.*?^-- @made\n", re.MULTILINE | re.DOTALL)


class ScriptError(Exception):
    """A script cannot be put together: an include is missing or includes itself."""


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


def enclosed(text: str) -> str:
    """An include that names its `@exports`, in a block of its own: a Lua function holds at most 200 local names at a time.

    One that is `@late` makes its functions when the first of the exported ones (it exports nothing else) is called: a script makes all its
    functions anew in every call, at some 1,500 instructions each.
    """
    found = _EXPORTS.search(text)
    if not found:
        return text
    public = found[1].split()
    for name in public:
        text, times = re.subn(rf"^local (function )?({name}\b(?=\(| = ))", r"\1\2", text, count=1, flags=re.MULTILINE)
        if not times:
            raise ScriptError(f"an include exports {name}, which it does not define on a line of its own")
    if _LATE.search(text):
        first = "".join(f"{name} = function(...) late() return ({name})(...) end\n" for name in public)
        text = f"local late = function()\n{text}end\n-- @made\n{first}"
    return f"local {', '.join(public)}\ndo\n{text}end\n"


def splice(text: str, where: Traversable, done: set[str] | None = None, above: tuple[str, ...] = ()) -> str:
    """`text` with each `-- @include name` replaced by that include, each once; raises ScriptError."""
    done = set() if done is None else done

    def put(match: re.Match[str]) -> str:
        name = match[1]
        if name in above:
            raise ScriptError(f"include {name} includes itself: {' -> '.join((*above, name))}")
        if name in done:
            return ""
        file = where / f"{name}.lua"
        if not file.is_file():
            raise ScriptError(f"no include {name}.lua (wanted by {above[-1] if above else 'the script'})")
        raw = _with_inside(file.read_text(encoding="utf-8"), where)
        needed = "".join(line.group() for line in _INCLUDE.finditer(raw))
        spliced = splice(needed, where, done, (*above, name)) + enclosed(_INCLUDE.sub("", raw))
        done.add(name)
        return spliced

    return _INCLUDE.sub(put, text)


def _with_inside(text: str, where: Traversable) -> str:
    """`text` with those of its includes in their places that are only a part of it."""

    def put(match: re.Match[str]) -> str:
        file = where / f"{match[1]}.lua"
        raw = file.read_text(encoding="utf-8") if file.is_file() else ""
        return _EXPORTS.sub("", _with_inside(raw, where)) if _INSIDE.search(raw) else match[0]

    return _INCLUDE.sub(put, text)


def with_wanted(text: str) -> str:
    """`text` with the names of the settings that it usually reads (as `S.name` or `s.name`) where it fetches them.

    Those that only a late include reads are fetched one by one when they are needed.
    """
    usual = _SETTING.findall(_MADE_LATE.sub("", text))
    wanted = ", ".join(f"'{name}'" for name in sorted({"schema", "version", "run_state", "test_clock", *usual}))
    return _WANTED.sub(f"local WANTED = {{ {wanted} }}", text)


def layered(text: str) -> str:
    """`text` with what follows the `@layer` line in a function of its own.

    A function that is made takes over the outer variables it uses: those of the function around it one by one, from a list of all that are
    shared so far; those of a function further out directly.
    """
    outer, found, inner = text.partition("-- @layer\n")
    return f"{outer}return (function()\n{inner}end)()\n" if found else text


@lru_cache(maxsize=1)
def often_read() -> Counter[str]:
    """How many of the scripts that run all the time fetch a setting: those stand first in a partition's hash, and are found soon."""
    lines = [line for name in ("claim", "finish", "schedule") for line in load(name).text.splitlines() if line.startswith("local WANTED")]
    return Counter(name for line in lines for name in re.findall(r"'(\w+)'", line))


@lru_cache(maxsize=128)
def load(name: str) -> Script:
    """The op of that name, ready to be sent."""
    where = folder()
    raw = (where / f"{name}.lua").read_text(encoding="utf-8")
    text = layered(with_wanted(splice(raw, where / "include")))
    return Script(name, text, sha1(text.encode(), usedforsecurity=False).hexdigest())
