"""The forms of Nutch dumps, old and new, whole and broken."""

import bz2
import gzip
import io
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from redisfrontier.errors import FrontierError
from redisfrontier.operate.nutch_blocks import MAX_LINE_BYTES, MAX_METADATA
from redisfrontier.operate.nutch_dump import BadBlock, DumpReader, DumpRecord
from redisfrontier.policy.merge import UriState
from redisfrontier.policy.schedules import MAX_INTERVAL_SECONDS
from redisfrontier.status import FIXED_INTERVAL_KEY, REDIRECT_KEY, Status


def ms(*when: int) -> int:
    return int(datetime(*when, tzinfo=UTC).timestamp()) * 1000


def read(text: str | bytes) -> tuple[list[DumpRecord], list[BadBlock]]:
    bad: list[BadBlock] = []
    reader = DumpReader(bad.append)
    records = list(reader.stream(io.BytesIO(text.encode() if isinstance(text, str) else text), "dump"))
    assert (reader.read, reader.bad) == (len(records), len(bad))
    return records, bad


def block(uri="http://a.example/", version=7, **changed: str | None) -> str:
    fields = {
        "Status": "2 (db_fetched)",
        "Fetch time": "Tue Mar 02 19:26:45 UTC 2021",
        "Modified time": "Sun Jan 31 19:26:45 UTC 2021",
        "Retries since fetch": "0",
        "Retry interval": "2592000 seconds (30 days)",
        "Score": "0.016699996",
        "Signature": "fafd8b62bbeeffeb0aa6a3bee1adbb85",
        "Metadata": "\n \tContent-Type=text/html\n\t_rs_=372",
    }
    fields |= {k.replace("_", " "): v for k, v in changed.items()}
    return f"{uri}\tVersion: {version}\n" + "".join(f"{k}: {v}\n" for k, v in fields.items() if v is not None) + "\n"


TWO = """https://a.example/gt\tVersion: 7
Status: 1 (db_unfetched)
Fetch time: Sun Jan 31 19:47:32 EST 2021
Modified time: Wed Dec 31 19:00:00 EST 1969
Retries since fetch: 0
Retry interval: 2592000 seconds (30 days)
Score: 3.8461538E-4
Signature: null
Metadata: \n \n
https://a.example/gt/docs\tVersion: 7
Status: 5 (db_redir_perm)
Fetch time: Tue Mar 02 19:26:45 EST 2021
Modified time: Sun Jan 31 19:26:45 EST 2021
Retries since fetch: 2
Retry interval: 2592000 seconds (30 days)
Score: 0.5
Signature: FAFD8b62bbeeffeb0aa6a3bee1adbb85
Metadata: \n \t_pst_=moved(12), lastModified=0: https://b.example/x?y=1
\t_rs_=372
\tfixedInterval=3600.0
\tcolour=blue=green
"""


def test_the_current_text_form():
    (first, second), bad = read(TWO)
    assert not bad
    assert first == DumpRecord(
        "https://a.example/gt", UriState(Status.DB_UNFETCHED, ms(2021, 2, 1, 0, 47, 32), 2_592_000, 0, 0, None, 3.8461538e-4), "dump", 1
    )
    assert (second.uri, second.line) == ("https://a.example/gt/docs", 12)
    assert second.state == UriState(
        Status.DB_REDIR_PERM, ms(2021, 3, 3, 0, 26, 45), 2_592_000, 2, ms(2021, 2, 1, 0, 26, 45), "fafd8b62bbeeffeb0aa6a3bee1adbb85", 0.5,
        {
            REDIRECT_KEY: "https://b.example/x?y=1", "_rs_": "372", FIXED_INTERVAL_KEY: 3600, "colour": "blue=green",
            "_pst_": "moved(12), lastModified=0: https://b.example/x?y=1",
        },
    )  # fmt: skip
    assert (first.fetched_ms, second.fetched_ms) == (0, ms(2021, 2, 1, 0, 26, 45))


def test_a_candidate_carries_what_is_of_use():
    candidate = read(TWO)[0][1].candidate()
    assert candidate.uri == "https://a.example/gt/docs"
    assert candidate.metadata == {REDIRECT_KEY: "https://b.example/x?y=1", FIXED_INTERVAL_KEY: 3600, "colour": "blue=green"}


@pytest.mark.parametrize(
    ("old", "new"),
    [(0, 0x41), (1, 0x01), (2, 0x02), (3, 0x03), (4, 0x43), (5, 0x21), (6, 0x22), (7, 0x25), (8, 0x01)],
)
def test_old_codes_are_mapped_by_the_version_of_their_record(old, new):
    text = block(version=4, Status=f"{old} (DB_whatever)", Retry_interval="30.0 days", Signature="null", Metadata="null")
    (record,), bad = read(text)
    assert not bad
    assert (record.state.status, record.state.interval_seconds, record.state.metadata) == (new, 2_592_000, {})


