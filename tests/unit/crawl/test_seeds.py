"""Seed lists: every line is told, batches block as asked, numbers hold, files stay untouched, memory stays flat."""

from __future__ import annotations

import gzip
import hashlib
import io
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.crawl.seeds import MAX_LINE, LineKind, SeedLine, SeedSource, batches, read, read_line, read_stream, seed_surts
from redisfrontier.errors import DefinitionError


def lines(text: str | bytes) -> list[SeedLine]:
    return list(read_stream(io.BytesIO(text.encode() if isinstance(text, str) else text)))


def test_bad_lines_are_reported_with_number_and_reason_and_the_rest_goes_on() -> None:
    found = lines("a.example\n\nhttp://x.example/ two words\n# note\n<b>\n+\nhttp://\nb.example\n")
    assert [(f.number, f.kind.value) for f in found] == [(1, "seed"), (3, "bad"), (5, "bad"), (6, "bad"), (7, "bad"), (8, "seed")]
    reasons = [f.reason for f in found if f.kind is LineKind.BAD]
    assert reasons[0].startswith("more than one word")
    assert reasons[1] == "starts with neither a letter, a digit, + nor -"
    assert reasons[2] == "a sign with no SURT prefix behind it"
    assert reasons[3].startswith("not a URI (")


def test_a_bad_line_shows_where_it_stands() -> None:
    (line,) = read_stream(io.BytesIO(b"\n%bad%\n"), "list.txt")
    assert str(line) == "list.txt:2: starts with neither a letter, a digit, + nor -: '%bad%'"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_kind_of_line_end_counts_as_one(end: str) -> None:
    assert [(f.number, f.uri) for f in lines(end.join(["a.example", "b.example"]))] == [(1, "http://a.example/"), (2, "http://b.example/")]


def test_a_bom_before_seed_comment_or_nothing_is_no_mistake() -> None:
    assert [f.uri for f in lines("\ufeffa.example\n")] == ["http://a.example/"]
    assert lines("\ufeff# seeds\n") == []
    assert lines("\ufeff\n") == []


def test_a_comment_may_begin_inside_the_last_word() -> None:
    found = lines("http://a.example/#see below\nb.example # c d\n#x.example\n \ufeff #y\n")
    assert [f.uri for f in found] == ["http://a.example/", "http://b.example/"]


@pytest.mark.timeout(10)
def test_no_line_takes_long() -> None:
    for part in ("\ufeff", "#", " ", "a#", "\ufeff ", "a "):
        lines((part * MAX_LINE)[: MAX_LINE - 10] + " x y\n")


def test_another_encoding_is_said_to_be_one() -> None:
    found = lines("a.example\n".encode("utf-16"))
    assert {f.kind for f in found} == {LineKind.BAD}
    assert "UTF-8" in found[0].reason


def test_a_line_too_long_is_skipped_whole_and_counted_once() -> None:
    found = lines("http://a.example/" + "x" * 3 * MAX_LINE + "\nb.example\n")
    assert [(f.number, f.kind.value) for f in found] == [(1, "bad"), (2, "seed")]


def test_a_scheme_is_put_in_front_unless_there_is_one() -> None:
    assert [f.uri for f in lines("example.com:8080\nftp://a.example/\nexample.com/a:b\n")] == [
        "http://example.com:8080/",
        "ftp://a.example/",
        "http://example.com/a:b",
    ]


def test_surts_of_seeds_and_directives() -> None:
    surts = seed_surts(lines("https://www.example.com/news/\n+example.org\n-http://(com,example,www,)/news/old\n"))
    assert surts.seeds == ("http://(com,example,www,)/news/",)
    assert surts.plus == ("http://(org,example,",)
    assert surts.minus == ("http://(com,example,www,)/news/old",)


@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    for found in lines(text.encode("utf-8", "replace")):
        assert found.reason or found.uri or found.text[:1] in "+-"


@given(st.binary())
def test_no_bytes_break_the_reader(raw: bytes) -> None:
    assert all(f.number >= 1 for f in lines(raw))


def source(count: int, block: int = -1, *, tag: bool = False) -> SeedSource:
    text = "".join(f"h{i}.example\n" for i in range(count))
    return SeedSource(text=text, block_awaiting_seed_lines=block, source_tag_seeds=tag)


@pytest.mark.parametrize(
    ("count", "block", "sizes", "ready"),
    [
        (5, -1, [2, 2, 1], [False, False, True]),
        (5, 3, [2, 1, 2, 0], [False, True, True, True]),
        (5, 0, [0, 2, 2, 1], [True, True, True, True]),
        (2, 9, [2, 0], [False, True]),
        (0, -1, [0], [True]),
    ],
)
def test_the_crawl_may_start_after_the_awaited_lines(count: int, block: int, sizes: list[int], ready: list[bool]) -> None:
    found = list(batches(source(count, block), size=2))
    assert [len(b.seeds) for b in found] == sizes
    assert [b.ready for b in found] == ready


