"""Field cases B: duplicates and races."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence

import redis

from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Finished
from redisfrontier.record.record import Candidate
from tests.real.conftest import Make, balanced, later

HOST = "http://a.example/"


def in_threads(count: int, work: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_b1_a_limit_holds_however_many_ask_at_once(make: Make, redis_url: str) -> None:
    frontier = make(max_in_flight=1)
    frontier.schedule(f"{HOST}{i}" for i in range(20))
    got: list[int] = []

    def ask(_: int) -> None:
        with Frontier.connect(redis_url, crawl="c") as own:
            got.append(len(own.claim()))

    in_threads(20, ask)
    assert sum(got) == 1


def test_b2_a_host_is_not_served_twice_within_its_delay(make: Make, redis_url: str) -> None:
    frontier = make(real_time=True)
    frontier.schedule(f"{HOST}{i}" for i in range(100))
    served: list[tuple[int, int]] = []
    end = time.monotonic() + 2.5

    def serve(_: int) -> None:
        with Frontier.connect(redis_url, crawl="c") as own:
            while time.monotonic() < end:
                got = own.claim()
                for claim in got:
                    own.finish([claim.outcome(200, delay_ms=400)])
                    served.append((got.now_ms, own.queue(claim.queue)["not_before"]))

    in_threads(12, serve)
    served.sort()
    assert 3 <= len(served) <= 7
    assert all(claimed >= rests_until for (_, rests_until), (claimed, _) in itertools.pairwise(served))
    assert all(b - a >= 400 for (a, _), (b, _) in itertools.pairwise(served))


def test_b3_a_slow_worker_cannot_finish_what_another_has_by_now(make: Make) -> None:
    frontier = make(lease_ms=1000, min_delay_ms=0)
    frontier.schedule([HOST])
    (slow,) = frontier.claim(worker="w1")
    later(frontier, 2000)
    (fast,) = frontier.claim(worker="w2")
    before = frontier.show(fast.id)
    assert frontier.finish([slow.outcome(404)])[0].answer is Finished.STALE
    assert frontier.release([slow]) == frontier.extend([slow]) == [Finished.STALE]
    assert frontier.show(fast.id) == before
    assert frontier.finish([fast.outcome(200)])[0].verdict == "succeeded"


def test_b4_an_add_whose_answer_is_lost_adds_once(make: Make) -> None:
    frontier = make()
    frontier.schedule([f"{HOST}before"])  # the server knows the script from now on
    send, cut = frontier._driver._send, [True]

    def lose_one_answer(commands: Sequence[tuple[object, ...]]) -> list[object]:
        replies = send(commands)
        if cut.pop() if cut else False:
            raise redis.ConnectionError("cut")
        return replies

    frontier._driver._send = lose_one_answer  # type: ignore[method-assign]
    (answer,) = frontier.schedule([HOST])
    assert not cut
    assert (str(answer.outcome), answer.reason) in (("added", ""), ("known", "pending"))
    assert (frontier.stats()["admitted"], frontier.stats()["pending"]) == (2, 2)


def test_b5_a_uri_twice_in_a_batch_is_known_the_second_time(make: Make) -> None:
    answers = make().schedule([HOST, HOST, f"{HOST}v"])
    assert [str(a.outcome) for a in answers] == ["added", "known", "added"]


def test_b6_the_target_of_many_redirects_is_fetched_once(make: Make) -> None:
    frontier = make(retention="keep", max_in_flight=5)
    target = f"{HOST}target"
    frontier.schedule(f"{HOST}{i}" for i in range(5))
    claims = frontier.claim(per_queue=5)
    outcomes = [str(frontier.schedule([Candidate(target, path="R", via=c.uri)])[0].outcome) for c in claims]
    frontier.finish(c.outcome(301, redirect=target) for c in claims)
    assert sorted(outcomes) == ["added", "known", "known", "known", "known"]
    assert {frontier.show(c.uri)["record"]["metadata"]["redirect"] for c in claims} == {target}
    assert frontier.stats()["pending"] == 1


def test_b7_crawls_share_nothing(make: Make) -> None:
    one = make("one")
    one.schedule([HOST])
    one.finish([one.claim()[0].outcome(200)])
    two = make("two")
    assert [str(a.outcome) for a in two.schedule([HOST])] == ["added"]
    names = {key.decode() for key in two.client.scan_iter(count=1000)} - {"rf:crawls"}
    assert all(name.startswith(("rf:{one:0}:", "rf:{one}:", "rf:{two:0}:", "rf:{two}:")) for name in names)


def test_b8_a_deletion_in_one_crawl_leaves_the_other_alone(make: Make) -> None:
    one, two = make("one"), make("two")
    for frontier in (one, two):
        frontier.schedule([Candidate(HOST, path="L", via="http://v.example/")])
    before = two.show(HOST)
    assert one.delete(lambda queue: True) == {"example,a,": 1}
    assert two.show(HOST) == before
    assert (two.claim()[0].path, two.claim().wait_ms is not None) == ("L", True)
    assert balanced(one)
    assert balanced(two)


def test_b9_a_key_of_ones_own_tells_uris_apart(make: Make) -> None:
    frontier = make()
    same = frontier.schedule([f"{HOST}#/a", f"{HOST}#/b"])
    keyed = frontier.schedule([Candidate(f"{HOST}#/a", dedup_key="POST a"), Candidate(f"{HOST}#/b", dedup_key="POST b")])
    assert [str(a.outcome) for a in (*same, *keyed)] == ["added", "known", "added", "added"]


def test_b10_the_uri_that_is_fetched_is_the_one_that_was_found_first(make: Make) -> None:
    frontier = make()
    first = "http://a.example/Page?B=1&A=2"
    answers = frontier.schedule([first, "http://a.example/page?b=1&a=2", "http://www2.a.example/Page?B=1&A=2&"])
    assert [str(a.outcome) for a in answers] == ["added", "known", "known"]
    assert [c.uri for c in frontier.claim(10)] == [first]
