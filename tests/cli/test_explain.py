"""Each reason for which a URI is not fetched, brought about and told."""

from __future__ import annotations

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.operate.explain import Explanation, Reason

A = "http://a.example/1"


@pytest.fixture(params=["exact", "bitfield"])
def crawl(request, redis_url):
    settings = {"uniqueness": request.param, "expected_uris": 10_000, "retry_scope": "uri"}
    with Frontier.create(
        redis_url, "c", settings, scope=[{"rule": "accept"}, {"rule": "matches_regex", "decision": "REJECT", "regex": ".*no.*"}]
    ) as found:
        found.schedule([A, "http://a.example/2", "http://b.example/"])
        found.start()
        yield found


def told(bare, uri: str = A) -> tuple[str, dict]:
    found = bare("uris", "explain", uri, "--json").one
    return found["reason"], found


def test_before_it_waits(bare, crawl) -> None:
    assert told(bare, "http://a.example:x/")[0] == "invalid"
    reason, facts = told(bare, "http://a.example/no")
    assert (reason, facts["rule"]) == ("out_of_scope", "1 MatchesRegex")
    assert told(bare, "http://a.example/3")[0] == "unknown"


def test_while_it_waits(bare, crawl) -> None:
    assert told(bare)[0] == "turn"
    assert told(bare, "http://a.example/2")[1]["before_it_in_the_queue"] == 1
    crawl.pause()
    assert told(bare)[0] == "crawl_paused"
    crawl.start()
    crawl.snooze("example,a,", 60_000)
    reason, facts = told(bare)
    assert (reason, facts["until_ms"] > 10**12) == ("queue_snoozed", True)
    crawl.wake()
    crawl.retire("example,a,", "too slow")
    assert told(bare)[1]["why"] == "too slow"
    crawl.unretire()
    crawl.budget("example,a,", precedence=255)
    assert told(bare)[0] == "below_floor"
    crawl.stop("enough")
    assert told(bare)[1]["why"] == "enough"


def test_while_it_is_out_and_after(bare, crawl) -> None:
    claim = next(c for c in crawl.claim(2) if c.uri == A)
    reason, facts = told(bare)
    assert (reason, facts["worker"]) == ("leased", crawl.session.worker)
    assert told(bare, "http://a.example/2")[0] == "queue_busy"
    crawl.finish([claim.outcome(-2)])
    reason, facts = told(bare)
    assert (reason, facts["until_ms"] > 10**12) == ("dated", True)


def test_when_it_is_finished(bare, crawl) -> None:
    crawl.finish(c.outcome(200, duration_ms=900) for c in crawl.claim(2))
    assert told(bare)[0] == ("finished" if crawl.settings().uniqueness == "exact" else "maybe_seen")
    assert told(bare, "http://a.example/2")[0] == "queue_polite"


def test_every_reason_has_words(bare, crawl) -> None:
    assert "waits for its turn" in bare("uris", "explain", A).out
    assert all(Explanation(reason).words for reason in Reason)
