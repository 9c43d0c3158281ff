"""The merge rules against the executed CrawlDbReducer table, and their independence of the order of arrival."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.policy.merge import GENERATE_KEY, MAX_INLINKS, UriState, latest, merge, merge_all
from redisfrontier.policy.schedules import NEVER_MS
from redisfrontier.settings import Settings
from redisfrontier.status import FIXED_INTERVAL_KEY, REDIRECT_KEY, Status, has_db_status

T = 10**12
DAY_MS = 86_400_000
MONTH = 2_592_000
FIXED = Settings(recrawl_schedule="fixed")
OLD = UriState(Status.DB_FETCHED, T - DAY_MS, MONTH, 0, T - DAY_MS, "A")
U, N = Status.DB_UNFETCHED, Status.DB_NOTMODIFIED


def fetch(status: int, signature: str | None = None, at: int = T, **more) -> UriState:
    return UriState(status, at, MONTH, signature=signature, **more)


def signature(text: str) -> UriState:
    return UriState(Status.SIGNATURE, T, signature=text)


def link(score: float) -> UriState:
    return UriState(Status.LINKED, T, score=score)


SUCCESS, RETRY, GONE, PERM = Status.FETCH_SUCCESS, Status.FETCH_RETRY, Status.FETCH_GONE, Status.FETCH_REDIR_PERM
TEMP, SAME = Status.FETCH_REDIR_TEMP, Status.FETCH_NOTMODIFIED

#: (old, updates) → (status, next − T in s, interval, retries, time of change, signature)
EXECUTED = [
    (None, [fetch(SUCCESS, "B")], (Status.DB_FETCHED, MONTH, MONTH, 0, T, "B")),
    (None, [fetch(RETRY)], (U, 86_400, MONTH, 1, 0, None)),
    (None, [fetch(GONE)], (Status.DB_GONE, 3_888_000, 3_888_000, 0, 0, None)),
    (None, [fetch(SAME)], (N, MONTH, MONTH, 0, 0, None)),
    (None, [fetch(Status.PARSE_FAILED)], (Status.DB_PARSE_FAILED, 3_888_000, 3_888_000, 0, 0, None)),
    (OLD, [fetch(SUCCESS, "B")], (Status.DB_FETCHED, MONTH, MONTH, 0, T, "B")),
    (OLD, [fetch(SUCCESS, "A")], (N, MONTH, MONTH, 0, T - DAY_MS, "A")),
    (OLD, [fetch(SUCCESS), signature("A")], (N, MONTH, MONTH, 0, T - DAY_MS, "A")),
    (OLD, [fetch(SUCCESS), signature("B")], (Status.DB_FETCHED, MONTH, MONTH, 0, T, "B")),
    (OLD, [fetch(PERM)], (Status.DB_REDIR_PERM, MONTH, MONTH, 0, T, None)),
    (OLD, [fetch(GONE)], (Status.DB_GONE, 3_888_000, 3_888_000, 0, T - DAY_MS, "A")),
    (OLD, [fetch(SUCCESS, "X", T - 10), fetch(GONE)], (Status.DB_GONE, 3_888_000, 3_888_000, 0, T - DAY_MS, "A")),
    (OLD, [fetch(GONE, at=T - 10), fetch(SUCCESS, "X")], (Status.DB_FETCHED, MONTH, MONTH, 0, T, "X")),
]


def told(state: UriState | None):
    assert state is not None
    return (state.status, (state.time_ms - T) // 1000, state.interval_seconds, state.retries, state.modified_ms, state.signature)


@pytest.mark.parametrize(("old", "updates", "expected"), EXECUTED)
def test_executed_rows(old, updates, expected):
    for order in itertools.permutations(updates):
        assert told(merge(old, order, FIXED, T)) == expected


@pytest.mark.parametrize(
    ("retries", "expected"),
    [
        (0, (U, 86_400, MONTH, 1)),
        (1, (U, 86_400, MONTH, 2)),
        (2, (Status.DB_GONE, 3_888_000, 3_888_000, 3)),
        (3, (Status.DB_GONE, 3_888_000, 3_888_000, 4)),
    ],
)
def test_retries_are_counted_on_from_the_fetch_record(retries, expected):
    merged = merge(OLD, [fetch(RETRY, retries=retries)], FIXED, T)
    assert told(merged)[:4] == expected
    assert merged.signature == "A"


def test_a_tie_goes_to_the_greater_status_byte_in_any_order():
    """Nutch takes the first seen, so a replay may end otherwise."""
    both = [fetch(SUCCESS, "X"), fetch(GONE)]
    assert {merge(OLD, order, FIXED, T).status for order in itertools.permutations(both)} == {Status.DB_GONE}


def test_a_tie_in_the_status_too_goes_to_the_greater_signature():
    both = [fetch(SUCCESS, "B"), fetch(SUCCESS, "C"), fetch(SUCCESS)]
    assert {merge(None, order, FIXED, T).signature for order in itertools.permutations(both)} == {"C"}


def test_the_latest_database_record_wins():
    newer = UriState(U, T + 1, MONTH)
    merged = merge_all([replace(OLD, time_ms=T), newer, link(0.5)], FIXED, T)
    assert (merged.status, merged.time_ms, merged.score) == (U, T + 1, 0.5)


def test_an_interval_beyond_the_maximum_is_fetched_anew():
    old = replace(OLD, interval_seconds=9_000_000)
    merged = merge(old, [replace(fetch(SUCCESS, "B"), interval_seconds=9_000_000)], FIXED, T)
    assert told(merged) == (U, 9_000_000, 6_998_400, 0, 0, None)


def test_links_add_to_the_score_and_change_nothing_else():
    old = UriState(U, T - 5, MONTH, score=1.0)
    assert merge(old, [link(0.25), link(0.5)], FIXED, T) == replace(old, score=1.75)


def test_a_new_link_is_due_now():
    assert merge(None, [link(0.25), link(0.5)], FIXED, T + 7) == UriState(U, T + 7, MONTH, score=0.75)


def test_only_so_many_links_count_the_best_first():
    merged = merge(None, [link(1.0)] * MAX_INLINKS + [link(0.001)] * 50, FIXED, T)
    assert merged.score == MAX_INLINKS


META_OLD = {"k": "old", "ko": "o", GENERATE_KEY: "17"}


def test_metadata_is_overlaid_and_the_generate_mark_goes():
    old, got = replace(OLD, metadata=META_OLD), fetch(SUCCESS, "B", metadata={"k": "new"})
    assert merge(old, [got], FIXED, T).metadata == {"k": "new", "ko": "o"}
    parsed = UriState(Status.PARSE_METADATA, T, metadata={"k": "parse"})
    assert merge(old, [parsed, got], FIXED, T).metadata == {"k": "parse", "ko": "o"}


def test_the_parsers_metadata_does_not_count_for_a_page_that_is_gone():
    parsed = UriState(Status.PARSE_METADATA, T, metadata={"k": "parse"})
    assert merge(replace(OLD, metadata=META_OLD), [parsed, fetch(GONE)], FIXED, T).metadata == {"k": "old", "ko": "o"}


@pytest.mark.parametrize(
    "updates", [[], [link(0.5)], [signature("B")], [UriState(Status.PARSE_METADATA, T)], [UriState(Status.INJECTED, T)]]
)
def test_without_a_fetch_the_old_record_stands_but_for_mark_and_score(updates):
    old = replace(OLD, metadata=META_OLD)
    merged = merge(old, updates, FIXED, T)
    assert replace(merged, score=0.0) == replace(old, metadata={"k": "old", "ko": "o"})


@pytest.mark.parametrize("updates", [[], [signature("B")], [UriState(Status.PARSE_METADATA, T)], [UriState(Status.INJECTED, T)]])
def test_neither_old_nor_fetch_nor_link_is_nothing(updates):
    assert merge(None, updates, FIXED, T) is None


@pytest.mark.parametrize("update", [fetch(SUCCESS, "B"), link(1.0)])
def test_additions_may_be_disallowed(update):
    assert merge(None, [update], FIXED, T, additions=False) is None
    assert merge(OLD, [update], FIXED, T, additions=False) is not None


OUTCOMES = [
    (fetch(SUCCESS, "B"), Status.DB_FETCHED), (fetch(SUCCESS, "A"), N), (fetch(SAME), N), (fetch(TEMP), Status.DB_REDIR_TEMP),
    (fetch(PERM), Status.DB_REDIR_PERM), (fetch(RETRY), U), (fetch(GONE), Status.DB_GONE),
    (fetch(Status.PARSE_FAILED), Status.DB_PARSE_FAILED),
]  # fmt: skip


@pytest.mark.parametrize(("update", "expected"), OUTCOMES)
def test_the_old_status_never_matters(update, expected):
    for old_status in [s for s in Status if has_db_status(s)] + [0x1E]:
        assert merge(replace(OLD, status=old_status), [update], FIXED, T).status == expected


def test_a_linked_duplicate_stays_one():
    duplicate = replace(OLD, status=Status.DB_DUPLICATE)
    assert merge(duplicate, [link(1.0)], FIXED, T).status == Status.DB_DUPLICATE


def test_an_unknown_database_code_survives_and_an_unknown_fetch_code_is_retried():
    assert merge(replace(OLD, status=0x1E), [link(1.0)], FIXED, T).status == 0x1E
    assert merge(OLD, [fetch(0x3E)], FIXED, T).status == U


def test_the_redirect_target_comes_with_the_fetch_and_goes_with_the_next_answer():
    moved = merge(OLD, [fetch(PERM, metadata={REDIRECT_KEY: "http://b.example/"})], FIXED, T)
    assert moved.metadata[REDIRECT_KEY] == "http://b.example/"
    assert merge(moved, [fetch(RETRY, at=T + 1)], FIXED, T).metadata[REDIRECT_KEY] == "http://b.example/"
    assert REDIRECT_KEY not in merge(moved, [fetch(SUCCESS, "B", at=T + 1)], FIXED, T).metadata


def test_a_fetch_record_without_an_interval_keeps_the_old_one():
    old = replace(OLD, interval_seconds=1000)
    assert told(merge(old, [UriState(SUCCESS, T, signature="B")], FIXED, T))[1:3] == (1000, 1000)
    assert told(merge(None, [UriState(GONE, T)], FIXED, T))[1:3] == (3_888_000, 3_888_000)


def test_without_recrawl_a_page_is_never_due_again():
    none = Settings()
    assert merge(OLD, [fetch(SUCCESS, "B")], none, T).time_ms == NEVER_MS
    assert merge(OLD, [fetch(GONE)], none, T).time_ms == NEVER_MS
    assert merge(OLD, [fetch(RETRY, retries=9)], none, T).time_ms == NEVER_MS


def test_stormcrawler_gives_up_after_its_own_number_of_errors():
    s = Settings(recrawl_schedule="stormcrawler_adaptive", max_fetch_errors=2, db_fetch_retry_max=9)
    first = merge(OLD, [fetch(RETRY)], s, T)
    assert (first.status, first.time_ms, first.signature) == (U, T + 7_200_000, None)
    assert merge(first, [fetch(RETRY, at=T + 1, retries=first.retries)], s, T).time_ms == NEVER_MS


def test_a_fixed_interval_in_the_metadata_holds():
    assert told(merge(replace(OLD, metadata={FIXED_INTERVAL_KEY: 60}), [fetch(SUCCESS, "B")], FIXED, T))[1:3] == (60, 60)
    assert merge(replace(OLD, metadata={FIXED_INTERVAL_KEY: -1}), [fetch(SUCCESS, "B")], FIXED, T).time_ms == NEVER_MS


states = st.builds(
    UriState,
    status=st.sampled_from([*(int(s) for s in Status), 0x1E, 0x3E, 0x99]),
    time_ms=st.integers(T, T + 2),
    interval_seconds=st.sampled_from([0, 60, MONTH, 9_000_000]),
    retries=st.integers(0, 4),
    modified_ms=st.sampled_from([0, T - DAY_MS]),
    signature=st.sampled_from([None, "A", "B"]),
    score=st.sampled_from([0.0, 0.25, 0.5]),
    metadata=st.dictionaries(st.sampled_from(["a", "b", GENERATE_KEY]), st.sampled_from(["1", "2"]), max_size=2),
)


@given(
    st.lists(states, max_size=6).flatmap(lambda s: st.tuples(st.just(s), st.permutations(s))), st.sampled_from(["fixed", "nutch_adaptive"])
)
def test_the_order_of_arrival_never_matters(pair, schedule):
    one, other = pair
    settings = Settings(recrawl_schedule=schedule)
    merged = merge_all(one, settings, T)
    assert merged == merge_all(other, settings, T)
    assert latest(one) == latest(other)
    assert merged is None or (has_db_status(merged.status) and GENERATE_KEY not in merged.metadata)
