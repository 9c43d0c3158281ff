"""The schedules against the executed Nutch tables and the derived StormCrawler ones."""

import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.policy.schedules import (
    MAX_INTERVAL_SECONDS,
    SCHEDULES,
    Change,
    Fixed,
    FixedRate,
    Next,
    NoRecrawl,
    NutchAdaptive,
    Schedule,
    StormCrawlerAdaptive,
    StormCrawlerDefault,
    Visit,
    force_refetch,
    last_fetch_ms,
    schedule_of,
    should_fetch,
)
from redisfrontier.settings import Settings

T = 10**12
HOUR, DAY = 3600, 86_400
S = Settings()


def f32(x: float) -> float:
    """Nutch keeps its rates as 32-bit floats, which shifts the offset, and so due times, by a millisecond or so."""
    return float(struct.unpack("f", struct.pack("f", x))[0])


NUTCH_RATES = replace(S, adaptive_sync_delta_rate=f32(0.3))


def due_s(after: Next) -> int:
    assert after.due_ms is not None
    return (after.due_ms - T) // 1000


# -- common rules --


def test_gone_grows_by_half_up_to_nine_tenths_of_the_maximum():
    interval, seen = 2_592_000, []
    for _ in range(4):
        after = Fixed(S).gone(Visit(T, interval))
        interval = after.interval_seconds
        assert due_s(after) == interval
        seen.append(interval)
    assert seen == [3_888_000, 5_832_000, 6_998_400, 6_998_400]


@pytest.mark.parametrize(
    ("before", "after"),
    [(3600, 5400), (86_400, 129_600), (5_183_999, 7_775_999), (5_184_000, 6_998_400), (7_776_000, 6_998_400)],
)
def test_gone_from_other_intervals(before, after):
    assert Fixed(S).gone(Visit(T, before)).interval_seconds == after


def test_gone_without_an_interval_starts_from_the_default_and_never_waits_zero():
    assert due_s(Fixed(S).gone(Visit(T, 0))) == 3_888_000


@pytest.mark.parametrize("retries", [0, 1, 7])
def test_retry_waits_a_day_whatever_the_count(retries):
    assert Fixed(S).retry(Visit(T, 1234, 55, retries)) == Next(T + DAY * 1000, 1234, 55, retries + 1)


@pytest.mark.parametrize(
    ("ahead_s", "interval", "expected"),
    [
        (-1, 2_592_000, (True, T - 1000, 2_592_000)),
        (0, 2_592_000, (True, T, 2_592_000)),
        (1, 2_592_000, (False, T + 1000, 2_592_000)),
        (7_776_000, 2_592_000, (False, T + 7_776_000_000, 2_592_000)),
        (7_776_001, 2_592_000, (True, T, 2_592_000)),
        (7_776_001, 9_000_000, (True, T, 6_998_400)),
    ],
)
def test_should_fetch(ahead_s, interval, expected):
    assert should_fetch(T + ahead_s * 1000, interval, T, S) == expected


def test_force_refetch_forgets_what_was_seen():
    assert force_refetch(T + 5, 9_000_000, T, S, asap=False) == Next(T + 5, 6_998_400, 0, 0, True)
    assert force_refetch(T + 5, 100, T, S, asap=True) == Next(T, 100, 0, 0, True)


def test_last_fetch():
    assert last_fetch_ms(T, 60, unfetched=False) == T - 60_000
    assert last_fetch_ms(T, 60, unfetched=True) == 0


def test_a_new_page_is_due_now():
    for schedule in SCHEDULES.values():
        assert schedule(S).initialise(T) == Next(T, S.fetch_interval_seconds, 0, 0)


# -- Nutch' default --


@pytest.mark.parametrize(
    ("change", "modified", "expected"),
    [
        (Change.UNKNOWN, T - 10 * DAY * 1000, T - 10 * DAY * 1000),
        (Change.NOTMODIFIED, T - 10 * DAY * 1000, T - 10 * DAY * 1000),
        (Change.MODIFIED, T - 10 * DAY * 1000, T),
        (Change.UNKNOWN, 0, T),
    ],
)
def test_fixed(change, modified, expected):
    after = Fixed(S).fetched(Visit(T, 0, modified, 5, change))
    assert after == Next(T + 2_592_000_000, 2_592_000, expected, 0)


