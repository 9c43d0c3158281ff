"""Who runs a crawl and how it introduces itself to the sites (seed 001, bean `metadata`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from urllib.parse import urlsplit

from redisfrontier.errors import DefinitionError

DEFAULT_TEMPLATE = "Mozilla/5.0 (compatible; redisfrontier/@VERSION@ +@OPERATOR_CONTACT_URL@)"
"""Heritrix' template, under our own name."""

ROBOTS_POLICIES = ("obey", "classic", "ignore", "robots_txt_only")
MAX_TEXT = 4096
"""Characters one field may have."""

_MAIL = re.compile(r"[^\s@<>]+@[-\w]+(?:\.[-\w]+)+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class CrawlMetadata:
    """The identity of a crawl and its operator; all texts, empty where nothing was said."""

    operator_contact_url: str = ""
    """A page that tells site owners who crawls and how to reach them; no crawl starts without it."""
    job_name: str = ""
    description: str = ""
    robots_policy_name: str = "obey"
    """obey = classic, ignore, or robots_txt_only (robots.txt is obeyed, nofollow in pages is not)."""
    operator: str = ""
    operator_from: str = ""
    """Mail address for the From header."""
    organization: str = ""
    audience: str = ""
    user_agent_template: str = DEFAULT_TEMPLATE
    """@VERSION@ and @OPERATOR_CONTACT_URL@ are filled in; the latter must be in it."""

    def changed(self, values: Mapping[str, object]) -> CrawlMetadata:
        """This metadata with `values` put over it; names must be known and values texts (DefinitionError)."""
        for name, value in values.items():
            if name not in NAMES:
                raise DefinitionError(f"unknown metadata {name!r}", remedy="one of " + ", ".join(NAMES))
            if not isinstance(value, str):
                raise DefinitionError(f"metadata {name} = {value!r}: not a text", remedy="put it in quotes")
        return replace(self, **{n: v for n, v in values.items() if isinstance(v, str)})

    def checked(self) -> CrawlMetadata:
        """Itself, when a crawl may start with it; else raises DefinitionError with the first reason and the remedy."""
        for reason, remedy in self.problems():
            raise DefinitionError(reason, remedy=remedy)
        return self

    def problems(self) -> list[tuple[str, str]]:
        """Why a crawl may not start with it: (reason, remedy) pairs; empty when it may."""
        found = [self._contact(), self._robots(), self._template(), self._from(), *self._lengths()]
        return [p for p in found if p is not None]

    def user_agent(self, version: str) -> str:
        """The User-Agent header: the template filled in."""
        text = self.user_agent_template.replace("@OPERATOR_CONTACT_URL@", self.operator_contact_url)
        return text.replace("@VERSION@", version)

    def _contact(self) -> tuple[str, str] | None:
        remedy = 'set operator_contact_url to a page about this crawl, e.g. "https://www.example.org/our-crawler.html"'
        if not self.operator_contact_url.strip():
            return "metadata: operator_contact_url is missing: a crawl without one does not start", remedy
        if not is_web_address(self.operator_contact_url):
            return f"metadata: operator_contact_url = {self.operator_contact_url[:200]!r}: not an http(s) URL", remedy
        return None

    def _robots(self) -> tuple[str, str] | None:
        if self.robots_policy_name in ROBOTS_POLICIES:
            return None
        return f"metadata: robots_policy_name = {self.robots_policy_name[:200]!r}: unknown", "one of " + ", ".join(ROBOTS_POLICIES)

    def _template(self) -> tuple[str, str] | None:
        # Heritrix asks for the URL right after a plus sign; site owners look for it there.
        if "+@OPERATOR_CONTACT_URL@" in self.user_agent_template:
            return None
        return "metadata: user_agent_template does not contain +@OPERATOR_CONTACT_URL@", f"e.g. {DEFAULT_TEMPLATE!r}"

    def _from(self) -> tuple[str, str] | None:
        if not self.operator_from or _MAIL.fullmatch(self.operator_from):
            return None
        return f"metadata: operator_from = {self.operator_from[:200]!r}: not a mail address", "e.g. crawl@example.org, or leave it out"

    def _lengths(self) -> list[tuple[str, str] | None]:
        long = [(f"metadata: {n} is longer than {MAX_TEXT} characters", "shorten it") for n in NAMES if len(getattr(self, n)) > MAX_TEXT]
        # These become header lines: a line break in one would smuggle in a header of its own.
        headers = ("operator_contact_url", "operator_from", "user_agent_template")
        broken = [(f"metadata: {n} contains a control character", "remove it") for n in headers if _CONTROL.search(getattr(self, n))]
        return [*long, *broken]


NAMES: tuple[str, ...] = tuple(f.name for f in fields(CrawlMetadata))


def is_web_address(text: str) -> bool:
    """Is it an http(s) URL with a host?"""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", text)
