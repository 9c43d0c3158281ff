"""Vectors of kind `seeds`: a seed list is read as Heritrix' TextSeedModule announces it."""

from __future__ import annotations

import base64
import io
import re
from typing import Any

from redisfrontier.crawl.seeds import LineKind, SeedSource, batches, read_stream, seed_surts
from redisfrontier.uri.surt_prefixes import SurtPrefixSet

_BLANK = re.compile(r"\s", re.ASCII)


def run(case: dict[str, Any]) -> list[str]:
    """Differences between what the case expects and what our reader gives."""
    given = case["in"]
    raw = base64.b64decode(given["base64"]) if "base64" in given else given["text"].encode()
    lines = list(read_stream(io.BytesIO(raw)))
    # Heritrix hands every one-word line that is no seed to its directive listeners; ours of no use are reported as bad.
    surts = seed_surts(lines)
    heard = [line for line in lines if line.kind is LineKind.SEED or not _BLANK.search(line.text)]
    got = {
        "seeds": _seeds(raw, bool(given.get("sourceTagSeeds"))),
        "directives": [line.text for line in heard if line.kind is not LineKind.SEED],
        "order": ["seed" if line.kind is LineKind.SEED else "directive" for line in heard],
        "concluded": _concluded(raw),
        "accept_surts": _minimal(*surts.seeds, *surts.plus),
        "reject_surts": _minimal(*surts.minus),
    }
    return [f"{k}: expected {v!r}, got {got.get(k)!r}" for k, v in case["out"].items() if got.get(k) != v]


def _seeds(raw: bytes, tag: bool) -> list[dict[str, object]]:
    found = []
    for batch in batches(SeedSource(files=("-",), source_tag_seeds=tag), size=3, stdin=io.BytesIO(raw)):
        found += batch.seeds
    assert [c.metadata["seed_index"] for c in found] == list(range(len(found)))
    return [{"uri": c.uri, "source": c.source_tag, "directive": c.directive, "path": c.path, "seed": c.is_seed} for c in found]


def _concluded(raw: bytes) -> int:
    return sum(1 for batch in batches(SeedSource(files=("-",)), stdin=io.BytesIO(raw)) if batch.ready)


def _minimal(*prefixes: str) -> list[str]:
    return sorted(SurtPrefixSet(prefixes))
