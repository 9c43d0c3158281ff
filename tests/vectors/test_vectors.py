"""Every vector file kept here passes, but for the listed departures; the runner itself tells failures from departures."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.vectors import __main__ as command
from tests.vectors import departures
from tests.vectors.runner import Result, files, run_case, run_file

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(("kind", "path"), list(files(DATA)), ids=lambda value: value if isinstance(value, str) else "")
def test_vectors(kind: str, path: Path) -> None:
    result = run_file(kind, path)
    assert not result.error
    assert not result.failed
    assert result.passed > 0


def test_departures_are_told_once_and_with_a_reason() -> None:
    names = [d.name for d in departures.DEPARTURES]
    assert len(names) == len(set(names))
    assert all(len(d.reason) > 20 for d in departures.DEPARTURES)


def test_a_difference_without_a_departure_is_a_failure() -> None:
    result = Result("uuri")
    wrong = SimpleNamespace(run=lambda case: ["differs"])
    crash = SimpleNamespace(run=lambda case: case["nothing"])
    run_case(wrong, {"id": "a", "in": {"uri": "http://a.example/"}, "out": {"uri": "x"}}, result)
    run_case(crash, {"id": "b", "in": {"uri": "http://a.example/"}, "out": {"uri": "x"}}, result)
    run_case(wrong, {"id": "c", "in": {"uri": "http://[::1]/"}, "out": {"rejected": True}, "defect": True, "a11": [21]}, result)
    run_case(wrong, {"id": "d", "in": {"uri": "http://1.2.3/"}, "out": {"uri": "http://1.2.3/"}}, result)
    assert set(result.failed) == {"a", "b"}
    assert "KeyError" in result.failed["b"][0]
    assert result.apart == {"c": "defect §11: 21", "d": "ipv4-forms"}


def test_the_command_prints_counts_and_failing_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = {"id": "uuri-1", "in": {"uri": "HTTP://A.example"}, "out": {"uri": "http://a.example/", "escaped": "http://a.example/"}}
    bad = {"id": "uuri-2", "in": {"uri": "http://a.example/b"}, "out": {"rejected": True}}
    (tmp_path / "uuri.json").write_text(json.dumps([good, bad]))
    assert command.main([str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert "uuri: passed 1 failed 1" in shown
    assert "uuri-2" in shown
    (tmp_path / "uuri.json").write_text(json.dumps([good]))
    assert command.main([str(tmp_path), "uuri"]) == 0
    assert command.main([str(tmp_path / "none")]) == 2
    (tmp_path / "unknown_kind.json").write_text("[]")
    assert command.main([str(tmp_path)]) == 1
