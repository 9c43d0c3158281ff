"""A queue lives by the sheets of its authority's root URI: budgets, delays, precedence; and follows when they change."""

from __future__ import annotations

from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.record import Candidate
from tests.real.conftest import Make, later
from tests.real.test_field_cases_m import drain

A, B = "http://a.example/", "http://b.example/"
PREFIX = ("http://(example,a,",)


def test_a_budget_comes_from_the_sheet_of_the_queue(make: Make) -> None:
    frontier = make()
    frontier.set_sheet(Sheet("small", {"queue_total_budget": 1}, PREFIX))
    frontier.schedule(f"{host}{i}" for host in (A, B) for i in range(3))
    assert sorted(drain(frontier)) == [f"{A}0", f"{B}0", f"{B}1", f"{B}2"]


def test_a_sheet_of_a_part_of_a_host_does_not_change_its_queue(make: Make) -> None:
    frontier = make()
    frontier.set_sheet(Sheet("path", {"queue_total_budget": 0}, ("http://(example,a,)/x",)))
    frontier.schedule([f"{A}x/1", f"{A}y"])
    assert sorted(drain(frontier)) == [f"{A}x/1", f"{A}y"]


def test_a_budget_that_a_sheet_raises_brings_its_queues_back(make: Make) -> None:
    frontier = make()
    frontier.set_sheet(Sheet("small", {"queue_total_budget": 1}, PREFIX))
    frontier.schedule(f"{A}{i}" for i in range(4))
    drain(frontier)
    assert frontier.queue("example,a,")["state"] == "retired"
    frontier.set_sheet(Sheet("small", {"queue_total_budget": 2}, PREFIX))
    assert drain(frontier) == [f"{A}1"]
    frontier.remove_sheet("small")
    assert drain(frontier) == [f"{A}2", f"{A}3"]


def test_a_value_that_a_sheet_no_longer_has_is_that_of_the_crawl_again(make: Make) -> None:
    frontier = make(unset_delay_ms=2000)
    frontier.set_sheet(Sheet("slow", {"unset_delay_ms": 60_000}, PREFIX))
    frontier.schedule([A, f"{A}2"])
    frontier.finish([frontier.claim()[0].outcome(200)])
    assert frontier.claim().wait_ms == 60_000
    frontier.set_sheet(Sheet("slow", {"max_retries": 2}, PREFIX))
    later(frontier, 60_000)
    frontier.schedule([f"{A}3"])
    frontier.finish([frontier.claim()[0].outcome(200)])
    assert frontier.claim().wait_ms == 2000


def test_a_sheet_that_comes_later_holds_from_the_next_uri_on(make: Make) -> None:
    frontier = make()
    frontier.schedule([A, f"{A}2"])
    frontier.set_sheet(Sheet("late", {"unset_delay_ms": 60_000, "base_precedence": 9}, PREFIX))
    frontier.schedule([f"{A}3"])
    frontier.finish([frontier.claim()[0].outcome(200)])
    assert frontier.claim().wait_ms == 60_000
    assert frontier.queue("example,a,")["precedence"] == 9


def test_a_prerequisite_is_prepared_under_the_sheets_of_its_parent(make: Make) -> None:
    frontier = make()
    frontier.set_sheet(Sheet("costly", {"unset_delay_ms": 60_000}, PREFIX))
    frontier.schedule([Candidate(A)])
    (claim,) = frontier.claim()
    frontier.finish([claim.outcome(-50, prerequisite=frontier.policy.prerequisite(claim.record, "dns:a.example"))])
    (first,) = frontier.claim()
    assert (first.uri, first.queue) == ("dns:a.example", "example,a,")
    frontier.finish([first.outcome(1)])
    assert frontier.claim().wait_ms == 60_000
