"""Outcomes that make no sense are refused singly, or fall back to the default rest: never to none, never beyond the cap."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redisfrontier.record.outcome import Finished
from redisfrontier.store.ops import HEAD, Ops, text
from tests.real.conftest import Make, balanced, later

CAP_MS = 86_400_000
numbers = st.one_of(
    st.none(),
    st.floats(),
    st.integers(),
    st.sampled_from([float("nan"), float("inf"), -float("inf"), -1, 1e308, 2**63, 2**53 + 1, -0.0, True, "12", "x;delay=0", b"\xff"]),
)


def test_a_bad_outcome_does_not_spoil_its_batch(make: Make) -> None:
    frontier = make(max_in_flight=4)
    frontier.schedule(f"http://a.example/{i}" for i in range(4))
    a, b, c, d = frontier.claim(per_queue=4)
    foreign = type(b)(b.id, "00" * 8, b.queue, 0, 0, 0, b.packed)
    nowhere = type(b)("0:999999", b.token, b.queue, 0, 0, 0, b.packed)
    answers = frontier.finish([a.outcome(200), foreign.outcome(200), nowhere.outcome(200), c.outcome(10**6), d.outcome(404)])
    assert [s.answer for s in answers] == [Finished.OK, Finished.STALE, Finished.GONE, Finished.REFUSED, Finished.OK]
    assert answers[3].reason == "unknown fetch status"
    assert frontier.stats()["in_flight"] == 2
    assert balanced(frontier)


@pytest.mark.parametrize("status", [10**6, -10**6, 2.5, float("nan"), float("inf"), "x", None, "200;flags=r"])
def test_an_unknown_status_is_refused_and_the_lease_stays(make: Make, status: Any) -> None:
    frontier = make()
    frontier.schedule(["http://a.example/"])
    (claim,) = frontier.claim()
    assert frontier.finish([claim.outcome(status)])[0].answer is Finished.REFUSED
    assert frontier.stats()["in_flight"] == 1
    assert frontier.finish([claim.outcome(200)])[0].answer is Finished.OK


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    delay=numbers,
    duration=numbers,
    crawl_delay=numbers,
    retry_after=st.one_of(numbers, st.text(max_size=300)),
    refetch=numbers,
    size=numbers,
    status=st.sampled_from([200, 503, -2, -4]),
    digest=st.one_of(st.none(), st.text(max_size=300)),
)
def test_whatever_is_told_the_host_rests_and_the_crawl_goes_on(
    make: Make, delay: Any, duration: Any, crawl_delay: Any, retry_after: Any, refetch: Any, size: Any, status: int, digest: Any
) -> None:
    frontier = make(retention="keep")
    frontier.schedule(["http://a.example/", *(f"http://a.example/{i}" for i in range(400))])
    while not (got := frontier.claim()):  # the host rests after what the example before did to it
        later(frontier, max(got.wait_ms or 0, 1))
    (claim,) = got
    told = {"duration_ms": duration, "crawl_delay_seconds": crawl_delay, "retry_after": retry_after, "refetch_in_ms": refetch}
    (settled,) = frontier.finish([claim.outcome(status, delay_ms=delay, size_bytes=size, digest=digest, **told)])
    assert settled.answer is Finished.OK
    queue, now = frontier.queue(claim.queue), frontier.stats()["now_ms"]
    rest = max(queue.get("not_before", 0), queue.get("snoozed_until", 0)) - now
    told_nothing = not isinstance(delay, int | float) or not 0 <= delay <= 1e300
    assert rest <= CAP_MS
    assert rest >= 3000 or not told_nothing
    assert balanced(frontier)


@pytest.mark.parametrize(
    "extras", ["delay=nan", "delay=-1", "delay=inf", "delay=1e400", "delay=0x", "delay", ";;;", "delay=1e", "=", "flags=zz"]
)
def test_other_clients_may_send_nonsense_too(make: Make, extras: str) -> None:
    frontier = make()
    frontier.schedule(["http://a.example/"])
    (claim,) = frontier.claim()
    (reply,) = frontier.run(_raw(Ops("c").finish(0, [(claim.id[2:], claim.token, "200", "", "", extras, "")])))
    assert text(reply[HEAD]) == "+succeeded"
    want = CAP_MS if extras in ("delay=inf", "delay=1e400") else 5000
    assert frontier.queue(claim.queue)["not_before"] - frontier.stats()["now_ms"] == want


def _raw(ask: Any) -> Any:
    return (yield [ask])