def test_the_first_lines_come_before_the_rest_is_read() -> None:
    class Slow(io.BytesIO):
        reads = 0

        def read1(self, size: int = -1, /) -> bytes:
            self.reads += 1
            return super().read1(min(size, 12) if size > 0 else 12)

    stream = Slow(b"h1.example\n" * 1000)
    first = next(iter(batches(SeedSource(files=("-",), block_awaiting_seed_lines=1), stdin=stream)))
    assert first.ready
    assert len(first.seeds) == 1
    assert stream.reads < 5


def test_seed_numbers_go_on_where_the_last_call_ended() -> None:
    """Field case I2: three seeds added at a restart take new numbers, the old ones keep theirs."""
    first = list(batches(source(4), size=3))
    numbers = [c.metadata["seed_index"] for b in first for c in b.seeds]
    assert numbers == [0, 1, 2, 3]
    later = list(batches(SeedSource(text="x.example\ny.example\nz.example"), first_index=first[-1].next_index))
    assert [c.metadata["seed_index"] for b in later for c in b.seeds] == [4, 5, 6]


def test_the_source_tag_is_the_line_as_written() -> None:
    (batch,) = batches(SeedSource(text="  www.Example.com/a # why\n", source_tag_seeds=True))
    assert [(c.uri, c.source_tag, c.is_seed, c.path, c.directive) for c in batch.seeds] == [
        ("http://www.example.com/a", "www.Example.com/a", True, "", 2)
    ]
    (untagged,) = batches(SeedSource(text="www.example.com"))
    assert untagged.seeds[0].source_tag is None


def test_the_operators_file_is_only_read(tmp_path: Path) -> None:
    """Field case I1: a seed list grew twentyfold because the crawler wrote into it."""
    file = tmp_path / "seeds.txt"
    file.write_bytes(b"a.example\n+b.example\nbad line here\n")
    file.chmod(0o444)
    before = hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns
    assert sum(len(b.seeds) for b in batches(SeedSource(files=(str(file),)))) == 1
    assert (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns) == before


def test_inline_text_files_packed_files_and_standard_input_follow_each_other(tmp_path: Path) -> None:
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"b.example\n"))
    whole = SeedSource(text="a.example", files=(str(tmp_path / "b.txt.gz"), "-"))
    stdin = io.BytesIO(b"c.example\n")
    assert [f.uri for f in read(whole, stdin)] == ["http://a.example/", "http://b.example/", "http://c.example/"]
    assert not stdin.closed


def test_a_cut_off_packed_file_gives_what_it_has_and_says_so(tmp_path: Path) -> None:
    packed = gzip.compress("".join(f"h{i}.example\n" for i in range(50_000)).encode())
    (tmp_path / "s.gz").write_bytes(packed[: len(packed) // 2])
    found = list(read(SeedSource(files=(str(tmp_path / "s.gz"),))))
    assert found[0].uri == "http://h0.example/"
    assert "damaged" in found[-1].reason


def test_a_missing_file_is_named_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"nowhere\.txt") as caught:
        list(read(SeedSource(files=(str(tmp_path / "nowhere.txt"),))))
    assert "[seeds]" in caught.value.remedy


def test_a_letter_beyond_the_basic_plane_starts_a_seed() -> None:
    found = read_line("\U00020000.example")
    assert found is not None
    assert found.kind is LineKind.SEED


_MEASURE = """
import re
from redisfrontier.crawl.seeds import SeedSource, batches
count = 0
for batch in batches(SeedSource(files=("-",), source_tag_seeds=True)):
    count += len(batch.seeds)
# not ru_maxrss: that has the peak of the process which started this one
print(count, int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""


@pytest.mark.parametrize("count", [30_000, pytest.param(1_000_000, marks=pytest.mark.nightly)])
def test_a_million_seeds_stream_in_little_memory(count: int, tmp_path: Path) -> None:
    """Field case I3: 1 million seeds in less than 200 MB."""
    file = tmp_path / "seeds.txt"
    with file.open("w") as out:
        out.writelines(f"http://www.host{i}.example/a/rather/long/path/of/a/seed/{i}.html\n" for i in range(count))
    with file.open("rb") as stdin:
        done = subprocess.run([sys.executable, "-c", _MEASURE], stdin=stdin, capture_output=True, text=True, check=True, timeout=170)
    seeds, megabytes = map(int, done.stdout.split())
    assert seeds == count
    assert megabytes < 200
