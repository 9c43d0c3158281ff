"""Runs files of golden vectors: one module a kind, departures told apart from failures."""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import json
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.vectors.departures import departure_of

Case = dict[str, Any]


@dataclass(slots=True)
class Result:
    """What came of one file: `failed` maps ids to what differs, `apart` maps ids to the departure that explains it."""

    kind: str
    passed: int = 0
    failed: dict[str, list[str]] = field(default_factory=dict)
    apart: dict[str, str] = field(default_factory=dict)
    error: str = ""


def files(directory: Path) -> Iterator[tuple[str, Path]]:
    """(kind, path) of every vector file of a directory, plain or gzipped."""
    for path in sorted(directory.iterdir()):
        name = path.name.removesuffix(".gz")
        if name.endswith(".json"):
            yield name.removesuffix(".json"), path


def load(path: Path) -> list[Case]:
    """The cases of one file."""
    raw = path.read_bytes()
    cases: list[Case] = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    return cases


def runner_of(kind: str) -> ModuleType | None:
    """The module that runs a kind, or None if there is none."""
    name = f"tests.vectors.kind_{kind}"
    return importlib.import_module(name) if kind.isidentifier() and importlib.util.find_spec(name) else None


def run_file(kind: str, path: Path) -> Result:
    """Run every case of a file; a crash of a case is a failure of that case."""
    result = Result(kind)
    try:
        module = runner_of(kind)
    except Exception as error:
        result.error = f"its runner cannot be loaded: {type(error).__name__}: {error}"
        return result
    if module is None:
        result.error = f"nothing runs vectors of kind {kind}"
        return result
    if hasattr(module, "setup"):
        module.setup()
    try:
        for case in load(path):
            run_case(module, case, result)
    finally:
        if hasattr(module, "teardown"):
            module.teardown()
    return result


def run_case(module: ModuleType, case: Case, result: Result) -> None:
    """Run one case and file its outcome."""
    try:
        differences = module.run(case)
    except Exception:
        differences = [traceback.format_exc(limit=-3)]
    if not differences:
        result.passed += 1
    elif reason := departure_of(result.kind, case):
        result.apart[case["id"]] = reason
    else:
        result.failed[case["id"]] = differences
