"""Noting URIs that an earlier crawl has fetched: finished from now on, their cost charged (Heritrix' considerIncluded, §1.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.record.outcome import Admission, Admitted
from redisfrontier.record.record import Candidate
from redisfrontier.steps.inspect import replies_of
from redisfrontier.steps.schedule import URIS_PER_CALL, combine
from redisfrontier.steps.show import free_of_scope
from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import HEAD, text

_Placed = tuple[int, Prepared]


def include(live: Live, preparer: Preparer, uris: Iterable[str | Candidate]) -> Steps[list[Admission]]:
    """One admission an input, in order: ADDED for one that was new, KNOWN, INVALID or REFUSED; the scope is not asked."""
    answers: list[Admission | None] = []
    placed: list[list[_Placed]] = [[] for _ in range(live.partitions)]
    free = free_of_scope(preparer)
    for raw in uris:
        prepared = free.prepare(raw)
        if isinstance(prepared, Admission):
            answers.append(prepared)
        else:
            placed[prepared.partition].append((len(answers), prepared))
            answers.append(None)
    yield from combine(live, {p.sheets for part in placed for _, p in part if p.sheets})
    for partition, chunk in _chunks(placed):
        (reply,) = yield from replies_of([live.ops.include(partition, _offers(live, chunk))])
        for (at, u), answer in zip(chunk, reply[HEAD:], strict=True):
            answers[at] = _admission(u.uri, text(answer))
    return answers  # type: ignore[return-value]  # every None was answered above


def _chunks(placed: list[list[_Placed]]) -> Iterator[tuple[int, list[_Placed]]]:
    for partition, part in enumerate(placed):
        for i in range(0, len(part), URIS_PER_CALL):
            yield partition, part[i : i + URIS_PER_CALL]


def _offers(live: Live, chunk: Iterable[_Placed]) -> Iterator[tuple[Prepared, int]]:
    for _, u in chunk:
        yield u, live.combos[" ".join(u.sheets)] if u.sheets else 0


def _admission(uri: str, answer: str) -> Admission:
    if answer == "included":
        return Admission(uri, Admitted.ADDED)
    return Admission(uri, Admitted.KNOWN if answer[0] == "=" else Admitted.REFUSED, answer[1:])
