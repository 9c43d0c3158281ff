"""Reads a Heritrix crawler-beans.cxml as a crawl definition and tells, line by line, what it took and what not (seeds 001, 002)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from redisfrontier.crawl.definition import CrawlDefinition
from redisfrontier.crawl.findings import Finding, Findings
from redisfrontier.crawl.heritrix_names import CHOICES, ROLES, why_elsewhere
from redisfrontier.crawl.heritrix_rules import RuleReader
from redisfrontier.crawl.heritrix_seeds import read_seeds
from redisfrontier.crawl.heritrix_settings import SettingReader
from redisfrontier.crawl.heritrix_sheets import SheetReader
from redisfrontier.crawl.metadata import NAMES, CrawlMetadata
from redisfrontier.crawl.rule_check import RuleConfig
from redisfrontier.crawl.spring_overrides import Beans
from redisfrontier.crawl.spring_xml import Bean, Document, Text, described, parse
from redisfrontier.errors import DefinitionError
from redisfrontier.policy.scope.options import snake
from redisfrontier.policy.sheets import Sheet
from redisfrontier.settings import Settings
from redisfrontier.uri.canonical import DEFAULT_RULES

_PLAIN_ROLES = ("frontier", "preparer", "disposition", "crawlLimiter", "preconditions", "candidates", "candidateScoper")


def read(
    path: str | Path,
    *,
    name: str | None = None,
    placeholders: Mapping[str, str] | None = None,
) -> tuple[CrawlDefinition, list[Finding]]:
    """The crawl a cxml file describes, and a finding for each line that says something, by line.

    `name` is the crawl's name (else metadata.jobName, made fit); `placeholders` fills `${…}`, where launchId
    stands for the crawl's name unless given. Raises DefinitionError for what is no bean file; a missing contact
    URL is left to `CrawlMetadata.checked`.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as e:
        raise DefinitionError(f"cannot read {file}: {e.strerror}", remedy="give the path of a crawler-beans.cxml") from e
    return _Reading(parse(data, file.name), file.parent, name, placeholders or {}).result()


def crawl_name(text: str) -> str:
    """A job's name made fit for a crawl's (design §9); "crawl" when nothing is left of it."""
    fit = re.sub(r"[^A-Za-z0-9._-]+", "-", text.strip()).lstrip("._-")[:64]
    return fit.rstrip("-") or "crawl"


