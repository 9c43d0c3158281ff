"""Field cases M: budgets."""

from __future__ import annotations

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.record.record import Candidate
from tests.real.conftest import Make, balanced, later

A, QUEUE = "http://a.example/", "example,a,"


def drain(frontier: Frontier) -> list[str]:
    """Fetch whatever comes without waiting."""
    found = []
    while claims := frontier.claim(10):
        found += [c.uri for c in claims]
        frontier.finish(c.outcome(200, delay_ms=0) for c in claims)
    return found


def test_m1_a_queue_retired_for_its_budget_comes_back_when_that_is_raised(make: Make) -> None:
    frontier = make()
    frontier.schedule(f"{A}{i}" for i in range(5))
    frontier.budget(QUEUE, 2)
    assert len(drain(frontier)) == 2
    assert (frontier.queue(QUEUE)["state"], frontier.queue(QUEUE)["retired_why"]) == ("retired", "budget")
    assert frontier.budget(QUEUE, 4)["state"] == "inactive"
    assert len(drain(frontier)) == 2


def test_m1_raising_the_setting_brings_back_those_retired_for_it_and_no_others(make: Make) -> None:
    frontier = make(queue_total_budget=1)
    frontier.schedule(f"http://{host}.example/{i}" for host in "abc" for i in range(3))
    assert len(drain(frontier)) == 3
    frontier.unretire("example,c,")
    frontier.retire("example,c,")
    frontier.set_settings({"queue_total_budget": 2})
    assert sorted(drain(frontier)) == ["http://a.example/1", "http://b.example/1"]
    assert frontier.queue("example,c,")["retired_why"] == "operator"


def test_m2_a_reset_covers_both_schemes_and_lets_robots_txt_through(make: Make) -> None:
    frontier = make(queue_total_budget=1)
    frontier.schedule([f"{A}1", "https://a.example/2", "http://a.example:80/3", "https://a.example:443/4"])
    assert [q["queue"] for q in frontier.queues()] == [QUEUE]
    assert len(drain(frontier)) == 1
    frontier.schedule([Candidate("https://a.example/robots.txt", force_fetch=True, directive=0)])
    assert drain(frontier) == []
    frontier.budget(QUEUE, reset=True)
    assert drain(frontier) == ["https://a.example/robots.txt"]


@pytest.mark.parametrize(("total", "fetched"), [(3, 3), (0, 0), (-1, 6), (1, 1)])
@pytest.mark.parametrize("in_flight", [1, 4])
def test_m3_a_budget_is_exact(make: Make, total: int, fetched: int, in_flight: int) -> None:
    frontier = make(queue_total_budget=total, max_in_flight=in_flight)
    frontier.schedule(f"{A}{i}" for i in range(6))
    found = []
    for _ in range(8):
        claims = frontier.claim(per_queue=9)
        found += claims
        frontier.finish(c.outcome(200, delay_ms=0) for c in claims)
    assert len(found) == fetched
    assert frontier.stats()["pending"] == 6 - fetched


def test_m4_a_queue_over_its_budget_retires_once_and_keeps_its_uris(make: Make) -> None:
    frontier = make(queue_total_budget=1)
    frontier.schedule(f"{A}{i}" for i in range(50))
    drain(frontier)
    assert (frontier.stats()["queues"]["retired"], frontier.stats()["pending"], frontier.stats()["failed"]) == (1, 49, 0)
    frontier.schedule(f"{A}more{i}" for i in range(5))
    assert (drain(frontier), frontier.stats()["pending"]) == ([], 54)


def test_m5_a_forced_uri_brings_back_that_one_only(make: Make) -> None:
    frontier = make()
    frontier.schedule(f"{A}{i}" for i in range(5))
    drain(frontier)
    frontier.schedule([Candidate(f"{A}3", force_fetch=True)])
    assert drain(frontier) == [f"{A}3"]


def test_quotas_of_documents_and_bytes_retire_a_queue_and_a_reset_brings_it_back(make: Make) -> None:
    frontier = make(max_documents_per_queue=2, max_bytes_per_queue=1000)
    frontier.schedule(f"http://{host}.example/{i}" for host in "ab" for i in range(4))
    for _ in range(4):
        for claim in frontier.claim(2):
            frontier.finish([claim.outcome(200, delay_ms=0, size_bytes=1000 if "b.example" in claim.uri else 1)])
    reasons = {q["queue"]: q["retired_why"] for q in frontier.queues("retired")}
    assert reasons == {QUEUE: "documents", "example,b,": "bytes"}
    assert (frontier.queue(QUEUE)["succeeded"], frontier.queue("example,b,")["succeeded"]) == (2, 1)
    frontier.set_settings({"max_documents_per_queue": 3})
    assert drain(frontier) == [f"{A}2"]
    assert balanced(frontier)


def test_a_source_tag_has_its_quota(make: Make) -> None:
    frontier = make(max_documents_per_source_tag=1)
    frontier.schedule([Candidate(f"{A}1", source_tag="s"), Candidate(f"{A}2", source_tag="t")])
    for claim in [c for _ in range(2) for c in frontier.claim()]:
        frontier.finish([claim.outcome(200, delay_ms=0)])
        later(frontier, 1)
    answers = frontier.schedule([Candidate(f"{A}3", source_tag="s"), Candidate(f"{A}4", source_tag="t"), f"{A}5"])
    assert [str(a.outcome) for a in answers] == ["refused", "added", "added"]


def test_the_crawl_ends_at_its_number_of_documents(make: Make) -> None:
    frontier = make(max_documents_download=3)
    frontier.schedule(f"{A}{i}" for i in range(9))
    assert len(drain(frontier)) == 3
    assert (frontier.stats()["state"], frontier.stats()["finish_reason"]) == ("FINISH", "max_documents_download")