# -- Nutch' adaptive: (delta s, UNKNOWN, NOTMODIFIED) as (interval, due − T in s) --

SYNCHRONISED = [
    (0, (2_592_000, 2_592_000), (3_628_800, 3_628_800)),
    (HOUR, (2_592_000, 2_590_920), (3_628_800, 3_627_720)),
    (DAY, (2_592_000, 2_566_079), (3_628_800, 3_602_879)),
    (10 * DAY, (2_592_000, 2_332_799), (3_628_800, 3_369_599)),
    (30 * DAY, (2_592_000, 1_814_399), (3_628_800, 2_851_199)),
    (60 * DAY, (5_184_000, 3_628_799), (5_184_000, 3_628_799)),
    (365 * DAY, (31_536_000, 22_075_199), (31_536_000, 22_075_199)),
    (730 * DAY, (31_536_000, 12_614_399), (31_536_000, 12_614_399)),
]


@pytest.mark.parametrize(("delta", "unknown", "notmodified"), SYNCHRONISED)
def test_adaptive_with_synchronisation(delta, unknown, notmodified):
    schedule = NutchAdaptive(NUTCH_RATES)
    modified = T - delta * 1000
    rows = [(Change.UNKNOWN, unknown), (Change.NOTMODIFIED, notmodified), (Change.MODIFIED, (2_073_600, 2_073_600))]
    for change, (interval, due) in rows:
        after = schedule.fetched(Visit(T, 2_592_000, modified, 2, change))
        assert (after.interval_seconds, due_s(after), after.retries) == (interval, due, 0)
        assert after.modified_ms == (T if change is Change.MODIFIED else modified)


def test_adaptive_without_a_time_of_change():
    for change, expected in [(Change.UNKNOWN, 2_592_000), (Change.NOTMODIFIED, 3_628_800), (Change.MODIFIED, 2_073_600)]:
        after = NutchAdaptive(NUTCH_RATES).fetched(Visit(T, 2_592_000, 0, 0, change))
        assert (after.interval_seconds, due_s(after), after.modified_ms) == (expected, expected, T)


def test_double_rates_give_whole_seconds():
    after = NutchAdaptive(S).fetched(Visit(T, 2_592_000, T - DAY * 1000))
    assert after.due_ms == T + 2_566_080_000


WEEK = replace(NUTCH_RATES, adaptive_max_interval_seconds=7 * DAY, adaptive_min_interval_seconds=DAY)


@pytest.mark.parametrize(("days", "due"), [(10, 345_599), (20, 86_399)])
def test_adaptive_with_a_maximum_of_a_week(days, due):
    after = NutchAdaptive(WEEK).fetched(Visit(T, 2 * DAY, T - days * DAY * 1000, 0, Change.NOTMODIFIED))
    assert (after.interval_seconds, due_s(after)) == (604_800, due)


@pytest.mark.parametrize("days", [24, 30, 180])
def test_an_offset_beyond_the_maximum_is_cut_in_proportion(days):
    """Nutch' integer division leaves no offset at all here, and the page waits the whole maximum."""
    after = NutchAdaptive(replace(WEEK, adaptive_sync_delta_rate=0.3)).fetched(Visit(T, 2 * DAY, T - days * DAY * 1000))
    assert (after.interval_seconds, due_s(after)) == (604_800, int(604_800 * 0.7))


