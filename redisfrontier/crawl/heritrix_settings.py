"""Turns the properties of Heritrix' frontier, preparer, disposition and limiter beans, and sheet entries, into settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from redisfrontier.crawl.findings import Findings, shown
from redisfrontier.crawl.heritrix_names import CHOICES, IGNORED, SETTINGS
from redisfrontier.crawl.spring_xml import Bean, Property, Text, Value, described
from redisfrontier.errors import SettingError
from redisfrontier.settings import SHEET, checked
from redisfrontier.settings import Value as SettingValue

_WORDS: Mapping[str, Mapping[str, str]] = {
    "metadata.robotsPolicyName": {"robotsTxtOnly": "robots_txt_only"},
    "candidates.seedsRedirectNewSeeds": {"true": "always", "false": "never"},
}
_SETTINGS = {**SETTINGS, "candidates.seedsRedirectNewSeeds": "seed_redirects"}


class SettingReader:
    """Reads properties into `values` (setting → checked value); each one ends as a finding.

    With `sheet`, only settings that may differ by sheet are taken.
    """

    def __init__(self, findings: Findings, resolve: Callable[[Value], Value | None], *, sheet: bool = False) -> None:
        self.values: dict[str, SettingValue] = {}
        self._findings = findings
        self._resolve = resolve
        self._sheet = sheet

    def bean(self, path: str, bean: Bean) -> None:
        """All properties of a bean that plays the role `path`."""
        for name, prop in bean.properties.items():
            self.property(f"{path}.{name}", prop)

    def property(self, path: str, prop: Property) -> None:
        """One property by its path, role first, e.g. disposition.minDelayMs."""
        label = f"{path} = {described(prop.value)}"
        value = self._resolve(prop.value)
        if path in IGNORED:
            self._findings.ignored(prop.line, label, IGNORED[path])
        elif path in _SETTINGS and isinstance(value, Text):
            self._take(_SETTINGS[path], _WORDS.get(path, {}).get(value.text.strip(), value.text.strip()), prop.line, label)
        elif path in CHOICES and isinstance(value, Bean):
            self.choice(path, value, prop.line)
        elif value is None:
            self._findings.refused(prop.line, label, "no bean of this id")
        else:
            self._findings.unknown(prop.line, label, "no such property is known here")

    def choice(self, path: str, bean: Bean, line: int) -> None:
        """A policy bean: its class chooses a setting's value, its properties are settings of their own."""
        setting, values = CHOICES[path]
        label = f"{path} = {bean.kind}"
        if bean.kind in values:
            self._take(setting, values[bean.kind], line, label)
        elif bean.cls:
            self._findings.unknown(line, label, f"no such policy here; {setting} keeps its value")
        self.bean(path, bean)

    def _take(self, setting: str, raw: str, line: int, label: str) -> None:
        if self._sheet and setting not in SHEET:
            self._findings.refused(line, label, f"{setting} cannot differ by sheet; it holds for the whole crawl")
            return
        try:
            self.values[setting] = checked(setting, raw)
        except SettingError as e:
            self._findings.refused(line, label, f"{e}; {setting} keeps its value")
            return
        self._findings.taken(line, label, f"{setting} = {shown(raw)}" if raw else f"{setting} is empty")
