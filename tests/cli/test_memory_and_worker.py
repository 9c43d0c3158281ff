"""The estimate of a crawl's memory against what all its keys take, and the worker command on a small site."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from redisfrontier.frontier import Frontier


@pytest.mark.parametrize("uniqueness", ["exact", "bitfield"])
@pytest.mark.parametrize("partitions", [1, 3])
def test_the_estimate_is_near_what_the_keys_take(bare, redis_url, redis_client, uniqueness, partitions) -> None:
    settings = {"uniqueness": uniqueness, "expected_uris": 100_000}
    with Frontier.create(redis_url, "c", settings, partitions=partitions, scope=[{"rule": "accept"}]) as frontier:
        frontier.schedule(f"http://h{i % 700}.example/some/path/{i}" for i in range(5000))
        frontier.schedule(f"http://big.example/{i}" for i in range(3000))
        frontier.start()
        frontier.claim(50)
    told = bare("crawl", "memory", "--json").one
    kept = [key for key in redis_client.keys("rf:*") if key != b"rf:crawls"]
    taken = sum(redis_client.memory_usage(key, samples=0) for key in kept)
    assert told["total_bytes"] == pytest.approx(taken, rel=0.1)
    assert told["waiting"] == 8000
    filters = sum(redis_client.memory_usage(key, samples=0) for key in kept if b":ix:" in key or b":seen:" in key)
    assert told["bytes"]["uniqueness"] == pytest.approx(filters, rel=0.1)
    assert "bytes per waiting" in bare("crawl", "memory").out


class Quiet(SimpleHTTPRequestHandler):
    """A site from files, without its log."""

    def log_message(self, *_) -> None:
        """Say nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[int]:
    """The port of a small site."""
    place = tmp_path / "site"
    place.mkdir()
    (place / "index.html").write_text("".join(f'<a href="/{i}.html">{i}</a>' for i in range(5)) + '<a href="http://other.test/">x</a>')
    for i in range(4):
        (place / f"{i}.html").write_text(f'<a href="/{i + 1}.html">on</a>')
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(place)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


def test_a_worker_crawls_a_site_to_its_end(bare, site, tmp_path) -> None:
    bare("crawl", "create", "w", "--contact", "http://localhost/about", "--set", "min_delay_ms=0", "--set", "delay_factor=0")
    bare("seeds", "add", f"http://site.test:{site}/")
    bare("crawl", "start")
    log = tmp_path / "log"
    bare("worker", "--stop-when-empty", "--resolve", "site.test:127.0.0.1", "--log-dir", str(log), "--worker", "w1", "--idle-timeout", "5s")
    stats = bare("stats", "--json").one
    assert (stats["state"], stats["pending"], stats["in_flight"]) == ("EMPTY", 0, 0)
    lines = next(log.glob("crawl-*.log")).read_text().splitlines()
    assert sorted(line.split()[1] for line in lines) == ["200"] * 5 + ["404"] * 2
    assert bare("worker", "--resolve", "nonsense", code=2).err


def test_a_worker_needs_a_contact(bare) -> None:
    bare("crawl", "create", "w")
    assert "operator_contact_url" in bare("worker", "--stop-when-empty", code=2).err
