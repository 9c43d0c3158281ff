"""A crawl as a whole: made, started, paused, stopped, changed, removed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from redisfrontier.crawl.definition import MAX_PARTITIONS
from redisfrontier.crawl.live import SCHEMA, Live, load, unpacked
from redisfrontier.errors import BadArgument, NoCrawl, ServerUnfit, SettingError
from redisfrontier.policy.sheets import Sheet
from redisfrontier.settings import FIXED, SERVER, SPECS, Settings, as_text, checked
from redisfrontier.steps.inspect import queue_names, replies_of
from redisfrontier.steps.queues import unretire
from redisfrontier.store import bloom, crawl_ops, keys
from redisfrontier.store.drive import Steps, refuse, translated
from redisfrontier.store.ops import Ops, text, texts
from redisfrontier.uri.fingerprint import check_crawl_name

#: Why a crawl that is being removed is stopped; parts of it may be gone already.
REMOVED = "removed"
#: Random fingerprints on which a new filter is tried.
TRIALS = 1000


def create(
    name: str,
    settings: Settings,
    *,
    partitions: int,
    metadata: Mapping[str, str],
    scope_rules: Sequence[Mapping[str, Any]],
    canonicalization: Sequence[Any],
    sheets: Iterable[Sheet],
    test_clock: bool,
    randoms: Callable[[int], bytes],
) -> Steps[Live]:
    """Make a crawl, in PAUSE; one of that name is taken as it is, one that was only half made is completed.

    Raises BadArgument, ServerUnfit.
    """
    check_crawl_name(name)
    if not 1 <= partitions <= MAX_PARTITIONS:
        raise BadArgument(f"{partitions} partitions: out of range 1…{MAX_PARTITIONS}")
    (there,) = yield from replies_of([crawl_ops.registered(name)])
    if there:
        return (yield from load(name))
    settings = yield from _chosen(settings)
    values = {n: as_text(getattr(settings, n)) for n in SPECS}
    head = {"schema": str(SCHEMA), "partitions": str(partitions), "version": "1", "run_state": "PAUSE", "test_clock": as_text(test_clock)}
    yield from replies_of([crawl_ops.make(name, (head | values).items())])
    yield from _documents(name, metadata, scope_rules, canonicalization, sheets)
    shapes = {f"bloom_{i}": f"{b} {k} {n}" for i, (b, k, n) in enumerate(_slices(settings, partitions))}
    server = {n: values[n] for n in SERVER} | {k: head[k] for k in ("schema", "version", "run_state", "test_clock")} | shapes
    for p in range(partitions):
        yield from _partition(name, p, partitions, settings, server, randoms)
    yield from replies_of([crawl_ops.register(name)])
    return (yield from load(name))


def _chosen(settings: Settings) -> Steps[Settings]:
    """With `auto` and records that are kept decided; `bloom` without the module refused."""
    if settings.retention == "keep":
        if settings.uniqueness in ("bloom", "bitfield"):
            raise SettingError(
                f"uniqueness = {settings.uniqueness} cannot keep finished records", remedy="use uniqueness = exact, or auto"
            )
        return settings.changed({"uniqueness": "exact"})
    if settings.uniqueness not in ("auto", "bloom"):
        return settings
    (reply,) = yield [crawl_ops.read("COMMAND INFO", "BF.ADD")]
    there = not isinstance(reply, Exception) and bool(reply) and (not isinstance(reply, list) or reply[0] is not None)
    if settings.uniqueness == "bloom" and not there:
        raise ServerUnfit(
            "uniqueness = bloom needs the RedisBloom module, which this server does not have",
            remedy="load redisbloom.so, or use uniqueness = bitfield (or auto, or exact)",
        )
    return settings.changed({"uniqueness": "bloom" if there else "bitfield"})


def _slices(settings: Settings, partitions: int) -> list[tuple[int, int, int]]:
    return bloom.slices(-(-settings.expected_uris // partitions), settings.false_positive_rate)


def _documents(
    name: str, metadata: Mapping[str, str], rules: Sequence[Mapping[str, Any]], canonicalization: Sequence[Any], sheets: Iterable[Sheet]
) -> Steps[None]:
    scope = ("rules", json.dumps(list(rules)), "canonicalization", json.dumps(list(canonicalization)))
    asks = [crawl_ops.put(name, "scope", "HSET", scope, bump=False)]
    if metadata:
        asks.append(crawl_ops.put(name, "meta", "HSET", [part for pair in metadata.items() for part in pair], bump=False))
    asks += [crawl_ops.put(name, "sheets", "HSET", (sheet.name, packed(sheet)), bump=False) for sheet in sheets]
    yield from replies_of(asks)


def packed(sheet: Sheet) -> str:
    """A sheet as it is stored."""
    values = {n: list(v) if isinstance(v, tuple) else v for n, v in sheet.settings.items()}
    bound = {"surt_prefixes": list(sheet.surt_prefixes), "rules": [dict(r) for r in sheet.rules], "order": sheet.order}
    return json.dumps({"settings": values, **bound})


def _partition(
    name: str, p: int, partitions: int, settings: Settings, server: Mapping[str, str], randoms: Callable[[int], bytes]
) -> Steps[None]:
    ops = Ops(name)
    (made,) = yield from replies_of([ops.create(p, server.items())])
    if not int(made) or settings.uniqueness == "exact":
        return
    page, more = 0, int(settings.uniqueness == "bitfield")
    while more:
        (more,) = yield from replies_of([ops.prepare(p, page)])
        page += 1
    capacity, rate = -(-settings.expected_uris // partitions), settings.false_positive_rate
    (tested,) = yield from replies_of([ops.self_test(p, rate, capacity, [randoms(18) for _ in range(TRIALS + 1)])])
    found, others = (int(n) for n in tested)
    if not found or others > 3 + 10 * TRIALS * rate:
        yield from _unmake(name, settings, partitions)
        raise ServerUnfit(
            f"the {settings.uniqueness} filter fails its self-test: the added URI is {'found' if found else 'lost'}, "
            f"{others} of {TRIALS} others are found",
            remedy="use uniqueness = bitfield or exact, or another RedisBloom version",
        )


def _unmake(name: str, settings: Settings, partitions: int) -> Steps[None]:
    """Remove a crawl that cannot be made here, so that its name is free for another try."""
    for p in range(partitions):
        yield from _unlink(iter([*keys.fixed(name, p), *_filter_keys(name, p, settings, partitions, 1)]))
    yield from _unlink(keys.crawl_wide(name, d) for d in reversed(keys.DOCUMENTS))


def run_state(live: Live, state: str, why: str = "") -> Steps[None]:
    """Let the crawl RUN, PAUSE or FINISH, in every partition."""
    (version,) = yield from replies_of([crawl_ops.put(live.name, "conf", "HSET", ("run_state", state, "finish_reason", why))])
    for reply in (yield [live.ops.run_state(p, state, why, int(version)) for p in range(live.partitions)]):
        if isinstance(reply, Exception) and not (why == REMOVED and _is_gone(reply)):
            refuse(reply)
    live.run_state = state


def _is_gone(reply: Any) -> bool:
    return isinstance(translated(reply), NoCrawl)


def change(live: Live, raw: Mapping[str, object]) -> Steps[None]:
    """Change settings; each worker follows with its next call.  Raises SettingError before anything is changed."""
    for n in raw:
        if n in FIXED:
            raise SettingError(f"setting {n} is fixed when a crawl is created", remedy="create another crawl, and import this one")
    values = {n: as_text(checked(n, v)) for n, v in raw.items()}
    (version,) = yield from replies_of([crawl_ops.put(live.name, "conf", "HSET", [part for pair in values.items() for part in pair])])
    server = [(n, v) for n, v in values.items() if n in SERVER]
    yield from replies_of([live.ops.configure(p, int(version), 0, server) for p in range(live.partitions)])
    live.seen_version = max(live.seen_version, int(version))


def put_document(live: Live, document: str, command: str, values: Sequence[Any]) -> Steps[None]:
    """Change metadata, scope, sheets, seeds or SURTs, and tell every worker."""
    (version,) = yield from replies_of([crawl_ops.put(live.name, document, command, values)])
    yield from replies_of([live.ops.configure(p, int(version), 0, ()) for p in range(live.partitions)])
    live.seen_version = max(live.seen_version, int(version))


def sheets(live: Live) -> Steps[list[Sheet]]:
    """All sheets, by name."""
    (reply,) = yield from replies_of(crawl_ops.documents(live.name, "sheets"))
    return [unpacked(name, packed) for name, packed in sorted(texts(reply).items())]


def put_sheet(live: Live, sheet: Sheet | None, name: str) -> Steps[None]:
    """Store a sheet, or remove it (None); combinations in use get its new values, and a budget that is raised brings its queues back."""
    if sheet is None:
        yield from put_document(live, "sheets", "HDEL", (name,))
    else:
        yield from put_document(live, "sheets", "HSET", (name, packed(sheet)))
    fresh = yield from load(live.name)
    for combo, number in fresh.combos.items():
        if name in combo.split(" "):
            values = [(n, as_text(v)) for n, v in fresh.sheets.combination(tuple(combo.split(" "))).items() if n in SERVER]
            yield from replies_of([live.ops.configure(p, fresh.version, number, values) for p in range(live.partitions)])
    yield from unretire(live, None, budget_only=True)


def crawls() -> Steps[list[str]]:
    """Names of all crawls, sorted."""
    (reply,) = yield from replies_of([crawl_ops.crawls()])
    return sorted(text(n) for n in reply)


def remove(live: Live) -> Steps[int]:
    """Stop the crawl and remove its keys, in bounded steps that may be stopped and started again; how many keys went."""
    yield from run_state(live, "FINISH", REMOVED)
    gone = 0
    for p in range(live.partitions):
        gone += yield from _remove_queues(live, p)
        (reply,) = yield from replies_of([crawl_ops.read("HGETALL", keys.of(live.name, p, "n"))])
        counters = {k: int(float(v)) for k, v in texts(reply).items() if k in ("id", "ix_level", "ix_split", "slice")}
        pages = _filter_keys(live.name, p, live.settings, live.partitions, counters.get("slice", 0) + 2)
        sheets = (keys.sheet_values(live.name, p, number) for number in live.combos.values())
        rest = (*keys.fixed(live.name, p)[1:], keys.source_tags(live.name, p))
        for names in (crawl_ops.numbered(live.name, p, counters), pages, sheets, rest, (keys.of(live.name, p, "n"),)):
            gone += yield from _unlink(iter(names))
    yield from replies_of([crawl_ops.unregister(live.name)])
    return gone + (yield from _unlink(keys.crawl_wide(live.name, d) for d in reversed(keys.DOCUMENTS)))


def _remove_queues(live: Live, p: int) -> Steps[int]:
    gone, cursor = 0, ""
    while cursor != "0":
        cursor, names = yield from queue_names(live, p, cursor or "0")
        hashes = [keys.queue_state(live.name, p, n) for n in names]
        groups = yield from replies_of([crawl_ops.read("HGET", key, "group") for key in hashes])
        owned = {text(g) for g in groups if g}
        grouped = [make(live.name, p, g) for g in owned for make in (keys.group, keys.group_waiting)]
        gone += yield from _unlink(iter([*(keys.queue(live.name, p, n) for n in names), *hashes, *grouped]))
    return gone


def _filter_keys(name: str, p: int, settings: Settings, partitions: int, slices: int) -> Iterable[str]:
    if settings.uniqueness != "bitfield":
        return
    for number, (blocks, _, _) in enumerate(_slices(settings, partitions)[:slices]):
        for page in range(-(-blocks // bloom.PAGE_BLOCKS)):
            yield keys.bloom_page(name, p, number, page)


def _unlink(names: Iterable[str]) -> Steps[int]:
    gone, left = 0, iter(names)
    while part := list(islice(left, crawl_ops.UNLINK_AT_ONCE)):
        (reply,) = yield [crawl_ops.unlink(part)]
        if isinstance(reply, Exception):
            refuse(reply)
        gone += int(reply)
    return gone
