"""Prints the demo's progress and its report."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from demo import account
from demo.account import Claim, Gap
from demo.run import SETTINGS, Plan, Story, pages_of
from tests.sites import odd_sites as odd

_LEASE_SECONDS = int(str(SETTINGS["lease_ms"])) / 1000
_FORBIDDEN = ("/private/", "/private/secret.html", "/run.cgi?x=1", "/rel-nofollow.html", "/beyond.html")


def progress(stats: Mapping[str, Any], seconds: float) -> None:
    """A line that renews itself on a terminal."""
    if sys.stderr.isatty():
        line = f"{seconds:5.0f} s  {account.finals(stats)} of {stats['admitted']} URIs done, {stats['in_flight']} in flight"
        print(f"\r{line:<70}", end="", file=sys.stderr, flush=True)


def report(plan: Plan, story: Story) -> int:
    """Print it; 0 if every claim holds, else 1."""
    measured = account.gaps(story.requests, {host: plan.delay_seconds(host) for host in plan.hosts})
    print(f"\n{'host':<28}{'requests':>9}{'least gap':>12}{'setting':>10}{'after 503':>12}")
    for gap in measured:
        print(_row(gap))
    failed = 0
    print()
    for claim in claims(plan, story, measured):
        failed += not claim.holds
        print(f"{'ok  ' if claim.holds else 'FAIL'} {claim.name:<24} {claim.figures}")
    print(f"\n{'All claims hold.' if not failed else f'{failed} claims FAIL.'}")
    return 1 if failed else 0


def claims(plan: Plan, story: Story, measured: Sequence[Gap]) -> list[Claim]:
    """Everything the demo asserts."""
    dead = pages_of(story.held)
    served = f"{len(story.requests)} requests in {story.seconds:.0f} s ({len(story.requests) / max(1.0, story.seconds):.0f}/s)"
    ended = [code == 0 for code in story.exit_codes]
    odd_samples = f"{story.samples} samples" + (f", the first bad one {story.unbalanced[0]}" if story.unbalanced else "")
    return [
        Claim("pages", len(story.requests) > 0, f"{served}, {_statuses(story)}"),
        Claim("workers end by themselves", all(ended), f"exit codes {story.exit_codes}"),
        Claim("kill -9 in the middle", story.killed_at >= 0, f"at {story.killed_at} finished URIs, {len(story.held)} in its hands"),
        account.lost(story.stats),
        account.duplicates(story.requests, dead),
        account.politeness(measured, odd.RETRY_AFTER_SECONDS),
        Claim("counters add up", not story.unbalanced, odd_samples),
        account.log_lines(story.stats, story.logged, plan.concurrency),
        *_sites(plan, story),
    ]


def _sites(plan: Plan, story: Story) -> list[Claim]:
    seen: dict[str, set[str]] = {host: set() for host in plan.hosts}
    for r in story.requests:
        seen[r.host].add(r.path)
    forbidden = sorted(seen["robots.demo.test"] & set(_FORBIDDEN))
    allowed = "/private/open.html" in seen["robots.demo.test"]
    wrong = sorted(seen["escapes.demo.test"] ^ {"/", "/robots.txt", *odd.ESCAPES.values()})
    idn = len(seen[odd.IDN_ASCII] - {"/robots.txt"})
    lines = [
        Claim("robots.txt obeyed", not forbidden and allowed, f"forbidden and fetched: {forbidden or 0}"),
        Claim("escapes", not wrong, f"{len(odd.ESCAPES)} odd links, asked for or spelt wrongly: {wrong or 0}"),
        Claim("IDN host", idn == 6, f"three spellings of {odd.IDN_HOST}, one host, {idn} pages"),
    ]
    if "traps.demo.test" in seen:
        endless, outside = len(seen["traps.demo.test"]), seen[odd.ELSEWHERE]
        slow = [r.path for r in story.requests if r.host == "slow.demo.test" and r.ended - r.began > _LEASE_SECONDS]
        lines.append(Claim("leases extended", len(set(slow)) == 4, f"{len(set(slow))} pages slower than a lease of {_LEASE_SECONDS} s"))
        lines.append(Claim("traps ended", endless < 3000, f"{endless} pages of an endless site"))
        lines.append(Claim("scope kept", outside == {"/robots.txt", "/landing"}, f"on a host no seed names: {sorted(outside)}"))
    return lines


def _row(gap: Gap) -> str:
    least = "-" if gap.shortest_seconds is None else f"{gap.shortest_seconds * 1000:.0f} ms"
    busy = "" if gap.after_busy_seconds is None else f"{gap.after_busy_seconds * 1000:.0f} ms"
    return f"{gap.host:<28}{gap.requests:>9}{least:>12}{gap.setting_seconds * 1000:>7.0f} ms{busy:>12}"


def _statuses(story: Story) -> str:
    counts = Counter(r.status for r in story.requests)
    return ", ".join(f"{status or 'cut off'}: {n}" for status, n in sorted(counts.items()))
