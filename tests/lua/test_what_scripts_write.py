"""What the server sees scripts write, in runs through every operation, is what their headers say."""

from __future__ import annotations

import re
from collections import defaultdict

import redis

from redisfrontier.frontier import Frontier
from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.record import Candidate
from redisfrontier.steps import adopt, queues
from redisfrontier.store import keys, scripts
from tests.lua import headers

A = "http://a.test/"
T = 1_000_000
_WRITES = re.compile(rf"(?:{headers.WRITING})$")


class Watched:
    """A frontier whose every command is seen by MONITOR."""

    def __init__(self, url: str, **settings: object) -> None:
        self.frontier = Frontier.create(url, "c", settings, scope=[{"rule": "accept"}], test_clock=True)
        self.now = T
        self.frontier.set_clock(T)
        self.frontier.client.hset(keys.of("c", 0, "n"), "followers", 1)

    def later(self, ms: int) -> None:
        self.now += ms
        self.frontier.set_clock(self.now)

    def run(self, operation, *args: object) -> object:
        return self.frontier.run(self.frontier.session.with_live(operation, *args))


def play(w: Watched) -> None:
    """Each operation in each of its ways."""
    f = w.frontier
    f.start()
    f.set_sheet(Sheet("s", {"max_in_flight": 2}, surt_prefixes=("http://(test,sheet,",)))
    f.schedule([f"{A}{i}" for i in range(12)] + ["http://b.test/", "http://sheet.test/1", "http://sheet.test/2", "http://c.test/"])
    f.schedule([Candidate(A, force_fetch=True), Candidate(f"{A}1", directive=0, force_fetch=True)])
    f.finish([c.outcome(200, size_bytes=5, digest="d") for c in f.claim(9, per_queue=2)])
    finishes(w)
    losses(w)
    operators(w)
    w.later(10**6)
    f.finish([c.outcome(200, refetch_in_ms=5) for c in f.claim(9)])
    w.later(10**6)
    _, got = f.exchange([c.outcome(200, size_bytes=5) for c in f.claim(9)], 9)
    f.exchange([c.outcome(-2) for c in got], 9)
    known = [adopt.Known(Candidate(f"http://d.test/{i}"), due, verdict, "2 200 1 1 1 0 - 0") for i, (due, verdict) in enumerate(
        [(0, "succeeded"), (10**10, "succeeded"), (None, "failed")]
    )]
    w.run(lambda live: adopt.adopt(live, f.policy, known))
    f.include(["http://e.test/"])
    f.forget(["http://e.test/", A])
    f.show(A)
    f.show("0:1")
    list(f.queues())
    f.stats()
    w.run(lambda live: f.session.live())
    f.set_settings({"max_documents_download": 1})
    f.finish([c.outcome(200) for c in f.claim(9)])
    f.resume()
    f.claim(1)


def finishes(w: Watched) -> None:
    f = w.frontier
    for status, retires in ((-2, False), (-4, False), (-5000, False), (503, False), (200, True)):
        w.later(10**6)
        f.finish([c.outcome(status, force_retire=retires) for c in f.claim(1)])
        f.unretire()
    w.later(10**6)
    for claim in f.claim(1):
        f.finish([claim.outcome(-50, prerequisite=f.policy.prerequisite(claim.record, claim.uri + "robots.txt"))])
    w.later(10**6)
    f.release(f.claim(1))
    f.release(f.claim(1), queue="test,elsewhere,")
    w.later(10**6)
    held = f.claim(2)
    f.delete(lambda queue: True, lambda record: record.uri in {c.uri for c in held[:1]})
    f.extend(held)
    f.release(held)


def losses(w: Watched) -> None:
    for _ in range(3):
        w.later(10**8)
        w.frontier.claim(3, lease_ms=100)
    w.later(10**8)
    w.frontier.claim(1)


def operators(w: Watched) -> None:
    f = w.frontier
    for act in (
        lambda: f.snooze("test,a,", 5),
        lambda: f.wake("test,a,"),
        lambda: f.wake(),
        lambda: f.retire("test,a,"),
        lambda: f.unretire("test,a,"),
        lambda: f.budget("test,a,", 0),
        lambda: f.budget("test,a,", -1, reset=True, precedence=1),
        lambda: w.run(queues.reorder, lambda name: True, None, queues.Place(0, 5)),
        lambda: f.delete(lambda name: True, lambda record: record.uri == f"{A}5"),
        lambda: f.delete(lambda name: True, lambda record: record.uri == f"{A}6", excluded=True),
        lambda: f.pause(),
        lambda: f.resume(),
    ):
        act()


KINDS: list[tuple[str, dict[str, object]]] = [
    ("plain", {"uniqueness": "exact", "max_documents_per_source_tag": 9, "retry_scope": "uri"}),
    ("plain", {"retention": "keep", "recrawl_schedule": "fixed", "queue_precedence_policy": "highest_uri", "max_lost_leases": 1}),
    ("plain", {"uniqueness": "bitfield", "expected_uris": 1000, "queue_group": "domain", "max_lost_leases": 0}),
    ("plain", {"uniqueness": "exact", "queue_group": "all", "queue_total_budget": 3}),
    ("bloom", {"uniqueness": "bloom", "expected_uris": 1000}),
]


def seen(url: str, settings: dict[str, object]) -> dict[str, set[str]]:
    """Op -> families that it was seen to write in one crawl."""
    names = {scripts.load(name).sha: name for name in scripts.names()}
    found: dict[str, set[str]] = defaultdict(set)
    op = ""
    with redis.from_url(url) as client, client.monitor() as monitor:
        play(Watched(url, **settings))
        client.echo("the end")
        for told in monitor.listen():
            command, *args = told["command"].split(" ")
            if command == "ECHO":
                return found
            if command == "EVALSHA":
                op = names[args[0]]
            elif told["client_type"] == "lua" and _WRITES.match(command):
                found[op].add(family(args[0]))
    raise AssertionError


def family(key: str) -> str:
    """The family of a key; a document of the whole crawl by the name that crawl_put has for it."""
    tag, _, rest = key.partition("}:")
    if ":" in tag.partition("{")[2]:
        return rest.split(":")[0]
    return rest if rest in ("conf", "combos") else "doc"


def test_no_script_writes_what_its_header_does_not_name(redis_url: str, bloom_url: str) -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for server, settings in KINDS:
        url = bloom_url if server == "bloom" else redis_url
        with redis.from_url(url) as client:
            client.flushall()
        for op, families in seen(url, settings).items():
            found[op] |= families
    named = {op: headers.header(op).writes() for op in scripts.names()}
    assert {op: families - named[op] for op, families in found.items() if families - named[op]} == {}
    missed = {op: families - found[op] for op, families in named.items() if families - found[op]}
    assert sum(map(len, missed.values())) <= sum(map(len, named.values())) / 4, f"these runs leave too much out: {missed}"
