"""Reads the headers of the Lua ops, and what their spliced texts can write: for the tests here and for PROTOCOL.md."""

from __future__ import annotations

import re
from dataclasses import dataclass

from redisfrontier.store import scripts

SECTIONS = ("KEYS", "ARGV", "RETURNS", "ERRORS", "WRITES")
_HEAD = re.compile(r"\A--\[\[\n(.*?)\n\]\]\n", re.DOTALL)
_ENTRY = re.compile(r"^\s*(\d+)\s{2}(\S+)\s+(.*)$")
WRITING = "SET|SETRANGE|HSET|HSETNX|HINCRBY|HDEL|ZADD|ZREM|ZREMRANGEBYRANK|SADD|SREM|DEL|UNLINK|XADD|XTRIM|EXPIRE|BF.ADD|BF.RESERVE"
READING = (
    "HGET|HMGET|HGETALL|HEXISTS|HLEN|ZSCORE|ZCARD|ZCOUNT|ZRANGE|SISMEMBER|EXISTS|GETRANGE|TIME|TYPE|INFO|BF.EXISTS|PUBLISH|STRLEN|LLEN|XLEN"
)


@dataclass(frozen=True, slots=True)
class Header:
    """The comment at the top of an op."""

    name: str
    purpose: str
    sections: dict[str, str]
    details: str
    """All sections as they stand there."""

    def numbered(self, section: str) -> list[tuple[int, str, str]]:
        """The numbered entries of KEYS or ARGV: number, name, explanation."""
        lines = self.sections.get(section, "").splitlines()
        return [(int(found[1]), found[2], found[3]) for line in lines if (found := _ENTRY.match(line))]

    def writes(self) -> set[str]:
        """The key families of WRITES."""
        return set(self.sections["WRITES"].split()) - {"nothing"}

    def errors(self) -> dict[str, str]:
        """Code and explanation of each refusal of the whole call."""
        lines = [line.strip() for line in self.sections["ERRORS"].splitlines()]
        return {} if lines == ["none"] else {code: text.strip() for code, _, text in (line.partition(" ") for line in lines)}


def raw(name: str) -> str:
    """The text of an op as it stands in its file."""
    return (scripts.folder() / f"{name}.lua").read_text(encoding="utf-8")


def header(name: str) -> Header:
    """The header of an op; raises ValueError when it has none."""
    found = _HEAD.match(raw(name))
    if not found:
        raise ValueError(f"{name}.lua does not begin with a header")
    first, _, rest = found[1].partition("\n\n")
    called, _, purpose = first.partition(" - ")
    parts: dict[str, list[str]] = {}
    at = ""
    for line in rest.split("\n"):
        word = line.split(" ", 1)[0]
        if word in SECTIONS:
            at = word
            line = line[len(word) :].rjust(len(line))
        parts.setdefault(at, []).append(line)
    sections = {name: "\n".join(line.rstrip() for line in lines) for name, lines in parts.items()}
    return Header(called, " ".join(purpose.split()), sections, rest)


def body(name: str) -> str:
    """The text of an op without header and comments."""
    return uncommented(_HEAD.sub("", raw(name)))


def arguments(name: str) -> str:
    """The same, with the loop over the outcomes in its place, which two ops share."""
    loop = uncommented((scripts.folder() / "include" / "finish_all.lua").read_text(encoding="utf-8"))
    return re.sub(r"finish_all\((\d+), \w+\)\n", lambda call: loop.replace("from,", f"{call[1]},"), body(name))


def uncommented(text: str) -> str:
    """Lua text without `--` comments (no script has `--` inside a string)."""
    return re.sub(r"--.*", "", text)


def functions(text: str) -> dict[str, str]:
    """The functions of a spliced text by name, and under "" what stands outside of them all."""
    found: dict[str, list[str]] = {"": []}
    inside = ""
    for line in uncommented(text).splitlines():
        begin = re.match(r"(?:local )?function (\w+)\(", line)
        if begin:
            inside = begin[1]
            if inside in found:
                raise ValueError(f"two functions are called {inside}")
            found[inside] = []
        found[inside].append(line)
        if line == "end" or (begin and re.search(r"\bend$", line)):
            inside = ""
    return {name: "\n".join(lines) for name, lines in found.items()}


