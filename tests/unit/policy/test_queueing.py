"""Queue assignment: politeness cannot be dodged, names are legal, parallel queues are stable, groups."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.errors import InvalidUri
from redisfrontier.policy.consistent_hash import bucket_for, rabin64
from redisfrontier.policy.public_suffix import assignment_level
from redisfrontier.policy.queueing import group_of, java_hash, queue_name, queue_policy
from redisfrontier.settings import SPECS, Settings
from redisfrontier.uri.fingerprint import check_queue_name
from redisfrontier.uri.parse import parse

POLICIES = SPECS["queue_assignment_policy"]["one_of"]


def queue(uri: str, **settings: object) -> str:
    return queue_policy(Settings().changed(settings))(parse(uri), "", None, None)


SPELLINGS = (
    "http://www.example.com/",
    "https://www.example.com/",
    "HTTP://WWW.Example.COM:80/a",
    "https://www.example.com:443/",
    "http://user:pw@www.example.com/",
    "http://@www.example.com/",
    "http://www.example.com./x",
    "http://www.%65xample.com/",
    "http://u@www.example.com.:80/?q",
)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_a_host_has_a_queue_of_its_own(policy: str, spelling: str) -> None:
    assert queue(spelling, queue_assignment_policy=policy) == queue(SPELLINGS[0], queue_assignment_policy=policy)


@pytest.mark.parametrize(("a", "b"), [("ftp://f.example/", "ftp://f.example:21/"), ("sftp://f.example/", "sftp://f.example:22/x")])
def test_the_own_port_of_ftp_is_no_queue_of_its_own(a: str, b: str) -> None:
    assert queue(a) == queue(b)


@pytest.mark.parametrize(
    ("policy", "wanted"),
    [
        ("surt_authority", "[2001:db8::1]#8080"),
        ("surt_authority_with_limits", "[2001:db8::1]#8080"),
        ("hostname", "[2001:db8::1]#8080"),
        ("hostname_with_limits", "[2001:db8::1]#8080"),
        ("assignment_level_surt", "[2001:db8::1]#8080"),
    ],
)
def test_ipv6_hosts_have_queues(policy: str, wanted: str) -> None:
    got = queue("http://[2001:0DB8:0::1]:8080/x", queue_assignment_policy=policy, queue_assignment_limit=2)
    assert got == wanted


def test_another_port_is_a_queue_of_its_own() -> None:
    assert queue("http://example.com:8080/") == "com,example,#8080"


def test_bucket_without_an_address_is_bounded() -> None:
    names = {queue(f"http://host{i}.example/", queue_assignment_policy="bucket") for i in range(3000)}
    assert len(names) <= 1024
    assert all(name.startswith("NO-IP-") for name in names)
    assert queue("http://host1.example/", queue_assignment_policy="bucket") == f"NO-IP-{abs(java_hash('host1.example')) & 1023}"
    assert queue("http://192.0.2.7/", queue_assignment_policy="bucket") == str(abs(java_hash("192.0.2.7")) % 1021)
    assert queue("mailto:a@b.example", queue_assignment_policy="bucket") == "NO-HOST"


def test_java_hash_is_javas() -> None:
    assert java_hash("hello") == 99162322
    assert java_hash("polygenelubricants") == -(2**31)
    assert java_hash("\U0001f600") == 1772899


@given(st.text(max_size=600))
def test_any_text_makes_a_legal_queue_name_that_stays(text: str) -> None:
    name = queue_name(text)
    assert check_queue_name(name) == name
    assert queue_name(name) == name


def test_long_names_stay_apart() -> None:
    assert queue_name("a" * 300 + "x") != queue_name("a" * 300 + "y")


def test_forced_names_are_made_legal() -> None:
    assert queue("http://e.example/", force_queue_assignment="my {queue}") == "my%20%7Bqueue%7D"


@given(st.text(max_size=40), st.sampled_from(POLICIES), st.integers(1, 5), st.integers(-1, 3))
def test_every_uri_has_a_legal_queue(tail: str, policy: str, parallel: int, limit: int) -> None:
    settings = Settings(queue_assignment_policy=policy, parallel_queues=parallel, queue_assignment_limit=limit)
    for raw in ("http://" + tail, "http://e.example/" + tail, "x:" + tail):
        try:
            uri = parse(raw)
        except InvalidUri:
            continue
        check_queue_name(queue_policy(settings)(uri, "LP", "http://e.example/" + tail, None))


def test_a_prerequisite_goes_where_its_parent_is() -> None:
    assign = queue_policy(Settings(parallel_queues=7))
    parent = parse("http://www.example.com:8080/one/two")
    own = assign(parent, "L", None, None)
    for raw in ("http://www.example.com:8080/robots.txt", "dns:www.example.com", "http://login.example/in"):
        assert assign(parse(raw), "LP", parent, None) == own
        assert assign(parse(raw), "LP", parent.text, None) == own
    assert assign(parse("dns:a.example"), "P", "not a uri", None) == "default..."


def test_growing_parallel_queues_moves_few_keys() -> None:
    keys = [f"section{i}" for i in range(2000)]
    moved = sum(bucket_for(k, 8) != bucket_for(k, 9) for k in keys)
    assert moved / len(keys) < 0.2
    assert all(bucket_for(k, 9) in (8, bucket_for(k, 8)) for k in keys)


def test_fingerprints_are_signed_64_bits() -> None:
    values = [rabin64(str(i)) for i in range(1000)]
    assert all(-(2**63) <= v < 2**63 for v in values)
    assert min(values) < 0 < max(values)
    assert len(set(values)) == 1000


@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("a.b.example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"),
        ("foo.kawasaki.jp", "kawasaki.jp"),
        ("a.b.city.kawasaki.jp", "city.kawasaki.jp"),
        ("w.x.y.kawasaki.jp", "x.y.kawasaki.jp"),
        ("www.ck", "www.ck"),
        ("a.example.ck", "a.example.ck"),
        ("x.y.unknowntld", "y.unknowntld"),
        ("localhost", "localhost"),
        ("192.0.2.7", "192.0.2.7"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("x.y.xn--55qx5d.cn", "y.xn--55qx5d.cn"),
    ],
)
def test_assignment_level(host: str, wanted: str) -> None:
    assert assignment_level(host) == wanted


@pytest.mark.parametrize(
    ("uri", "group", "wanted"),
    [
        ("http://a.b.example.co.uk:8080/", "domain", "uk,co,example,"),
        ("http://192.0.2.7/", "domain", "192.0.2.7"),
        ("dns:a.example", "domain", "q"),
        ("http://a.example/", "", None),
        ("http://a.example/", "none", None),
        ("http://a.example/", "one server", "one%20server"),
    ],
)
def test_groups(uri: str, group: str, wanted: str | None) -> None:
    assert group_of(parse(uri), "q", Settings(queue_group=group)) == wanted


def test_hosts_of_thousands_of_labels_take_no_time() -> None:
    host = "a." * 30_000 + "co.uk"
    began = time.process_time()
    assert assignment_level(host) == "a.co.uk"
    check_queue_name(queue(f"http://{host}/"))
    assert time.process_time() - began < 1
