"""What is done for one claimed URI up to its outcome: robots.txt first, then the fetch, then its links; nothing is written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from redisfrontier.errors import InvalidUri, Unavailable
from redisfrontier.record.outcome import Claim, Outcome
from redisfrontier.record.record import UriRecord
from redisfrontier.settings import Settings
from redisfrontier.uri.parse import Uri, parse
from redisfrontier.worker import body
from redisfrontier.worker.exchange import (
    CONNECT_LOST,
    DEFERRED,
    DNS_FAILED,
    DNS_FOUND,
    DNS_PREREQUISITE_FAILED,
    ROBOTS_PRECLUDED,
    ROBOTS_PREREQUISITE_FAILED,
    RUNTIME_EXCEPTION,
    TIMED_OUT,
    UNFETCHABLE,
    Exchange,
)
from redisfrontier.worker.fetch import Fetcher
from redisfrontier.worker.links import Extraction, Rules, extract, redirect_target
from redisfrontier.worker.ports import GivenUp, Policy
from redisfrontier.worker.robots import MAX_READ_CHARS, RobotsCache, authority_of, is_robots_txt, robots_txt_of

MAX_ROBOTS_REDIRECTS = 5
_MAX_VALIDATOR = 1024


@dataclass(frozen=True, slots=True)
class Visit:
    """A claimed URI with what became of it."""

    claim: Claim
    outcome: Outcome
    exchange: Exchange | None = None
    extraction: Extraction | None = None
    annotations: tuple[str, ...] = ()
    robots_of: str | None = None
    """The authority whose robots.txt this was."""


class Visitor:
    """Turns claims into visits with a fetcher, the robots cache and the crawl's policy as it is now."""

    def __init__(
        self,
        fetcher: Fetcher,
        robots: RobotsCache,
        policy: Callable[[], Policy],
        *,
        favicons: bool = False,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._fetcher, self._robots, self._policy = fetcher, robots, policy
        self._favicons, self._sleep = favicons, sleep

    async def visit(self, claim: Claim) -> Visit:
        """The visit; whatever breaks in here ends as -5 with the annotation `err=<class>` (Heritrix §1.8)."""
        try:
            return await self._visit(claim)
        except (Unavailable, GivenUp):
            raise
        except InvalidUri as e:
            return _unasked(claim, UNFETCHABLE, f"err={e.reason}")
        except Exception as e:
            return Visit(claim, claim.outcome(RUNTIME_EXCEPTION), annotations=(f"err={type(e).__name__}",))

    async def _visit(self, claim: Claim) -> Visit:
        uri = parse(claim.uri)
        settings = self._policy().effective(uri)
        if uri.scheme == "dns":
            return Visit(claim, claim.outcome(DNS_FOUND if await self._fetcher.resolves(uri.text[4:]) else DNS_FAILED))
        if uri.scheme not in ("http", "https"):
            return _unasked(claim, UNFETCHABLE)
        if is_robots_txt(uri):
            return await self._robots_txt(claim, uri, settings)
        crawl_delay = None
        if settings.robots_policy_name != "ignore":
            robots = await self._robots.rules(authority_of(uri))
            if robots is None:
                needed = self._policy().prerequisite(claim.record, robots_txt_of(uri))
                return Visit(claim, claim.outcome(DEFERRED, prerequisite=replace(needed, queue=claim.queue)))
            if robots.failed_status:
                dns = robots.failed_status == DNS_FAILED
                return _unasked(claim, DNS_PREREQUISITE_FAILED if dns else ROBOTS_PREREQUISITE_FAILED)
            if not robots.allows(uri.text):
                return _unasked(claim, ROBOTS_PRECLUDED)
            crawl_delay = robots.crawl_delay_seconds
        exchange = await self._fetcher.fetch(uri.text, conditions(claim.record))
        return self._seen(claim, exchange, settings, crawl_delay)

    def _seen(self, claim: Claim, exchange: Exchange, settings: Settings, crawl_delay: float | None) -> Visit:
        rules = Rules(
            obey_nofollow=settings.robots_policy_name in ("obey", "classic"),
            extract_independently=settings.extract_independently,
            favicons=self._favicons,
        )
        outcome = replace(outcome_of(claim, exchange), crawl_delay_seconds=crawl_delay)
        return Visit(claim, outcome, exchange, extract(exchange, rules), annotations_of(exchange))

    async def _robots_txt(self, claim: Claim, uri: Uri, settings: Settings) -> Visit:
        """Fetch a robots.txt and share what it says; what it says about unreachable ones: RFC 9309 §2.3.1, design §8."""
        exchange = await self._robots_exchange(uri, settings)
        authority, outcome, notes = authority_of(uri), outcome_of(claim, exchange), annotations_of(exchange)
        if exchange.status >= 500 or exchange.status in (429, TIMED_OUT):
            outcome, notes = replace(outcome, robots_unreachable=True), (*notes, "robotsUnreachable")
        elif exchange.status > 0:
            text = body.text(exchange, MAX_READ_CHARS) if 200 <= exchange.status < 300 else ""
            await self._robots.learn(authority, text, settings.robots_validity_duration_seconds)
            known = await self._robots.rules(authority)
            if known is not None and settings.robots_policy_name != "ignore":
                outcome = replace(outcome, crawl_delay_seconds=known.crawl_delay_seconds)
        return Visit(claim, outcome, exchange, None, notes, robots_of=authority)

    async def _robots_exchange(self, uri: Uri, settings: Settings) -> Exchange:
        """The answer to a robots.txt request; redirects within its host are followed, each after the least delay."""
        exchange = await self._fetcher.fetch(uri.text, {})
        for _ in range(MAX_ROBOTS_REDIRECTS):
            target = redirect_target(exchange)
            if target is None or parse(target).host != uri.host:
                break
            await self._sleep(settings.min_delay_ms / 1000)
            exchange = await self._fetcher.fetch(parse(target).text, {})
        return exchange

    async def settled(self, visit: Visit, verdict: str) -> None:
        """Take note of the frontier's verdict: a robots.txt that failed for good fails the URIs that wait for it, for a while."""
        status = visit.outcome.fetch_status
        if visit.robots_of and verdict == "failed" and CONNECT_LOST <= status <= DNS_FAILED:
            validity = self._policy().effective(parse(visit.claim.uri)).retry_delay_seconds
            await self._robots.give_up(visit.robots_of, status, max(60, validity))


def _unasked(claim: Claim, fetch_status: int, *notes: str) -> Visit:
    """A URI that ended without a word to its host, which therefore is owed no delay (as in Heritrix §4); an earlier one still runs."""
    return Visit(claim, claim.outcome(fetch_status, delay_ms=0), annotations=notes)


def conditions(record: UriRecord) -> dict[str, str]:
    """The headers of a conditional GET, from what an earlier fetch left in the record's metadata."""
    headers = {"If-None-Match": record.metadata.get("etag"), "If-Modified-Since": record.metadata.get("last_modified")}
    return {k: v for k, v in headers.items() if isinstance(v, str) and v.isprintable() and v.isascii() and 0 < len(v) <= _MAX_VALIDATOR}


def outcome_of(claim: Claim, exchange: Exchange) -> Outcome:
    """The raw outcome of an exchange; what it means is the server's business."""
    return Outcome(
        claim,
        exchange.status,
        duration_ms=exchange.duration_ms,
        size_bytes=len(exchange.body),
        digest=None if exchange.status == 304 else exchange.digest,
        modified_ms=exchange.modified_ms,
        retry_after=_short(exchange.header("Retry-After")),
        http_date=_short(exchange.header("Date")),
        redirect=redirect_target(exchange),
        etag=_short(exchange.header("ETag")),
        last_modified=_short(exchange.header("Last-Modified")),
    )


def _short(value: str | None) -> str | None:
    return value if value is not None and len(value) <= _MAX_VALIDATOR else None


def annotations_of(exchange: Exchange) -> tuple[str, ...]:
    """Heritrix' crawl.log annotations that an exchange gives rise to."""
    notes = [exchange.truncated] if exchange.truncated else []
    if exchange.status == 304:
        notes.append("duplicate:server-not-modified")
    if exchange.error:
        notes.append("err=" + exchange.error.split(":", 1)[0])
    return tuple(notes)
