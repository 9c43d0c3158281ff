"""Sheets: named overrides of settings, bound to SURT prefixes and to decide rules (Heritrix' overlays, §9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from redisfrontier.errors import SettingError
from redisfrontier.policy.scope.build import build_sequence
from redisfrontier.policy.scope.decision import Subject
from redisfrontier.policy.scope.sequence import DecideRuleSequence
from redisfrontier.settings import SHEET, SPECS, Settings, Value, checked
from redisfrontier.uri.surt import directive_prefix
from redisfrontier.uri.surt_prefixes import SurtPrefixIndex

_NO_SETTINGS: Mapping[str, object] = {}
#: Combinations kept merged; a crawl has few, but rules could make many.
_CACHED_COMBINATIONS = 4096


@dataclass(frozen=True, slots=True)
class Sheet:
    """A named set of overrides and what it applies to: URIs within a SURT prefix, and URIs that `rules` accept.

    A prefix is literal if it holds a '(', else what the plain text implies. Rule-bound sheets apply in order of `order`,
    then as they are listed.
    """

    name: str
    settings: Mapping[str, object] = field(default_factory=lambda: _NO_SETTINGS)
    surt_prefixes: tuple[str, ...] = ()
    rules: tuple[Mapping[str, object], ...] = ()
    order: int = 0


class Sheets:
    """The sheets of a crawl over its base settings. Raises SettingError for a setting that no sheet may change, or a bad value."""

    __slots__ = ("_effective", "_index", "_names_at", "_overrides", "_ruled", "base")

    def __init__(self, sheets: Iterable[Sheet] = (), base: Settings | None = None) -> None:
        self.base = base if base is not None else Settings()
        self._overrides: dict[str, Mapping[str, Value]] = {}
        self._names_at: dict[str, list[str]] = {}
        ruled: list[tuple[int, str, DecideRuleSequence]] = []
        for sheet in sheets:
            if sheet.name in self._overrides:
                raise SettingError(f"two sheets are named {sheet.name!r}", remedy="merge or rename one")
            self._overrides[sheet.name] = _checked(sheet)
            for text in sheet.surt_prefixes:
                self._names_at.setdefault(_prefix(sheet.name, text), []).append(sheet.name)
            if sheet.rules:
                ruled.append((sheet.order, sheet.name, build_sequence(sheet.rules)))
        self._index = SurtPrefixIndex(self._names_at)
        self._ruled = tuple((name, sequence) for _, name, sequence in sorted(ruled, key=lambda r: r[0]))
        self._effective: dict[tuple[str, ...], Settings] = {(): self.base}

    def __bool__(self) -> bool:
        """Is there any sheet?"""
        return bool(self._overrides)

    @property
    def names(self) -> tuple[str, ...]:
        """Every sheet, as listed."""
        return tuple(self._overrides)

    def names_for(self, surt: str, subject: Subject | None = None) -> tuple[str, ...]:
        """The sheets of a URI, weakest first: prefixes from short to long, then those bound to rules; the last one wins.

        `surt` is the candidate SURT of the policy basis (the via of a prerequisite); rules are asked only with a `subject`.
        """
        found = [name for prefix in self._index.all(surt) for name in self._names_at[prefix]]
        if subject is not None:
            found += [name for name, sequence in self._ruled if sequence.decide(subject).accepts]
        if len(found) < 2:
            return tuple(found)
        return tuple(dict.fromkeys(reversed(found)))[::-1]

    def combination(self, names: Iterable[str]) -> Mapping[str, Value]:
        """The overrides of several sheets merged, later names winning; names that are no sheets are left out."""
        merged: dict[str, Value] = {}
        for name in names:
            merged.update(self._overrides.get(name, {}))
        return merged

    def effective(self, names: tuple[str, ...]) -> Settings:
        """The settings under a combination of sheets, kept for the next time."""
        found = self._effective.get(names)
        if found is None:
            if len(self._effective) >= _CACHED_COMBINATIONS:
                self._effective = {(): self.base}
            found = self._effective[names] = self.base.changed(self.combination(names))
        return found


def _checked(sheet: Sheet) -> Mapping[str, Value]:
    for name in sheet.settings:
        if name in SPECS and name not in SHEET:
            raise SettingError(f"sheet {sheet.name!r}: {name} is a setting of the whole crawl", remedy="set it in the crawl's settings")
    return {name: checked(name, raw) for name, raw in sheet.settings.items()}


def _prefix(sheet: str, text: str) -> str:
    prefix = directive_prefix(text)
    if prefix.startswith("https://("):
        # URIs are held against prefixes with https as http; Heritrix would never match this one.
        prefix = "http" + prefix[5:]
    if not prefix:
        raise SettingError(f"sheet {sheet!r}: an empty SURT prefix", remedy="name a host, or http://( for all")
    return prefix
