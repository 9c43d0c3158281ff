"""The sync and the asyncio facade offer the same operations, with the same signatures, defaults and words."""

from __future__ import annotations

import inspect
import re

import pytest

from redisfrontier.aio import AsyncFrontier
from redisfrontier.frontier import Frontier

#: Of one facade only: how `with` is spelt.
SYNC_ONLY, ASYNC_ONLY = {"__enter__", "__exit__"}, {"__aenter__", "__aexit__"}


def operations(kind: type) -> set[str]:
    """Public names, and how it is opened and closed."""
    dunders = {"__init__", *SYNC_ONLY, *ASYNC_ONLY}
    return {name for cls in kind.__mro__[:-1] for name in vars(cls) if not name.startswith("_") or name in dunders}


def test_both_offer_the_same_operations() -> None:
    assert operations(Frontier) - SYNC_ONLY == operations(AsyncFrontier) - ASYNC_ONLY
    assert len(operations(Frontier)) > 35
    assert operations(Frontier) >= SYNC_ONLY
    assert operations(AsyncFrontier) >= ASYNC_ONLY


def parameters(kind: type, name: str) -> list[tuple[str, object, object, str]]:
    """Names, kinds, defaults and types of an operation's parameters."""
    found = inspect.signature(getattr(kind, name)).parameters.values()
    return [(p.name, p.kind, p.default, str(p.annotation).replace("AsyncClient", "SyncClient")) for p in found]


def called(kind: type) -> list[str]:
    return sorted(name for name in operations(kind) if callable(getattr(kind, name)))


@pytest.mark.parametrize("name", sorted(set(called(Frontier)) - SYNC_ONLY))
def test_an_operation_is_called_alike_in_both(name: str) -> None:
    assert parameters(Frontier, name) == parameters(AsyncFrontier, name)


def returned(kind: type, name: str) -> str:
    """What it answers with; an iterator counts as an iterator of either kind."""
    text = str(inspect.signature(getattr(kind, name)).return_annotation)
    return re.sub(r"\bAsyncIterator\b", "Iterator", text)


@pytest.mark.parametrize("name", sorted(set(called(Frontier)) - SYNC_ONLY - {"__init__"}))
def test_an_operation_answers_alike_in_both_and_only_one_is_awaited(name: str) -> None:
    assert returned(Frontier, name) == returned(AsyncFrontier, name)
    one, other = getattr(Frontier, name), getattr(AsyncFrontier, name)
    assert not inspect.iscoroutinefunction(one)
    assert inspect.iscoroutinefunction(other) or inspect.isasyncgenfunction(other) == inspect.isgeneratorfunction(one)


@pytest.mark.parametrize("name", sorted((operations(Frontier) - SYNC_ONLY) | {"policy"}))
def test_an_operation_is_described_alike_in_both(name: str) -> None:
    words = [(getattr(kind, name).__doc__ or "").strip() for kind in (Frontier, AsyncFrontier)]
    assert all(words)
    assert words[0] == words[1] or {"As", "The same"} & {" ".join(words[1].split()[:n]) for n in (1, 2)}
