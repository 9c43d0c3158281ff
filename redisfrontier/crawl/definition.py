"""A crawl as one value: metadata, settings, seeds, scope and sheets, read from crawl.toml, YAML or cxml, and written back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import tomli_w

from redisfrontier.crawl import definition_file
from redisfrontier.crawl.definition_file import Source
from redisfrontier.crawl.metadata import NAMES, CrawlMetadata
from redisfrontier.crawl.rule_check import RuleConfig, check_rule, inlined
from redisfrontier.crawl.seeds import STANDARD_INPUT, SeedSource
from redisfrontier.errors import BadArgument, DefinitionError, SettingError
from redisfrontier.policy.sheets import Sheet
from redisfrontier.settings import SHEET, SPECS, Settings, checked
from redisfrontier.settings import Value as SettingValue
from redisfrontier.uri.canonical import DEFAULT_RULES, rule_named
from redisfrontier.uri.fingerprint import check_crawl_name

#: Partitions a crawl may have.
MAX_PARTITIONS = 1024

_TOP = ("name", "partitions", "metadata", "settings", "seeds", "scope", "sheets", "canonicalization")
_SEEDS = ("uris", "text", "file", "files", "source_tag_seeds", "block_awaiting_seed_lines")
_SHEET = ("name", "surt_prefixes", "rules", "order", "settings")


@dataclass(frozen=True, slots=True)
class CrawlDefinition:
    """Everything a crawl is made from."""

    name: str
    metadata: CrawlMetadata = field(default_factory=CrawlMetadata)
    settings: Settings = field(default_factory=Settings)
    seeds: SeedSource = field(default_factory=SeedSource)
    scope: tuple[RuleConfig, ...] = ()
    """Rule configurations in order; empty: the ten stock rules."""
    sheets: tuple[Sheet, ...] = ()
    canonicalization: tuple[RuleConfig | str, ...] = DEFAULT_RULES
    """Rules in order; empty: URIs are told apart as they are."""
    partitions: int = 1


def load(path: str | Path) -> CrawlDefinition:
    """The crawl that a file describes: .toml, .yaml, .yml, or a Heritrix .cxml / .xml.

    Raises DefinitionError naming file, line, key, reason and remedy; also when the metadata would not let the crawl start.
    Paths in the file count from its directory.
    """
    file = Path(path)
    if file.suffix.lower() in (".cxml", ".xml"):
        from redisfrontier.crawl.heritrix_beans import read  # it reads into the class above

        definition, _ = read(file)
        definition.metadata.checked()
        return definition
    return from_source(definition_file.read(file))


def from_source(source: Source) -> CrawlDefinition:
    """The crawl that a file's data describes."""
    data = source.data
    source.known_keys((), data, _TOP)
    metadata, settings = _metadata(source), _settings(source, ("settings",), data.get("settings", {}))
    policy = settings.setdefault("robots_policy_name", metadata.robots_policy_name)
    if "robots_policy_name" in data.get("metadata", {}) and policy != metadata.robots_policy_name:
        raise source.error(("settings", "robots_policy_name"), "differs from the one in [metadata]", "leave one of the two out")
    return CrawlDefinition(
        name=_name(source),
        metadata=metadata.changed({"robots_policy_name": policy}),
        settings=Settings().changed(settings),
        seeds=_seeds(source),
        scope=_rules(source, ("scope",), data.get("scope", [])),
        sheets=_sheets(source),
        canonicalization=_canonicalization(source),
        partitions=_within(source, ("partitions",), data.get("partitions", 1), 1, MAX_PARTITIONS),
    )


def dump(definition: CrawlDefinition) -> str:
    """The definition as crawl.toml text; what equals its default is left out. `load` gives the same definition back."""
    metadata, usual = definition.metadata, CrawlMetadata()
    data: dict[str, Any] = {"name": definition.name, "partitions": definition.partitions}
    if definition.canonicalization != DEFAULT_RULES:
        data["canonicalization"] = [rule if isinstance(rule, str) else dict(rule) for rule in definition.canonicalization]
    data["metadata"] = {n: getattr(metadata, n) for n in NAMES if getattr(metadata, n) != getattr(usual, n)}
    data["settings"] = {
        f.name: _plain(value)
        for f in fields(Settings)
        if (value := getattr(definition.settings, f.name)) != f.default and f.name != "robots_policy_name"
    }
    data["seeds"] = _seeds_data(definition.seeds)
    data["scope"] = [dict(rule) for rule in definition.scope]
    data["sheets"] = [_sheet_data(sheet) for sheet in definition.sheets]
    return tomli_w.dumps({k: v for k, v in data.items() if v or k == "canonicalization"}, multiline_strings=True)


def _name(source: Source) -> str:
    if "name" not in source.data:
        raise source.error(("name",), "the crawl's name is missing", 'add a first line name = "my-crawl"')
    try:
        return check_crawl_name(source.one(("name",), source.data["name"], str))
    except BadArgument as e:
        raise source.error(("name",), str(e), 'for example "news-2024"') from e


