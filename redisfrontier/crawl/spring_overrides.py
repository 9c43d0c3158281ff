"""Puts a bean file's overrides (`bean.property=value`) and placeholders (`${name}`) into its beans, as Spring does on loading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast

from redisfrontier.crawl.findings import Findings
from redisfrontier.crawl.spring_xml import Bean, Document, Entries, Items, Property, Ref, Text, Value, described, properties

OVERRIDES = "PropertyOverrideConfigurer"
"""Class, without its package, of the beans that hold overrides."""

_PLACEHOLDER = re.compile(r"\$\{([A-Za-z][\w.]{0,99})(?::([^}]{0,200}))?\}")
_INDEXED = re.compile(r"(.+)\[(\d{1,4})\]")


class Beans:
    """A file's beans by their ids."""

    def __init__(self, document: Document, findings: Findings) -> None:
        self.all = document.beans
        self._findings = findings
        self._by_id = {bean.id: bean for bean in document.beans if bean.id}

    def get(self, bean_id: str) -> Bean | None:
        """The bean of that id, if there is one."""
        return self._by_id.get(bean_id)

    def resolve(self, value: Value) -> Value | None:
        """What a value stands for: a Ref's bean, or None when there is none of that id; else the value itself."""
        return self._by_id.get(value.bean) if isinstance(value, Ref) else value

    def referred(self) -> frozenset[str]:
        """The ids that some property refers to."""
        return frozenset(value.bean for bean in self.all for value in _within(bean) if isinstance(value, Ref))

    def override(self) -> None:
        """Apply all overrides, in the order of the file: a later one wins. The property keeps the override's line."""
        for bean in self.all:
            held = bean.properties.get("properties")
            if bean.kind == OVERRIDES and held is not None:
                for line in (bean.line, held.line):
                    self._findings.taken(line, f"bean {bean.id or bean.kind}", "overrides of other beans' properties")
                for key, value in _pairs(held.value):
                    self._override(key, value)

    def fill(self, placeholders: Mapping[str, str]) -> None:
        """Replace `${name}` and `${name:default}` in all values."""
        for bean in self.all:
            for value in _within(bean):
                if isinstance(value, Text) and "${" in value.text:
                    self._fill(value, placeholders)

    def _fill(self, text: Text, placeholders: Mapping[str, str]) -> None:
        def filled(match: re.Match[str]) -> str:
            found = placeholders.get(match[1], cast("str | None", match[2]))
            if found is None:
                self._findings.unknown(text.line, match[0], "no value for this placeholder; it stays as it is")
                return match[0]
            self._findings.taken(text.line, match[0], f"stands for {found!r}")
            return found

        text.text = _PLACEHOLDER.sub(filled, text.text)

    def _override(self, key: Text, value: Text) -> None:
        label = f"{key.text} = {described(value)}"
        head, *rest = key.text.strip().split(".")
        bean = self._by_id.get(head)
        if bean is None or not rest:
            self._findings.unknown(key.line, label, f"no bean {head!r} in this file")
            return
        for part in rest[:-1]:
            inner = self._inner(bean, part, key.line)
            if inner is None:
                self._findings.unknown(key.line, label, f"{part!r} is no bean there")
                return
            bean = inner
        old = bean.properties.get(rest[-1])
        if old is not None:
            self._findings.ignored(old.line, f"{'.'.join([head, *rest])} = {described(old.value)}", f"overridden in line {key.line}")
        bean.properties[rest[-1]] = Property(value, key.line)

    def _inner(self, bean: Bean, part: str, line: int) -> Bean | None:
        indexed = _INDEXED.fullmatch(part)
        held = bean.properties.get(indexed[1] if indexed else part)
        if held is None and not indexed:
            # A default the file does not write out, e.g. frontier.queuePrecedencePolicy.basePrecedence=4.
            held = bean.properties[part] = Property(Bean("", "", line), line)
        value: Value | None = held.value if held else None
        if indexed:
            items = value.items if isinstance(value, Items) else []
            value = items[int(indexed[2])] if int(indexed[2]) < len(items) else None
        found = self.resolve(value) if value is not None else None
        return found if isinstance(found, Bean) else None


def _pairs(value: Value) -> Iterator[tuple[Text, Text]]:
    if isinstance(value, Text):
        yield from properties(value)
    elif isinstance(value, Entries):
        yield from ((key, held) for key, held in value.pairs if isinstance(held, Text))


def _within(value: Value) -> Iterator[Value]:
    """A value and all values inside it."""
    yield value
    inner: list[Value] = []
    if isinstance(value, Items):
        inner = value.items
    elif isinstance(value, Entries):
        inner = [held for _, held in value.pairs]
    elif isinstance(value, Bean):
        inner = [*(prop.value for prop in value.properties.values()), *value.args]
    for held in inner:
        yield from _within(held)
