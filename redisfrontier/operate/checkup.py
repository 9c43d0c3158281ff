"""Is a crawl whole: key types, counters against what is there, encodings and records of a sample; bounded whatever its size."""

from __future__ import annotations

from redisfrontier.crawl.live import Live
from redisfrontier.errors import RecordError
from redisfrontier.operate.checks import Check, Level, ok
from redisfrontier.record.codec import decode
from redisfrontier.settings import SERVER
from redisfrontier.steps.inspect import newest_id, replies_of
from redisfrontier.steps.stats import stats
from redisfrontier.store import keys
from redisfrontier.store.crawl_ops import read
from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import HEAD, pairs, text

#: Queues of one partition that are looked at, and of one call.
QUEUES, QUEUES_PER_CALL = 1000, 100
#: Record buckets of one partition that are looked at; keys.PER_BUCKET records each.
BUCKETS = 16
#: Differences that are told one by one.
TOLD = 20
_TYPES = {
    **dict.fromkeys(("n", "conf", "own", "lat", "w"), "hash"),
    **dict.fromkeys(("queues", "due", "ready", "inactive", "retired", "lease", "later"), "zset"),
    "unseen": "set",
    "log": "stream",
    "bf": "MBbloom--",
}
_DOCUMENTS = {**dict.fromkeys(keys.DOCUMENTS, "hash"), "seeds": "zset", "surts": "set"}
_COMPACT = ("listpack", "ziplist")


def crawl(live: Live) -> Steps[list[Check]]:
    """All checks of one crawl."""
    checks = [(yield from _types(live))]
    if checks[0].level is Level.BAD:
        return checks  # scripts would only say the same
    checks.append((yield from _copies(live)))
    checks += yield from _counters(live)
    checks += yield from _records(live)
    checks += yield from _figures(live)
    return checks


def _types(live: Live) -> Steps[Check]:
    """A foreign type at a key of ours stops every script that meets it."""
    wanted = {keys.crawl_wide(live.name, name): kind for name, kind in _DOCUMENTS.items()}
    for p in range(live.partitions):
        wanted |= {keys.of(live.name, p, name): kind for name, kind in _TYPES.items()}
    replies = yield from replies_of([read("TYPE", key) for key in wanted])
    found = [(key, text(reply), kind) for (key, kind), reply in zip(wanted.items(), replies, strict=True)]
    wrong = [f"{key} is {is_} (want {kind})" for key, is_, kind in found if is_ not in ("none", kind)]
    lost = [key for key, is_, _ in found if is_ == "none" and key.endswith((":n", ":conf"))]
    if wrong:
        return Check(
            "key types", Level.BAD, "; ".join(wrong[:TOLD]), "every call that meets them fails", "rename the foreign keys", live.name
        )
    if lost:
        remedy = "restore Redis' files from a copy"
        return Check("key types", Level.BAD, f"missing: {', '.join(lost[:TOLD])}", "that part of the crawl is gone", remedy, live.name)
    return ok("key types", f"{len(wanted)} keys are what they should be", live.name)


def _copies(live: Live) -> Steps[Check]:
    """Every partition has a copy of the settings; a command that died in the middle leaves some of them behind."""
    names = ("version", "run_state", *SERVER)
    asks = [read("HMGET", keys.crawl_wide(live.name, "conf"), *names)]
    asks += [read("HMGET", keys.of(live.name, p, "conf"), *names) for p in range(live.partitions)]
    master, *copies = yield from replies_of(asks)
    behind = [
        f"partition {p}: {', '.join(name for name, a, b in zip(names, master, copy, strict=True) if a != b)}"
        for p, copy in enumerate(copies)
        if copy != master
    ]
    if not behind:
        return ok("settings of the partitions", f"{live.partitions} agree with the crawl's", live.name)
    costs = "they go on by older settings or in another run state"
    remedy = "give the command that was cut off once more (crawl pause, resume or stop; settings set)"
    return Check("settings of the partitions", Level.WARN, "; ".join(behind[:TOLD]), costs, remedy, live.name)


