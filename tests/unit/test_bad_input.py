"""Bad input: each bad thing is refused singly, by a reason or a clear error that says what to do, and the rest goes on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier import errors
from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.errors import RecordError, SettingError
from redisfrontier.record.codec import decode, encode, updated
from redisfrontier.record.outcome import Admission, Admitted
from redisfrontier.record.record import Candidate
from redisfrontier.settings import SPECS, Settings, checked

PREPARER = Preparer(Settings())
GOOD = "http://good.example/"


class Odd(str):
    """A text that is not quite one."""

    __slots__ = ()

    def encode(self, *_: object, **__: object) -> bytes:
        raise ValueError("odd")


#: What is offered, how it is answered, why.
URIS: list[tuple[object, str, str]] = [
    ("", "invalid", "blank"),
    ("   ", "invalid", "blank"),
    ("http://", "invalid", "no_host"),
    ("http://?q", "invalid", "no_host"),
    ("http:/feeds/xml/latest.xml", "invalid", "no_host"),
    ("www.example.com/no/scheme", "invalid", "no_scheme"),
    ("//example.com/", "invalid", "no_scheme"),
    ("/only/a/path", "invalid", "no_scheme"),
    ("1http://a.example/", "invalid", ""),
    ("ht tp://a.example/", "invalid", ""),
    ("http://a.example:99999/", "invalid", "bad_port"),
    ("http://a.example:port/", "invalid", "bad_port"),
    ("http://a b.example/", "invalid", ""),
    ("http://[::1/", "invalid", ""),
    ("http://a.example/\x00", "invalid", "control_character"),
    ("http://a.example/\x07bell", "", ""),
    ("http://a.example/" + "x" * 65_536, "invalid", "too_long"),
    ("http://" + "x" * 70_000, "invalid", ""),
    (None, "invalid", "not_a_string"),
    (17, "invalid", "not_a_string"),
    (b"http://a.example/", "invalid", "not_a_string"),
    ([GOOD], "invalid", "not_a_string"),
    (math.nan, "invalid", "not_a_string"),
    (object(), "invalid", "not_a_string"),
    (Candidate(None), "invalid", "not_a_string"),  # type: ignore[arg-type]
    (Candidate(GOOD, path="L" * 100_000), "", ""),
    (Candidate(GOOD, path="l?"), "refused", ""),
    (Candidate(GOOD, queue="no blanks here"), "", ""),
    (Candidate(GOOD, queue="x" * 10_000), "", ""),
    (Candidate(GOOD, directive=9), "refused", ""),
    (Candidate(GOOD, directive="high"), "refused", ""),  # type: ignore[arg-type]
    (Candidate(GOOD, precedence="first"), "refused", ""),  # type: ignore[arg-type]
    (Candidate(GOOD, cost=math.inf), "refused", ""),  # type: ignore[arg-type]
    (Candidate(GOOD, via=5), "refused", ""),  # type: ignore[arg-type]
    (Candidate(GOOD, metadata={"k": object()}), "refused", ""),  # type: ignore[dict-item]
    (Candidate(GOOD, metadata={"k": "x" * 100_000}), "refused", "record_too_large"),
    (Candidate(GOOD, metadata=[1]), "refused", ""),  # type: ignore[arg-type]
    (Candidate(GOOD, heritable={5: "x"}), "refused", "bad_metadata"),
    (Candidate(GOOD, metadata={"k": {5: "x"}}), "refused", "bad_metadata"),  # type: ignore[dict-item]
    (Candidate(GOOD, metadata={"k": [b"x"]}), "refused", "bad_metadata"),  # type: ignore[dict-item]
    (Candidate(GOOD, metadata={"k": 2**70}), "refused", ""),
    (Candidate(GOOD, metadata={"k": "\ud800"}), "refused", ""),  # type: ignore[dict-item]
    (Candidate(GOOD, source_tag="t" * 100_000), "refused", ""),
    (Candidate(GOOD, dedup_key=b"bytes"), "refused", ""),  # type: ignore[arg-type]
    ("http://a.example/\ud800", "", ""),
    (Candidate(GOOD, via_context="\udfff"), "", ""),
    (Odd(GOOD), "", ""),
]


def raised(kind: type[errors.FrontierError], call: Callable[[], object]) -> errors.FrontierError | None:
    """The error of that kind, if any; one of another kind fails the test."""
    try:
        call()
    except kind as error:
        return error
    return None


def _named(case: object) -> str:
    return repr(case)[:50].encode("ascii", "replace").decode()


@pytest.mark.parametrize(("offered", "outcome", "why"), URIS, ids=_named)
def test_each_bad_uri_is_refused_by_itself_with_a_reason(offered: Any, outcome: str, why: str) -> None:
    answers = [PREPARER.prepare(c) for c in (GOOD, offered, GOOD)]
    assert isinstance(answers[0], Prepared)
    assert isinstance(answers[2], Prepared)
    answer = answers[1]
    if outcome or isinstance(answer, Admission):
        assert isinstance(answer, Admission)
        assert answer.outcome in (Admitted.INVALID, Admitted.REFUSED)
        assert answer.reason
        assert outcome in ("", answer.outcome)
        assert why in answer.reason
        assert len(answer.reason) <= 300
        assert len(answer.uri) <= 300
        assert answer.fetch_status < 0
    else:
        decode(answer.record)


@pytest.mark.parametrize(
    "raw", ["http://e.com/100%", "http://e.com/?s=ni%u011fde", "http://e.com/%zz", "http://e.com/%E9", "http://e.com/%"]
)
def test_bad_escapes_are_kept_as_they_are(raw: str) -> None:
    answer = PREPARER.prepare(raw)
    assert isinstance(answer, Prepared)
    assert answer.uri == raw


ANYTHING = st.one_of(
    st.text(max_size=60),
    st.text(max_size=40).map("http://a.example/".__add__),
    st.text(max_size=20).map("http://".__add__),
    st.binary(max_size=20),
    st.integers(),
    st.floats(),
    st.none(),
    st.builds(
        Candidate,
        st.one_of(st.text(max_size=30), st.none()),
        path=st.one_of(st.text(max_size=5), st.integers()),
        via=st.one_of(st.none(), st.text(max_size=20), st.integers()),
        queue=st.one_of(st.none(), st.text(max_size=20), st.binary(max_size=3)),
        directive=st.one_of(st.none(), st.integers(), st.text(max_size=2)),
        precedence=st.one_of(st.none(), st.integers(), st.floats()),
        cost=st.one_of(st.none(), st.integers(), st.floats()),
        source_tag=st.one_of(st.none(), st.text(max_size=5), st.integers()),
        dedup_key=st.one_of(st.none(), st.text(max_size=5), st.binary(max_size=3)),
        metadata=st.one_of(st.dictionaries(st.text(max_size=3), st.text(max_size=3)), st.integers(), st.none()),
    ),
)


@given(ANYTHING)
def test_nothing_that_is_offered_raises(offered: Any) -> None:
    answer = PREPARER.prepare(offered)
    if isinstance(answer, Admission):
        assert answer.reason
        answer.uri.encode()  # can be printed and sent
        answer.reason.encode()
    else:
        assert decode(answer.record).uri == answer.uri
        assert " " not in answer.queue
        assert 0 < len(answer.queue.encode()) <= 255


# -- settings --

WRONG: list[tuple[str, object, str]] = [
    ("max_retires", 3, "did you mean 'max_retries'"),
    ("no_such_thing_at_all", 3, "settings ls"),
    ("max_retries", 0, "attempts"),
    ("max_retries", 10_001, "attempts"),
    ("max_retries", "many", "attempts"),
    ("max_retries", 1.5, "attempts"),
    ("max_retries", True, "attempts"),
    ("max_retries", None, "attempts"),
    ("max_retries", [3], "attempts"),
    ("delay_factor", math.nan, "politeness"),
    ("delay_factor", "inf", "politeness"),
    ("delay_factor", -1, "politeness"),
    ("min_delay_ms", -1, "politeness"),
    ("lease_ms", 10, "claim"),
    ("precedence_floor", 257, "precedence"),
    ("soft_memory_percent", 0, "maxmemory"),
    ("false_positive_rate", 0, "Bloom"),
    ("uniqueness", "perhaps", "bitfield"),
    ("uniqueness", 3, "known again"),
    ("retry_scope", "host", "queue, uri"),
    ("recovery_log_enabled", "maybe", "frontier.recover.gz"),
    ("max_retries", "1" * 5000, "attempts"),
]


@pytest.mark.parametrize(("name", "value", "remedy"), WRONG, ids=_named)
def test_a_wrong_setting_is_named_with_what_is_allowed(name: str, value: object, remedy: str) -> None:
    with pytest.raises(SettingError, match=name) as caught:
        checked(name, value)
    assert remedy in caught.value.remedy
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if spec["low"] is not None or spec["high"] is not None])
def test_the_range_of_every_setting_ends_where_it_says(name: str) -> None:
    spec = SPECS[name]
    for bound, beyond in ((spec["low"], -1), (spec["high"], 1)):
        if bound is not None:
            assert checked(name, bound) == bound
            with pytest.raises(SettingError, match=f"{name}.*out of range"):
                checked(name, bound + beyond)


@given(
    st.sampled_from(sorted(SPECS)),
    st.one_of(st.text(max_size=20), st.integers(), st.floats(), st.none(), st.lists(st.text(max_size=3)), st.binary()),
)
def test_no_value_of_a_setting_raises_anything_else(name: str, value: object) -> None:
    told = raised(SettingError, lambda: Settings().changed({name: value}))
    assert told is None or (name in str(told) and told.remedy)


# -- records --

RECORD = encode(Candidate(GOOD), uri=GOOD, canonical=GOOD, fingerprint=b"12345678", cost=1, directive=3, precedence=1)


def test_a_record_of_a_newer_schema_says_so_first_of_all() -> None:
    fingerprint, cost, _ = msgpack.unpackb(RECORD)
    for m in ({"n": 2, "u": GOOD}, {"n": 2}, {"n": 99, "u": 5, "v": [1, 2, 3]}):
        packed = msgpack.packb([fingerprint, cost, m])
        for read in (decode, lambda packed: updated(packed, {"k": "v"})):
            with pytest.raises(RecordError, match="schema") as caught:
                read(packed)
            assert caught.value.remedy == "upgrade redisfrontier"


def _spoilt(m: Mapping[str, Any]) -> bytes:
    fingerprint, cost, usual = msgpack.unpackb(RECORD)
    return msgpack.packb([fingerprint, cost, usual | m])


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\xc1",
        b"\x93",
        b"\xde" * 20,
        RECORD[:-1],
        RECORD + b"\x00",
        msgpack.packb(None),
        msgpack.packb([b"12345678", 1]),
        msgpack.packb([b"1234567", 1, {"u": GOOD}]),
        msgpack.packb(["12345678", 1, {"u": GOOD}]),
        msgpack.packb([b"12345678", "1", {"u": GOOD}]),
        msgpack.packb([b"12345678", 1, [GOOD]]),
        msgpack.packb([b"12345678", 1, {}]),
        _spoilt({"u": b"bytes"}),
        _spoilt({"n": "one"}),
        _spoilt({"v": [1, "a", 3]}),
        _spoilt({"v": ["a", "b"]}),
        b"\x91" * 5000,
    ],
    ids=_named,
)
def test_what_is_no_record_is_told(packed: bytes) -> None:
    with pytest.raises(RecordError) as caught:
        decode(packed)
    assert caught.value.remedy


@given(
    st.one_of(
        st.binary(max_size=60),
        st.tuples(st.integers(0, len(RECORD) - 1), st.integers(0, 255)).map(
            lambda at: RECORD[: at[0]] + bytes([at[1]]) + RECORD[at[0] + 1 :]
        ),
    )
)
def test_no_bytes_raise_anything_but_a_record_error(packed: bytes) -> None:
    told = raised(RecordError, lambda: decode(packed))
    assert told is None or told.remedy


# -- errors --


@pytest.mark.parametrize(
    "kind", [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.FrontierError)]
)
def test_every_error_has_words_of_its_own(kind: type[errors.FrontierError]) -> None:
    error = kind("no_host") if kind is errors.InvalidUri else kind()
    assert str(error).strip()
    assert kind.__doc__
