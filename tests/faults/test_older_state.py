"""Redis comes back with an older state, or its clock is set back: nothing is said to be done that is not (A9), no host is hurried."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Finished
from redisfrontier.store import keys
from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from tests.conftest import private_server
from tests.faults.conftest import balanced, crawl, kill

URIS = [f"http://h{i}.example/{j}" for i in range(3) for j in range(4)]
#: Goes back to the snapshot that was taken when it was made.
Restore = Callable[[], None]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Embedded]:
    """A server that only takes snapshots when told to."""
    with private_server(tmp_path / "redis", save="", dbfilename="dump.rdb") as one:
        yield one


def snapshot(server: Embedded) -> Restore:
    """Take one; the answer brings the server back with it, as from a backup."""
    client = connect(server.url)
    client.save()
    client.close()
    kept = server.directory / "kept.rdb"
    shutil.copy(server.directory / "dump.rdb", kept)

    def restore() -> None:
        kill(server)
        shutil.copy(kept, server.directory / "dump.rdb")
        server.ensure_running()

    return restore


def drain(frontier: Frontier) -> list[str]:
    """Fetch until the crawl says that it is empty."""
    done: list[str] = []
    while (stats := frontier.stats())["state"] != "EMPTY":
        frontier.set_clock(stats["now_ms"] + 5000)
        claims = frontier.claim(5)
        done += [c.uri for c in claims]
        frontier.finish(c.outcome(200, delay_ms=0) for c in claims)
        assert len(done) < 100
    return done


def test_a9_a_crawl_restored_in_the_middle_is_not_finished_before_its_end(server: Embedded) -> None:
    with crawl(server.url, test_clock=True, min_delay_ms=0, lease_ms=5000) as frontier:
        frontier.schedule(URIS)
        held = frontier.claim(3)
        restore = snapshot(server)
        frontier.finish(c.outcome(200, delay_ms=0) for c in held)
        assert len(drain(frontier)) == 9
        assert frontier.stats()["state"] == "EMPTY"
        restore()
        stats = frontier.stats()
        assert (stats["state"], stats["in_flight"], stats["pending"], stats["succeeded"]) == ("RUN", 3, 9, 0)
        assert sorted(drain(frontier)) == sorted(URIS)  # fetched again, none left out
        assert balanced(frontier)


def test_a9_tokens_are_safe_though_ids_are_given_anew(server: Embedded) -> None:
    with crawl(server.url, test_clock=True, min_delay_ms=0) as frontier:
        frontier.schedule(["http://first.example/"])
        restore = snapshot(server)
        (answer,) = frontier.schedule(["http://lost.example/"])
        lost = next(c for c in frontier.claim(2) if c.id == answer.id)
        restore()
        (other,) = frontier.schedule(["http://other.example/"])
        assert other.id == lost.id  # the counter went back: the number is given a second time
        assert [s.answer for s in frontier.finish([lost.outcome(200)])] == [Finished.GONE]
        claims = {c.id: c for c in frontier.claim(2)}
        assert claims[other.id].uri == "http://other.example/"
        assert claims[other.id].token != lost.token
        late = [s.answer for s in frontier.finish([lost.outcome(404)])]
        assert late == [Finished.STALE]
        assert frontier.extend([lost]) == [Finished.STALE]
        assert frontier.release([lost]) == [Finished.STALE]
        assert frontier.stats()["in_flight"] == 2
        assert [str(a.outcome) for a in frontier.schedule(["http://lost.example/"])] == ["added"]  # it can be found again
        assert balanced(frontier)


def test_what_was_finished_after_the_snapshot_is_told_apart_from_what_was_claimed_before_it(server: Embedded) -> None:
    with crawl(server.url, test_clock=True, min_delay_ms=0) as frontier:
        frontier.schedule(["http://a.example/"])
        (claim,) = frontier.claim()
        restore = snapshot(server)
        frontier.finish([claim.outcome(200)])
        restore()
        assert [s.answer for s in frontier.finish([claim.outcome(200)])] == [Finished.OK]  # the old lease stands again
        assert (frontier.stats()["succeeded"], frontier.stats()["state"]) == (1, "EMPTY")


def test_a_worker_notices_that_settings_went_back(server: Embedded) -> None:
    with crawl(server.url, test_clock=True) as operator, Frontier.connect(server.url, crawl="c") as worker:
        restore = snapshot(server)
        operator.set_settings({"max_uri_bytes": 100})
        operator.set_settings({"max_record_bytes": 2000})
        long = f"http://a.example/{'x' * 200}"
        worker.stats()  # any answer tells
        assert [a.reason for a in worker.schedule([long])] == ["too_long"]
        restore()
        worker.stats()
        assert [str(a.outcome) for a in worker.schedule([long])] == ["added"]
        operator.set_settings({"max_uri_bytes": 150})  # a version number that the worker has seen before
        worker.stats()
        assert [a.reason for a in worker.schedule([long + "y"])] == ["too_long"]


def test_a_clock_that_is_set_back_hurries_no_host_and_ends_no_lease_early(server: Embedded) -> None:
    with crawl(server.url, lease_ms=60_000) as frontier:
        client = connect(server.url)
        frontier.schedule([f"http://a.example/{i}" for i in range(2)] + ["http://b.example/"])
        ahead = int(time.time() * 1000) + 3_600_000
        client.hset(keys.of("c", 0, "n"), "clock_max", ahead)  # the clock of the server showed this, before it was set right
        claims = frontier.claim(2)
        assert claims.now_ms >= ahead
        assert {c.lease_until_ms for c in claims} == {claims.now_ms + 60_000}
        by_host = {c.queue: c for c in claims}
        frontier.finish([by_host["example,a,"].outcome(200, delay_ms=5000)])
        got = frontier.claim(2)
        assert (len(got), got.wait_ms) == (0, 5000)
        assert frontier.stats()["now_ms"] >= ahead
        assert len(list(frontier.leases())) == 1
        assert int(client.hget(keys.of("c", 0, "n"), "clock_max")) >= ahead
        assert frontier.finish([by_host["example,b,"].outcome(200)])[0].answer is Finished.OK


def test_a_test_clock_never_goes_back_either(server: Embedded) -> None:
    with crawl(server.url, test_clock=True) as frontier:
        frontier.set_clock(5_000_000)
        frontier.set_clock(4_000_000)
        assert frontier.stats()["now_ms"] == 5_000_000
