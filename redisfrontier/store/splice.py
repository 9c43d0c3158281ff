"""Puts a script together from its includes: first what runs all the time, then the general half, which is made when it is needed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from redisfrontier.settings import SPECS, Settings

_INCLUDE = re.compile(r"^-- @include (\w+)[ \t]*\n", re.MULTILINE)
_EXPORTS = re.compile(r"^-- @exports ([\w ]+)\n", re.MULTILINE)
_LATE = re.compile(r"^-- @late.*\n", re.MULTILINE)
_GENERAL = re.compile(r"^-- @general.*\n", re.MULTILINE)
_INSIDE = re.compile(r"^-- @inside.*\n", re.MULTILINE)
_WANTED = re.compile(r"^.*-- @wanted.*\n", re.MULTILINE)
_SETTING = re.compile(r"(?:\b[sS]|settings_of\(\w+\))\.([a-z_]+)\b")
_MADE_LATE = re.compile(r"^local late = function\(\)\n.*?^-- @made\n", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"--\[\[.*?\]\]|--[^\n]*", re.DOTALL)
_CONSTANTS, _LAYER = "-- @constants\n", "-- @layer\n"
#: What every script reads of its partition's `conf`, beside settings.
_ALWAYS = {"schema", "version", "run_state", "test_clock"}
_NUMBERS = {"schema", "version", "test_clock"} | {n for n in SPECS if isinstance(getattr(Settings(), n), bool | int | float)}


class ScriptError(Exception):
    """A script cannot be put together: an include is missing, includes itself, or shows what it cannot show."""


@dataclass(frozen=True, slots=True)
class Part:
    """One include: its text without the includes of its own, and whether it belongs to the general half."""

    name: str
    text: str
    general: bool
    needs: tuple[str, ...]


def parts(text: str, where: Traversable) -> list[Part]:
    """All includes of `text`, each once and after those it needs; raises ScriptError."""
    found: dict[str, Part] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ScriptError(f"include {name} includes itself: {' -> '.join((*above, name))}")
        if name in found:
            return
        file = where / f"{name}.lua"
        if not file.is_file():
            raise ScriptError(f"no include {name}.lua (wanted by {above[-1] if above else 'the script'})")
        raw = _with_inside(file.read_text(encoding="utf-8"), where)
        needs = tuple(_INCLUDE.findall(raw))
        for need in needs:
            visit(need, (*above, name))
        found[name] = Part(name, _INCLUDE.sub("", raw), bool(_GENERAL.search(raw)), needs)

    for name in _INCLUDE.findall(text):
        visit(name, ())
    return list(found.values())


def _with_inside(text: str, where: Traversable) -> str:
    """`text` with those of its includes in their places that are only a part of it."""

    def put(match: re.Match[str]) -> str:
        file = where / f"{match[1]}.lua"
        raw = file.read_text(encoding="utf-8") if file.is_file() else ""
        return _EXPORTS.sub("", _with_inside(raw, where)) if _INSIDE.search(raw) else match[0]

    return _INCLUDE.sub(put, text)


def splice(text: str, where: Traversable) -> str:
    """The script with all its includes; raises ScriptError."""
    found = parts(text, where)
    usual = _usual(text, found)
    main = _INCLUDE.sub("", text)
    spliced = "".join(enclosed(part.text) for part in found if part.name in usual) + main
    fetched = _ALWAYS | settings_in(spliced)
    outer, layer, inner = _WANTED.sub(lambda match: reading(fetched), spliced).removesuffix(main).partition(_LAYER)
    general = [part for part in found if part.name not in usual]
    if general:
        shown = _shown(general, spliced)
        half = _half(general, shown, outer.partition(_CONSTANTS)[0], fetched)
        inner = f"local {', '.join(shown)}\n{inner}{half}"
    return f"{outer}return (function()\n{inner}{main}end)()\n" if layer else outer + main


def _usual(text: str, found: Iterable[Part]) -> set[str]:
    """The includes that are not of the general half, nor wanted by it alone."""
    by_name = {part.name: part for part in found}
    usual: set[str] = set()
    todo = _INCLUDE.findall(text)
    while todo:
        part = by_name[todo.pop()]
        if part.name not in usual and not part.general:
            usual.add(part.name)
            todo += part.needs
    return usual


def _shown(general: Iterable[Part], usual: str) -> list[str]:
    """What the general half must show: those of its exports that the rest mentions."""
    words = set(re.findall(r"\w+", _COMMENT.sub("", usual)))
    return [name for part in general for name in _exports(part.text) if name in words]


def _exports(text: str) -> list[str]:
    found = _EXPORTS.search(text)
    return found[1].split() if found else []


def _half(general: Iterable[Part], shown: list[str], constants: str, fetched: set[str]) -> str:
    """The general half: one function that makes all of its functions, called by the first of the shown ones that is.

    A function takes over at most 60 outer variables: the constants are made anew in it.
    """
    inside = "".join(enclosed(part.text, shown) for part in general)
    for name in shown:
        if not re.search(rf"^function {name}\(", inside, re.MULTILINE):
            raise ScriptError(f"the general half shows {name}, which is not a function")
    return f"local late = function()\n{constants}{fetching(settings_in(inside) - fetched)}{inside}end\n-- @made\n{_first_calls(shown)}"


def _first_calls(names: Iterable[str]) -> str:
    return "".join(f"{name} = function(...) late() return ({name})(...) end\n" for name in names)


def enclosed(text: str, shown: Iterable[str] = ()) -> str:
    """An include that names its `@exports`, in a block of its own: a Lua function holds at most 200 local names at a time.

    One that is `@late` makes its functions when the first of the exported ones (it exports nothing else) is called: a script makes all its
    functions anew in every call, at some 1,500 instructions each.  `shown` are declared elsewhere.
    """
    public = _exports(text)
    if not public:
        return text
    for name in public:
        text, times = re.subn(rf"^local (function )?({name}\b(?=\(| = ))", r"\1\2", text, count=1, flags=re.MULTILINE)
        if not times:
            raise ScriptError(f"an include exports {name}, which it does not define on a line of its own")
    if _LATE.search(text):
        text = f"local late = function()\n{text}end\n-- @made\n{_first_calls(public)}"
    hidden = [name for name in public if name not in shown]
    return (f"local {', '.join(hidden)}\n" if hidden else "") + f"do\n{text}end\n"


def settings_in(text: str) -> set[str]:
    """The names of the settings that a text usually reads (as `S.name` or `s.name`); those of its late includes are not among them."""
    return set(_SETTING.findall(_MADE_LATE.sub("", text)))


def reading(names: set[str]) -> str:
    """The lines that read these fields of `conf` into a table made at its size: growing it would cost more than the reading."""
    ordered = sorted(names)
    command = ", ".join(f"'{name}'" for name in ordered)
    fields = [f"{name} = v[{i}]{f' and v[{i}] + 0' if name in _NUMBERS else ''} or nil" for i, name in enumerate(ordered, 1)]
    return f"  local v = call('HMGET', K_CONF, {command})\n  S = setmetatable({{ {', '.join(fields)} }}, OTHERS)\n"


def fetching(names: set[str]) -> str:
    """The call that adds more of them, numbers first."""
    numbers = sorted(names & _NUMBERS)
    listed = ", ".join(f"'{name}'" for name in [*numbers, *sorted(names - _NUMBERS)])
    return f"fetch({{ {listed} }}, {len(numbers)})\n" if names else ""
