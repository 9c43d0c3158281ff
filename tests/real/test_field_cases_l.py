"""Field cases L: statistics, the end of a crawl, what operators do."""

from __future__ import annotations

import json
import math
import re
import threading
from pathlib import Path

import pytest

from redisfrontier.errors import BadArgument, NoCrawl, WrongState
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Finished
from tests.conftest import private_server
from tests.real.conftest import Make, balanced, later

A = "http://a.example/"


def _numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        return [n for v in value.values() for n in _numbers(v)]
    return [value] if isinstance(value, int | float) else []


def test_l1_f10_f11_counters_budgets_and_a_pause_outlive_the_server(tmp_path: Path) -> None:
    with private_server(tmp_path / "redis", appendonly="yes", appendfsync="always") as server:
        frontier = Frontier.create(server.url, "c", {"uniqueness": "exact", "queue_total_budget": 2}, scope=[{"rule": "accept"}])
        frontier.start()
        frontier.schedule(f"{A}{i}" for i in range(4))
        frontier.finish([frontier.claim()[0].outcome(200, delay_ms=60_000)])
        frontier.pause()
        before = (frontier.stats(), frontier.queue("example,a,"))
        frontier.close()
    with private_server(tmp_path / "redis", appendonly="yes", appendfsync="always") as server:
        frontier = Frontier.connect(server.url, crawl="c")
        after = (frontier.stats(), frontier.queue("example,a,"))
        for stats in (before[0], after[0]):
            stats.pop("now_ms")
        assert after == before
        got = frontier.claim()
        assert (len(got), got.run_state) == (0, "PAUSE")
        frontier.close()


def test_l2_an_empty_crawl_says_so_and_one_with_work_out_does_not(make: Make) -> None:
    frontier = make()
    assert frontier.stats()["state"] == "EMPTY"
    frontier.schedule([A, f"{A}2"])
    assert frontier.stats()["state"] == "RUN"
    (claim,) = frontier.claim()
    frontier.delete(lambda queue: True, lambda record: record.uri == f"{A}2")
    assert frontier.stats()["state"] == "RUN"
    frontier.finish([claim.outcome(200)])
    assert frontier.stats()["state"] == "EMPTY"
    frontier.schedule([f"{A}3"])
    later(frontier, 5000)
    frontier.finish([frontier.claim()[0].outcome(200, refetch_in_ms=10**7)])
    assert frontier.stats()["state"] == "RUN"  # a dated URI is work too
    numbers = _numbers(json.loads(json.dumps(frontier.stats(), allow_nan=False)))
    assert all(n >= 0 and math.isfinite(n) for n in numbers)


def test_l2_a_crawl_with_only_retired_queues_ends_and_says_why(make: Make) -> None:
    frontier = make()
    frontier.schedule([A])
    frontier.retire("example,a,")
    assert (frontier.stats()["state"], frontier.stats()["pending"]) == ("EMPTY", 1)
    frontier.unretire()
    assert frontier.stats()["state"] == "RUN"


def test_l3_expired_leases_alone_are_served_again(make: Make) -> None:
    frontier = make(lease_ms=5000, min_delay_ms=0)
    frontier.schedule([A])
    frontier.claim()
    got = frontier.claim()
    assert (len(got), got.wait_ms) == (0, 5000)
    later(frontier, 5000)
    assert [c.uri for c in frontier.claim()] == [A]


def test_l4_a_deletion_covers_active_snoozed_and_retired_hosts(make: Make) -> None:
    frontier = make()
    hosts = ["active", "out", "snoozed", "retired", "other"]
    frontier.schedule(f"http://{host}.example/{i}" for host in hosts for i in range(3))
    frontier.claim(queue="example,out,")
    frontier.snooze("example,snoozed,", 10**6)
    frontier.retire("example,retired,")
    regex = re.compile(r"http://(?!other).*/[01]")
    gone = frontier.delete(lambda queue: True, lambda record: bool(regex.fullmatch(record.uri)))
    assert gone == {f"example,{host},": 2 for host in hosts[:4]}
    assert frontier.stats()["deleted"] == 8
    assert sorted(row["uri"] for row in frontier.uris()) == sorted(
        [*(f"http://{host}.example/2" for host in hosts[:4]), *(f"http://other.example/{i}" for i in range(3))]
    )
    assert balanced(frontier)


def test_l4_what_was_deleted_while_it_was_out_ends_politely(make: Make) -> None:
    frontier = make()
    frontier.schedule([A, f"{A}2"])
    (claim,) = frontier.claim()
    frontier.delete(lambda queue: True, lambda record: record.uri == A)
    assert [str(a.outcome) for a in frontier.schedule([A])] == ["added"]
    (settled,) = frontier.finish([claim.outcome(200, delay_ms=4000)])
    assert (settled.answer, settled.verdict) == (Finished.OK, "deleted")
    assert (frontier.stats()["succeeded"], frontier.queue("example,a,").get("spent", 0)) == (0, 0)
    assert frontier.claim().wait_ms == 4000


def test_l5_uris_that_are_excluded_while_the_crawl_runs_are_counted_apart_and_stay_known(make: Make) -> None:
    frontier = make()
    frontier.schedule([f"{A}?id=1", f"{A}?id=22", f"{A}?id=x"])
    regex = re.compile(r".*\?id=\d+")
    assert frontier.delete(lambda queue: True, lambda record: bool(regex.fullmatch(record.uri)), excluded=True) == {"example,a,": 2}
    assert (frontier.stats()["excluded"], frontier.stats()["pending"]) == (2, 1)
    assert [(str(a.outcome), a.reason) for a in frontier.schedule([f"{A}?id=1"])] == [("known", "finished")]
    assert balanced(frontier)


def test_l6_a_stopped_crawl_gives_nothing_takes_nothing_and_still_hears_of_ends(make: Make) -> None:
    frontier = make()
    frontier.schedule([A, "http://b.example/"])
    (claim,) = frontier.claim()
    frontier.stop()
    got = frontier.claim()
    assert (len(got), got.run_state) == (0, "FINISH")
    with pytest.raises(WrongState):
        frontier.schedule([f"{A}more"])
    assert frontier.finish([claim.outcome(200)])[0].verdict == "succeeded"


def test_l7_statistics_can_be_read_while_many_write(make: Make, redis_url: str) -> None:
    make(real_time=True, unset_delay_ms=0, min_delay_ms=0)
    stop = threading.Event()
    failures: list[BaseException] = []

    def write(worker: int) -> None:
        try:
            with Frontier.connect(redis_url, crawl="c") as own:
                for i in range(10**6):
                    own.schedule(f"http://h{(worker + i) % 40}.example/{worker}/{i}/{j}" for j in range(5))
                    own.finish(c.outcome(200, delay_ms=0) for c in own.claim(5))
                    if stop.is_set():
                        return
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    with Frontier.connect(redis_url, crawl="c") as reader:
        for _ in range(60):
            assert balanced(reader)
            assert all(n >= 0 for n in _numbers(reader.stats()))
            assert all(row["state"] for row in reader.queues())
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures


def test_l9_a_crawl_must_be_named(redis_url: str) -> None:
    with pytest.raises(BadArgument):
        Frontier.create(redis_url, "")
    with pytest.raises((BadArgument, NoCrawl)):
        Frontier.connect(redis_url, crawl="")
