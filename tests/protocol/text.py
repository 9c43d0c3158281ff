"""PROTOCOL.md put together: the template, with tables and examples computed from what the code says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from redisfrontier.settings import SPECS, as_text
from redisfrontier.status import Status
from redisfrontier.store import keys, scripts
from redisfrontier.uri.fingerprint import dedup_fingerprint, fingerprint, partition_of
from tests.lua import headers
from tests.protocol import words

TEMPLATE = Path(__file__).with_name("template.md")


def _constant(include: str, name: str) -> str:
    """The value of a constant of a Lua include."""
    text = (scripts.folder() / "include" / f"{include}.lua").read_text(encoding="utf-8")
    found = re.search(rf"^local {name} = (\d+)", text, re.MULTILINE)
    assert found, name
    return found[1]


def protocol() -> str:
    """The whole page."""
    parts = {
        "partition_examples": _partitions(),
        "fixed_count": str(len(keys.FIXED)),
        "per_bucket": str(keys.PER_BUCKET),
        "per_index_bucket": _constant("index", "PER_INDEX_BUCKET"),
        "fixed_keys": _table(("KEYS", "key", "type", "holds"), _fixed()),
        "fingerprint_examples": _fingerprints(),
        "bloom_examples": _bloom(),
        "record_keys": _table(("key", "holds"), ((f"`{k}`", v) for k, v in words.RECORD_KEYS.items())),
        "status_bytes": ", ".join(f"0x{s:02x} {s.name.lower()}" for s in Status),
        "queue_fields": _table(("field", "default", "meaning"), _queue_fields()),
        "counters": _table(("field", "meaning"), words.COUNTERS.items()),
        "settings": _table(("setting", "default", "meaning"), _settings()),
        "errors": _table(("code", "meaning"), ((f"`{k}`", v) for k, v in words.ERRORS.items())),
        "ops": "\n\n".join(map(_op, scripts.names())),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace("{{" + name + "}}", part)
    return text


def queue_defaults() -> dict[str, str]:
    """The closed list of a queue's fields and what an absent one means, as lua/include/fields.lua has them."""
    text = headers.uncommented((scripts.folder() / "include" / "fields.lua").read_text(encoding="utf-8"))
    hot, cold = (re.search(rf"local {name} = {{(.*?)}}", text, re.DOTALL)[1] for name in ("HOT", "COLD"))  # type: ignore[index]
    found = dict.fromkeys(re.findall(r"'(\w+)'", hot), "0") | {"state": "exhausted"}
    return found | {name: value.strip("'") for name, value in re.findall(r"(\w+) = ('\w*'|-?\d+)", cold)}


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _fixed() -> Iterable[tuple[str, ...]]:
    for i, name in enumerate(keys.FIXED, 1):
        yield (str(i), f"`T {name}`", *words.FIXED_KEYS[name])


def _queue_fields() -> Iterable[tuple[str, ...]]:
    for name, default in queue_defaults().items():
        yield (f"`{name}`", default or "(empty)", words.QUEUE_FIELDS[name])


def _settings() -> Iterable[tuple[str, ...]]:
    for name, spec in SPECS.items():
        if spec["server"]:
            one_of = f" ({', '.join(spec['one_of'])})" if spec["one_of"] else ""
            yield (f"`{name}`{' ◆' if spec['sheet'] else ''}", as_text(spec["default"]) or "(empty)", spec["doc"] + one_of)


def _partitions() -> str:
    cases = [("com,example,", None), ("com,example,www,", None), ("com,example,www2,#8080", None), ("www.example.com", None)]
    cases += [("example.com+3", None), ("com,example,", "shared")]
    rows = [(f"`{q}`", f"`{g}`" if g else "", *(str(partition_of(q, p, g)) for p in (2, 16, 1024))) for q, g in cases]
    return _table(("queue", "group", "P = 2", "P = 16", "P = 1024"), rows)


def _fingerprints() -> str:
    rows = [("canonical form", "http://example.com/", fingerprint("http://example.com/").hex())]
    rows.append(("dedup key", "order 7", dedup_fingerprint("order 7").hex()))
    return _table(("of", "text", "fingerprint"), ((a, f"`{b}`", f"`{c}`") for a, b, c in rows))


def bits(mark: bytes, k: int) -> list[int]:
    """The k bit numbers of a fingerprint in its block, as §4 says."""
    return [256 * (i % 2) + mark[(6 + i) % 18] for i in range(k)]


def _bloom() -> str:
    mark = fingerprint("http://example.com/")
    block = int.from_bytes(mark[:6], "big") % 1_000_000
    shown = ", ".join(map(str, bits(mark, 12)))
    place = f"block {block} (page {block // 131_071}, byte {block % 131_071 * 32})"
    return f"Example: `http://example.com/`, 1,000,000 blocks, k = 12: {place}, bits {shown}."


def _op(name: str) -> str:
    found = headers.header(name)
    return f"### {name}\n\n{found.purpose[0].upper()}{found.purpose[1:]}\n\n```text\n{found.details}\n```"