def _metadata(source: Source) -> CrawlMetadata:
    table = source.table(("metadata",), source.data.get("metadata", {}))
    source.known_keys(("metadata",), table, NAMES)
    values = {name: source.one(("metadata", name), value, str) for name, value in table.items()}
    metadata = CrawlMetadata().changed(values)
    for reason, remedy in metadata.problems():
        name = next((n for n in NAMES if n in reason), "")
        raise source.error(("metadata", name), reason.removeprefix("metadata: "), remedy)
    return metadata


def _settings(source: Source, path: tuple[str | int, ...], given: object) -> dict[str, SettingValue]:
    table = source.table(path, given)
    source.known_keys(path, table, SPECS)
    found: dict[str, SettingValue] = {}
    for name, raw in table.items():
        try:
            found[name] = checked(name, raw)
        except SettingError as e:
            raise source.error((*path, name), str(e), e.remedy) from e
    return found


def _seeds(source: Source) -> SeedSource:
    path = ("seeds",)
    table = source.table(path, source.data.get("seeds", {}))
    source.known_keys(path, table, _SEEDS)
    uris = source.texts(("seeds", "uris"), table.get("uris", []))
    text = source.one(("seeds", "text"), table.get("text", ""), str)
    names = [name for key in ("file", "files") for name in source.texts(("seeds", key), table.get(key, []))]
    return SeedSource(
        text="\n".join([*uris, *([text] if text else [])]),
        files=tuple(name if name == STANDARD_INPUT else str(source.directory / name) for name in names),
        source_tag_seeds=source.one(("seeds", "source_tag_seeds"), table.get("source_tag_seeds", False), bool),
        block_awaiting_seed_lines=_within(
            source, ("seeds", "block_awaiting_seed_lines"), table.get("block_awaiting_seed_lines", -1), -1, 10**12
        ),
    )


def _rules(source: Source, path: tuple[str | int, ...], given: object) -> tuple[RuleConfig, ...]:
    found = []
    for i, item in enumerate(source.items(path, given)):
        rule = source.table((*path, i), item)
        try:
            check_rule(rule)
            found.append(inlined(rule, source.directory))
        except (SettingError, DefinitionError) as e:
            # The message names the option; its line helps more than that of the rule.
            key = next((k for k in rule if k != "rule" and re.search(rf"\b{re.escape(k)}\b", f"{e} {e.remedy}")), "rule")
            raise source.error((*path, i, key), str(e), e.remedy or "see deploy/crawl.toml for rules and their options") from e
    return tuple(found)


def _sheets(source: Source) -> tuple[Sheet, ...]:
    found: list[Sheet] = []
    for i, item in enumerate(source.items(("sheets",), source.data.get("sheets", []))):
        path = ("sheets", i)
        table = source.table(path, item)
        source.known_keys(path, table, _SHEET)
        name = source.one((*path, "name"), table.get("name"), str)
        if not name or name in [sheet.name for sheet in found]:
            raise source.error((*path, "name"), "empty, or used by another sheet", "give each sheet a name of its own")
        settings = _settings(source, (*path, "settings"), table.get("settings", {}))
        for key in settings:
            if key not in SHEET:
                raise source.error((*path, "settings", key), "cannot differ by sheet", "move it to [settings]: it holds for the crawl")
        prefixes = source.texts((*path, "surt_prefixes"), table.get("surt_prefixes", []))
        rules = _rules(source, (*path, "rules"), table.get("rules", []))
        found.append(Sheet(name, settings, prefixes, rules, _within(source, (*path, "order"), table.get("order", 0), -(10**6), 10**6)))
    return tuple(found)


def _canonicalization(source: Source) -> tuple[RuleConfig | str, ...]:
    rules = source.items(("canonicalization",), source.data.get("canonicalization", DEFAULT_RULES))
    for i, rule in enumerate(rules):
        try:
            rule_named(rule if isinstance(rule, str) else source.table(("canonicalization", i), rule))
        except SettingError as e:
            raise source.error(("canonicalization", i), str(e), e.remedy or "rule, enabled, regex, format") from e
    return tuple(rules)


def _within(source: Source, path: tuple[str | int, ...], value: object, low: int, high: int) -> int:
    number: int = source.one(path, value, int)
    if not low <= number <= high:
        raise source.error(path, f"{number} is out of range", f"{low} to {high}")
    return number


def _seeds_data(seeds: SeedSource) -> dict[str, Any]:
    data: dict[str, Any] = {"text": seeds.text, "files": list(seeds.files)}
    if seeds.source_tag_seeds:
        data["source_tag_seeds"] = True
    if seeds.block_awaiting_seed_lines != -1:
        data["block_awaiting_seed_lines"] = seeds.block_awaiting_seed_lines
    return {k: v for k, v in data.items() if v not in ("", [])}


def _sheet_data(sheet: Sheet) -> dict[str, Any]:
    data = {
        "name": sheet.name,
        "surt_prefixes": list(sheet.surt_prefixes),
        "rules": [dict(rule) for rule in sheet.rules],
        "order": sheet.order,
        "settings": {name: _plain(value) for name, value in sheet.settings.items()},
    }
    return {k: v for k, v in data.items() if v}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


__all__ = ["CrawlDefinition", "DefinitionError", "dump", "from_source", "load"]
