"""A foreign key where one of ours should be (field case G6): its item is refused by the key's name and left untouched, all others go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import redis
from structlog.testing import capture_logs

from redisfrontier.errors import WrongKeyType
from redisfrontier.frontier import Frontier
from redisfrontier.policy.sheets import Sheet
from redisfrontier.record.outcome import Claim, Settled
from redisfrontier.record.record import Candidate
from redisfrontier.store import keys
from redisfrontier.store.ops import HEAD
from redisfrontier.uri.fingerprint import fingerprint

BAD, GOOD = "http://bad.test/", "http://good.test/"
BAD_QUEUE, GOOD_QUEUE = "test,bad,", "test,good,"
LEASE_MS = 60_000


class Crawl:
    """Two queues of one URI each, whose records lie in different buckets; `plant` puts a foreign key, `mend` takes it away again."""

    def __init__(self, url: str, **settings: object) -> None:
        chosen = {"uniqueness": "exact", "retry_delay_seconds": 10, "lease_ms": LEASE_MS, **settings}
        self.frontier = Frontier.create(url, "c", chosen, scope=[{"rule": "accept"}], test_clock=True)
        self.client: redis.Redis = self.frontier.client
        self.frontier.start()
        self.now = 1_000_000
        self.pass_time(0)
        (bad,) = self.frontier.schedule([Candidate(BAD, source_tag="t")])
        self.frontier.schedule([f"http://filler.test/{i}" for i in range(keys.PER_BUCKET - 1)])
        self.frontier.retire("test,filler,")
        (good,) = self.frontier.schedule([GOOD])
        self.bad_id, self.good_id = int(bad.id.split(":")[1]), int(good.id.split(":")[1])
        self._key, self._was = "", b""

    def pass_time(self, ms: int) -> None:
        self.now += ms
        self.frontier.set_clock(self.now)

    def key(self, family: str) -> str:
        """The key of the bad URI (or of its queue) in a family."""
        if family in ("q", "m"):
            return (keys.queue if family == "q" else keys.queue_state)("c", 0, BAD_QUEUE)
        made = {"rec": keys.records, "try": keys.attempts, "res": keys.results}[family]
        return made("c", 0, self.bad_id)

    def plant(self, key: str, kind: str = "string") -> str:
        self._key, self._was = key, self.client.dump(key) or b""
        self.client.delete(key)
        if kind == "string":
            self.client.set(key, "foreign")
        else:
            self.client.rpush(key, "foreign")
        return key

    def mend(self) -> None:
        self.client.delete(self._key)
        if self._was:
            self.client.restore(self._key, 0, self._was)

    def snapshot(self) -> dict[bytes, bytes | None]:
        """Everything in Redis, as it is stored."""
        return {key: self.client.dump(key) for key in self.client.scan_iter(count=1000)}

    def claim(self, n: int = 5) -> dict[str, Claim]:
        return {c.queue: c for c in self.frontier.claim(n)}

    def differences(self) -> list[Any]:
        (reply,) = self.frontier._driver.ask([self.frontier.session._live.ops.examine(0, [BAD_QUEUE, GOOD_QUEUE])])  # type: ignore[union-attr]
        return list(reply[HEAD:])

    def finish_all(self) -> None:
        """Play the crawl to its end: both URIs are fetched, nothing is lost, and every number is right."""
        assert self.differences() == []
        for _ in range(20):
            self.pass_time(LEASE_MS + 1)
            self.frontier.finish([c.outcome(200) for c in self.frontier.claim(5, per_queue=5)])
        assert self.differences() == []
        stats = self.frontier.stats()
        assert (stats["pending"], stats["in_flight"], stats["later"]) == (keys.PER_BUCKET - 1, 0, 0)
        assert (stats["failed"], stats["deleted"], stats["corrupt"]) == (0, 0, 0)
        for queue in (BAD_QUEUE, GOOD_QUEUE):
            assert self.frontier.queue(queue)["succeeded"] >= 1


@pytest.fixture
def crawl(redis_url: str):
    made: list[Crawl] = []

    def make(**settings: object) -> Crawl:
        made.append(Crawl(redis_url, **settings))
        return made[-1]

    yield make
    for one in made:
        one.frontier.close()


Make = Callable[..., Crawl]


def untouched(crawl: Crawl, act: Callable[[], object]) -> object:
    """What `act` gives, which must not have changed a thing."""
    before = crawl.snapshot()
    given = act()
    after = crawl.snapshot()
    assert {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)} == set()
    return given


# -- schedule --


@pytest.mark.parametrize("family", ["q", "m"])
def test_schedule_refuses_what_belongs_to_a_foreign_queue(crawl: Make, family: str) -> None:
    c = crawl()
    key = c.plant(c.key(family))
    (alone,) = untouched(c, lambda: c.frontier.schedule([BAD + "new"]))  # type: ignore[misc]
    assert alone.outcome == "refused"
    assert key in alone.reason
    assert "string" in alone.reason
    answers = c.frontier.schedule([GOOD + "1", BAD + "1", GOOD + "2", BAD + "2"])
    assert [str(a.outcome) for a in answers] == ["added", "refused", "added", "refused"]
    c.mend()
    assert [str(a.outcome) for a in c.frontier.schedule([BAD + "1", GOOD + "1"])] == ["added", "known"]
    c.finish_all()


def test_a_run_of_new_ones_leaves_no_trace_of_the_one_it_cannot_place(crawl: Make) -> None:
    c = crawl()
    c.frontier.schedule([BAD + "0"])
    key = c.plant(c.key("q"))
    answers = c.frontier.schedule([GOOD + str(i) for i in range(20)] + [BAD + "1"] + [GOOD + str(i) for i in range(20, 40)])
    assert [str(a.outcome) for a in answers] == ["added"] * 20 + ["refused"] + ["added"] * 20
    assert key in answers[20].reason
    c.mend()
    again = c.frontier.schedule([GOOD + str(i) for i in range(4)] + [BAD + "1", BAD + "1", BAD + "2", GOOD + "1"])
    assert [str(a.outcome) for a in again] == ["known"] * 4 + ["added", "known", "added", "known"]
    assert c.differences() == []


def test_schedule_refuses_all_while_the_bucket_of_new_records_is_foreign(crawl: Make) -> None:
    c = crawl()
    key = c.plant(keys.records("c", 0, c.good_id))
    answers = untouched(c, lambda: c.frontier.schedule([GOOD + "1", BAD + "1"]))
    assert [key in a.reason for a in answers] == [True, True]  # type: ignore[attr-defined]
    c.mend()
    assert c.frontier.schedule([GOOD + "1"])[0].outcome == "added"
    c.finish_all()


def test_schedule_refuses_what_a_foreign_index_bucket_would_know(crawl: Make) -> None:
    c = crawl()
    c.frontier.include([f"http://other.test/{i}" for i in range(400)])
    key = c.plant(keys.index_bucket("c", 0, 3))
    answers = c.frontier.schedule([f"http://good.test/{i}" for i in range(100)])
    refused = [a for a in answers if a.outcome == "refused"]
    assert 0 < len(refused) < 50
    assert {key in a.reason for a in refused} == {True}
    assert {str(a.outcome) for a in answers} == {"added", "refused"}
    untouched(c, lambda: c.frontier.schedule([a.uri for a in refused]))
    c.mend()
    assert {str(a.outcome) for a in c.frontier.schedule([a.uri for a in refused])} == {"added"}
    assert c.differences() == []


def test_schedule_refuses_what_a_foreign_filter_page_would_know(crawl: Make) -> None:
    c = crawl(uniqueness="bitfield", expected_uris=5_000_000)
    page = c.plant(keys.bloom_page("c", 0, 0, 1), "list")
    answers = c.frontier.schedule([f"http://good.test/{i}" for i in range(100)])
    refused = [a for a in answers if a.outcome == "refused"]
    assert 0 < len(refused) < 60
    assert {page in a.reason for a in refused} == {True}
    untouched(c, lambda: c.frontier.schedule([a.uri for a in refused]))
    c.mend()
    assert {str(a.outcome) for a in c.frontier.schedule([a.uri for a in refused])} == {"added"}
    assert c.differences() == []


# -- claim --


@pytest.mark.parametrize("family", ["q", "m", "rec"])
def test_claim_passes_over_a_foreign_key_and_names_it(crawl: Make, family: str) -> None:
    c = crawl()
    key = c.plant(c.key(family))
    with capture_logs() as logs:
        got = c.claim()
    assert got.keys() == {GOOD_QUEUE}
    assert [entry["reason"] for entry in logs if entry["event"] == "claim_trouble" and key in entry["reason"]]
    c.mend()
    assert [s.verdict for s in c.frontier.finish([got[GOOD_QUEUE].outcome(200)])] == ["succeeded"]
    c.finish_all()


def test_claim_passes_over_foreign_attempts(crawl: Make) -> None:
    c = crawl()
    got = c.claim()
    c.frontier.finish([got[BAD_QUEUE].outcome(-2)])
    c.frontier.release([got[GOOD_QUEUE]])
    c.pass_time(20_000)
    key = c.plant(c.key("try"))
    with capture_logs() as logs:
        assert c.claim().keys() == {GOOD_QUEUE}
    assert any(key in entry.get("reason", "") for entry in logs)
    c.mend()
    c.pass_time(10_000)
    assert c.claim()[BAD_QUEUE].attempts == 1
    c.finish_all()


def test_claims_by_name_do_so_too(crawl: Make) -> None:
    c = crawl()
    for family in ("q", "m", "rec"):
        c.plant(c.key(family))
        assert len(c.frontier.claim(queue=BAD_QUEUE)) == 0
        c.mend()
    c.finish_all()


# -- what a claim does first: expired leases, due queues, dated URIs --


@pytest.mark.parametrize("family", ["q", "m", "rec", "try"])
@pytest.mark.parametrize("max_lost", [3, 0])
def test_an_expired_lease_waits_for_its_foreign_key_to_be_mended(crawl: Make, family: str, max_lost: int) -> None:
    c = crawl(max_lost_leases=3)
    if family == "try":
        c.frontier.finish([c.claim()[BAD_QUEUE].outcome(-2)])
        c.pass_time(LEASE_MS * 2)
        c.frontier.claim(queue="none")
    c.claim()
    if not max_lost:
        c.frontier.set_settings({"max_lost_leases": 0})
    c.pass_time(LEASE_MS + 1)
    c.plant(c.key(family))
    got = c.claim()
    if max_lost:
        assert got.keys() <= {GOOD_QUEUE}
        c.pass_time(5000)
        got = got or c.claim()
        assert got.keys() == {GOOD_QUEUE}
    assert int(c.client.hget(keys.of("c", 0, "n"), "lost") or 0) >= 1
    c.mend()
    c.frontier.set_settings({"max_lost_leases": 3})
    if max_lost:
        c.finish_all()
    else:
        c.pass_time(LEASE_MS * 2)
        c.claim()
        assert c.differences() == []


@pytest.mark.parametrize("family", ["q", "m", "try"])
def test_a_dated_uri_waits_for_its_foreign_key_to_be_mended(crawl: Make, family: str) -> None:
    c = crawl(retry_scope="uri")
    got = c.claim()
    assert [s.verdict for s in c.frontier.finish([claim.outcome(-2) for claim in got.values()])] == ["retry", "retry"]
    assert c.frontier.stats()["later"] == 2
    c.pass_time(15_000)
    c.plant(c.key(family))
    assert c.claim().keys() == {GOOD_QUEUE}
    c.mend()
    c.finish_all()


@pytest.mark.parametrize("family", ["q", "m"])
def test_a_due_queue_waits_for_its_foreign_key_to_be_mended(crawl: Make, family: str) -> None:
    c = crawl(queue_precedence_policy="highest_uri")
    c.frontier.finish([claim.outcome(-2) for claim in c.claim().values()])
    c.pass_time(15_000)
    c.plant(c.key(family))
    assert c.claim().keys() == {GOOD_QUEUE}
    c.mend()
    c.finish_all()


# -- finish, release, extend --


def outcome(name: str, claim: Claim, frontier: Frontier) -> Any:
    if name == "deferred":
        wanted = frontier.policy.prerequisite(claim.record, claim.uri + "robots.txt")
        return claim.outcome(-50, prerequisite=wanted)
    return claim.outcome({"success": 200, "failure": -8, "retry": -2, "disregard": -5000}[name])


FINISHES = [
    *(("pending", family, name) for family in ("m", "rec") for name in ("success", "failure", "retry", "deferred")),
    *(("pending", family, name) for family in ("q", "try") for name in ("retry", "deferred")),
    *(("keep", family, "success") for family in ("m", "rec", "res")),
]


@pytest.mark.parametrize(("retention", "family", "name"), FINISHES)
def test_finish_refuses_the_outcome_and_takes_the_others(crawl: Make, retention: str, family: str, name: str) -> None:
    c = crawl(retention=retention)
    got = c.claim()
    key = c.plant(c.key(family))
    (alone,) = untouched(c, lambda: c.frontier.finish([outcome(name, got[BAD_QUEUE], c.frontier)]))  # type: ignore[misc]
    assert isinstance(alone, Settled)
    assert alone.answer == "refused"
    assert key in alone.reason
    both = c.frontier.finish([outcome(name, got[BAD_QUEUE], c.frontier), outcome(name, got[GOOD_QUEUE], c.frontier)])
    assert [str(s.answer) for s in both] == ["refused", "ok"]
    c.mend()
    assert c.differences() == []
    (again,) = c.frontier.finish([outcome(name, got[BAD_QUEUE], c.frontier)])
    assert again.verdict == both[1].verdict
    assert c.differences() == []


@pytest.mark.parametrize("queue", [None, "test,elsewhere,"])
@pytest.mark.parametrize("family", ["q", "m"])
def test_release_refuses_it_and_takes_the_others(crawl: Make, family: str, queue: str | None) -> None:
    c = crawl()
    got = c.claim()
    c.plant(c.key(family))
    assert untouched(c, lambda: [str(a) for a in c.frontier.release([got[BAD_QUEUE]], queue=queue)]) == ["refused"]
    assert [str(a) for a in c.frontier.release([got[BAD_QUEUE], got[GOOD_QUEUE]])] == ["refused", "ok"]
    c.mend()
    assert [str(a) for a in c.frontier.release([got[BAD_QUEUE]])] == ["ok"]
    c.finish_all()


# -- operators --


@pytest.mark.parametrize("family", ["q", "m", "rec", "try", "res"])
@pytest.mark.parametrize("stage", ["waiting", "leased", "dated"])
def test_delete_leaves_what_it_cannot_read_and_deletes_the_rest(crawl: Make, family: str, stage: str) -> None:
    c = crawl(retry_scope="uri")
    if stage != "waiting":
        got = c.claim()
        if stage == "dated":
            c.frontier.finish([claim.outcome(-2) for claim in got.values()])
    c.plant(c.key(family))
    ids = [(BAD_QUEUE, str(c.bad_id)), (GOOD_QUEUE, str(c.good_id))]
    (reply,) = c.frontier._driver.ask([c.frontier.session._live.ops.delete(0, "deleted", 0, ids)])  # type: ignore[union-attr]
    assert not isinstance(reply, Exception)
    assert reply[-1] == 1
    c.mend()
    assert c.differences() == []
    stats = c.frontier.stats()
    assert stats["deleted"] == sum(reply[HEAD:])


def test_operators_are_told_the_key(crawl: Make) -> None:
    c = crawl()
    c.frontier.retire(GOOD_QUEUE)
    key = c.plant(c.key("m"))
    acts: list[Callable[[], object]] = [
        lambda: c.frontier.snooze(BAD_QUEUE, 1000),
        lambda: c.frontier.wake(BAD_QUEUE),
        lambda: c.frontier.retire(BAD_QUEUE),
        lambda: c.frontier.unretire(BAD_QUEUE),
        lambda: c.frontier.budget(BAD_QUEUE, 5),
    ]
    for act in acts:
        with pytest.raises(WrongKeyType) as told:
            untouched(c, act)
        assert key in str(told.value)
        assert "doctor" in told.value.remedy
    assert c.frontier.unretire() == 2  # all that can be read: the good one and the filler
    assert c.frontier.wake() == 0
    c.frontier.retire("test,filler,")
    found = {row["queue"]: row for row in c.frontier.queues()}
    assert key in found[BAD_QUEUE]["trouble"]
    assert key in c.frontier.queue(BAD_QUEUE)["trouble"]
    assert found[GOOD_QUEUE]["state"] == "inactive"
    c.mend()
    c.finish_all()


@pytest.mark.parametrize("family", ["rec", "res"])
def test_forget_leaves_a_finished_one_that_it_cannot_clear(crawl: Make, family: str) -> None:
    c = crawl(retention="keep")
    c.frontier.finish([claim.outcome(200) for claim in c.claim().values()])
    key = c.plant(c.key(family))
    (told,) = untouched(c, lambda: c.frontier.forget([BAD]))  # type: ignore[misc]
    assert key in str(told)
    assert c.frontier.forget([GOOD]) == ["forgotten"]
    c.mend()
    assert c.frontier.forget([BAD]) == ["forgotten"]
    assert [str(a.outcome) for a in c.frontier.schedule([BAD, GOOD])] == ["added", "added"]


@pytest.mark.parametrize("family", ["rec", "res", "q", "m"])
def test_a_forced_one_that_is_finished_comes_back_only_when_all_can_be_read(crawl: Make, family: str) -> None:
    c = crawl(retention="keep")
    c.frontier.finish([claim.outcome(200) for claim in c.claim().values()])
    c.plant(c.key(family))
    forced = [Candidate(BAD, force_fetch=True), Candidate(GOOD, force_fetch=True)]
    assert untouched(c, lambda: [str(a.outcome) for a in c.frontier.schedule(forced[:1])]) == ["refused"]
    assert [str(a.outcome) for a in c.frontier.schedule(forced)] == ["refused", "requeued"]
    c.mend()
    assert [str(a.outcome) for a in c.frontier.schedule(forced[:1])] == ["requeued"]
    c.finish_all()


# -- groups and sheets --


@pytest.mark.parametrize("make", [keys.group, keys.group_waiting])
def test_a_group_whose_key_is_foreign_holds_its_queues_and_no_others(crawl: Make, make: Callable[[str, int, str], str]) -> None:
    c = crawl(queue_group="domain")
    got = c.claim()
    key = c.plant(make("c", 0, str(c.frontier.queue(BAD_QUEUE)["group"])))
    assert untouched(c, lambda: [str(s.answer) for s in c.frontier.finish([got[BAD_QUEUE].outcome(200)])]) == ["refused"]
    (new,) = untouched(c, lambda: c.frontier.schedule([BAD + "new"]))  # type: ignore[misc]
    assert key in new.reason
    (other,) = untouched(c, lambda: c.frontier.schedule(["http://www2.bad.test/"]))  # type: ignore[misc]
    assert key in other.reason
    assert [str(s.answer) for s in c.frontier.finish([claim.outcome(200) for claim in got.values()])] == ["refused", "ok"]
    c.pass_time(LEASE_MS + 1)
    c.claim()
    c.mend()
    c.pass_time(LEASE_MS + 1)
    c.finish_all()


def test_a_sheet_whose_key_is_foreign_holds_its_queues_and_no_others(crawl: Make) -> None:
    c = crawl()
    c.frontier.set_sheet(Sheet("s", {"min_delay_ms": 1}, surt_prefixes=("http://(test,sheet,",)))
    first = "http://sheet.test/"
    assert c.frontier.schedule([first])[0].outcome == "added"
    key = c.plant(keys.sheet_values("c", 0, 1))
    (new,) = untouched(c, lambda: c.frontier.schedule([first + "new"]))  # type: ignore[misc]
    assert key in new.reason
    (other,) = untouched(c, lambda: c.frontier.schedule(["http://sheet.test:81/"]))  # type: ignore[misc]
    assert key in other.reason
    assert c.claim().keys() == {BAD_QUEUE, GOOD_QUEUE}
    c.mend()
    c.finish_all()


# -- the index where a fetch ends --


@pytest.mark.parametrize("status", [200, 404, -50, -2])
def test_finish_needs_the_place_where_the_index_notes_the_end(crawl: Make, status: int) -> None:
    c = crawl()
    got = c.claim()
    for claim in got.values():
        claim.record  # noqa: B018  decoded before anything is foreign
    key = c.plant(keys.index_bucket("c", 0, index_place(c, got[BAD_QUEUE], status)))
    outcome_ = outcome("deferred", got[BAD_QUEUE], c.frontier) if status == -50 else got[BAD_QUEUE].outcome(status)
    (alone,) = c.frontier.finish([outcome_])
    if status == -2:  # a retry is still pending: the index has nothing to note
        assert alone.verdict == "retry"
    else:
        assert alone.answer == "refused"
        assert key in alone.reason
    c.mend()
    assert c.differences() == []


def index_place(c: Crawl, claim: Claim, status: int) -> int:
    """The bucket of the URI that the finish notes: its own, or that of its prerequisite."""
    uri = claim.uri + "robots.txt" if status == -50 else claim.uri
    n = {name: int(c.client.hget(keys.of("c", 0, "n"), name) or 0) for name in ("ix_level", "ix_split")}
    number = int.from_bytes(fingerprint(uri)[:4], "big")
    at = number % 2 ** n["ix_level"]
    return at if at >= n["ix_split"] else number % 2 ** (n["ix_level"] + 1)


def test_a_parked_queue_whose_key_is_foreign_keeps_its_turn(crawl: Make) -> None:
    """Of a group one is out and two are parked; the first of these cannot be read when its turn comes."""
    c = crawl(queue_group="domain")
    hosts = ["http://one.group.test/", "http://two.group.test/", "http://three.group.test/"]
    c.frontier.schedule(hosts)
    out = c.claim()
    first = next(queue for queue in out if queue.startswith("test,group,"))
    parked = c.client.zrange(keys.group_waiting("c", 0, str(c.frontier.queue(first)["group"])), 0, -1)
    if len(parked) < 2:  # the others are parked when they are looked at
        c.claim()
        parked = c.client.zrange(keys.group_waiting("c", 0, str(c.frontier.queue(first)["group"])), 0, -1)
    assert len(parked) == 2
    c.plant(keys.queue_state("c", 0, parked[0].decode()))
    c.frontier.finish([out[first].outcome(200, delay_ms=0)])
    (second,) = c.claim().values()
    assert second.queue == parked[1].decode()
    c.mend()
    c.frontier.finish([second.outcome(200, delay_ms=0)])
    (third,) = c.claim().values()
    assert third.queue == parked[0].decode()
    c.frontier.finish([third.outcome(200, delay_ms=0)])
    assert c.frontier.stats()["succeeded"] == 3
    assert c.differences() == []
