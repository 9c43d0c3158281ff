"""A crawl file as plain data that knows its lines: reads TOML and YAML text, bounded, and words the errors about it."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from redisfrontier.crawl import locate
from redisfrontier.errors import DefinitionError

MAX_BYTES = 16 * 1024 * 1024
"""Size above which a file is refused; long seed lists belong in files of their own."""
MAX_YAML_CHARACTERS = 1024 * 1024
"""YAML is read slowly, so less of it is taken."""
MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Source:
    """One crawl file: its data, its name for messages, the directory its paths count from, and where each key stands."""

    data: Mapping[str, Any]
    name: str = "crawl"
    directory: Path = Path()
    lines: Mapping[locate.Path, int] = field(default_factory=dict)

    def error(self, path: Sequence[str | int], reason: str, remedy: str) -> DefinitionError:
        """An error about the thing at `path`: file, line, key, reason, remedy."""
        line = locate.nearest(self.lines, path)
        where = f"{self.name}:{line}" if line else self.name
        return DefinitionError(f"{where}: {dotted(path)}: {reason}", remedy=remedy)

    def known_keys(self, path: Sequence[str | int], found: Collection[object], known: Collection[str]) -> None:
        """Raises for the first of `found` that is not in `known`, with the nearest that is."""
        for key in found:
            if key not in known:
                near = get_close_matches(str(key), known, 1)
                remedy = f"did you mean {near[0]!r}?" if near else "known here: " + ", ".join(sorted(known))
                raise self.error((*path, str(key)), "unknown key", remedy)

    def table(self, path: Sequence[str | int], value: object) -> Mapping[str, Any]:
        """`value` when it is a table with text keys."""
        if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value):
            raise self.error(path, f"not a table but {_kind(value)}", f"write it as [{dotted(path)}] with key = value lines")
        return value

    def items(self, path: Sequence[str | int], value: object) -> Sequence[Any]:
        """`value` when it is a list."""
        if not isinstance(value, list | tuple):
            raise self.error(path, f"not a list but {_kind(value)}", f"write it as [[{dotted(path)}]] tables, or as a list in brackets")
        return value

    def texts(self, path: Sequence[str | int], value: object) -> tuple[str, ...]:
        """`value` when it is a list of texts; one text alone counts as a list of it."""
        found = (value,) if isinstance(value, str) else tuple(self.items(path, value))
        for i, item in enumerate(found):
            if not isinstance(item, str):
                raise self.error((*path, i), f"not a text but {_kind(item)}", "put it in quotes")
        return found

    def one(self, path: Sequence[str | int], value: object, kind: type) -> Any:
        """`value` when it is of `kind` (str, bool or int)."""
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        wanted = {str: "a text in quotes", bool: "true or false", int: "a whole number"}[kind]
        raise self.error(path, f"not {wanted} but {_kind(value)}", f"write {wanted}")


def read(path: Path) -> Source:
    """A .toml, .yaml or .yml file; raises DefinitionError for what cannot be read, with the line where there is one."""
    try:
        raw = path.read_bytes()[: MAX_BYTES + 1]
        text = raw.decode("utf-8-sig")
    except OSError as e:
        raise DefinitionError(f"cannot read {path}: {e.strerror}", remedy="give a crawl.toml, crawl.yaml or crawler-beans.cxml") from e
    except UnicodeDecodeError as e:
        raise DefinitionError(f"{path.name}: byte {e.start} is not UTF-8", remedy="save the file as UTF-8") from e
    if len(raw) > MAX_BYTES:
        raise DefinitionError(f"{path.name}: larger than {MAX_BYTES} bytes", remedy="put long seed lists into a file of their own")
    return from_text(text, is_yaml=path.suffix.lower() in (".yaml", ".yml"), name=path.name, directory=path.parent)


def from_text(text: str, *, is_yaml: bool = False, name: str = "crawl", directory: Path = Path()) -> Source:
    """A crawl file's text."""
    try:
        data, lines = _yaml(text, name) if is_yaml else (tomllib.loads(text), locate.lines_of_toml(text))
    except tomllib.TOMLDecodeError as e:
        raise DefinitionError(f"{name}: not TOML: {e}", remedy="texts need quotes; see deploy/crawl.toml for an example") from e
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        where = f"{name}:{mark.line + 1}" if mark else name
        raise DefinitionError(f"{where}: not YAML: {getattr(e, 'problem', None) or e}", remedy="check indentation and quotes") from e
    except RecursionError as e:
        raise DefinitionError(f"{name}: nested too deeply", remedy="this is no crawl file") from e
    empty = Source({}, name, directory, lines)
    return Source(empty.table((), data if data is not None else {}), name, directory, lines)


def _yaml(text: str, name: str) -> tuple[Any, dict[locate.Path, int]]:
    if len(text) > MAX_YAML_CHARACTERS:
        raise DefinitionError(f"{name}: larger than {MAX_YAML_CHARACTERS} characters", remedy="put long lists into files of their own")
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        # An alias may stand for a tree of aliases: a few lines can unfold into gigabytes.
        if isinstance(event, yaml.AliasEvent):
            raise DefinitionError(f"{name}: aliases (*name) are not read", remedy="write the value out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:  # the parser takes time by the square of it
            raise DefinitionError(f"{name}: nested too deeply", remedy="this is no crawl file")
    return yaml.safe_load(text), locate.lines_of_yaml(text)


def dotted(path: Sequence[str | int]) -> str:
    """A path as text: scope[2].max_hops."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.lstrip(".") or "the file"


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", tuple: "a list", dict: "a table"}
    return names.get(type(value), "empty" if value is None else type(value).__name__)
