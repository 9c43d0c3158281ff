"""Real pages from what every Python has: pydoc's manuals, the standard library's source, and installed packages taken apart."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import pydoc
import re
import sys
import sysconfig
from functools import lru_cache
from html import escape
from importlib.util import find_spec
from pathlib import Path

from tests.sites.page import Page, Site, html, links

#: Importing these does something (opens a browser, prints, needs a display or another system).
_LEFT_ALONE = re.compile(
    r"^(_.*|antigravity|this|idlelib|turtle.*|tkinter|lib2to3|test|msilib|winreg|winsound|msvcrt|nt|ensurepip|.*\.__main__)(\.|$)"
)
_PACKAGES = (
    "asyncio collections concurrent email html http importlib json logging multiprocessing os unittest urllib wsgiref xml xmlrpc zoneinfo"
)


@lru_cache(1)
def documented_modules() -> tuple[str, ...]:
    """Names of modules whose manual can be shown."""
    names = [n for n in sorted(sys.stdlib_module_names) if not _LEFT_ALONE.match(n) and find_spec(n) is not None]
    for package in _PACKAGES.split():
        path = getattr(importlib.import_module(package), "__path__", [])
        names += [m.name for m in pkgutil.iter_modules(path, package + ".") if not _LEFT_ALONE.match(m.name)]
    return tuple(n for n in names if not any(part.startswith("_") for part in n.split(".")) and "windows" not in n and "win32" not in n)


def pydoc_site(limit: int | None = None) -> Site:
    """`/<module>.html`: what `pydoc -w` writes, links to its neighbours and to file: included."""
    names = documented_modules()[:limit]

    def site(path: str) -> Page | None:
        if path == "/":
            return html("Python's modules", links((f"{n}.html", n) for n in names))
        name = path.removeprefix("/").removesuffix(".html")
        return _manual(name) if name in names else None

    return site


@lru_cache(maxsize=2000)
def _manual(name: str) -> Page | None:
    try:
        module = importlib.import_module(name)
        return Page(pydoc.html.page(pydoc.describe(module), pydoc.html.document(module, name)))
    except Exception:  # modules for other systems, odd objects in modules: no manual then
        return None


def source_site(limit: int | None = None) -> Site:
    """The standard library's source tree: a page a directory, a page a file, imports linked."""
    root = Path(sysconfig.get_paths()["stdlib"])
    skip = {"test", "tests", "idlelib", "site-packages", "dist-packages", "lib2to3", "__pycache__", "turtledemo", "tkinter"}
    files = sorted(p.relative_to(root) for p in root.rglob("*.py") if not skip & set(p.relative_to(root).parts))[:limit]
    known = frozenset(f.as_posix() for f in files)
    folders = {p.as_posix() for f in files for p in f.parents}

    def site(path: str) -> Page | None:
        name = path.strip("/") or "."
        if name in folders:
            inside = sorted({_child(f.as_posix(), name) for f in files} - {""})
            return html(f"Lib/{name}", links((f"/{c}", c) for c in inside))
        return _source(root / name, known) if name in known else None

    return site


def _child(file: str, folder: str) -> str:
    """The file itself, or the sub-folder it lies in (with a closing slash), seen from `folder`; '' when elsewhere."""
    prefix = "" if folder == "." else folder + "/"
    if not file.startswith(prefix):
        return ""
    first, slash, _ = file[len(prefix) :].partition("/")
    return prefix + first + slash


@lru_cache(maxsize=5000)
def _source(path: Path, known: frozenset[str]) -> Page:
    raw = path.read_text("utf-8", "replace")
    targets = {m.group(1).replace(".", "/") + ".py" for m in re.finditer(r"^\s*(?:import|from)\s+([A-Za-z0-9_.]+)", raw, re.MULTILINE)}
    there = sorted(t for t in targets if t in known)
    return html(path.name, links((f"/{t}", t) for t in there), '<p><a href="./">up</a></p>', f"<pre>{escape(raw)}</pre>")


def package_site(package: str, limit: int | None = None) -> Site:
    """A documentation tree of an installed package: `/<module>/` with its classes and functions, `/<module>/<name>.html` each."""
    tree = _taken_apart(package, limit)

    def site(path: str) -> Page | None:
        if path == "/":
            return html(package, links((f"{module}/", module) for module in tree))
        module, _, name = path.removeprefix("/").partition("/")
        if module not in tree or (name and not name.endswith(".html")):
            return None
        members = tree[module]
        if not name:
            return html(module, '<link rel="next" href="../">', links((f"{n}.html", n) for n in members))
        source = members.get(name.removesuffix(".html"))
        if source is None:
            return None
        there = [(f"{n}.html", n) for n in members if re.search(rf"\b{re.escape(n)}\b", source)]
        return html(f"{module}.{name}", '<p><a href="./">up</a> <a href="/">top</a></p>', links(there), f"<pre>{escape(source)}</pre>")

    return site


def _taken_apart(package: str, limit: int | None) -> dict[str, dict[str, str]]:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise LookupError(package)
    root = Path(spec.submodule_search_locations[0])
    tree: dict[str, dict[str, str]] = {}
    for path in sorted(root.rglob("*.py"))[:limit]:
        source = path.read_text("utf-8", "replace")
        module = ".".join(path.relative_to(root.parent).with_suffix("").parts)
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        lines = source.splitlines()
        found = [n for n in ast.parse(source).body if isinstance(n, kinds)]
        tree[module] = {n.name: "\n".join(lines[n.lineno - 1 : n.end_lineno]) for n in found}
    return tree