def test_one_dump_may_hold_several_versions():
    records, _ = read(
        block(version=4, Status="4 (linked)") + block(version=7, Status="4 (db_redir_temp)") + block(version=5, Status="-3 (x)")
    )
    assert [r.state.status for r in records] == [Status.LINKED, Status.DB_REDIR_TEMP, 0xFD]


def test_metadata_on_one_line():
    inline = "_pst_: temp_moved(13), lastModified=0: http://b.example/_ngt_: 1234567Content-Type: text/html"
    (record,), _ = read(block(Status="4 (db_redir_temp)", Metadata=inline))
    assert record.state.metadata["_ngt_"] == "1234567"
    assert record.state.metadata["Content-Type"] == "text/html"
    assert record.state.metadata[REDIRECT_KEY] == "http://b.example/"


def test_a_target_counts_on_a_redirect_only_and_cannot_be_forged():
    moved = "\n \t_pst_=moved(12), lastModified=0: http://b.example/\n\tredirect=http://evil.example/"
    assert REDIRECT_KEY not in read(block(Metadata=moved))[0][0].state.metadata
    assert read(block(Status="5 (db_redir_perm)", Metadata=moved))[0][0].state.metadata[REDIRECT_KEY] == "http://b.example/"


def test_the_answer_for_one_url():
    text = "URL: http://a.example/\n" + block().partition("\t")[2]
    (record,), bad = read(text)
    assert (record.uri, record.state.status, bad) == ("http://a.example/", Status.DB_FETCHED, [])


SEGMENT = f"""Recno:: 0
URL:: http://a.example/

CrawlDatum::
{block(Status="33 (fetch_success)").partition(chr(9))[2]}
CrawlDatum::
{block(Status="67 (linked)", Signature="null").partition(chr(9))[2]}
Recno:: 1
URL:: http://b.example/

CrawlDatum::
{block(Status="37 (fetch_gone)").partition(chr(9))[2]}
"""


def test_a_segment_without_contents():
    records, bad = read(SEGMENT)
    assert [(r.uri, r.state.status) for r in records] == [
        ("http://a.example/", Status.FETCH_SUCCESS), ("http://a.example/", Status.LINKED), ("http://b.example/", Status.FETCH_GONE),
    ]  # fmt: skip
    assert records[0].fetched_ms == ms(2021, 3, 2, 19, 26, 45)
    assert not bad


def test_nothing_behind_page_contents_is_believed():
    records, bad = read(
        SEGMENT + "\nContent::\n<p>\nRecno:: 2\nURL:: http://forged.example/\n\nCrawlDatum::\n" + block().partition("\t")[2]
    )
    assert {r.uri for r in records} == {"http://a.example/", "http://b.example/"}
    assert "-nocontent" in bad[0].reason


CSV = (
    "Url,Status code,Status name,Fetch Time,Modified Time,Retries since fetch,Retry interval seconds,"
    "Retry interval days,Score,Signature,Metadata\n"
    '"http://a.example/x,y",2,"db_fetched",Tue Mar 02 19:26:45 UTC 2021,Thu Jan 01 00:00:00 UTC 1970,0,2592000.0,30.0,1.0,'
    '"fafd8b62bbeeffeb0aa6a3bee1adbb85","_rs_:372|||Content-Type:text/html|||"\n'
)


def test_csv():
    (record,), bad = read(CSV)
    assert not bad
    assert record == DumpRecord(
        "http://a.example/x,y",
        UriState(
            Status.DB_FETCHED, ms(2021, 3, 2, 19, 26, 45), 2_592_000, 0, 0, "fafd8b62bbeeffeb0aa6a3bee1adbb85", 1.0,
            {"_rs_": "372", "Content-Type": "text/html"},
        ),
        "dump",
        2,
    )  # fmt: skip


def test_a_bad_csv_row_does_not_end_the_rest():
    row = CSV.splitlines()[1]
    records, bad = read(CSV + 'a,b\n"open\n' + row + "\n" + row.replace("Tue Mar", "Die Mrz") + "\n")
    assert len(records) == 2
    assert [b.line for b in bad] == [3, 4, 6]


