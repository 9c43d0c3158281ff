"""Taking in what another crawler knows of URIs: waiting, waiting for a date, or finished; with their last results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.record.outcome import Admission
from redisfrontier.record.record import Candidate
from redisfrontier.steps.inspect import replies_of
from redisfrontier.steps.schedule import combine
from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import HEAD, head, text

#: At 15-25 µs a URI, a call of this many holds Redis for some 8 ms.
URIS_PER_CALL = 300
_ANSWERS = {".": "finished", "=": "known", "!": "refused"}


@dataclass(frozen=True, slots=True)
class Known:
    """One URI as another crawler left it."""

    candidate: Candidate
    due_ms: int | None
    """From when on it is fetched; the past: at once; None: never, it is finished."""
    verdict: str = "succeeded"
    """How a finished one ended: succeeded or failed."""
    result: str = ""
    """Its last fetch, as stored in res: (design §2); used where the crawl keeps finished records."""


def adopt(live: Live, preparer: Preparer, uris: Iterable[Known]) -> Steps[list[tuple[str, str]]]:
    """Per URI, in order: (waiting, dated, finished, known, refused, invalid or out_of_scope; id or reason)."""
    answers: list[tuple[str, str]] = []
    parts: dict[int, list[tuple[int, Known, Prepared]]] = defaultdict(list)
    for known in uris:
        prepared = preparer.prepare(known.candidate)
        if isinstance(prepared, Admission):
            answers.append((prepared.outcome.value, prepared.reason))
        else:
            parts[prepared.partition].append((len(answers), known, prepared))
            answers.append(("", ""))
    yield from combine(live, {u.sheets for part in parts.values() for _, _, u in part if u.sheets})
    calls = [(p, part[i : i + URIS_PER_CALL]) for p, part in parts.items() for i in range(0, len(part), URIS_PER_CALL)]
    for p, part in calls:
        (reply,) = yield from replies_of([live.ops.adopt(p, [_offered(live, known, u) for _, known, u in part])])
        now = head(reply).now_ms
        live.heard(head(reply))
        for (at, known, _), answer in zip(part, reply[HEAD:], strict=True):
            answers[at] = _answer(p, known, now, text(answer))
    return answers


def _offered(live: Live, known: Known, u: Prepared) -> tuple[Prepared, int, int | None, str, str]:
    return u, live.combos[" ".join(u.sheets)] if u.sheets else 0, known.due_ms, known.verdict, known.result


def _answer(p: int, known: Known, now: int, answer: str) -> tuple[str, str]:
    kind, rest = answer[:1], answer[1:]
    if kind == "+":
        return ("dated" if (known.due_ms or 0) > now else "waiting"), f"{p}:{rest}"
    return _ANSWERS.get(kind, "refused"), rest