def _counters(live: Live) -> Steps[list[Check]]:
    """admitted = pending + in flight + later + succeeded + failed + disregarded + excluded + deleted, and places = states."""
    looked = 0
    foreign: list[str] = []
    differences: list[str] = []
    for p in range(live.partitions):
        (names,) = yield from replies_of([read("ZRANDMEMBER", keys.of(live.name, p, "queues"), QUEUES)])
        queues = [text(name) for name in names]
        looked += len(queues)
        for start in range(0, max(1, len(queues)), QUEUES_PER_CALL):
            (reply,) = yield from replies_of([live.ops.examine(p, queues[start : start + QUEUES_PER_CALL])])
            told = [text(value) for value in reply[HEAD:]]
            for queue, what, counted, found in zip(told[::4], told[1::4], told[2::4], told[3::4], strict=True):
                where = queue or f"partition {p}"
                if what == "key":
                    foreign.append(f"{where}: {found.removeprefix('WRONGKEY ')}")
                else:
                    differences.append(f"{where}: {what}: counted {counted}, found {found}")
    return [_sums(live, looked, differences), _queue_keys(live, looked, foreign)]


def _sums(live: Live, looked: int, differences: list[str]) -> Check:
    if not differences:
        return ok("counters", f"hold in {live.partitions} partitions and {looked} queues", live.name)
    shown = "; ".join(dict.fromkeys(differences[:TOLD]))
    costs = "figures are wrong; a queue in no place is not crawled"
    return Check("counters", Level.BAD, shown, costs, "keep a copy of Redis' files and report it: no operation may do this", live.name)


def _queue_keys(live: Live, looked: int, foreign: list[str]) -> Check:
    if not foreign:
        return ok("queue keys", f"those of {looked} queues are what they should be", live.name)
    shown, costs = "; ".join(foreign[:TOLD]), "URIs of these queues are refused or not given out"
    return Check("queue keys", Level.BAD, shown, costs, "rename foreign keys; restore what is missing", live.name)


def _records(live: Live) -> Steps[list[Check]]:
    """A sample of buckets: are they compact, can their records be read?"""
    loose, looked, broken = 0, 0, []
    for p in range(live.partitions):
        newest = yield from newest_id(live, p)
        step = max(keys.PER_BUCKET, newest // BUCKETS)
        for number in range(0, newest + 1, step):
            key = keys.records(live.name, p, number)
            encoding, packed = yield [read("OBJECT", "ENCODING", key), read("HGETALL", key)]
            if isinstance(encoding, Exception) or encoding is None or isinstance(packed, Exception):
                continue
            looked += 1
            loose += text(encoding) not in _COMPACT
            broken += [f"{p}:{text(id_)}" for id_, value in pairs(packed) if not _readable(value)]
    return [_encodings(live, looked, loose), _readings(live, looked, broken)]


def _encodings(live: Live, looked: int, loose: int) -> Check:
    if not loose:
        return ok("record encoding", f"{looked} sampled buckets are compact", live.name)
    remedy = "raise hash-max-ziplist-entries and -value (deploy/redis.conf), then restart Redis"
    return Check(
        "record encoding", Level.WARN, f"{loose} of {looked} sampled buckets are hash tables", "about 60 bytes a record", remedy, live.name
    )


def _readings(live: Live, looked: int, broken: list[str]) -> Check:
    if not broken:
        return ok("records", f"those of {looked} sampled buckets can be read", live.name)
    shown = f"cannot be read: {', '.join(broken[:TOLD])}"
    return Check(
        "records", Level.BAD, shown, "these URIs are never given out", "look: redisfrontier uris show ID; then delete them", live.name
    )


def _figures(live: Live) -> Steps[list[Check]]:
    found = yield from stats(live)
    checks = []
    if found["corrupt"]:
        checks.append(
            Check(
                "corrupt records",
                Level.BAD,
                f"{found['corrupt']} met by claims",
                "these URIs were set aside",
                "see the workers' log",
                live.name,
            )
        )
    if found["lost"]:
        costs = "each was fetched again, or failed after max_lost_leases"
        checks.append(
            Check("lost leases", Level.NOTE, f"{found['lost']} ran out", costs, "do workers die, or is lease_ms too short?", live.name)
        )
    if found["maybe_seen"]:
        wrong = (found["admitted"] + found["maybe_seen"]) * live.settings.false_positive_rate
        costs = f"about {wrong:.0f} of them wrongly" if wrong >= 1 else "hardly one of them wrongly"
        remedy = "uris retry URI brings one in; uniqueness = exact has no such refusals"
        checks.append(Check("known by the filter", Level.NOTE, f"{found['maybe_seen']} refusals", costs, remedy, live.name))
    return checks


def _readable(packed: bytes) -> bool:
    try:
        decode(packed)
    except RecordError:
        return False
    return True
