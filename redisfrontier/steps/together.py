"""Finishing and claiming at once: one round trip for both, and one script if they ask the same partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import Ask, Ops, exchanged

A = TypeVar("A")
B = TypeVar("B")


class _Run(Generic[A]):
    """An operation under way: what it asks next (None when it has ended), then its result or its error."""

    def __init__(self, steps: Steps[A]) -> None:
        self._steps = steps
        self.asks: Sequence[Ask] | None = None
        self.result: A | Exception
        self.go_on(None)

    def go_on(self, replies: list[Any] | None) -> None:
        try:
            self.asks = self._steps.send(replies)  # type: ignore[arg-type]
        except StopIteration as end:
            self.asks, self.result = None, end.value
        except Exception as error:
            self.asks, self.result = None, error

    @property
    def pauses(self) -> bool:
        """Does it ask nothing, but wants to go on?"""
        return self.asks is not None and not self.asks


def together(ops: Ops, finish: Steps[A], claim: Steps[B]) -> Steps[tuple[A | Exception, B | Exception]]:
    """The result of each, or its error.  What the finish asks stands before what the claim asks.

    Redis does it first, unless it has lost the script of a finish: then the claims of other partitions come before.
    """
    one, two = _Run(finish), _Run(claim)
    while True:
        while one.pauses or two.pauses:
            replies = yield ()
            for run in (one, two):
                if run.pauses:
                    run.go_on(replies)
        mine, yours = one.asks, two.asks
        if mine is None and yours is None:
            return one.result, two.result
        if mine and yours and _fit(mine, yours):
            (reply,) = yield [ops.exchange(mine[0], yours[0])]
            replies = list(exchanged(reply))
        else:
            replies = yield [*(mine or ()), *(yours or ())]
        if mine is not None:
            one.go_on(replies[: len(mine)])
        if yours is not None:
            two.go_on(replies[len(mine or ()) :])


def _fit(mine: Sequence[Ask], yours: Sequence[Ask]) -> bool:
    """Are they a finish and a claim of one partition, and no more?"""
    if len(mine) != 1 or len(yours) != 1:
        return False
    return mine[0].script == "finish" and yours[0].script == "claim" and mine[0].keys == yours[0].keys
