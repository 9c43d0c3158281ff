"""Finds the line on which a key of a TOML or YAML text stands, so that errors can name it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import yaml

Path = tuple[str | int, ...]
"""Keys and list positions from the top, e.g. ("scope", 2, "max_hops")."""

_HEADER = re.compile(r"(\[\[?)([^\[\]]+)\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=(.*)""")
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")


def lines_of_toml(text: str) -> dict[Path, int]:
    """Each table's and key's first line, from 1; keys inside inline tables and arrays have none of their own."""
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    closing = ""
    for number, line in enumerate(text.split("\n"), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        if header := _HEADER.fullmatch(line.strip()):
            table = _entered(_parts(header[2]), header[1] == "[[", counts)
            found.setdefault(table, number)
        elif key := _KEY.fullmatch(line.strip()):
            found.setdefault((*table, *_parts(key[1])), number)
            closing = next((q for q in ('"""', "'''") if key[2].count(q) % 2), "")
    return found


def lines_of_yaml(text: str) -> dict[Path, int]:
    """Each key's and list item's line, from 1."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    return dict(_walk(node, ())) if node is not None else {}


def nearest(lines: Mapping[Path, int], path: Sequence[str | int]) -> int:
    """The line of `path`, or of the innermost thing around it that has one; 0 when nothing has."""
    for length in range(len(path), 0, -1):
        if (line := lines.get(tuple(path[:length]))) is not None:
            return line
    return 0


def _parts(text: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(text)]


def _entered(parts: list[str], is_array: bool, counts: dict[Path, int]) -> Path:
    path: Path = ()
    for i, part in enumerate(parts):
        path = (*path, part)
        if is_array and i == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _walk(node: yaml.Node, path: Path) -> Iterator[tuple[Path, int]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*path, str(key.value))
            yield here, key.start_mark.line + 1
            yield from _walk(value, here)
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            yield (*path, i), item.start_mark.line + 1
            yield from _walk(item, (*path, i))
