"""Scheduling: raw links to prepared ones, cut into calls small enough to hold Redis only briefly, and the answers in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.errors import FrontierError
from redisfrontier.record.outcome import Admission, Admitted
from redisfrontier.record.record import Candidate
from redisfrontier.settings import SERVER, as_text
from redisfrontier.steps.inspect import replies_of
from redisfrontier.store import crawl_ops
from redisfrontier.store.drive import Steps, refuse, translated
from redisfrontier.store.ops import HEAD, Ask, head, text

#: At 10-20 µs a URI, a call of this many holds Redis for some 4 ms, and on a machine with much else to do for less than 20.
URIS_PER_CALL = 250
#: A call does not carry more than this, for long records.
BYTES_PER_CALL = 1_000_000
#: Calls sent in one pipeline; others get their turn between them.
CALLS_AT_ONCE = 16
#: URIs prepared, at some 15 µs each, before other tasks of an event loop get their turn: while Redis waits for them it does nothing.
PREPARED_AT_ONCE = 32

_Placed = tuple[int, Prepared]


def schedule(
    live: Live, preparer: Preparer, uris: Iterable[str | Candidate], first: Callable[[], Steps[None]] = lambda: _nothing()
) -> Steps[list[Admission]]:
    """One admission an input, in order; `first` runs when all are prepared and none is scheduled.

    Raises Full or WrongState when the server refused all that was offered."""
    answers: list[Admission | None] = []
    placed: list[list[_Placed]] = [[] for _ in range(live.partitions)]
    for raw in uris:
        prepared = preparer.prepare(raw)
        if isinstance(prepared, Admission):
            answers.append(prepared)
        else:
            placed[prepared.partition].append((len(answers), prepared))
            answers.append(None)
        if len(answers) % PREPARED_AT_ONCE == 0:
            yield ()
    yield from first()
    yield from combine(live, {p.sheets for part in placed for _, p in part if p.sheets})
    calls = [(partition, chunk) for partition, part in enumerate(placed) for chunk in _chunks(part)]
    refused: list[Exception] = []
    for start in range(0, len(calls), CALLS_AT_ONCE):
        batch = calls[start : start + CALLS_AT_ONCE]
        replies = yield [_ask(live, partition, chunk) for partition, chunk in batch]
        for (partition, chunk), reply in zip(batch, replies, strict=True):
            _read(live, partition, chunk, reply, answers, refused)
    if refused and len(refused) == len(calls):
        refuse(refused[0])
    return answers  # type: ignore[return-value]  # every None was answered by _read


def _nothing() -> Steps[None]:
    yield from ()


def combine(live: Live, wanted: Iterable[tuple[str, ...]]) -> Steps[None]:
    """Number the combinations of sheets that are new, and give every partition their merged values."""
    for names in wanted:
        key = " ".join(names)
        if key in live.combos:
            continue
        (reply,) = yield from replies_of([crawl_ops.combine(live.name, key)])
        number, known = int(reply[0]), bool(reply[1])
        if not known:
            values = [(n, as_text(v)) for n, v in live.sheets.combination(names).items() if n in SERVER]
            yield from replies_of([live.ops.configure(p, live.seen_version, number, values) for p in range(live.partitions)])
            (reply,) = yield from replies_of([crawl_ops.combine(live.name, key, number)])
        live.combos[key] = int(reply[0])


def _chunks(part: Sequence[_Placed]) -> Iterator[list[_Placed]]:
    chunk: list[_Placed] = []
    size = 0
    for placed in part:
        if len(chunk) == URIS_PER_CALL or size > BYTES_PER_CALL:
            yield chunk
            chunk, size = [], 0
        chunk.append(placed)
        size += len(placed[1].record)
    if chunk:
        yield chunk


def _ask(live: Live, partition: int, chunk: Iterable[_Placed]) -> Ask:
    combos = live.combos
    return live.ops.schedule(partition, ((u, combos[" ".join(u.sheets)] if u.sheets else 0) for _, u in chunk))


def _read(
    live: Live, partition: int, chunk: Sequence[_Placed], reply: Any, answers: list[Admission | None], refused: list[Exception]
) -> None:
    if isinstance(reply, Exception):
        refused.append(reply)
        known = translated(reply)
        if not isinstance(known, FrontierError):
            refuse(known)
        for at, u in chunk:
            answers[at] = Admission(u.uri, Admitted.REFUSED, str(known))
        return
    live.heard(head(reply))
    for (at, u), answer in zip(chunk, reply[HEAD:], strict=True):
        answers[at] = _admission(partition, u.uri, text(answer))


def _admission(partition: int, uri: str, answer: str) -> Admission:
    kind, rest = answer[0], answer[1:]
    if kind == "+":
        return Admission(uri, Admitted.ADDED, id=f"{partition}:{rest}")
    if kind == "=":
        return Admission(uri, Admitted.KNOWN, rest)
    if kind == "*":
        return Admission(uri, Admitted.REQUEUED, id=f"{partition}:{rest}")
    return Admission(uri, Admitted.REFUSED, rest)
