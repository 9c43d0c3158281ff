"""The demo's account must be able to fail: each claim against a run that breaks it."""

from __future__ import annotations

import pytest

from demo import account
from tests.sites.server import Request

GOOD = {"state": "EMPTY", "admitted": 3, "succeeded": 2, "failed": 1, "disregarded": 0, "excluded": 0, "deleted": 0, "pending": 0}


def request(path: str, began: float, ended: float, *, host: str = "h", status: int = 200) -> Request:
    return Request(host, path, status, began, ended, "bot")


def kept(*requests: Request, setting: float = 0.1) -> bool:
    return account.politeness(account.gaps(requests, {"h": setting, "g": setting}), 2).holds


def test_gaps_count_from_the_end_of_one_answer_to_the_next_request_of_the_same_host():
    assert kept(request("/1", 0, 0.5), request("/2", 0.61, 0.7))
    assert not kept(request("/1", 0, 0.5), request("/2", 0.55, 0.7))
    assert kept(request("/1", 0, 0.5), request("/2", 0.55, 0.7, host="g"))


def test_overlapping_requests_are_no_gap():
    assert not kept(request("/1", 0, 5), request("/2", 1, 2))


def test_after_a_503_the_host_must_rest_as_it_asked():
    assert not kept(request("/1", 0, 0, status=503), request("/2", 1, 1))
    assert kept(request("/1", 0, 0, status=503), request("/2", 2, 2))


def test_duplicates_are_explained_by_the_dead_worker_or_by_robots_txt_only():
    twice = [request("/a", 0, 0), request("/a", 1, 1), request("/b", 2, 2)]
    assert not account.duplicates(twice, []).holds
    assert account.duplicates(twice, ["h/a"]).holds
    assert not account.duplicates([*twice, request("/a", 3, 3)], ["h/a"]).holds
    down = [request("/robots.txt", 0, 0, status=503), request("/robots.txt", 1, 1)]
    assert account.duplicates(down, []).holds
    assert not account.duplicates([*down, request("/robots.txt", 2, 2)], []).holds


@pytest.mark.parametrize(
    "change", [{"admitted": 4}, {"state": "RUN"}, {"succeeded": 1}, {"pending": 1, "admitted": 4}, {"in_flight": 1, "admitted": 4}]
)
def test_something_lost_is_said(change):
    assert account.lost(GOOD).holds
    assert not account.lost(GOOD | change).holds


def test_counters_that_do_not_add_up():
    assert account.balanced(GOOD | {"pending": 2, "in_flight": 1, "admitted": 6})
    assert not account.balanced(GOOD | {"pending": 2})


def test_missing_log_lines_are_owed_by_the_killed_worker_only():
    assert account.log_lines(GOOD, 3, 0).holds
    assert account.log_lines(GOOD, 2, 1).holds
    assert not account.log_lines(GOOD, 2, 0).holds
    assert not account.log_lines(GOOD, 4, 5).holds
