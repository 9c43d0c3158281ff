"""What a worker writes to disk: crawl.log lines and WARC records."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from io import BytesIO

from warcio.archiveiterator import ArchiveIterator

from redisfrontier.worker import crawl_log
from redisfrontier.worker.visit import Visit, annotations_of, outcome_of
from redisfrontier.worker.warc import WarcFiles
from tests.unit.worker.pages import answer
from tests.unit.worker.standin import claim_of

URI = "http://h.example/a%20b?q=1"
LOGGED_MS = 1_700_000_001_456


def visit(exchange=None, **claim):
    claimed = claim_of(URI, **claim)
    exchange = exchange or answer("hello", uri=URI)
    return Visit(claimed, outcome_of(claimed, exchange), exchange, annotations=annotations_of(exchange))


def test_a_crawl_log_line_has_heritrix_fields():
    line = crawl_log.line(
        visit(path="LE", via="http://h.example/", source_tag="seed one", attempts=2), logged_ms=LOGGED_MS, slot=7, extra=["dol:3"]
    )
    assert line == (
        "2023-11-14T22:13:21.456Z   200          5 http://h.example/a%20b?q=1 LE http://h.example/ text/html #007 "
        "20231114221320123+45 sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N seed%20one dol:3,3t"
    )


def test_absent_fields_are_dashes():
    failed = Visit(claim_of(URI), claim_of(URI).outcome(-9998))
    fields = crawl_log.line(failed, logged_ms=LOGGED_MS, slot=1).split()
    assert fields[1:] == ["-9998", "-", URI, "-", "-", "no-type", "#001", "-", "-", "-", "-"]


def test_nothing_can_end_a_line_or_a_field():
    hostile = visit(answer("x", uri=URI, content_type="text/ht\tml\r\nFAKE"), source_tag="a\nb\u2028c", via_context="x")
    line = crawl_log.line(hostile, logged_ms=LOGGED_MS, slot=1)
    assert re.fullmatch(r"[!-~ ]+", line)
    assert len(line.split()) == 12


def test_the_log_appends_line_by_line(tmp_path):
    path = tmp_path / "logs" / "crawl.log"
    for text in ("one", "two"):
        log = crawl_log.CrawlLog(path)
        log.write(text)
        assert path.read_text().endswith(text + "\n")
        log.close()
    assert path.read_text() == "one\ntwo\n"


def files(tmp_path, max_bytes=1_000_000):
    return WarcFiles(tmp_path, "host/1", max_bytes=max_bytes, now_ms=lambda: LOGGED_MS, software="test")


def records(path):
    with path.open("rb") as stream:
        reader = ArchiveIterator(stream, check_digests="raise")
        return [(r.rec_type, r.rec_headers, r.http_headers, r.content_stream().read()) for r in reader]


def test_a_visit_is_three_records_that_read_back(tmp_path):
    warc = files(tmp_path)
    exchange = replace(
        answer(b"\x1f\x8bzipped?\x00\xff", uri=URI, Transfer_Encoding="chunked", X_Latin="caf\xe9"),
        request_headers=(("Host", "h.example"), ("User-Agent", "bot")),
        request_target="/a%20b?q=1",
        server_ip="127.0.0.1",
        truncated="lenTrunc",
    )
    warc.write(visit(exchange, path="L", via="http://h.example/"), outlinks=4)
    warc.close()
    (path,) = tmp_path.iterdir()
    assert path.name == "redisfrontier-20231114221321-00000-host_1.warc.gz"
    info, response, request, metadata = records(path)
    assert [r[0] for r in (info, response, request, metadata)] == ["warcinfo", "response", "request", "metadata"]
    assert response[1].get_header("WARC-Target-URI") == URI
    assert response[1].get_header("WARC-Date") == "2023-11-14T22:13:20Z"
    assert response[1].get_header("WARC-IP-Address") == "127.0.0.1"
    assert response[1].get_header("WARC-Truncated") == "length"
    assert response[2].get_header("X-Crawler-Transfer-Encoding") == "chunked"
    assert response[3] == exchange.body
    assert request[2].protocol == "GET"
    assert request[2].get_header("User-Agent") == "bot"
    assert b"hopsFromSeed: L\r\n" in metadata[3]
    assert b"outlinks: 4\r\n" in metadata[3]


def test_not_modified_is_a_revisit(tmp_path):
    warc = files(tmp_path)
    warc.write(visit(answer(status=304, uri=URI, ETag='"1"')))
    warc.close()
    kinds = [r[0] for r in records(next(tmp_path.iterdir()))]
    assert kinds == ["warcinfo", "revisit", "request", "metadata"]


def test_files_rotate_and_wear_open_while_in_work(tmp_path):
    warc = files(tmp_path, max_bytes=1)
    warc.write(visit())
    warc.write(visit())
    assert sorted(p.name[-14:] for p in tmp_path.iterdir()) == ["host_1.warc.gz", "host_1.warc.gz"]
    big = files(tmp_path / "2")
    big.write(visit())
    assert next((tmp_path / "2").iterdir()).name.endswith(".warc.gz.open")


def test_what_got_no_answer_leaves_no_record(tmp_path):
    warc = files(tmp_path)
    warc.write(visit(answer(status=-2, uri=URI)))
    warc.close()
    assert list(tmp_path.iterdir()) == []


def test_a_kill_spoils_at_most_the_last_record(tmp_path):
    warc = files(tmp_path)
    for _ in range(3):
        warc.write(visit())
    path = next(tmp_path.iterdir())
    cut = BytesIO(path.read_bytes()[:-20])
    read = []
    with suppress(Exception):  # whatever the reader says about the half record
        for record in ArchiveIterator(cut):
            read.append(record.rec_type)
            record.content_stream().read()
    assert read.count("response") == 3
