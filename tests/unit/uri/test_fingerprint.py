"""Identities and partitions, as every client must compute them."""

from __future__ import annotations

import hashlib
import zlib

import pytest

from redisfrontier.errors import BadArgument
from redisfrontier.uri.canonical import Canonicalizer
from redisfrontier.uri.fingerprint import check_crawl_name, check_queue_name, dedup_fingerprint, fingerprint, partition_of
from redisfrontier.uri.parse import parse
from redisfrontier.uri.surt import surt_authority


def test_fingerprints_are_the_first_18_bytes_of_sha_256() -> None:
    assert fingerprint("http://example.com/").hex() == "2a1b402420ef46577471cdc7409b0fa2c6a2"
    assert dedup_fingerprint("k") == hashlib.sha256(b"\0k").digest()[:18]
    assert dedup_fingerprint("http://example.com/") != fingerprint("http://example.com/")
    assert len(fingerprint("\ud800")) == 18


@pytest.mark.parametrize(("one", "other"), [("ofvgquhty.org", "mzptwvx.de"), ("oitfyefupug.de", "vfethlwghce.de")])
def test_a7_hosts_of_one_crc_are_two_uris_and_two_queues(one: str, other: str) -> None:
    assert zlib.crc32(one.encode()) == zlib.crc32(other.encode())
    uris = [parse(f"http://{host}/") for host in (one, other)]
    canonical = Canonicalizer()
    assert len({fingerprint(canonical(uri)) for uri in uris}) == 2
    assert len({surt_authority(uri) for uri in uris}) == 2


def test_b9_hash_routes_are_one_unless_a_dedup_key_tells_them_apart() -> None:
    one, other = parse("http://a.example/#/a"), parse("http://a.example/#/b")
    assert one == other
    assert dedup_fingerprint("http://a.example/#/a") != dedup_fingerprint("http://a.example/#/b")


def test_a_host_stays_in_one_partition() -> None:
    names = ("com,example,www,", "com,example,", "com,example,www12,", "com,example,#8080", "com,example,www,#8080+3", "com,example,+1")
    assert len({partition_of(name, 997) for name in names}) == 1
    assert len({partition_of(name, 997) for name in ("example.com", "www.example.com#443", "www3.example.com+2")}) == 1
    assert partition_of("com,example,", 997) == int.from_bytes(hashlib.sha256(b"com,example,").digest()[:4], "big") % 997
    assert partition_of("com,wwwexample,", 997) != partition_of("com,", 997)
    assert partition_of("com,example,", 1) == 0


def test_a_group_decides_before_the_queue() -> None:
    wanted = int.from_bytes(hashlib.sha256(b"www.g#1").digest()[:4], "big") % 64
    assert {partition_of(f"com,site{n},", 64, "www.g#1") for n in range(20)} == {wanted}


def test_queues_spread_over_partitions() -> None:
    assert len({partition_of(f"com,site{n},", 8) for n in range(200)}) == 8


@pytest.mark.parametrize("name", ["com,example,www,", "com,example,#8080", "default...", "\u4f8b", "a" * 255])
def test_queue_names(name: str) -> None:
    assert check_queue_name(name) == name


@pytest.mark.parametrize("name", ["", "a b", "a\u00a0b", "a{b", "a}b", "a\nb", "a\0", "\ud800", "\u200b", "a" * 256, "\u4f8b" * 86])
def test_bad_queue_names(name: str) -> None:
    with pytest.raises(BadArgument):
        check_queue_name(name)


def test_crawl_names() -> None:
    assert check_crawl_name("News-2024.v1_a") == "News-2024.v1_a"
    for bad in ("", "-a", "a b", "a:b", "a{", "a" * 65, "a\n", "\u4f8b"):
        with pytest.raises(BadArgument):
            check_crawl_name(bad)
