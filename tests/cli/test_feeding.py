"""Seeds and URIs: added, reported line by line, listed, shown, deleted, forgotten, fetched again, imported."""

from __future__ import annotations

import gzip
import hashlib

import pytest

from redisfrontier.frontier import Frontier

CONTACT = "https://www.example.org/crawler.html"


@pytest.fixture
def fresh(bare):
    bare("crawl", "create", "fresh", "--contact", CONTACT, "--set", "uniqueness=exact")
    return bare


def test_seeds_from_everywhere(fresh, tmp_path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    plain.write_bytes(b"\xef\xbb\xbf# mine\r\nhttp://a.example/\r\n\r\nb.example # no scheme\r\nhttp://[broken/\r\n+http://(example,c,\r\n")
    packed.write_bytes(gzip.compress(b"http://d.example/\n"))
    before = hashlib.sha256(plain.read_bytes()).hexdigest()
    added = fresh("seeds", "add", str(plain), str(packed), "-", "http://e.example/", typed="http://f.example/\nhttp://a.example/\n", code=6)
    assert added.out.strip() == "seeds: 5 added, 1 known, 1 directives, 1 bad"
    assert f"{plain}:5: not a URI (bad_host)" in added.err
    assert hashlib.sha256(plain.read_bytes()).hexdigest() == before
    assert "ACCEPT" in fresh("scope", "test", "http://c.example/x", "--path", "L").out
    assert fresh("scope", "test", "http://c.example/x", "--path", "L", "--json").one["in_scope"] is True


def test_seed_numbers_stay_when_more_are_added(fresh) -> None:
    fresh("seeds", "add", "http://a.example/", "http://b.example/")
    fresh("seeds", "add", "http://b.example/", "http://c.example/")
    rows = fresh("seeds", "ls", "--json").rows
    assert [(row["index"], row["uri"], row["how"]) for row in rows] == [
        (0, "http://a.example/", "pending"),
        (1, "http://b.example/", "pending"),
        (3, "http://c.example/", "pending"),
    ]
    assert fresh("uris", "show", "http://c.example/", "--json").one["record"]["metadata"] == {"seed_index": 3}


def test_directives_hold_over_a_long_list(fresh, tmp_path, monkeypatch) -> None:
    """The process that loads seeds forgets their prefixes now and then, but no directive; the crawl forgets nothing."""
    monkeypatch.setattr("redisfrontier_cli.seeds.BATCHES_KEPT", 1)
    path = tmp_path / "many"
    path.write_text("-http://(example,bad,\n" + "".join(f"http://h{i}.example/\n" for i in range(2500)) + "http://bad.example/\n")
    added = fresh("seeds", "add", str(path), "--json", code=6)
    assert added.one == {"added": 2500, "known": 0, "requeued": 0, "directives": 1, "bad": 1}
    assert "out_of_scope" in added.err
    assert fresh("scope", "test", "http://h7.example/x", "--path", "L", "--json").one["in_scope"] is True


def test_a_mistyped_file_is_no_seed(fresh) -> None:
    assert "there is no file" in fresh("seeds", "add", "sedes.txt", code=2).err
    assert fresh("seeds", "ls", "--json").rows == []


def test_every_uri_gets_its_answer(run) -> None:
    rows = run("uris", "add", "http://a.example/", "http://a.example/", "http://b.example:99999/", "nonsense", "--json", code=6).rows
    assert [row["outcome"] for row in rows] == ["added", "known", "invalid", "invalid"]
    assert (rows[1]["reason"], rows[2]["reason"], rows[3]["reason"]) == ("pending", "bad_port", "no_scheme")


def test_a_file_of_uris_is_summed_up(run, tmp_path) -> None:
    path = tmp_path / "links.txt"
    path.write_text("".join(f"http://h{i}.example/\n" for i in range(5000)) + "# comment\nbad\n")
    added = run("uris", "add", "-f", str(path), code=6)
    assert "5000 added, 1 invalid" in added.out
    assert len(run("uris", "ls", "--limit", "0", "--json").rows) == 5000
    listed = run("uris", "ls", "--limit", "3")
    assert "only the first 3" in listed.err


def test_a_uri_is_shown_with_its_record(run) -> None:
    run("uris", "add", "http://a.example/x", "--via", "http://a.example/", "--path", "L", "--precedence", "7")
    shown = run("uris", "show", "http://a.example/x", "--json").one
    assert (shown["how"], shown["queue"], shown["place"]["precedence"]) == ("pending", "example,a,", 7)
    assert shown["record"]["via"] == "http://a.example/"
    assert run("uris", "show", shown["id"], "--json").one["record"] == shown["record"]
    assert run("uris", "show", "http://a.example/none", "--json").one["how"] == "unknown"
    assert "bad_port" in run("uris", "show", "http://a.example:x/", code=2).err


def test_low_precedence_runs_first(run, redis_url) -> None:
    run("uris", "add", "http://a.example/ten", "--precedence", "10")
    run("uris", "add", "http://a.example/one", "--precedence", "1")
    with Frontier.connect(redis_url, "open") as frontier:
        assert frontier.claim()[0].uri == "http://a.example/one"
    assert "Low precedence runs first" in run("queues", "--help").out


def test_deleting_one_and_many(run) -> None:
    run("uris", "add", *(f"http://a.example/{i}" for i in range(10)), "http://b.example/1")
    rows = run("uris", "delete", "http://a.example/3", "http://c.example/", "--json").rows
    assert [row["answer"] for row in rows] == ["deleted", "not there"]
    assert run("uris", "delete", "--match", "/[0-4]$", "--yes", "--json").rows == [
        {"queue": "example,a,", "deleted": 4},
        {"queue": "example,b,", "deleted": 1},
    ]
    assert run("uris", "add", "http://a.example/3", "--json").one["outcome"] == "added"
    run("uris", "delete", "http://a.example/3", "--exclude")
    assert run("uris", "add", "http://a.example/3", "--json").one["outcome"] == "known"
    assert "regex" in run("uris", "delete", "--match", "(", "--yes", code=2).err


def test_deleting_in_a_crawl_with_a_filter(bare) -> None:
    bare("crawl", "create", "filter", "--contact", CONTACT, "--set", "uniqueness=bitfield", "--set", "expected_uris=10000")
    bare("seeds", "add", "http://a.example/", "http://a.example/b")
    assert bare("uris", "delete", "http://a.example/b", "--json").one["answer"] == "deleted"
    assert [row["uri"] for row in bare("uris", "ls", "--json").rows] == ["http://a.example/"]


def test_a_failed_uri_can_be_fetched_again(run, redis_url) -> None:
    run("uris", "add", "http://a.example/")
    with Frontier.connect(redis_url, "open") as frontier:
        frontier.finish([frontier.claim()[0].outcome(404, duration_ms=1)])
    assert run("uris", "add", "http://a.example/", "--json").one["reason"] == "finished"
    assert run("uris", "retry", "http://a.example/", "--json").one["outcome"] in ("added", "requeued")
    assert run("stats", "--json").one["pending"] == 1
    run("uris", "delete", "http://a.example/")
    assert run("uris", "forget", "http://a.example/", "--json").one["answer"] == "unknown"


DUMP = """http://a.example/new\tVersion: 7
Status: 1 (db_unfetched)
Fetch time: Sun Jan 31 19:47:32 UTC 2021
Retry interval: 2592000 seconds (30 days)
Signature: null
Metadata: \n \n
http://a.example/done\tVersion: 7
Status: 2 (db_fetched)
Fetch time: Tue Mar 02 19:26:45 UTC 2041
Modified time: Sun Jan 31 19:26:45 UTC 2021
Retries since fetch: 0
Retry interval: 2592000 seconds (30 days)
Signature: fafd8b62bbeeffeb0aa6a3bee1adbb85
Metadata: \n \n
http://a.example/gone\tVersion: 7
Status: 3 (db_gone)
Fetch time: Tue Mar 02 19:26:45 UTC 2041
Retry interval: 2592000 seconds (30 days)
Signature: null
Metadata: \n \n
this is no record
"""


def test_a_nutch_dump_into_a_crawl_that_ends(run, tmp_path) -> None:
    path = tmp_path / "dump.txt"
    path.write_text(DUMP)
    done = run("uris", "import", "--format", "nutch-dump", str(path), "--json", code=6).one
    assert {k: v for k, v in done.items() if v} == {"waiting": 1, "finished": 2, "bad_pieces": 1}
    stats = run("stats", "--json").one
    assert (stats["admitted"], stats["pending"], stats["succeeded"], stats["failed"]) == (3, 1, 1, 1)
    rows = run("uris", "add", "http://a.example/done", "http://a.example/gone", "http://a.example/new", "--json").rows
    assert [row["reason"] for row in rows] == ["finished", "finished", "pending"]
    run("uris", "import", "--format", "nutch-dump", str(path), str(path), code=6)
    assert run("stats", "--json").one["admitted"] == 3
    assert run("doctor", "--json", "--crawl", "open", code=1).out.count('"name": "counters", "level": "ok"') == 1


def test_a_nutch_dump_into_a_crawl_that_recrawls(bare, tmp_path) -> None:
    (tmp_path / "dump.txt").write_text(DUMP)
    bare("crawl", "create", "again", "--set", "retention=keep", "--set", "recrawl_schedule=nutch_adaptive")
    bare("uris", "import", "--format", "nutch-dump", str(tmp_path / "dump.txt"), code=6)
    stats = bare("stats", "--json").one
    assert (stats["pending"], stats["later"]) == (1, 2)
    shown = bare("uris", "show", "http://a.example/done", "--json").one
    assert (shown["how"], shown["result"]["status"], shown["result"]["signature"]) == ("dated", "2", "fafd8b62bbeeffeb0aa6a3bee1adbb85")


def test_lines_are_imported_past_the_scope_unless_told(fresh, tmp_path) -> None:
    path = tmp_path / "lines"
    path.write_text("http://a.example/\n\n# no\nhttp://b.example/\n")
    assert fresh("uris", "import", "--format", "lines", "--scope", str(path), "--json").one["out_of_scope"] == 2
    assert fresh("uris", "import", "--format", "lines", str(path), "--json").one["waiting"] == 2
