"""Recrawl on a real server: result and next date after each fetch are those of the pure policy; dates promote in order, politely."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.record import Candidate
from redisfrontier.settings import Settings
from redisfrontier.status import Status
from tests.lua.recrawl_crawl import Recrawl, Stored, T

DAY_MS, DAY, MONTH = 86_400_000, 86_400, 2_592_000
SCHEDULES = ("none", "fixed", "fixed_rate", "nutch_adaptive", "stormcrawler", "stormcrawler_adaptive")
URI = "http://a.test/"
Make = Callable[..., Recrawl]


@pytest.fixture
def crawl(redis_url: str) -> Iterator[Make]:
    made: list[Recrawl] = []

    def make(**chosen: object) -> Recrawl:
        made.append(Recrawl(redis_url, **chosen))
        return made[-1]

    yield make
    for one in made:
        one.close()


# -- the merge table, row by row (status-and-schedule 1.2) --

FETCHED = Stored(Status.DB_FETCHED, 200, T - DAY_MS, T - DAY_MS, MONTH, 0, "A", T)
#: old, fetch status, digest -> status, next - T (s), interval, retries, modified - T (ms; None: 0), signature
ROWS: list[tuple[Any, ...]] = [
    (None, 200, "B", (Status.DB_FETCHED, MONTH, MONTH, 0, 0, "B")),
    (None, 503, None, (Status.DB_UNFETCHED, DAY, MONTH, 1, None, None)),
    (None, 404, None, (Status.DB_GONE, 3_888_000, 3_888_000, 0, None, None)),
    (None, -4, None, (Status.DB_GONE, 3_888_000, 3_888_000, 0, None, None)),
    (None, 304, None, (Status.DB_NOTMODIFIED, MONTH, MONTH, 0, None, None)),
    (FETCHED, 200, "B", (Status.DB_FETCHED, MONTH, MONTH, 0, 0, "B")),
    (FETCHED, 200, "A", (Status.DB_NOTMODIFIED, MONTH, MONTH, 0, -DAY_MS, "A")),
    (FETCHED, 200, None, (Status.DB_FETCHED, MONTH, MONTH, 0, -DAY_MS, None)),
    (FETCHED, 304, None, (Status.DB_NOTMODIFIED, MONTH, MONTH, 0, -DAY_MS, "A")),
    (FETCHED, 301, None, (Status.DB_REDIR_PERM, MONTH, MONTH, 0, 0, None)),
    (FETCHED, 308, None, (Status.DB_REDIR_PERM, MONTH, MONTH, 0, 0, None)),
    (FETCHED, 302, None, (Status.DB_REDIR_TEMP, MONTH, MONTH, 0, 0, None)),
    (FETCHED, 307, "R", (Status.DB_REDIR_TEMP, MONTH, MONTH, 0, 0, "R")),
    (FETCHED, 404, None, (Status.DB_GONE, 3_888_000, 3_888_000, 0, -DAY_MS, "A")),
    (FETCHED, 410, "X", (Status.DB_GONE, 3_888_000, 3_888_000, 0, -DAY_MS, "A")),
    (FETCHED, -9998, None, (Status.DB_GONE, 3_888_000, 3_888_000, 0, -DAY_MS, "A")),
    (FETCHED, 500, None, (Status.DB_UNFETCHED, DAY, MONTH, 1, -DAY_MS, "A")),
    (FETCHED._replace(retries=1), 500, None, (Status.DB_UNFETCHED, DAY, MONTH, 2, -DAY_MS, "A")),
    (FETCHED._replace(retries=2), 500, None, (Status.DB_GONE, 3_888_000, 3_888_000, 3, -DAY_MS, "A")),
    (FETCHED._replace(retries=3), 500, None, (Status.DB_GONE, 3_888_000, 3_888_000, 4, -DAY_MS, "A")),
    (FETCHED._replace(retries=2), 200, "B", (Status.DB_FETCHED, MONTH, MONTH, 0, 0, "B")),
    (FETCHED._replace(interval_s=9_000_000), 200, "B", (Status.DB_UNFETCHED, 9_000_000, 6_998_400, 0, None, None)),
    (FETCHED._replace(interval_s=5_184_000), 404, None, (Status.DB_GONE, 6_998_400, 6_998_400, 0, -DAY_MS, "A")),
    (FETCHED._replace(interval_s=3600), 404, None, (Status.DB_GONE, 5400, 5400, 0, -DAY_MS, "A")),
    (FETCHED, 1, None, (Status.DB_FETCHED, MONTH, MONTH, 0, -DAY_MS, None)),
    (FETCHED, 600, None, (Status.DB_UNFETCHED, DAY, MONTH, 1, -DAY_MS, "A")),
    *((FETCHED._replace(status=s), 200, "B", (Status.DB_FETCHED, MONTH, MONTH, 0, 0, "B")) for s in range(1, 10)),
    *((FETCHED._replace(status=s), 404, None, (Status.DB_GONE, 3_888_000, 3_888_000, 0, -DAY_MS, "A")) for s in range(1, 10)),
]


@pytest.mark.parametrize(("old", "status", "digest", "row"), ROWS)
def test_the_merge_table(crawl: Make, old: Stored | None, status: int, digest: str | None, row: tuple[Any, ...]) -> None:
    c = crawl(recrawl_schedule="fixed")
    if old:
        c.adopt(URI, old)
    else:
        c.frontier.schedule([URI])
    claim = c.claim()
    c.frontier.finish([claim.outcome(status, digest=digest)])
    wanted_status, next_s, interval, retries, modified, signature = row
    at = 0 if modified is None else T + modified
    assert c.stored(claim.id) == Stored(wanted_status, status, T, at, interval, retries, signature, T + next_s * 1000)
    assert c.stored(claim.id) == c.expected(old, status, digest=digest)


#: Nutch' adaptive schedule as executed (1.3): age of the page in s -> interval and due - T in s for unknown, unchanged, changed.
ADAPTIVE = [
    (3600, (2_592_000, 2_590_920), (3_628_800, 3_627_720)),
    (DAY, (2_592_000, 2_566_080), (3_628_800, 3_602_880)),
    (10 * DAY, (2_592_000, 2_332_800), (3_628_800, 3_369_600)),
    (30 * DAY, (2_592_000, 1_814_400), (3_628_800, 2_851_200)),
    (60 * DAY, (5_184_000, 3_628_800), (5_184_000, 3_628_800)),
]


@pytest.mark.parametrize(("age_s", "unknown", "unchanged"), ADAPTIVE)
@pytest.mark.parametrize("change", ["unknown", "unchanged", "changed"])
def test_nutch_adaptive_rows(crawl: Make, age_s: int, unknown: tuple[int, int], unchanged: tuple[int, int], change: str) -> None:
    c = crawl(recrawl_schedule="nutch_adaptive")
    old = FETCHED._replace(modified_ms=T - age_s * 1000)
    c.adopt(URI, old)
    claim = c.claim()
    digest = {"unknown": None, "unchanged": "A", "changed": "B"}[change]
    c.frontier.finish([claim.outcome(200, digest=digest)])
    interval, due = {"unknown": unknown, "unchanged": unchanged, "changed": (2_073_600, 2_073_600)}[change]
    stored = c.stored(claim.id)
    assert stored is not None
    assert (stored.interval_s, stored.next_ms) == (interval, T + due * 1000)
    assert stored == c.expected(old, 200, digest=digest)


@pytest.mark.parametrize(
    ("start", "digests", "intervals"),
    [
        (1440, "B", [750, 405, 232, 146, 103, 81, 70, 65, 62, 61, 60, 60]),
        (1440, "A", [2160, 3240, 4860, 7290, 10935, 16402, 20160, 20160]),
        (60, "A", [90, 135, 202, 303, 454, 681, 1021]),
        (1, "A", [2, 3, 4, 6]),
    ],
)
def test_stormcrawler_adaptive_rows(crawl: Make, start: int, digests: str, intervals: list[int]) -> None:
    """The rows of 1.8, which are minutes there; an interval of 1 does grow here."""
    c = crawl(
        recrawl_schedule="stormcrawler_adaptive", adaptive_inc_rate=0.5, adaptive_dec_rate=0.5, adaptive_max_interval_seconds=20160
    )
    c.adopt(URI, FETCHED._replace(interval_s=start))
    for i, interval in enumerate(intervals):
        claim = c.claim()
        c.frontier.finish([claim.outcome(200, digest=f"B{i}" if digests == "B" else "A")])
        stored = c.stored(claim.id)
        assert stored is not None
        assert (stored.interval_s, stored.next_ms) == (interval, c.now + interval * 1000)
        c.set_time(stored.next_ms)


# -- whatever comes --

digests = st.sampled_from([None, "A", "B"])
statuses = st.sampled_from([200, 200, 200, 204, 304, 301, 302, 308, 404, 410, 500, 503, 600, -4, -8, -9998, 1, -2])
fetches = st.tuples(
    statuses, digests, st.sampled_from([None, None, 0, 1, 5000, DAY_MS, 400 * DAY_MS]), st.sampled_from([0, 0, 1, 999, DAY_MS, 50 * DAY_MS])
)
chosen = st.fixed_dictionaries(
    {
        "recrawl_schedule": st.sampled_from(SCHEDULES),
        "fetch_interval_seconds": st.sampled_from([1, 60, 1000, DAY, MONTH, 10_000_000]),
        "max_fetch_interval_seconds": st.sampled_from([1, 1500, MONTH, 7_776_000]),
        "db_fetch_retry_max": st.integers(1, 4),
        "max_fetch_errors": st.integers(1, 4),
        "adaptive_inc_rate": st.sampled_from([0.0, 0.2, 0.4, 1.5]),
        "adaptive_dec_rate": st.sampled_from([0.0, 0.2, 0.5, 1.0]),
        "adaptive_min_interval_seconds": st.sampled_from([1, 60, 3600]),
        "adaptive_max_interval_seconds": st.sampled_from([3600, 604_800, 31_536_000]),
        "adaptive_sync_delta": st.booleans(),
        "adaptive_sync_delta_rate": st.sampled_from([0.0, 0.3, 1.0]),
        "fetch_error_interval_seconds": st.sampled_from([1, 7200]),
    }
)


@given(chosen=chosen, sequence=st.lists(fetches, min_size=1, max_size=7))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_of_fetches_ends_as_the_policy_says(redis_url: str, chosen: dict[str, object], sequence: list[Any]) -> None:
    c = Recrawl(redis_url, **chosen)
    try:
        c.frontier.schedule([URI])
        old: Stored | None = None
        for status, digest, age_ms, late_ms in sequence:
            if old and old.next_ms:
                assert old.next_ms > c.now
                c.set_time(old.next_ms + late_ms)
            elif old:
                assert len(c.frontier.claim()) == 0
                assert c.frontier.schedule([Candidate(URI, force_fetch=True)])[0].outcome == "requeued"
            claim = c.claim()
            assert claim.attempts == 0
            modified = None if age_ms is None else c.now - age_ms
            c.frontier.finish([claim.outcome(status, digest=digest, modified_ms=modified)])
            stored = c.stored(claim.id)
            assert stored == c.expected(old, status, digest=digest, modified_ms=modified)
            old = stored
        stats = c.frontier.stats()
        assert stats["later"] == (1 if old and old.next_ms else 0)
        ended = stats["succeeded"] + stats["failed"] + stats["disregarded"]
        assert ended == len(sequence)
        assert stats["admitted"] == ended + stats["later"]
    finally:
        c.close()


# -- dates --


def test_dates_come_back_in_their_order_however_many(crawl: Make) -> None:
    """300 dates of a host pass; more than one claim moves, and none overtakes another."""
    c = crawl(balance_replenish_amount=0)
    c.frontier.schedule([f"{URI}{i}" for i in range(300)])
    order: dict[str, int] = {}
    for i in range(300):
        claim = c.claim()
        order[claim.uri] = (i * 7919) % 300
        c.frontier.finish([claim.outcome(200, refetch_in_ms=1000 + order[claim.uri])])
    assert c.frontier.stats()["later"] == 300
    got: list[int] = []
    for passed, upto in ((1149, 150), (1000, 300)):
        c.set_time(c.now + passed)
        while page := c.frontier.claim():
            got.append(order[page[0].uri])
            c.frontier.finish([page[0].outcome(200)])
        assert got == list(range(upto))


def test_claim_says_when_the_next_date_is(crawl: Make) -> None:
    c = crawl(recrawl_schedule="fixed", fetch_interval_seconds=100)
    c.frontier.schedule([URI])
    c.frontier.finish([c.claim().outcome(200)])
    nothing = c.frontier.claim()
    assert (len(nothing), nothing.next_due_ms) == (0, T + 100_000)
    assert c.frontier.stats()["waiting_for"] == "a URI with a date of its own"
    assert c.frontier.stats()["state"] == "RUN"


def test_a_refetch_is_as_polite_as_any_fetch(crawl: Make) -> None:
    c = crawl(recrawl_schedule="fixed", fetch_interval_seconds=1, min_delay_ms=5000, unset_delay_ms=5000)
    c.frontier.schedule([f"{URI}{i}" for i in range(3)])
    times: list[int] = []
    while len(times) < 12:
        got = c.frontier.claim()
        if got:
            times.append(c.now)
            c.frontier.finish([got[0].outcome(200, duration_ms=1)])
        else:
            assert got.next_due_ms is not None
            c.set_time(max(got.next_due_ms, c.now + 1))
    assert min(b - a for a, b in pairwise(times)) >= 5000


def test_a_refetch_begins_its_attempts_anew(crawl: Make) -> None:
    c = crawl(recrawl_schedule="fixed", fetch_interval_seconds=10, max_retries=3, retry_delay_seconds=1)
    c.frontier.schedule([URI])
    c.frontier.finish([c.claim().outcome(-2)])
    c.set_time(c.now + 1000)
    again = c.claim()
    assert again.attempts == 1
    c.frontier.finish([again.outcome(200)])
    c.set_time(c.now + 10_000)
    assert c.claim().attempts == 0


# -- forced, never, by rule --


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_override_goes_before_the_schedule(crawl: Make, schedule: str) -> None:
    c = crawl(recrawl_schedule=schedule)
    c.frontier.schedule([URI])
    claim = c.claim()
    c.frontier.finish([claim.outcome(200, refetch_in_ms=1234)])
    stored = c.stored(claim.id)
    assert stored is not None
    assert stored.next_ms == T + 1234
    c.set_time(T + 1234)
    assert c.claim().uri == URI


def test_an_override_works_without_kept_results_too(redis_url: str) -> None:
    c = Recrawl(redis_url, retention="pending", uniqueness="bitfield", expected_uris=1000)
    try:
        c.frontier.schedule([URI])
        c.frontier.finish([c.claim().outcome(404, refetch_in_ms=-5)])  # a date in the past is now
        again = c.claim()
        assert (again.uri, again.attempts) == (URI, 0)
        c.frontier.finish([again.outcome(200)])
        stats = c.frontier.stats()
        assert (stats["admitted"], stats["succeeded"], stats["later"], stats["state"]) == (2, 2, 0, "EMPTY")
    finally:
        c.close()


def test_never_means_never_until_somebody_forces_it(crawl: Make) -> None:
    c = crawl(recrawl_schedule="none")
    c.frontier.schedule([URI])
    claim = c.claim()
    c.frontier.finish([claim.outcome(200, digest="A")])
    c.set_time(T + 3650 * DAY_MS)
    assert len(c.frontier.claim()) == 0
    assert c.frontier.stats()["state"] == "EMPTY"
    assert c.frontier.schedule([URI])[0].reason == "finished"
    (forced,) = c.frontier.schedule([Candidate(URI, force_fetch=True)])
    assert (forced.outcome, forced.id) == ("requeued", claim.id)
    again = c.claim()
    assert (again.id, again.attempts) == (claim.id, 0)
    c.frontier.finish([again.outcome(200, digest="A")])
    stored = c.stored(claim.id)
    assert stored is not None
    assert stored.status == Status.DB_NOTMODIFIED


def test_a_sheet_rules_its_queues(crawl: Make) -> None:
    c = crawl(recrawl_schedule="fixed", fetch_interval_seconds=1000)
    c.frontier.set_sheet(Sheet("often", {"fetch_interval_seconds": 10}, surt_prefixes=("http://(test,often,",)))
    c.frontier.set_sheet(Sheet("never", {"recrawl_schedule": "none"}, surt_prefixes=("http://(test,never,",)))
    c.frontier.schedule(["http://often.test/", "http://never.test/", "http://else.test/"])
    found = {}
    for claim in c.frontier.claim(3):
        c.frontier.finish([claim.outcome(200)])
        stored = c.stored(claim.id)
        assert stored is not None
        found[claim.uri] = stored.next_ms
    assert found == {"http://often.test/": T + 10_000, "http://never.test/": 0, "http://else.test/": T + 1_000_000}


def test_the_schedule_may_change_while_the_crawl_runs(crawl: Make) -> None:
    c = crawl(recrawl_schedule="none")
    c.frontier.set_settings({"recrawl_schedule": "fixed_rate", "fetch_interval_seconds": 100})
    c.frontier.schedule([URI])
    claim = c.claim()
    c.frontier.finish([claim.outcome(200)])
    c.set_time(T + 250_000)
    c.frontier.finish([c.claim().outcome(200)])
    stored = c.stored(claim.id)
    assert stored is not None
    assert stored.next_ms == T + 300_000  # from the planned time on; what was missed is left out


def test_every_schedule_is_a_choice() -> None:
    for name in SCHEDULES:
        assert Settings().changed({"recrawl_schedule": name}).recrawl_schedule == name


# -- what the record keeps --


def metadata(c: Recrawl) -> dict[str, Any]:
    return dict(c.frontier.show(URI)["record"]["metadata"])


def test_validators_and_the_redirect_target_are_kept_until_the_next_answer(crawl: Make) -> None:
    c = crawl(recrawl_schedule="fixed", fetch_interval_seconds=10)
    c.frontier.schedule([Candidate(URI, metadata={"own": "x"})])
    c.frontier.finish([c.claim().outcome(200, etag='"e1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")])
    kept = {"own": "x", "etag": '"e1"', "last_modified": "Mon, 01 Jan 2024 00:00:00 GMT"}
    assert metadata(c) == kept
    c.set_time(c.now + 10_000)
    claim = c.claim()
    assert claim.record.metadata["etag"] == '"e1"'
    c.frontier.finish([claim.outcome(304)])
    assert metadata(c) == kept
    for status, told, after in (
        (404, {}, kept),
        (301, {"redirect": "http://b.test/"}, {"own": "x", "redirect": "http://b.test/"}),
        (500, {}, {"own": "x", "redirect": "http://b.test/"}),
        (200, {"metadata": {"seen": 2}}, {"own": "x", "seen": 2}),
    ):
        c.set_time(c.now + 100 * DAY_MS)
        c.frontier.finish([c.claim().outcome(status, **told)])
        assert metadata(c) == after