BROKEN = {
    "no status": block(Status=None),
    "status 0": block(Status="0 (unknown)"),
    "status 300": block(Status="300 (unknown)"),
    "status text": block(Status="db_fetched"),
    "newer version": block(version=8),
    "version 0": block(version=0),
    "no fetch time": block(Fetch_time=None),
    "bad fetch time": block(Fetch_time="yesterday"),
    "far fetch time": block(Fetch_time="999999999999999"),
    "bad interval": block(Retry_interval="1.2.3 seconds"),
    "bad retries": block(Retries_since_fetch="x"),
    "bad signature": block(Signature="zz"),
    "long signature": block(Signature="ab" * 257),
    "long uri": block(uri="http://a.example/" + "x" * 70_000),
    "second status": block(Status="1 (db_unfetched)\nStatus: 2 (db_fetched)"),
    "foreign line": block(Status="1 (db_unfetched)\n<html>"),
    "lost header": block().partition("\n")[2],
    "long line": "x" * (MAX_LINE_BYTES * 3) + "\n",
    "garbage": "\x00\x01 what\nis this\n\n",
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_bad_block_is_reported_once_and_the_rest_goes_on(case):
    records, bad = read(block("http://before.example/") + BROKEN[case] + block("http://after.example/"))
    assert [r.uri for r in records] == ["http://before.example/", "http://after.example/"]
    assert len(bad) == 1
    assert bad[0].line >= block().count("\n") + 1
    assert bad[0].reason
    assert len(bad[0].text) <= 200


def test_a_block_with_a_damaged_line_is_reported_and_the_rest_goes_on():
    records, bad = read(
        block("http://a.example/", Status="\ufffe").encode().replace("\ufffe".encode(), b"\xff\xff") + block("http://b.example/").encode()
    )
    assert [r.uri for r in records] == ["http://b.example/"]
    assert [(b.line, b.reason) for b in bad] == [(2, "not UTF-8")]


def test_numbers_are_brought_into_their_ranges():
    text = block(Retry_interval="9.9E99 seconds (1 days)", Score="NaN", Retries_since_fetch="-5") + block(
        Retries_since_fetch="12345", Score="1E999"
    )
    (one, two), bad = read(text)
    assert not bad
    assert (one.state.interval_seconds, one.state.score, one.state.retries) == (MAX_INTERVAL_SECONDS, 0.0, 0)
    assert (two.state.score, two.state.retries) == (0.0, 127)


def test_metadata_is_bounded():
    many = "\n " + "".join(f"\tk{i}=v\n" for i in range(500)) + "\tlong=" + "x" * 5000
    (record,), _ = read(block(Metadata=many))
    assert len(record.state.metadata) == MAX_METADATA


def test_a_uri_is_kept_as_it_is():
    odd = "http://a.example/a b?q=Version: 7&ü=%zz"
    assert read(block(odd))[0][0].uri == odd


def test_files_and_directories(tmp_path):
    parts = tmp_path / "dump"
    parts.mkdir()
    (parts / "part-r-00000").write_text(block("http://0.example/"))
    (parts / "part-r-00001.gz").write_bytes(gzip.compress(block("http://1.example/").encode()))
    (parts / "part-r-00002").write_bytes(bz2.compress(block("http://2.example/").encode()))
    (parts / "part-r-00003").write_bytes(gzip.compress(block("http://3.example/").encode() * 5000)[:-20])
    (parts / ".part-r-00000.crc").write_bytes(b"crc")
    (parts / "_SUCCESS").write_text("")
    (tmp_path / "single").write_text(block("http://single.example/"))
    bad: list[BadBlock] = []
    reader = DumpReader(bad.append)
    found = {r.uri for r in reader.files([parts, tmp_path / "missing", tmp_path / "single"])}
    assert found >= {f"http://{n}.example/" for n in ("0", "1", "2", "single")}
    assert {b.source for b in bad} == {str(parts / "part-r-00003"), str(tmp_path / "missing")}


def test_a_directory_without_a_dump_says_so(tmp_path):
    with pytest.raises(FrontierError, match="part-"):
        list(DumpReader().files([tmp_path]))


def test_empty_input():
    assert read("") == ([], [])
    assert read("\n \n\n") == ([], [])


lines = st.sampled_from(
    [*block().splitlines(), *SEGMENT.splitlines(), *CSV.splitlines(), "\t", " \t=", "URL:: ", "Metadata:", "x\tVersion: 9"]
)


@given(st.lists(lines | st.text(max_size=30), max_size=30).map("\n".join))
@example("URL:: x\nVersion: 7\nURL:: y")
def test_any_text_is_read_without_an_exception_and_all_records_are_sound(text):
    for record in read(text.encode(errors="replace"))[0]:
        state = record.state
        assert record.uri.strip()
        assert 1 <= state.status <= 255
        assert 0 <= state.interval_seconds <= MAX_INTERVAL_SECONDS
        assert state.time_ms >= 0
        assert 0 <= state.retries <= 127


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_exception(raw):
    read(raw)
