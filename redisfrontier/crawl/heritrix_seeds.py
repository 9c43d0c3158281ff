"""Turns Heritrix' seed module into a seed source: inline text (ConfigString) or a file (ConfigFile)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from redisfrontier.crawl.findings import Findings
from redisfrontier.crawl.seeds import SeedSource
from redisfrontier.crawl.spring_xml import Bean, Property, Text, Value, described, flush_left

_WHOLE = re.compile(r"\s*-?\d{1,9}\s*")


def read_seeds(
    beans: Iterable[Bean],
    findings: Findings,
    resolve: Callable[[Value], Value | None],
    directory: Path,
) -> SeedSource:
    """The seed source of the TextSeedModule beans; a file's path counts from `directory`."""
    texts: list[str] = []
    files: list[str] = []
    tag, block = False, -1
    for bean in beans:
        findings.taken(bean.line, f"bean {bean.id or bean.kind}", "the seeds")
        for key, prop in bean.properties.items():
            label, value = f"seeds.{key} = {described(prop.value)}", resolve(prop.value)
            if key == "textSource" and isinstance(value, Bean):
                _source(value, prop, findings, directory, texts, files)
            elif key == "sourceTagSeeds" and isinstance(value, Text):
                tag = value.text.strip().lower() == "true"
                findings.taken(prop.line, label, f"source_tag_seeds = {str(tag).lower()}")
            elif key == "blockAwaitingSeedLines" and isinstance(value, Text) and _WHOLE.fullmatch(value.text):
                block = max(-1, int(value.text))
                findings.taken(prop.line, label, f"block_awaiting_seed_lines = {block}")
            else:
                findings.unknown(prop.line, label, "no such property, or value, is known here")
    return SeedSource(text="\n".join(texts), files=tuple(files), source_tag_seeds=tag, block_awaiting_seed_lines=block)


def _source(bean: Bean, prop: Property, findings: Findings, directory: Path, texts: list[str], files: list[str]) -> None:
    is_file = bean.kind == "ConfigFile"
    held = bean.properties.get("path" if is_file else "value")
    content = held.value.text if held is not None and isinstance(held.value, Text) else ""
    findings.taken(prop.line, f"seeds.textSource = {bean.kind or 'override'}", "seeds from a file" if is_file else "seeds from this file")
    if is_file and content.strip():
        files.append(str(directory / content.strip()))
        findings.taken(held.line if held else prop.line, f"path = {content.strip()}", "seed file; it is read, never written")
    elif content.strip():
        texts.append(flush_left(content))
        lines = sum(1 for line in content.splitlines() if line.strip() and not line.strip().startswith("#"))
        findings.taken(held.line if held else prop.line, f"value = {described(Text(content, 0))}", f"{lines} seed lines")
