"""Sixteen processes at random, killed at random: counters hold at every sample, nothing is lost or done twice, no host is hurried."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from redisfrontier.frontier import Frontier
from tests.conftest import ROOT, private_server
from tests.model.snapshot import Stored, broken
from tests.real.conftest import balanced
from tests.real.worker_process import DELAY_MS

PROCESSES = 16
SECONDS = float(os.environ.get("REDISFRONTIER_PROCESS_SECONDS", "8"))
MIN_DELAY_MS = 100


class Crowd:
    """Processes that are started anew as soon as one is killed."""

    def __init__(self, url: str, directory: Path) -> None:
        self.url, self.directory = url, directory
        self.running: list[subprocess.Popen[bytes]] = []
        self.files: list[Path] = []
        self.killed = 0

    def fill(self, end: float) -> None:
        """Have PROCESSES of them."""
        self.running = [p for p in self.running if p.poll() is None]
        while len(self.running) < PROCESSES and time.monotonic() < end:
            path = self.directory / f"{len(self.files)}.log"
            left = str(max(0.1, end - time.monotonic()))
            words = [sys.executable, "-m", "tests.real.worker_process", self.url, "c", str(len(self.files)), left, str(path)]
            self.running.append(subprocess.Popen(words, cwd=ROOT))
            self.files.append(path)

    def kill_one(self, rng: random.Random) -> None:
        """kill -9."""
        victim = rng.choice(self.running)
        victim.kill()
        victim.wait()
        self.running.remove(victim)
        self.killed += 1

    def told(self) -> list[list[str]]:
        """Every line of every process."""
        return [line.split() for path in self.files if path.exists() for line in path.read_text().splitlines()]


def crowd_at_work(frontier: Frontier, url: str, directory: Path, seconds: float) -> Crowd:
    crowd, rng = Crowd(url, directory), random.Random(1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        crowd.fill(end)
        time.sleep(0.2)
        if rng.random() < 0.4:
            crowd.kill_one(rng)
        assert balanced(frontier)
    for process in crowd.running:
        assert process.wait(timeout=60) == 0
    return crowd


def finish_all(frontier: Frontier) -> list[str]:
    """What is left, by one worker that does not die."""
    frontier.set_settings({"min_delay_ms": 0})
    found = []
    end = time.monotonic() + 120
    while frontier.stats()["state"] != "EMPTY":
        assert time.monotonic() < end
        claims = frontier.claim(50, lease_ms=60_000)
        frontier.finish(c.outcome(200, delay_ms=0) for c in claims)
        found += [c.uri for c in claims]
        if not claims:
            time.sleep(0.02)
    return found


def hurried(lines: list[list[str]], delay_ms: int) -> list[tuple[str, int]]:
    """Hosts given out again before their delay was over, by the server's clock."""
    given_back = {tuple(words[1:]) for words in lines if words[0] == "releasing"}
    served: dict[str, list[int]] = defaultdict(list)
    for words in lines:
        if words[0] == "claimed" and tuple(words[1:]) not in given_back:
            served[words[2]].append(int(words[1]))
    return [(queue, b - a) for queue, times in served.items() for a, b in pairwise(sorted(times)) if b - a < delay_ms]


def check(seconds: float, directory: Path) -> None:
    with private_server(directory / "redis") as server:
        settings = {"uniqueness": "exact", "min_delay_ms": MIN_DELAY_MS, "error_penalty_amount": 0, "max_lost_leases": 1000}
        frontier = Frontier.create(server.url, "c", settings, scope=[{"rule": "accept"}])
        frontier.start()
        crowd = crowd_at_work(frontier, server.url, directory, seconds)
        rest = finish_all(frontier)
        lines = crowd.told()
        stats = frontier.stats()
        ended = stats["succeeded"] + stats["failed"] + stats["disregarded"]
        added = {words[1] for words in lines if words[0] == "added"}
        finished = Counter([*(words[1] for words in lines if words[0] == "finished"), *rest])
        finishing = {words[1] for words in lines if words[0] == "finishing"}

        assert crowd.killed > 0
        assert [uri for uri, times in finished.items() if times > 1] == []  # nothing is done twice
        assert added - finished.keys() - finishing == set()  # nothing is lost (a killed process may have finished without telling)
        assert ended == stats["admitted"]
        assert (stats["pending"], stats["in_flight"], stats["later"]) == (0, 0, 0)
        assert hurried(lines, min(DELAY_MS, MIN_DELAY_MS)) == []
        assert len(finished) > 100
        assert broken(Stored(frontier.client, "c", buckets=200)) == []
        frontier.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_many_processes_and_sudden_deaths(tmp_path: Path) -> None:
    check(SECONDS, tmp_path)


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_many_processes_and_sudden_deaths_for_a_minute(tmp_path: Path) -> None:
    check(max(60, SECONDS), tmp_path)
