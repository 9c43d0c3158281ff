"""Field cases A: work that got lost elsewhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from zlib import crc32

import redis
from structlog.testing import capture_logs

from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Finished
from redisfrontier.record.record import Candidate
from tests.real.conftest import Make, balanced, later

HOSTS = [f"http://h{i}.example/" for i in range(3)]
_DYING = """
import os, signal, sys
from redisfrontier.frontier import Frontier
with Frontier.connect(sys.argv[1], crawl=sys.argv[2], worker="dies") as frontier:
    print(len(frontier.claim(10, lease_ms=1000)), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a1_what_a_killed_worker_held_comes_back_after_its_lease(make: Make, redis_url: str) -> None:
    frontier = make(real_time=True)
    frontier.schedule(HOSTS)
    died = subprocess.run([sys.executable, "-c", _DYING, redis_url, "c"], stdout=subprocess.PIPE, text=True, check=False, env=os.environ)
    assert (died.returncode, died.stdout) == (-signal.SIGKILL, "3\n")
    assert not frontier.claim(10)
    time.sleep(1.1)
    assert frontier.stats()["in_flight"] == 0  # shown as pending although nobody has called since
    frontier.claim(10)  # takes them back; the hosts rest for the minimum delay
    assert sorted(row["uri"] for row in frontier.uris()) == HOSTS
    assert frontier.stats()["lost"] == 3
    assert balanced(frontier)


def test_a1_a_lost_lease_is_counted_and_nothing_is_doubled(make: Make) -> None:
    frontier = make(lease_ms=5000, min_delay_ms=0)
    frontier.schedule(HOSTS)
    assert len(frontier.claim(10)) == 3
    later(frontier, 4999)
    assert not frontier.claim(10)
    later(frontier, 1)
    again = frontier.claim(10)
    assert sorted(c.uri for c in again) == HOSTS
    assert {(c.attempts, c.lost_leases) for c in again} == {(0, 1)}
    assert not frontier.claim(10)


def test_a2_claimed_is_not_done(make: Make) -> None:
    frontier = make()
    frontier.schedule(HOSTS)
    frontier.claim(3)
    stats = frontier.stats()
    assert (stats["in_flight"], stats["pending"], stats["succeeded"]) == (3, 0, 0)


def test_a3_a_restarted_worker_gives_back_what_it_held(make: Make) -> None:
    frontier = make()
    frontier.schedule(HOSTS)
    mine = frontier.claim(2, worker="w1")
    frontier.claim(1, worker="w2")
    assert frontier.release_worker("w1") == 2
    assert {lease["worker"] for lease in frontier.leases()} == {"w2"}
    again = frontier.claim(3, worker="w1")
    assert sorted(c.uri for c in again) == sorted(c.uri for c in mine)
    assert {(c.attempts, c.lost_leases) for c in again} == {(0, 0)}


def test_a6_an_expired_lease_is_counted_and_told(make: Make) -> None:
    frontier = make(lease_ms=1000)
    frontier.schedule(HOSTS[:1])
    (claim,) = frontier.claim(worker="slow")
    later(frontier, 1000)
    with capture_logs() as logs:
        frontier.claim(worker="other")
    (event,) = [entry for entry in logs if entry["event"] == "lease_expired"]
    assert (event["worker"], event["queue"]) == ("slow", claim.queue)
    assert frontier.stats()["lost"] == 1


def test_a7_uris_whose_crc32_collides_are_two(make: Make) -> None:
    frontier = make()
    pairs = [("ofvgquhty.org", "mzptwvx.de"), ("oitfyefupug.de", "vfethlwghce.de")]
    assert all(crc32(a.encode()) == crc32(b.encode()) for a, b in pairs)
    answers = frontier.schedule(f"http://{host}/" for pair in pairs for host in pair)
    assert [str(a.outcome) for a in answers] == ["added"] * 4
    assert len(list(frontier.queues())) == 4


def test_a8_dated_uris_of_a_host_come_in_the_order_of_their_dates(make: Make) -> None:
    frontier = make(max_in_flight=5)
    frontier.schedule(f"http://a.example/{s}" for s in (1, 5, 2, 6, 3))
    claims = frontier.claim(per_queue=5)
    frontier.finish(c.outcome(200, delay_ms=0, refetch_in_ms=int(c.uri[-1]) * 1000) for c in claims)
    later(frontier, 3500)
    got = [frontier.claim() for _ in range(4)]
    assert [[c.uri[-1] for c in claims] for claims in got] == [["1"], ["2"], ["3"], []]


def _dump(client: redis.Redis) -> dict[bytes, bytes]:
    return {key: client.dump(key) for key in client.scan_iter(count=1000)}


def test_a9_a_server_restored_from_an_older_state_never_says_that_all_is_done(make: Make) -> None:
    frontier = make(min_delay_ms=0, unset_delay_ms=0, lease_ms=5000)
    frontier.schedule(f"{host}{i}" for host in HOSTS for i in range(4))
    held = frontier.claim(3)
    older = _dump(frontier.client)
    frontier.finish(c.outcome(200, delay_ms=0) for c in held)
    newer = frontier.claim(3)
    frontier.client.flushall()
    for key, value in older.items():
        frontier.client.restore(key, 0, value)
    assert frontier.stats()["state"] == "RUN"
    assert {s.answer for s in frontier.finish(c.outcome(200, delay_ms=0) for c in newer)} == {Finished.GONE}
    done = set()
    while frontier.stats()["state"] != "EMPTY":
        later(frontier, 5000)
        claims = frontier.claim(3)
        done |= {c.uri for c in claims}
        frontier.finish(c.outcome(200, delay_ms=0) for c in claims)
    assert len(done) == 12
    assert balanced(frontier)


def test_a10_a_failed_uri_can_be_tried_anew_by_force_only(make: Make) -> None:
    frontier = make()
    frontier.schedule(HOSTS[:1])
    frontier.finish([frontier.claim()[0].outcome(-4, delay_ms=0)])
    assert [(str(a.outcome), a.reason) for a in frontier.schedule(HOSTS[:1])] == [("known", "finished")]
    assert [str(a.outcome) for a in frontier.schedule([Candidate(HOSTS[0], force_fetch=True)])] == ["requeued"]
    assert frontier.claim()[0].attempts == 0


def test_a11_a_finish_that_is_sent_twice_counts_once(make: Make) -> None:
    frontier = make()
    frontier.schedule(HOSTS[:1])
    (claim,) = frontier.claim()
    outcome = claim.outcome(200, size_bytes=10)
    assert [[s.answer for s in frontier.finish([outcome])] for _ in range(2)] == [[Finished.OK], [Finished.GONE]]
    assert (frontier.stats()["succeeded"], frontier.stats()["bytes"], frontier.queue(claim.queue)["spent"]) == (1, 10, 1)


def test_a11_a_finish_whose_answer_is_lost_is_repeated_by_the_client(make: Make, redis_url: str) -> None:
    frontier = make()
    frontier.schedule(HOSTS[:1])
    (claim,) = frontier.claim()
    other = Frontier.connect(redis_url, crawl="c")
    send, cut = other.client.execute_command, [True]

    def lose_one_answer(*args: object, **options: object) -> object:
        reply = send(*args, **options)
        if cut.pop() if cut else False:
            raise redis.ConnectionError("cut")
        return reply

    other.client.execute_command = lose_one_answer  # type: ignore[method-assign]
    (settled,) = other.finish([claim.outcome(200)])
    assert settled.answer in (Finished.OK, Finished.GONE)
    assert frontier.stats()["succeeded"] == 1
    other.close()