def test_a_page_unchanged_for_five_years_keeps_its_offset():
    after = NutchAdaptive(S).fetched(Visit(T, 2_592_000, T - 1825 * DAY * 1000))
    assert (after.interval_seconds, due_s(after)) == (31_536_000, int(31_536_000 * 0.7))


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (Change.UNKNOWN, 0, 2_592_000), (Change.UNKNOWN, 50, 60), (Change.UNKNOWN, 100, 100),
        (Change.MODIFIED, 70, 60), (Change.MODIFIED, 100, 80), (Change.MODIFIED, 86_400, 69_120), (Change.MODIFIED, 31_536_000, 25_228_800),
        (Change.NOTMODIFIED, 50, 70), (Change.NOTMODIFIED, 60, 84), (Change.NOTMODIFIED, 100, 140),
        (Change.NOTMODIFIED, 86_400, 120_960), (Change.NOTMODIFIED, 25_000_000, 31_536_000),
    ],
)  # fmt: skip
def test_adaptive_without_synchronisation(change, before, after):
    got = NutchAdaptive(replace(S, adaptive_sync_delta=False)).fetched(Visit(T, before, T - DAY * 1000, 0, change))
    assert (got.interval_seconds, due_s(got)) == (after, after)


@pytest.mark.parametrize(
    ("change", "interval", "due_ms"),
    [(Change.UNKNOWN, 86_400, 69_120_000), (Change.MODIFIED, 69_120, 69_120_000), (Change.NOTMODIFIED, 103_680, 86_400_008)],
)
def test_adaptive_with_the_rates_of_the_class(change, interval, due_ms):
    rates = replace(S, adaptive_inc_rate=0.2, adaptive_dec_rate=0.2, adaptive_sync_delta_rate=0.2)
    after = NutchAdaptive(rates).fetched(Visit(T, DAY, T - DAY * 1000, 0, change))
    assert after.interval_seconds == interval
    assert after.due_ms == pytest.approx(T + due_ms, rel=0, abs=8)  # the 8 ms come of 32-bit intervals


@pytest.mark.parametrize("name", ["fixed", "fixed_rate", "nutch_adaptive", "stormcrawler_adaptive"])
def test_a_fixed_interval_is_never_changed(name):
    schedule = SCHEDULES[name](S)
    assert schedule.fetched(Visit(T, DAY, 77, 1, Change.MODIFIED, T, 3600)) == Next(T + 3_600_000, 3600, 77, 0)
    never = Visit(T, DAY, 77, 1, Change.UNKNOWN, T, -1)
    assert schedule.fetched(never).due_ms is None
    assert schedule.gone(never).due_ms is None


def test_the_next_fetch_is_never_in_the_past():
    """NUTCH-1564: a rate above 1 puts Nutch' next fetch days before the one that just ended."""
    s = replace(S, adaptive_max_interval_seconds=7 * DAY, adaptive_sync_delta_rate=1.0)
    after = NutchAdaptive(replace(s, adaptive_sync_delta_rate=3.0)).fetched(Visit(T, 7 * DAY, T - 2 * DAY * 1000))
    assert due_s(after) == 7 * DAY - 6 * DAY
    after = NutchAdaptive(replace(s, adaptive_sync_delta_rate=5.0)).fetched(Visit(T, DAY, T - DAY * 1000))
    assert due_s(after) == S.adaptive_min_interval_seconds


# -- fixed rate --


@pytest.mark.parametrize(
    ("late_s", "due_s_from_plan"),
    [(0, DAY), (180, DAY), (DAY - 1, DAY), (DAY, 2 * DAY), (5 * DAY + 7, 6 * DAY)],
)
def test_a_late_fetch_does_not_shift_the_next_slot(late_s, due_s_from_plan):
    plan = T - late_s * 1000
    after = FixedRate(S).fetched(Visit(T, DAY, planned_ms=plan))
    assert after.due_ms == plan + due_s_from_plan * 1000
    assert after.due_ms > T


@pytest.mark.parametrize("plan", [0, T + 1, T + DAY * 1000])
def test_without_a_plan_or_before_it_the_slot_starts_anew(plan):
    assert due_s(FixedRate(S).fetched(Visit(T, DAY, planned_ms=plan))) == DAY


# -- StormCrawler, its minutes as our seconds --

SC = replace(
    S, recrawl_schedule="stormcrawler_adaptive", fetch_interval_seconds=1440, fetch_error_interval_seconds=120, max_fetch_errors=3,
    adaptive_min_interval_seconds=60, adaptive_max_interval_seconds=20_160, adaptive_inc_rate=0.5, adaptive_dec_rate=0.5,
)  # fmt: skip


