"""robots.txt as a prerequisite: which rules hold for a URI, learnt once and shared by all workers of a crawl."""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from protego import Protego

from redisfrontier.uri.parse import Uri

#: Shared texts are cut here, at the end of a line (the frontier keeps no more).
MAX_SHARED_BYTES = 65_536
#: What is read of a robots.txt (RFC 9309 asks for at least 500 KiB).
MAX_READ_CHARS = 512_000
#: "Believe it for ever", as the frontier's cache can say it.
FOR_EVER_SECONDS = 315_360_000
_PORTS = {"http": 80, "https": 443}
_UNREACHABLE = "!unreachable "
_NOT_BINDING = re.compile(r"(?:sitemap|host|clean-param)\b|<", re.IGNORECASE)


class RobotsStore(Protocol):
    """The shared cache of a frontier."""

    async def robots_get(self, authority: str) -> str | None:
        """The text stored for an authority, while it is believed."""
        ...

    async def robots_put(self, authority: str, text: str, ttl_seconds: int) -> object:
        """Store a text for some time."""
        ...


class Robots:
    """The rules of one authority for one crawler."""

    def __init__(self, text: str, agent: str) -> None:
        self._agent = agent
        self.failed_status = int(text[len(_UNREACHABLE) :]) if text.startswith(_UNREACHABLE) else 0
        """Fetch status with which the robots.txt was given up for good; 0 when it is known."""
        self._rules = None if self.failed_status else Protego.parse(text)

    def allows(self, uri: str) -> bool:
        """May the URI be fetched?"""
        return self._rules is not None and self._rules.can_fetch(uri, self._agent)

    @property
    def crawl_delay_seconds(self) -> float | None:
        """Crawl-delay, fractions kept; None when there is none that makes sense."""
        delay = self._rules.crawl_delay(self._agent) if self._rules else None
        return float(delay) if delay is not None and math.isfinite(delay) and delay >= 0 else None


@dataclass(slots=True)
class _Kept:
    robots: Robots
    until: float


class RobotsCache:
    """Rules by authority: a short private memory before the shared cache, so that a claim costs no round trip."""

    def __init__(
        self, store: RobotsStore, user_agent: str, ticks: Callable[[], float], *, keep_seconds: float = 60.0, capacity: int = 10_000
    ) -> None:
        self._store, self._ticks, self._keep, self._capacity = store, ticks, keep_seconds, capacity
        self.agent = product_token(user_agent)
        self._known: OrderedDict[str, _Kept] = OrderedDict()

    async def rules(self, authority: str) -> Robots | None:
        """The valid rules of an authority; None: its robots.txt must be fetched first."""
        kept = self._known.get(authority)
        if kept is not None and kept.until > self._ticks():
            return kept.robots
        text = await self._store.robots_get(authority)
        return None if text is None else self._remember(authority, text, self._keep)

    async def learn(self, authority: str, text: str, validity_seconds: int) -> None:
        """Share what was fetched ('' = everything allowed); validity 0 = for ever."""
        short, seconds = compact(text), validity_seconds or FOR_EVER_SECONDS
        await self._store.robots_put(authority, short, seconds)
        self._remember(authority, short, min(self._keep, seconds))

    async def give_up(self, authority: str, fetch_status: int, validity_seconds: int) -> None:
        """Share that the robots.txt could not be had, so that its URIs fail instead of asking for it again and again."""
        await self.learn(authority, f"{_UNREACHABLE}{fetch_status}", validity_seconds)

    def _remember(self, authority: str, text: str, seconds: float) -> Robots:
        robots = Robots(text, self.agent)
        self._known[authority] = _Kept(robots, self._ticks() + seconds)
        self._known.move_to_end(authority)
        if len(self._known) > self._capacity:
            self._known.popitem(last=False)
        return robots


def authority_of(uri: Uri) -> str:
    """host:port with the port spelled out: http and https have a robots.txt each."""
    return f"{uri.host}:{uri.port if uri.port > 0 else _PORTS.get(uri.scheme, 0)}"


def is_robots_txt(uri: Uri) -> bool:
    """Is the URI a robots.txt itself?"""
    return uri.path == "/robots.txt" and uri.query is None


def robots_txt_of(uri: Uri) -> str:
    """The robots.txt that binds a URI; without userinfo."""
    return f"{uri.scheme}://{uri.host}{f':{uri.port}' if uri.port > 0 else ''}/robots.txt"


def product_token(user_agent: str) -> str:
    """The crawler's own name in a User-Agent such as `Mozilla/5.0 (compatible; name/1.0 +http://…)` (RFC 9309 §2.2.1).

    Heritrix looks for a group's name anywhere in the User-Agent, so that a group for `mozilla` binds everyone.
    """
    compatible = re.search(r"compatible;\s*([A-Za-z_-]+)", user_agent)
    first = re.match(r"\s*([A-Za-z_-]+)", user_agent)
    found = compatible or first
    return found.group(1).lower() if found else user_agent.strip().lower()


def compact(text: str) -> str:
    """What of a robots.txt binds crawlers: no comments, blank lines, sitemaps or stray HTML; cut to what can be shared."""
    if text.startswith(_UNREACHABLE) and len(text) < 40:
        return text
    short = "\n".join(_binding_lines(text[:MAX_READ_CHARS]))
    raw = short.encode()
    return short if len(raw) <= MAX_SHARED_BYTES else raw[:MAX_SHARED_BYTES].rpartition(b"\n")[0].decode()


def _binding_lines(text: str) -> Iterator[str]:
    for line in re.split(r"[\r\n]+", text.lstrip("\ufeff")):
        said = line.partition("#")[0].strip()
        if said and not _NOT_BINDING.match(said):
            yield said
