"""Turns Heritrix' rule beans into rule configurations: the scope's DecideRules and the canonicalisation rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from redisfrontier.crawl.findings import Findings
from redisfrontier.crawl.heritrix_names import CANONICALIZATION
from redisfrontier.crawl.rule_check import RuleConfig, check_rule, inlined
from redisfrontier.crawl.spring_xml import Bean, Entries, Items, Property, Ref, Text, Value, described, flush_left
from redisfrontier.errors import DefinitionError, SettingError
from redisfrontier.policy.scope.build import rule_name
from redisfrontier.policy.scope.options import snake

Resolve = Callable[[Value], Value | None]

_TEXTS = frozenset({"regex", "decision", "surts_source", "surts_source_file", "surts_dump_file", "use_preset"})
_MISSED = "; the scope is not the same without it"
_WHOLE = re.compile(r"-?\d{1,18}")


class RuleReader:
    """Reads rule beans; `resolve` finds what a Ref stands for, `directory` is where the files' paths count from."""

    def __init__(self, findings: Findings, resolve: Resolve, directory: Path) -> None:
        self._findings = findings
        self._resolve = resolve
        self._directory = directory

    def rules(self, value: Value, where: str) -> list[RuleConfig]:
        """The rules of a `rules` property, in order; those that cannot be used are found as refused and left out."""
        if isinstance(value, Bean | Ref):
            value = Items([value], value.line)
        if not isinstance(value, Items):
            self._findings.refused(value.line, where, "not a list of rules")
            return []
        return [rule for i, item in enumerate(value.items) if (rule := self._rule(item, f"{where}[{i}]")) is not None]

    def _rule(self, item: Value, where: str) -> RuleConfig | None:
        bean = self._resolve(item)
        if not isinstance(bean, Bean):
            name = item.bean if isinstance(item, Ref) else where
            self._findings.refused(item.line, f"{where} {name}", f"no bean of this id{_MISSED}")
            return None
        label = f"{where} {bean.kind}" + (f" ({bean.id})" if bean.id else "")
        config: dict[str, object] = {"rule": bean.kind}
        for name, prop in bean.properties.items():
            self._setting(config, name, prop, f"{where}.{name}")
        try:
            check_rule(config)
        except SettingError as e:
            self._findings.refused(item.line, label, f"{e}{_MISSED}")
            for name, prop in bean.properties.items():
                self._findings.refused(prop.line, f"{bean.kind}.{name} = {described(prop.value)}", "of a rule that is not taken")
            return None
        config["rule"] = rule_name(config)
        for line in (item.line, bean.line):
            self._findings.taken(line, label, f"scope rule {config['rule']}")
        for name, prop in bean.properties.items():
            self._findings.taken(prop.line, f"{bean.kind}.{name} = {described(prop.value)}", f"of scope rule {config['rule']}")
        return self._with_files(config, item.line, label)

    def _with_files(self, config: RuleConfig, line: int, label: str) -> RuleConfig:
        try:
            return inlined(config, self._directory)
        except DefinitionError as e:
            self._findings.refused(line, label, f"{e}; the rule is taken without these prefixes")
            return {k: v for k, v in config.items() if k != "surts_source_file"}

    def _setting(self, config: dict[str, object], name: str, prop: Property, where: str) -> None:
        key, value = snake(name), self._resolve(prop.value)
        if isinstance(value, Bean) and value.kind in ("ConfigString", "ConfigFile"):
            key, value = self._source(key, value)
        if key == "rules" and isinstance(value, Items):
            config[key] = self.rules(value, where)
        elif isinstance(value, Bean):
            config[key] = value.kind
        elif isinstance(value, Items):
            config[key] = [item.text.strip() for item in value.items if isinstance(item, Text)]
        elif isinstance(value, Entries):
            config[key] = [pair[0].text.strip() for pair in value.pairs]
        elif isinstance(value, Text) and (value.text.strip() or key == "regex"):
            config[key] = flush_left(value.text) if key == "surts_source" else typed(key, value.text.strip())

    def _source(self, key: str, bean: Bean) -> tuple[str, Value | None]:
        """A ConfigString or ConfigFile as the text or the file's path that it holds."""
        of_file = bean.kind == "ConfigFile"
        name = "path" if of_file else "value"
        prop = bean.properties.get(name)
        if prop is not None:
            self._findings.taken(prop.line, f"{name} = {described(prop.value)}", f"of {bean.kind}")
        base = key.removesuffix("_file")
        return (f"{base}_file" if of_file else base), prop.value if prop else None

    def canonicalization(self, bean: Bean) -> list[RuleConfig | str] | None:
        """The rules of a RulesCanonicalizationPolicy; None when it lists none (the default list then holds)."""
        prop = bean.properties.get("rules")
        if prop is None or not isinstance(prop.value, Items):
            return None
        self._findings.taken(prop.line, f"rules = {described(prop.value)}", "canonicalisation rules")
        found: list[RuleConfig | str] = []
        for item in prop.value.items:
            rule = self._resolve(item)
            kind = rule.kind if isinstance(rule, Bean) else ""
            if not isinstance(rule, Bean) or kind not in CANONICALIZATION:
                self._findings.unknown(item.line, kind or "rule", "no such canonicalisation rule here")
                continue
            config: dict[str, object] = {"rule": CANONICALIZATION[kind]}
            for name, p in rule.properties.items():
                if isinstance(p.value, Text):
                    config[snake(name)] = typed(snake(name), p.value.text)
                    self._findings.taken(p.line, f"{kind}.{name} = {described(p.value)}", f"of canonicalisation rule {config['rule']}")
            found.append(config if len(config) > 1 else CANONICALIZATION[kind])
            self._findings.taken(item.line, kind, f"canonicalisation rule {config['rule']}")
        return found


def typed(key: str, text: str) -> object:
    """A property's text as truth value or whole number where it reads as one; regexes and the like stay texts."""
    if key in _TEXTS:
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if _WHOLE.fullmatch(text) else text
