"""Turns Heritrix' sheets and their associations into sheets bound to SURT prefixes and rules (Heritrix §9)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from redisfrontier.crawl.findings import Findings
from redisfrontier.crawl.heritrix_names import why_elsewhere
from redisfrontier.crawl.heritrix_rules import RuleReader
from redisfrontier.crawl.heritrix_settings import SettingReader
from redisfrontier.crawl.rule_check import RuleConfig
from redisfrontier.crawl.spring_xml import Bean, Entries, Items, Property, Text, Value, described
from redisfrontier.policy.sheets import Sheet
from redisfrontier.settings import Value as SettingValue


@dataclass(slots=True)
class _Bound:
    """What associations bind to one sheet: prefixes together, each rule list apart."""

    prefixes: list[str] = field(default_factory=list)
    ruled: list[tuple[int, str, list[RuleConfig]]] = field(default_factory=list)


class SheetReader:
    """Reads sheets; `role` tells a bean id's role (empty when it plays none) and class."""

    def __init__(
        self,
        findings: Findings,
        resolve: Callable[[Value], Value | None],
        rules: RuleReader,
        role: Callable[[str], tuple[str, str]],
    ) -> None:
        self._findings = findings
        self._resolve = resolve
        self._rules = rules
        self._role = role

    def sheets(self, sheets: Iterable[Bean], associations: Iterable[Bean]) -> tuple[Sheet, ...]:
        """All sheets; those bound to rules last, by their association's order and name, as that is how they apply."""
        bound: dict[str, _Bound] = {}
        values = {bean.id: self._values(bean) for bean in sheets}
        for bean in associations:
            self._association(bean, bound, values)
        made = [_one(name, settings, bound.get(name, _Bound())) for name, settings in values.items()]
        return tuple(sheet for _, sheet in sorted(itertools.chain.from_iterable(made), key=lambda m: m[0]))

    def _values(self, bean: Bean) -> Mapping[str, SettingValue]:
        reader = SettingReader(self._findings, self._resolve, sheet=True)
        self._findings.taken(bean.line, f"sheet {bean.id}", "a sheet")
        for name, prop in bean.properties.items():
            if name == "map" and isinstance(prop.value, Entries):
                self._findings.taken(prop.line, f"{bean.id}.map = {described(prop.value)}", "the sheet's settings")
                for key, value in prop.value.pairs:
                    self._entry(reader, key, value)
            elif name != "name":
                self._findings.unknown(prop.line, f"{bean.id}.{name} = {described(prop.value)}", "no such property is known here")
        return reader.values

    def _entry(self, reader: SettingReader, key: Text, value: Value) -> None:
        head, _, rest = key.text.strip().partition(".")
        role, cls = self._role(head)
        if role:
            reader.property(f"{role}.{rest}", Property(value, key.line))
        elif reason := why_elsewhere(cls):
            self._findings.ignored(key.line, f"{key.text} = {described(value)}", reason)
        else:
            self._findings.unknown(key.line, f"{key.text} = {described(value)}", "no such bean is known here")

    def _association(self, bean: Bean, bound: dict[str, _Bound], values: Mapping[str, object]) -> None:
        label = bean.id or bean.kind
        names = self._texts(bean, "targetSheetNames")
        missing = [n for n in names if n not in values]
        if missing or not names:
            self._findings.refused(bean.line, label, f"no sheet {', '.join(missing)}" if missing else "names no sheet")
        targets = [n for n in names if n in values]
        prefixes, rules, order = self._texts(bean, "surtPrefixes"), [], 0
        if "rules" in bean.properties:
            rules = self._rules.rules(bean.properties["rules"].value, f"{label}.rules")
        if (given := bean.properties.get("order")) and isinstance(given.value, Text):
            order = int(given.value.text) if given.value.text.strip().lstrip("-").isdecimal() else 0
        for name in targets:
            held = bound.setdefault(name, _Bound())
            held.prefixes += [p for p in prefixes if p not in held.prefixes]
            if rules:
                held.ruled.append((order, label, rules))
            to = f"{len(prefixes)} prefixes" if prefixes else f"{len(rules)} rules"
            self._findings.taken(bean.line, label, f"binds sheet {name} to {to}")
        for name, prop in bean.properties.items():
            if name in ("targetSheetNames", "surtPrefixes", "rules", "order"):
                self._findings.taken(prop.line, f"{label}.{name} = {described(prop.value)}", "of a sheet's association")
            else:
                self._findings.unknown(prop.line, f"{label}.{name}", "no such property is known here")

    def _texts(self, bean: Bean, name: str) -> list[str]:
        prop = bean.properties.get(name)
        if prop is None:
            return []
        items = prop.value.items if isinstance(prop.value, Items) else [prop.value]
        return [i.text.strip() for i in items if isinstance(i, Text) and i.text.strip()]


def _one(name: str, settings: Mapping[str, SettingValue], bound: _Bound) -> list[tuple[tuple[bool, int, str], Sheet]]:
    """A sheet, with what it is sorted by; copies of it when several rule lists are bound to it.

    Two rule lists bound to one sheet mean "either of them", while in one list the last decision wins.
    """
    if not bound.ruled:
        return [((False, 0, ""), Sheet(name, settings, tuple(bound.prefixes)))]
    found = []
    for i, (order, label, rules) in enumerate(sorted(bound.ruled, key=lambda r: r[:2])):
        prefixes = tuple(bound.prefixes) if i == 0 else ()
        sheet = Sheet(f"{name}-{i + 1}" if i else name, settings, prefixes, tuple(rules), order)
        found.append(((True, order, label), sheet))
    return found