def reached(parts: dict[str, str]) -> set[str]:
    """The functions that a run of the script can come to."""
    done: set[str] = set()
    todo = {""}
    while todo:
        at = todo.pop()
        done.add(at)
        called = set(re.findall(r"(?<![.:\w])(\w+)\s*\(", parts[at]))
        todo |= (called & parts.keys()) - done
    return done


#: What every script runs at its end, and the function without which it finds nothing to write.
_SAVES = {"settle_ready": "enter_ready", "save_queue": "queue"}
#: What `place` leaves to include/ready.lua.
_READY = {"enter_ready", "leave_ready", "settle_ready", "stay", "whole"}


def can_write(name: str) -> set[str]:
    """The key families that a run of the op can write, read off its text: every key expression must be understood."""
    parts = functions(scripts.load(name).text)
    keys = {found: str(header(name).numbered("KEYS")[int(found) - 1][1]) for found in re.findall(r"KEYS\[(\d+)\]", body(name))}
    idle = dict.fromkeys(_SAVES.keys() & parts.keys(), "")
    run = reached(parts | idle)
    while woken := {part for part in idle if _SAVES[part] in run}:
        idle = {part: "" for part in idle if part not in woken}
        run = reached(parts | idle)
    run -= idle.keys()
    families: set[str] = set()
    for part in run - _READY:
        for expression in _key_expressions(parts[part]):
            families |= _families(expression, parts[part], parts, keys)
    if "a place" in families:  # of those that the op names
        families.remove("a place")
        families |= {place for part in run - {"place"} - _READY for place in re.findall(r"'(due|ready|inactive|retired)'", parts[part])}
    return families


def unknown_commands(text: str) -> set[str]:
    """Commands that are neither known to read nor known to write."""
    given = re.findall(r"\b(?:call|try|read|known_type)\('([A-Z.]+)'", text)
    return {command for command in given if not re.fullmatch(f"{WRITING}|{READING}", command)}


def _key_expressions(text: str) -> list[str]:
    direct = re.findall(rf"\b(?:call|try)\((?:'(?:{WRITING})'|ARGV\[1\]), (.+)", text)
    return [_first_argument(rest) for rest in direct + re.findall(r"(?<!function )\b[zh]put\((.+)", text)]


def _first_argument(rest: str) -> str:
    depth = 0
    for i, c in enumerate(rest):
        depth += (c in "({[") - (c in ")}]")
        if depth < 0 or (depth == 0 and c == ","):
            return rest[:i].strip()
    return rest.strip()


#: What a key expression looks like, and the family that it names: a text, or a group of the pattern.
_SHAPES: tuple[tuple[str, str | int], ...] = (
    (r"K_(\w+)$", 1),
    (r"T \.\. '(\w+):?'", 1),
    (r"bucket\('(\w+):'", 1),
    (r"(record_key\(|bucket_key$)", "rec"),
    (r"pending_key\(|q\.pending_key$", "q"),
    (r"(q\.key|v\[1\])$", "m"),
    (r"a\[4\]$", "q"),
    (r"ZSETS\[", "a place"),
    (r"page_key\(|last_key$", "seen"),
)


def _families(expression: str, text: str, parts: dict[str, str], keys: dict[str, str], seen: frozenset[str] = frozenset()) -> set[str]:
    if found := re.fullmatch(r"KEYS\[(\d+)\]", expression):
        return {keys[found[1]]}
    for shape, family in _SHAPES:
        if found := re.match(shape, expression):
            return {found[family].lower() if isinstance(family, int) else family}
    if expression.startswith("bucket(kind"):
        return set(re.findall(r"'(rec|try|res):'", text))
    if not re.fullmatch(r"\w+", expression) or expression in seen:
        raise ValueError(f"cannot tell which key {expression!r} is")
    for where in (text, *parts.values()):
        values = _assigned(expression, where)
        if values:
            return set().union(*(_families(value, where, parts, keys, seen | {expression}) for value in values))
    raise ValueError(f"cannot tell which key {expression!r} is, in: {text[:200]}")


def _assigned(name: str, text: str) -> list[str]:
    """The values given to a variable: `a, b = x, y` gives each its own."""
    values = []
    for left, right in re.findall(r"^\s*(?:local )?([\w, ]+?) = (.+)$", text, re.MULTILINE):
        names = [n.strip() for n in left.split(",")]
        if name in names:
            rest = right
            for _ in range(names.index(name)):
                rest = rest[len(_first_argument(rest)) :].lstrip(", ") or right
            values.append(_first_argument(rest))
    return values
