"""What a facade knows of its crawl: settings, scope, sheets and how candidates are prepared; read anew when the version moves."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from redisfrontier.errors import NoCrawl, SchemaMismatch
from redisfrontier.policy.sheets import Sheet, Sheets
from redisfrontier.settings import Settings, from_text
from redisfrontier.store import crawl_ops
from redisfrontier.store.drive import refuse
from redisfrontier.store.ops import Ask, Head, Ops, text, texts

#: Layout of the keys; another number is another layout.
SCHEMA = 1
#: How many SURT prefixes are read at a time.
PAGE = 10_000


@dataclass(slots=True)
class Live:
    """One crawl as this process sees it; `version` grows with every change that anyone makes."""

    name: str
    partitions: int
    version: int
    run_state: str
    settings: Settings
    metadata: Mapping[str, str]
    scope_rules: tuple[Mapping[str, Any], ...]
    canonicalization: tuple[Any, ...]
    sheets: Sheets
    surts: tuple[str, ...]
    """Lines "+prefix" and "-prefix": what seeds and SURT directives add to the scope."""
    combos: dict[str, int] = field(default_factory=dict)
    seen_version: int = 0
    """The newest version that a reply has told."""
    behind: frozenset[int] = frozenset()
    """Older versions that replies have told, and that were looked into: of partitions which a change has not reached."""
    gone_back: bool = False
    """Has a reply told an older version that is not among them? So does a server that was restored from an older state."""

    @property
    def ops(self) -> Ops:
        """The ops of this crawl."""
        return Ops(self.name)

    @property
    def stale(self) -> bool:
        """Has anyone changed the crawl since this was read?"""
        return self.gone_back or self.seen_version > self.version

    def heard(self, head: Head) -> None:
        """Note what a reply tells of version and run state."""
        self.seen_version = max(self.seen_version, head.version)
        self.run_state = head.run_state
        if head.version < self.version and head.version not in self.behind:
            self.behind |= {head.version}
            self.gone_back = True


def load(name: str) -> Generator[Sequence[Ask], list[Any], Live]:
    """Read a crawl; raises NoCrawl, SchemaMismatch."""
    conf, meta, scope, sheets, combos = (
        _hash(reply) for reply in (yield crawl_ops.documents(name, "conf", "meta", "scope", "sheets", "combos"))
    )
    if not conf:
        raise NoCrawl(f"there is no crawl {name!r}")
    if conf.get("schema") != str(SCHEMA):
        raise SchemaMismatch(f"crawl {name!r} has schema {conf.get('schema')!r}, this version of redisfrontier reads schema {SCHEMA}")
    settings = from_text({n: v for n, v in conf.items() if n not in _BESIDE})
    surts = yield from _surts(name)
    return Live(
        name=name,
        partitions=int(conf["partitions"]),
        version=int(conf["version"]),
        run_state=conf.get("run_state", "PAUSE"),
        settings=settings,
        metadata=meta,
        scope_rules=tuple(json.loads(scope.get("rules", "[]"))),
        canonicalization=tuple(json.loads(scope.get("canonicalization", "[]"))),
        sheets=Sheets([unpacked(n, v) for n, v in sorted(sheets.items())], settings),
        surts=surts,
        combos={n: int(v) for n, v in combos.items() if n != "#next"},
        seen_version=int(conf["version"]),
    )


#: Fields of the crawl's `conf` that are no settings.
_BESIDE = ("schema", "partitions", "version", "run_state", "test_clock", "created_ms", "finish_reason")


def _surts(name: str) -> Generator[Sequence[Ask], list[Any], tuple[str, ...]]:
    found: list[str] = []
    cursor = "0"
    while True:
        (reply,) = yield [crawl_ops.surts_page(name, cursor, PAGE)]
        if isinstance(reply, Exception):
            refuse(reply)
        cursor = text(reply[0])
        found += (text(line) for line in reply[1])
        if cursor == "0":
            return tuple(found)


def unpacked(name: str, packed: str) -> Sheet:
    """A sheet as it was stored."""
    raw = json.loads(packed)
    return Sheet(
        name=name,
        settings=dict(raw.get("settings", {})),
        surt_prefixes=tuple(raw.get("surt_prefixes", ())),
        rules=tuple(raw.get("rules", ())),
        order=int(raw.get("order", 0)),
    )


def _hash(reply: Any) -> dict[str, str]:
    if isinstance(reply, Exception):
        refuse(reply)
    return texts(reply)
