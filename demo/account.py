"""The account of a finished crawl: what the sites saw against what the crawl was told to do; every line is a claim that may fail."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.sites.server import Request

FINALS = ("succeeded", "failed", "disregarded", "excluded", "deleted")
#: The sites' clock and Redis' tell times in steps of their own.
TOLERANCE_SECONDS = 0.002


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of the report: what is claimed, whether it holds, and the figures."""

    name: str
    holds: bool
    figures: str


@dataclass(frozen=True, slots=True)
class Gap:
    """The shortest rest a host had between the end of one answer and the beginning of the next request."""

    host: str
    requests: int
    shortest_seconds: float | None
    setting_seconds: float
    after_busy_seconds: float | None = None
    """The shortest rest after a 503 with Retry-After."""

    def keeps(self, retry_after_seconds: float) -> bool:
        """Was the host never hurried?"""
        rested = self.shortest_seconds is None or self.shortest_seconds >= self.setting_seconds - TOLERANCE_SECONDS
        busy = self.after_busy_seconds is None or self.after_busy_seconds >= retry_after_seconds - TOLERANCE_SECONDS
        return rested and busy


def gaps(requests: Iterable[Request], settings: Mapping[str, float]) -> list[Gap]:
    """One gap a host; `settings`: the delay in seconds that the host was to have."""
    by_host: dict[str, list[Request]] = defaultdict(list)
    for r in sorted(requests, key=lambda r: r.began):
        by_host[r.host].append(r)
    return [_gap(host, seen, settings[host]) for host, seen in sorted(by_host.items())]


def _gap(host: str, seen: Sequence[Request], setting: float) -> Gap:
    pairs = [(a, b.began - a.ended) for a, b in pairwise(seen)]
    rests = [rest for _, rest in pairs]
    busy = [rest for a, rest in pairs if a.status == 503 and a.path != "/robots.txt"]
    return Gap(host, len(seen), min(rests, default=None), setting, min(busy, default=None))


def twice(requests: Iterable[Request]) -> Counter[str]:
    """host + path of what was fetched more than once → how often more."""
    counts = Counter(r.host + r.path for r in requests)
    return Counter({page: n - 1 for page, n in counts.items() if n > 1})


def unexplained(requests: Sequence[Request], held_by_the_dead: Collection[str]) -> Counter[str]:
    """Of those, what neither a lost lease (host + path held when a worker was killed) nor an unreachable robots.txt explains."""
    extra = twice(requests)
    extra.subtract(held_by_the_dead)
    extra.subtract(Counter(r.host + r.path for r in requests if r.path == "/robots.txt" and r.status >= 500))
    return +extra


def balanced(stats: Mapping[str, object]) -> bool:
    """Does every admitted URI stand somewhere (design §2, the counters' invariant)?"""
    return _number(stats, "admitted") == sum(_number(stats, n) for n in ("pending", "in_flight", "later", *FINALS))


def finals(stats: Mapping[str, object]) -> int:
    """URIs with a final disposition."""
    return sum(_number(stats, n) for n in FINALS)


def _number(stats: Mapping[str, object], name: str) -> int:
    value = stats.get(name, 0)
    return value if isinstance(value, int) else 0


def lost(stats: Mapping[str, object]) -> Claim:
    """Admitted = sum of the final ones, and nothing is left anywhere."""
    admitted, final = _number(stats, "admitted"), finals(stats)
    left = admitted - final
    parts = ", ".join(f"{n} {_number(stats, n)}" for n in FINALS[:3])
    return Claim("lost: 0", left == 0 and stats["state"] == "EMPTY", f"lost {left}: admitted {admitted} = {parts}; state {stats['state']}")


def politeness(measured: Sequence[Gap], retry_after_seconds: float) -> Claim:
    """No host was hurried."""
    hurried = [g.host for g in measured if not g.keeps(retry_after_seconds)]
    figures = f"{len(measured)} hosts, hurried: {', '.join(hurried) or 'none'}"
    return Claim("per-host delays kept", not hurried, figures)


def duplicates(requests: Sequence[Request], held_by_the_dead: Collection[str]) -> Claim:
    """Nothing was fetched twice but what the killed worker held, and robots.txt that could not be had."""
    extra, left = twice(requests), unexplained(requests, held_by_the_dead)
    again = sum(extra[page] for page in set(held_by_the_dead))
    robots = sum(n for page, n in extra.items() if page.endswith("/robots.txt"))
    figures = f"{again} that the killed worker held, {robots} times a robots.txt that had answered 503, others: {left.total()}"
    return Claim("duplicates explained", not left, figures + (f" {dict(left.most_common(5))}" if left else ""))


def log_lines(stats: Mapping[str, object], logged: int, concurrency: int) -> Claim:
    """Every final URI has its line in a crawl.log; the killed worker may owe those it was just about to write."""
    owed = finals(stats) - logged
    return Claim("crawl.log complete", 0 <= owed <= concurrency, f"{logged} lines for {finals(stats)} URIs")