def run(change: Change, interval: int, times: int) -> list[int]:
    seen = []
    for _ in range(times):
        after = StormCrawlerAdaptive(SC).fetched(Visit(T, interval, T - 1, 0, change))
        interval = after.interval_seconds
        assert due_s(after) == interval
        seen.append(interval)
    return seen


@pytest.mark.parametrize(
    ("change", "start", "expected"),
    [
        (Change.MODIFIED, 1440, [750, 405, 232, 146, 103, 81, 70, 65, 62, 61, 60, 60]),
        (Change.NOTMODIFIED, 1440, [2160, 3240, 4860, 7290, 10_935, 16_402, 20_160, 20_160]),
        (Change.NOTMODIFIED, 60, [90, 135, 202, 303, 454, 681, 1021]),
        (Change.MODIFIED, 10, [35]),
        (Change.MODIFIED, 20_160, [10_110]),
        (Change.UNKNOWN, 9999, [1440]),
    ],
)
def test_stormcrawler_adaptive(change, start, expected):
    assert run(change, start, len(expected)) == expected


def test_whole_numbers_grow_from_one():
    """StormCrawler's truncation keeps an interval of 1 at 1 for ever."""
    assert run(Change.NOTMODIFIED, 1, 4) == [2, 3, 4, 6]


def test_stormcrawler_counts_fetch_errors_and_gives_up():
    retries, due = 0, []
    for _ in range(3):
        after = StormCrawlerDefault(SC).gone(Visit(T, 5000, T - 9, retries))
        retries = after.retries
        due.append(None if after.due_ms is None else due_s(after))
        assert after.forget_signature
        assert after.interval_seconds == 1440
    assert due == [120, 120, None]


@pytest.mark.parametrize("interval", [0, 1440, 77])
def test_stormcrawler_default_knows_one_interval(interval):
    for change in Change:
        assert due_s(StormCrawlerDefault(SC).fetched(Visit(T, interval, 0, 2, change))) == 1440


# -- all --


def test_none_does_not_come_back_but_for_a_retry():
    assert NoRecrawl(S).fetched(Visit(T)).due_ms is None
    assert NoRecrawl(S).gone(Visit(T)).due_ms is None
    assert due_s(NoRecrawl(S).retry(Visit(T))) == DAY


def test_the_setting_names_the_schedule():
    assert type(schedule_of(Settings())) is NoRecrawl
    assert type(schedule_of(replace(S, recrawl_schedule="nutch_adaptive"))) is NutchAdaptive


times = st.integers(-(2**62), 2**62)
visits = st.builds(
    Visit, at_ms=st.integers(0, 2**43), interval_seconds=times, modified_ms=times, retries=st.integers(0, 127),
    change=st.sampled_from(Change), planned_ms=times, fixed_seconds=st.none() | times,
)  # fmt: skip
wild = st.builds(
    lambda inc, dec, rate, low, top, sync: replace(
        S, adaptive_inc_rate=inc, adaptive_dec_rate=dec, adaptive_sync_delta_rate=rate, adaptive_min_interval_seconds=low,
        adaptive_max_interval_seconds=top, adaptive_sync_delta=sync, max_fetch_interval_seconds=top,
    ),
    st.floats(0, 10), st.floats(0, 1), st.floats(0, 5), st.integers(1, 10**9), st.integers(1, 315_360_000), st.booleans(),
)  # fmt: skip


@given(visits, wild, st.sampled_from(list(SCHEDULES.values())))
def test_whatever_the_record_says_the_next_fetch_lies_ahead_and_within_ten_years(visit: Visit, s: Settings, kind: type[Schedule]):
    for after in (kind(s).fetched(visit), kind(s).gone(visit), kind(s).retry(visit)):
        assert after.due_ms is None or visit.at_ms < after.due_ms <= visit.at_ms + MAX_INTERVAL_SECONDS * 1000
        assert 0 <= after.interval_seconds <= MAX_INTERVAL_SECONDS
