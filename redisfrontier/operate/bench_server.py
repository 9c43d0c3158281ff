"""What the benchmarks stand on: a private server with one crawl, and URIs spread over hosts in several ways."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from typing import Any

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.frontier import Frontier
from redisfrontier.record.record import Candidate
from redisfrontier.steps.schedule import URIS_PER_CALL
from redisfrontier.store.drive import Driver
from redisfrontier.store.embedded import Embedded
from redisfrontier.store.ops import Ops

#: Queues of one call.
QUEUES = 100
_TAKE_ALL = ({"rule": "accept"},)
_OUTCOME = (200, 5, 2000, "", b"")


class Bench:
    """A private server with one crawl."""

    def __init__(self, uniqueness: str, **settings: Any) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="rf-bench-")
        self._server = Embedded.start(self._directory.name, overrides={"appendonly": "no", "save": ""})
        values = {"uniqueness": uniqueness, "min_delay_ms": 1, "max_delay_ms": 1, "balance_replenish_amount": 0, **settings}
        self.url = self._server.url
        self.frontier = Frontier.create(self.url, "bench", values, scope=_TAKE_ALL)
        self.frontier.start()
        self.client = self.frontier.client
        self.ops, self.driver = Ops("bench"), Driver(self.client, self.frontier._driver.backoff)
        self.preparer = Preparer(self.frontier.settings())

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self.frontier.close()
        self._server.close()
        self._directory.cleanup()

    def cpu(self) -> float:
        """Seconds of CPU that the server's main thread has used."""
        info: Any = self.client.info("cpu")
        return float(info.get("used_cpu_user_main_thread", info["used_cpu_user"])) + float(
            info.get("used_cpu_sys_main_thread", info["used_cpu_sys"])
        )

    def memory(self) -> tuple[int, int]:
        """Used and resident bytes."""
        info: Any = self.client.info("memory")
        return int(info["used_memory"]), int(info["used_memory_rss"])

    def schedule(self, prepared: list[Prepared]) -> None:
        """Schedule in calls of the usual size."""
        for i in range(0, len(prepared), URIS_PER_CALL):
            (reply,) = self.driver.ask([self.ops.schedule(0, ((u, 0) for u in prepared[i : i + URIS_PER_CALL]))])
            if isinstance(reply, Exception):
                raise reply

    def cycle(self, queues: int, per_queue: int) -> int:
        """Claim and finish once; how many URIs."""
        token = f"{random.getrandbits(64):016x}"
        (reply,) = self.driver.ask([self.ops.claim(0, token, "bench", queues, per_queue, 0)])
        ids = reply[6::5]
        if ids:
            self.driver.ask([self.ops.finish(0, ((id_, token, *_OUTCOME) for id_ in ids))])
        return len(ids)


def uris(count: int, hosts: int, *, spread: str = "even", start: int = 0) -> Iterator[str]:
    """URIs of 76 characters over the hosts, paths in random order.

    `spread`: "even", each call has URIs of QUEUES queues; "scattered", each URI of a call is of another queue; "zipf", by that law.
    """
    rng = random.Random(start)
    if spread == "zipf":
        chosen = rng.choices(range(hosts), [1 / (rank + 1) for rank in range(hosts)], k=count)
    elif spread == "scattered":
        chosen = [(i * 7919) % hosts for i in range(count)]
    else:
        chosen = [((i // URIS_PER_CALL * QUEUES + i % URIS_PER_CALL % QUEUES) * 7919) % hosts for i in range(count)]
    names = [f"{random.Random(host).getrandbits(40):010x}.{host % 97}.example" for host in range(hosts)]
    for i, host in enumerate(chosen, start):
        yield f"http://{names[host]}/{rng.getrandbits(64):016x}/{i:x}".ljust(76, "-")


def crawl_records(found: Iterator[str]) -> Iterator[Candidate]:
    """The same URIs as a crawl finds them: path, via on the same host, context."""
    for uri in found:
        yield Candidate(uri, path="LLE", via=uri[:44] + "/index-of-pages.html", via_context="a/@href")
