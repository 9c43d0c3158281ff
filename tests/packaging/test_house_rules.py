"""The house rules that no linter knows: sizes, a sentence for every module, names, and what the root must hold."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

LIBRARY = sorted((ROOT / "redisfrontier").rglob("*.py"))
COMMANDS = sorted((ROOT / "cli").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MODULE_LINES, COMMAND_LINES, TEST_LINES, FUNCTION_LINES = 300, 200, 500, 30
#: Names that say nothing about a module's job.
BANNED = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}


def called(path: Path) -> str:
    return str(path.relative_to(ROOT))


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


@pytest.mark.parametrize(
    ("paths", "limit"), [(LIBRARY, MODULE_LINES), (COMMANDS, COMMAND_LINES), (TESTS, TEST_LINES)], ids=["modules", "commands", "tests"]
)
def test_files_stay_small(paths, limit) -> None:
    assert {called(path): size for path in paths if (size := lines_of(path)) > limit} == {}


def functions(path: Path) -> list[tuple[str, int]]:
    """Each function of a file with the lines from its signature to its end, its docstring left out."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            doc = node.body[0]
            is_doc = isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant) and isinstance(doc.value.value, str)
            prose = (doc.end_lineno or 0) - doc.lineno + 1 if is_doc else 0
            found.append((f"{called(path)}:{node.lineno} {node.name}", (node.end_lineno or 0) - node.lineno + 1 - prose))
    return found


def test_functions_stay_small() -> None:
    sizes = [function for path in LIBRARY + COMMANDS for function in functions(path)]
    assert {name: size for name, size in sizes if size > FUNCTION_LINES} == {}
    assert len(sizes) > 100


def test_every_module_says_its_job_first() -> None:
    trees = {called(path): ast.parse(path.read_text()) for path in LIBRARY + COMMANDS}
    assert [name for name, tree in trees.items() if not ast.get_docstring(tree)] == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [called(path) for path in LIBRARY + COMMANDS if path.stem in BANNED] == []


@pytest.mark.parametrize(
    "name", ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "deploy/redis.conf", ".ci/run"]
)
def test_the_root_holds_what_a_newcomer_looks_for(name) -> None:
    assert (ROOT / name).stat().st_size > 100


def test_the_changelog_has_an_unreleased_head() -> None:
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text()


def test_the_compose_file_uses_the_same_server_settings() -> None:
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    assert any("./redis.conf:" in volume for volume in services["redis"]["volumes"])
    assert services["worker"]["depends_on"]["redis"]["condition"] == "service_healthy"


def test_every_value_of_the_server_settings_has_a_reason() -> None:
    """A value stands under a comment, or under another value of the same comment."""
    block_has_reason = False
    for line in (ROOT / "deploy" / "redis.conf").read_text().splitlines():
        if not line.strip() or line.startswith("# --"):
            block_has_reason = False
        elif line.startswith("#"):
            block_has_reason = True
        else:
            assert block_has_reason, line
