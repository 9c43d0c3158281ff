"""Every key name of redisfrontier; nothing else writes one."""

from __future__ import annotations

from functools import lru_cache

#: The keys that each script of a partition gets, in this order (lua/include/keys.lua).
FIXED = (
    *("n", "conf", "queues", "due", "ready", "inactive", "retired"),
    *("lease", "own", "later", "lat", "w", "unseen", "log", "bf"),
)
#: Records, attempts and results of this many ids share one hash.
PER_BUCKET = 32
#: The set of all crawls' names.
CRAWLS = "rf:crawls"
#: Crawl-wide documents.
DOCUMENTS = ("conf", "meta", "scope", "sheets", "combos", "seeds", "surts")


def crawl_wide(crawl: str, name: str) -> str:
    """The key of a crawl-wide document, one of DOCUMENTS."""
    return f"rf:{{{crawl}}}:{name}"


def tag(crawl: str, partition: int) -> str:
    """What every key of a partition begins with; the braces keep it on one shard."""
    return f"rf:{{{crawl}:{partition}}}:"


@lru_cache(maxsize=4096)
def fixed(crawl: str, partition: int) -> tuple[str, ...]:
    """The fixed keys of a partition."""
    return tuple(tag(crawl, partition) + name for name in FIXED)


def of(crawl: str, partition: int, name: str) -> str:
    """One fixed key of a partition, by its name in FIXED."""
    return tag(crawl, partition) + name


def queue(crawl: str, partition: int, name: str) -> str:
    """Pending URIs of a queue (zset), the next one last."""
    return f"{tag(crawl, partition)}q:{name}"


def queue_state(crawl: str, partition: int, name: str) -> str:
    """The queue in plain text (hash)."""
    return f"{tag(crawl, partition)}m:{name}"


def group(crawl: str, partition: int, name: str) -> str:
    """A queue group (hash)."""
    return f"{tag(crawl, partition)}g:{name}"


def group_waiting(crawl: str, partition: int, name: str) -> str:
    """Queues of a group that wait for its turn (zset)."""
    return f"{tag(crawl, partition)}gw:{name}"


def records(crawl: str, partition: int, number: int) -> str:
    """The hash in which the record of an id lies."""
    return f"{tag(crawl, partition)}rec:{number // PER_BUCKET}"


def attempts(crawl: str, partition: int, number: int) -> str:
    """The hash in which the attempts of an id lie."""
    return f"{tag(crawl, partition)}try:{number // PER_BUCKET}"


def results(crawl: str, partition: int, number: int) -> str:
    """The hash in which the result of an id lies."""
    return f"{tag(crawl, partition)}res:{number // PER_BUCKET}"


def index_bucket(crawl: str, partition: int, number: int) -> str:
    """One bucket of the exact index."""
    return f"{tag(crawl, partition)}ix:{number}"


def bloom_page(crawl: str, partition: int, slice_: int, page: int) -> str:
    """One page of the bitfield filter."""
    return f"{tag(crawl, partition)}seen:{slice_}:{page}"


def sheet_values(crawl: str, partition: int, number: int) -> str:
    """The merged values of a sheet combination (hash)."""
    return f"{tag(crawl, partition)}conf:{number}"


def source_tags(crawl: str, partition: int) -> str:
    """Successes by source tag (hash)."""
    return f"{tag(crawl, partition)}tags"


def robots(crawl: str, partition: int, authority: str) -> str:
    """Shared robots.txt text of an authority (string with a TTL)."""
    return f"{tag(crawl, partition)}robots:{authority}"


def wake(crawl: str, partition: int) -> str:
    """The channel on which sleeping workers are woken."""
    return f"{tag(crawl, partition)}wake"