class _Reading:
    """One file being read."""

    def __init__(self, document: Document, directory: Path, name: str | None, placeholders: Mapping[str, str]) -> None:
        self.findings = Findings()
        self.directory = directory
        self.document = document
        self.beans = Beans(document, self.findings)
        self.beans.override()
        self.by_role: dict[str, list[Bean]] = {}
        for bean in document.beans:
            self.by_role.setdefault(_role(bean), []).append(bean)
        self.name = name or crawl_name(self._job_name())
        self.beans.fill({"launchId": self.name, **placeholders})
        self.settings = SettingReader(self.findings, self.beans.resolve)
        self.rules = RuleReader(self.findings, self.beans.resolve, directory)

    def result(self) -> tuple[CrawlDefinition, list[Finding]]:
        """The definition and the findings."""
        metadata = self._metadata()
        seeds = read_seeds(self.by_role.get("seeds", []), self.findings, self.beans.resolve, self.directory)
        scope = self._scope()
        sheets = self._sheets()
        canonicalization = self._preparing()
        self._others()
        definition = CrawlDefinition(
            name=self.name,
            metadata=metadata,
            settings=Settings().changed(self.settings.values),
            seeds=seeds,
            scope=tuple(scope),
            sheets=sheets,
            canonicalization=DEFAULT_RULES if canonicalization is None else tuple(canonicalization),
        )
        return definition, self.findings.sorted()

    def _job_name(self) -> str:
        props = [bean.properties.get("jobName") for bean in self.by_role.get("metadata", [])]
        return next((p.value.text for p in props if p is not None and isinstance(p.value, Text)), "")

    def _metadata(self) -> CrawlMetadata:
        values: dict[str, object] = {}
        for bean in self.by_role.get("metadata", []):
            self._took(bean, "crawl metadata")
            for key, prop in bean.properties.items():
                name, label = snake(key), f"metadata.{key} = {described(prop.value)}"
                if name == "robots_policy_name":
                    self.settings.property("metadata.robotsPolicyName", prop)
                elif name in NAMES and isinstance(prop.value, Text):
                    if text := prop.value.text.strip():
                        values[name] = text
                    ours = name != "user_agent_template" or "heritrix/" not in prop.value.text
                    self.findings.taken(prop.line, label, f"metadata {name}" + ("" if ours else "; the crawler will call itself heritrix"))
                else:
                    self.findings.unknown(prop.line, label, "no such property is known here")
        policy = self.settings.values.get("robots_policy_name", "obey")
        return CrawlMetadata().changed({**values, "robots_policy_name": policy})

    def _scope(self) -> list[RuleConfig]:
        rules: list[RuleConfig] = []
        for bean in self.by_role.get("scope", []):
            self._took(bean, "the scope")
            for key, prop in bean.properties.items():
                if key == "rules":
                    self.findings.taken(prop.line, f"scope.rules = {described(prop.value)}", "the scope's rules, in order")
                    rules += self.rules.rules(prop.value, "scope.rules")
                else:
                    self.settings.property(f"scope.{key}", prop)
        return rules

    def _sheets(self) -> tuple[Sheet, ...]:
        for bean in self.by_role.get("sheetOverlaysManager", []):
            self._took(bean, "sheets are always looked at")
        reader = SheetReader(self.findings, self.beans.resolve, self.rules, self._role_and_class)
        return reader.sheets(self.by_role.get("sheet", []), self.by_role.get("association", []))

    def _role_and_class(self, bean_id: str) -> tuple[str, str]:
        bean = self.beans.get(bean_id)
        if bean is None:
            return (bean_id if bean_id in _PLAIN_ROLES else ""), ""
        return _role(bean), bean.cls

    def _preparing(self) -> list[RuleConfig | str] | None:
        """The settings of all beans that only have settings; returns the canonicalisation rules, None when there are none."""
        canonical: list[RuleConfig | str] | None = None
        for bean in self.by_role.get("preparer.canonicalizationPolicy", []):
            self._took(bean, "canonicalisation rules")
            canonical = self.rules.canonicalization(bean)
        for role in _PLAIN_ROLES:
            for bean in self.by_role.get(role, []):
                self._took(bean, f"settings of the {role}")
                inner = self._canonicalization_within(bean)
                canonical = inner if inner is not None else canonical
                self.settings.bean(role, bean)
        for role in CHOICES:
            for bean in self.by_role.get(role, []):
                self.settings.choice(role, bean, bean.line)
        return canonical

    def _canonicalization_within(self, bean: Bean) -> list[RuleConfig | str] | None:
        held = bean.properties.pop("canonicalizationPolicy", None)
        if held is None:
            return None
        label, policy = f"canonicalizationPolicy = {described(held.value)}", self.beans.resolve(held.value)
        if not isinstance(policy, Bean) or policy.kind != "RulesCanonicalizationPolicy":
            self.findings.unknown(held.line, label, "no such policy is known here; the default rules hold")
            return None
        self.findings.taken(held.line, label, "canonicalisation rules")
        return None if policy.id else self.rules.canonicalization(policy)

    def _others(self) -> None:
        referred = self.beans.referred()
        for bean in self.by_role.get("", []):
            if bean.id in referred and ".deciderules." in bean.cls:
                continue  # told where it is referred to
            reason = why_elsewhere(bean.cls)
            tell = self.findings.ignored if reason else self.findings.unknown
            why = reason or f"no bean of class {bean.cls or '(none)'} is known here"
            tell(bean.line, _label(bean), why)
            for key, prop in bean.properties.items():
                tell(prop.line, f"{bean.id or bean.kind}.{key} = {described(prop.value)}", why)
        for line, element in self.document.others:
            self.findings.ignored(line, element, "a part of Spring's own wiring")

    def _took(self, bean: Bean, why: str) -> None:
        self.findings.taken(bean.line, _label(bean), why)


def _role(bean: Bean) -> str:
    """The role a top-level bean plays by its class, else by its id; empty for none of ours."""
    if bean.kind in ROLES:
        return ROLES[bean.kind]
    for path, (_, classes) in CHOICES.items():
        if bean.kind in classes:
            return path
    return bean.id if bean.id in (*ROLES.values(), "scope") else ""


def _label(bean: Bean) -> str:
    return f"bean {bean.id or bean.kind}"
