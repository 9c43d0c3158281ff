"""A client dies between any two calls of a long operation: the state is sound, and the operation, started again, ends as it would have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
import redis

from redisfrontier.errors import NoCrawl
from redisfrontier.frontier import Frontier
from redisfrontier.operate import checkup
from redisfrontier.operate.checks import Check, Level
from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.record import Candidate
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from tests.faults.conftest import ALL, balanced, whole
from tests.model.snapshot import Stored, broken, differences

PARTITIONS, HOSTS = 3, 12


class Died(BaseException):
    """The client is no more."""


class Mortal:
    """Lets so many requests through to the server, then dies before it sends the next, which to the server is: with the answer unread."""

    def __init__(self, frontier: Frontier, lives: int) -> None:
        self._send, self._lives = frontier._driver._send, lives
        frontier._driver._send = self.send  # type: ignore[method-assign]

    def send(self, commands: Any) -> list[Any]:
        if self._lives == 0:
            raise Died
        self._lives -= 1
        return self._send(commands)


def opened(url: str, **settings: Any) -> Frontier:
    """A running crawl of several partitions and hosts, some of them in each state."""
    chosen = {"uniqueness": "exact", "min_delay_ms": 0, "queue_total_budget": 3, **settings}
    frontier = Frontier.create(url, "c", chosen, partitions=PARTITIONS, scope=ALL, test_clock=True, worker="w", randoms=Random(1).randbytes)
    frontier.set_clock(1_000_000)
    frontier.start()
    frontier.schedule(Candidate(f"http://h{i}.example/{j}", source_tag="t") for j in range(6) for i in range(HOSTS))
    for _ in range(3):
        frontier.finish(c.outcome(200, delay_ms=0) for c in frontier.claim(4, worker="early"))
    frontier.finish(c.outcome(-2) for c in frontier.claim(3, worker="early"))
    frontier.claim(4, worker="w")
    for i in (1, 2, 3):
        frontier.retire(f"example,h{i},")
    return frontier


OPERATIONS: dict[str, Callable[[Frontier], object]] = {
    "pause": lambda f: f.pause(),
    "stop": lambda f: f.stop(),
    "settings": lambda f: f.set_settings({"min_delay_ms": 700, "queue_total_budget": 9}),
    "wake": lambda f: f.wake(),
    "unretire": lambda f: f.unretire(),
    "delete queues": lambda f: f.delete(lambda queue: queue != "example,h5,"),
    "delete uris": lambda f: f.delete(lambda queue: True, lambda record: record.uri.endswith(("2", "4"))),
    "release a worker": lambda f: f.release_worker("w"),
    "schedule": lambda f: f.schedule(f"http://n{i}.example/{j}" for j in range(3) for i in range(HOSTS)),
    "schedule much": lambda f: f.schedule(f"http://n{i % 50}.example/{i}" for i in range(9000)),
    "include": lambda f: f.include(f"http://old{i}.example/" for i in range(HOSTS)),
    "a sheet": lambda f: f.set_sheet(Sheet("s", {"min_delay_ms": 99}, ("http://(example,",), ())),
}


def seen(frontier: Frontier) -> dict[str, Any]:
    """What must be the same however often it was begun."""
    found = whole(frontier)
    found["stats"].pop("version")
    found["uris"] = sorted(row["uri"] for row in found["uris"])
    for queue in found["queues"].values():
        queue.pop("retired_at", None)
        if queue["queue"].startswith("example,old"):  # included: charged each time it is told, as in Heritrix
            queue.pop("spent")
    return found


def partitions_agree(client: redis.Redis) -> bool:
    """Do the partitions' copies of the settings say what the master copy says?"""
    master = client.hgetall("rf:{c}:conf")
    for p in range(PARTITIONS):
        copy = client.hgetall(f"rf:{{c:{p}}}:conf")
        names = [name for name in copy if name in master and name != b"created_ms"]
        assert len(names) > 40
        if {name: copy[name] for name in names} != {name: master[name] for name in names}:
            return False
    return True


@pytest.fixture
def client(passing: Embedded) -> Iterator[redis.Redis]:
    with connect(passing.url) as one:
        yield one


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_that_died_anywhere_is_completed_by_its_repetition(passing: Embedded, client: redis.Redis, name: str) -> None:
    operation = OPERATIONS[name]
    with opened(passing.url) as frontier:
        operation(frontier)
        wanted = seen(frontier)
        assert partitions_agree(client)
    for lives in range(200):
        client.flushdb()
        with opened(passing.url) as setting_up, Frontier.connect(passing.url, crawl="c", worker="w") as mortal:
            Mortal(mortal, lives)
            try:
                operation(mortal)
                break
            except Died:
                pass
            assert balanced(setting_up)
            assert broken(Stored(client, "c", buckets=320)) == []
            with Frontier.connect(passing.url, crawl="c", worker="w") as second:
                operation(second)
                assert differences(wanted, seen(second)) == []
                assert partitions_agree(client)
    assert 1 <= lives < 200


