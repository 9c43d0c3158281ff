"""Reads the file a crawl is made from, and tells of a Heritrix configuration line by line what was taken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from redisfrontier.crawl import heritrix_beans
from redisfrontier.crawl.definition import CrawlDefinition, load
from redisfrontier.crawl.findings import Finding, needs_attention
from redisfrontier.uri.fingerprint import check_crawl_name
from redisfrontier_cli.output import Output, remark


def read_definition(path: Path, name: str | None, output: Output) -> CrawlDefinition:
    """The crawl of a file, under `name` if one is given; a .cxml's findings are shown."""
    if path.suffix.lower() in (".cxml", ".xml"):
        definition, findings = heritrix_beans.read(path, name=name)
        _tell(findings, output)
        return definition
    definition = load(path)
    return replace(definition, name=check_crawl_name(name)) if name else definition


def _tell(findings: list[Finding], output: Output) -> None:
    rows = ({"line": f.line, "verdict": f.verdict.value, "text": f.text, "why": f.why} for f in findings)
    output.rows(rows, ("line", "verdict", "text", "why"), empty="the file says nothing")
    if open_ := needs_attention(findings):
        remark(f"{len(open_)} of {len(findings)} lines need a look (refused or unknown): the crawl may differ from Heritrix'")
