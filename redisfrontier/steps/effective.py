"""Which settings hold for one URI or one queue, and where each value comes from: default, crawl, sheet, operator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from redisfrontier.candidates import Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.policy.queueing import basis_uri
from redisfrontier.policy.scope.decision import subject_of
from redisfrontier.policy.sheets import Sheets
from redisfrontier.settings import SPECS, Settings, Value
from redisfrontier.steps.listing import queue as queue_row
from redisfrontier.store.drive import Steps
from redisfrontier.uri.parse import parse
from redisfrontier.uri.surt import candidate_surt


@dataclass(frozen=True, slots=True)
class Effective:
    """The settings under some sheets; `origin` says of each setting: default, crawl, sheet NAME, operator."""

    sheets: tuple[str, ...]
    settings: Settings
    origin: Mapping[str, str]


def of_crawl(sheets: Sheets) -> Effective:
    """What holds where no sheet does."""
    return _under(sheets, (), {})


def of_uri(preparer: Preparer, uri: str, path: str = "", via: str | None = None) -> Effective:
    """What holds for a URI found like this; raises InvalidUri."""
    target, source = parse(uri), parse(via) if via else None
    subject = subject_of(target, path, source)
    basis = basis_uri(target, path, source)
    surt = subject.surt if basis is target else candidate_surt(basis)
    return _under(preparer.sheets, preparer.sheets.names_for(surt, subject), {})


def of_queue(live: Live, name: str) -> Steps[Effective]:
    """What the server works with for a queue: its sheets, and what an operator has set; raises BadArgument."""
    row = yield from queue_row(live, name)
    names = next((tuple(combo.split(" ")) for combo, number in live.combos.items() if number == row.get("sheet", 0)), ())
    own: dict[str, Value] = {}
    if int(row.get("budget", -2)) >= -1:
        own["queue_total_budget"] = int(row["budget"])
    if int(row.get("base", -1)) >= 0:
        own["base_precedence"] = int(row["base"])
    return _under(live.sheets, names, own)


def _under(sheets: Sheets, names: tuple[str, ...], own: Mapping[str, Value]) -> Effective:
    origin = {n: "default" if getattr(sheets.base, n) == spec["default"] else "crawl" for n, spec in SPECS.items()}
    for name in names:
        origin.update(dict.fromkeys(sheets.combination((name,)), f"sheet {name}"))
    origin.update(dict.fromkeys(own, "operator"))
    return Effective(names, sheets.effective(names).changed(own), origin)