@pytest.mark.parametrize("name", ["pause", "settings"])
def test_the_doctor_tells_of_a_command_that_was_cut_off(passing: Embedded, name: str) -> None:
    with opened(passing.url) as frontier, Frontier.connect(passing.url, crawl="c") as mortal:

        def told() -> Check:
            checks = frontier.run(frontier.session.with_live(checkup.crawl))
            return next(check for check in checks if check.name == "settings of the partitions")

        assert told().level is Level.OK
        Mortal(mortal, 1)  # the master copy is changed, the partitions' copies are not
        with pytest.raises(Died):
            OPERATIONS[name](mortal)
        assert told().level is Level.WARN
        assert {"pause": "run_state", "settings": "min_delay_ms"}[name] in told().found
        assert "once more" in told().remedy
        OPERATIONS[name](frontier)
        assert told().level is Level.OK


@pytest.mark.parametrize("uniqueness", ["exact", "bitfield", "bloom"])
def test_a_creation_that_died_anywhere_is_completed_by_the_next(request: pytest.FixtureRequest, uniqueness: str) -> None:
    url = request.getfixturevalue("bloom_url" if uniqueness == "bloom" else "redis_url")
    settings = {"uniqueness": uniqueness, "expected_uris": 50_000}

    def create() -> Frontier:
        return Frontier.create(url, "c", settings, partitions=PARTITIONS, scope=ALL, test_clock=True)

    def kept() -> dict[bytes, object]:
        found: dict[bytes, object] = {}
        for key in client.scan_iter("rf:*"):
            if key.endswith(b":bf"):
                found[key] = client.execute_command("BF.INFO", key)
            else:
                found[key] = client.dump(key) if client.type(key) in (b"string", b"set") else client.hgetall(key)
        return found

    with connect(url) as client:
        create().close()
        wanted = kept()
        for lives in range(300):
            client.flushdb()
            send, left = Frontier.__init__, lives

            def born(self: Frontier, *args: Any, send: Any = send, left: int = left, **options: Any) -> None:
                send(self, *args, **options)
                Mortal(self, left)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Frontier, "__init__", born)
                try:
                    create().close()
                    break
                except Died:
                    pass
            with create() as frontier:
                assert kept() == wanted, lives
                frontier.start()
                assert [str(a.outcome) for a in frontier.schedule(["http://a.example/", "http://a.example/"])] == ["added", "known"]
        assert 3 < lives < 300


def test_a_removal_that_died_anywhere_is_completed_by_the_next(passing: Embedded, client: redis.Redis) -> None:
    for lives in range(300):
        client.flushdb()
        frontier = opened(passing.url)
        Mortal(frontier, lives)
        try:
            frontier.delete_crawl()
            break
        except Died:
            frontier.close()
        with Frontier.connect(passing.url, crawl="c") as second:  # the crawl is listed, and can be opened, until nothing is left of it
            second.delete_crawl()
        assert list(client.scan_iter()) == []
        with pytest.raises(NoCrawl):
            Frontier.connect(passing.url, crawl="c")
    assert list(client.scan_iter()) == []
    assert 5 < lives < 300


def test_a_relocation_that_died_halfway_is_in_both_places_or_one_and_never_in_none(passing: Embedded, client: redis.Redis) -> None:
    with opened(passing.url, queue_total_budget=-1) as frontier:
        hosts = {row["queue"]: frontier.show(f"http://{row['queue'].split(',')[1]}.example/5")["partition"] for row in frontier.queues()}
    for lives in range(20):
        client.flushdb()
        with opened(passing.url, queue_total_budget=-1) as frontier:
            claim = next(c for c in frontier.claim(8, worker="x"))
            there = next(q for q, p in hosts.items() if p != hosts[claim.queue])
            Mortal(frontier, lives)
            try:
                frontier.release([claim], queue=there)
                break
            except Died:
                pass
            with Frontier.connect(passing.url, crawl="c") as second:
                second.release([claim], queue=there)
                assert [row["queue"] for row in second.uris() if row["uri"] == claim.uri].count(there) >= 1
                assert balanced(second)
    assert 1 <= lives < 20
