"""Several dumps and segments as one: the same whatever their order, and whatever fits in memory."""

import io
import os
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redisfrontier.operate import nutch_merge
from redisfrontier.operate.nutch_dump import DumpReader, DumpRecord
from redisfrontier.operate.nutch_merge import merged
from redisfrontier.policy.merge import UriState, merge_all
from redisfrontier.settings import Settings
from redisfrontier.status import Status

T = 10**12
FIXED = Settings(recrawl_schedule="fixed")


def record(uri: str, status: int, at: int = T, **more) -> DumpRecord:
    return DumpRecord(uri, UriState(status, at, 2_592_000, **more), "dump", 1)


def test_the_latest_of_several_dumps_wins_and_a_segment_is_put_over_it():
    old = [record("a", Status.DB_FETCHED, T, signature="A"), record("b", Status.DB_GONE, T)]
    newer = [record("a", Status.DB_UNFETCHED, T - 1), record("b", Status.DB_FETCHED, T + 1, signature="B")]
    segment = [record("a", Status.FETCH_SUCCESS, T + 5, signature="A"), record("c", Status.FETCH_SUCCESS, T + 5, signature="C")]
    for order in ([*old, *newer, *segment], [*segment, *newer, *old]):
        found = {r.uri: r.state.status for r in merged(order, FIXED, T)}
        assert found == {"a": Status.DB_NOTMODIFIED, "b": Status.DB_FETCHED, "c": Status.DB_FETCHED}


def test_equal_dumps_read_twice_change_nothing():
    once = [record(f"u{i}", Status.DB_FETCHED, T + i, signature="A") for i in range(50)]
    assert list(merged(once * 2, FIXED, T)) == list(merged(once, FIXED, T)) == sorted(once, key=lambda r: r.uri)


def test_a_key_makes_several_uris_one():
    both = [record("http://A.example/", Status.DB_FETCHED, T), record("http://a.example/", Status.DB_GONE, T + 1)]
    (one,) = merged(both, FIXED, T, key=str.lower)
    assert (one.uri, one.state.status) == ("http://a.example/", Status.DB_GONE)


def test_what_is_neither_database_nor_fetch_nor_link_is_left_out():
    assert [r.uri for r in merged([record("a", Status.SIGNATURE), record("b", Status.LINKED)], FIXED, T)] == ["b"]


states = st.builds(
    record,
    st.sampled_from(["a", "b", "c", "ü", "d\u2028e", '"\n']),
    st.sampled_from([int(s) for s in Status]),
    st.integers(T, T + 3),
    signature=st.sampled_from([None, "A", "B"]),
    metadata=st.dictionaries(st.sampled_from(["k", "_rs_"]), st.text(max_size=3), max_size=2),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(states, max_size=40), st.randoms(use_true_random=False))
def test_runs_on_disk_give_what_memory_gives(monkeypatch, records, random):
    monkeypatch.setattr(nutch_merge, "RUNS_OF_ONE_SIZE", 2)
    expected = {}
    for uri in sorted({r.uri for r in records}):
        state = merge_all([r.state for r in records if r.uri == uri], FIXED, T)
        if state is not None:
            expected[uri] = state
    random.shuffle(records)
    found = list(merged(records, FIXED, T, run_bytes=1200))
    assert [r.uri for r in found] == list(expected)
    assert {r.uri: r.state for r in found} == expected


def test_a_crowd_of_records_of_one_uri_is_folded(monkeypatch):
    monkeypatch.setattr(nutch_merge, "MAX_GROUP_BYTES", 5000)
    crowd = [record("a", Status.DB_FETCHED, T + i) for i in range(500)] + [record("a", Status.FETCH_GONE, T + 999)]
    (one,) = merged(crowd, FIXED, T)
    assert (one.state.status, one.state.time_ms) == (Status.DB_GONE, T + 999 + 3_888_000_000)


def test_memory_stays_bounded_and_the_runs_are_removed(tmp_path):
    def many() -> Iterator[DumpRecord]:
        for i in range(30_000):
            yield record(f"http://{i % 10_000:05}.example/" + "x" * 100, Status.DB_FETCHED, T + i)

    tracemalloc.start()
    try:
        run = merged(many(), FIXED, T, run_bytes=1 << 20, directory=tmp_path)
        first = next(run)
        assert len(os.listdir(tmp_path)) == 1
        count = 1 + sum(1 for _ in run)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert first.state.time_ms == T + 20_000
    assert count == 10_000
    assert peak < 12 << 20
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_dumps_from_text_to_one_record(order):
    text = (
        "http://a.example/\tVersion: {v}\nStatus: {s}\nFetch time: Mon Jan 0{d} 00:00:00 UTC 2024\nModified time: 0\n"
        "Retry interval: 30.0 days\nSignature: null\nMetadata: null\n\n"
    )
    dumps = [text.format(v=4, s="3 (DB_gone)", d=1), text.format(v=7, s="4 (db_redir_temp)", d=2)]
    reader = DumpReader()
    records = [r for i in order for r in reader.stream(io.BytesIO(dumps[i].encode()), f"dump{i}")]
    (one,) = merged(records, FIXED, T)
    assert (one.state.status, one.source) == (Status.DB_REDIR_TEMP, "dump1")
