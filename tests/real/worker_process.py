"""One of many processes that use a frontier at random, and tell in a file of their own what they were given and what came of it.

python worker_process.py URL CRAWL SEED SECONDS FILE
"""

from __future__ import annotations

import random
import sys
import time
from typing import TextIO

from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Claim, Finished

HOSTS = 12
DELAY_MS = 150
STATUSES = (200, 200, 200, 200, 404, -4, -9998)


def uri(rng: random.Random) -> str:
    """One of some thousand."""
    return f"http://h{rng.randrange(HOSTS)}.example/{rng.randrange(2000)}"


def note(log: TextIO, *words: object) -> None:
    """Written out at once: the process may be killed at any time."""
    log.write(" ".join(map(str, words)) + "\n")
    log.flush()


def schedule(frontier: Frontier, rng: random.Random, log: TextIO) -> None:
    """New and known ones."""
    for answer in frontier.schedule({uri(rng) for _ in range(rng.randrange(1, 30))}):
        if answer.accepted:
            note(log, "added", answer.uri)


def finish(frontier: Frontier, rng: random.Random, log: TextIO, claims: list[Claim]) -> None:
    """Told before (it may count though the process dies) and after."""
    for claim in claims:
        note(log, "finishing", claim.uri)
    for claim, settled in zip(claims, frontier.finish(c.outcome(rng.choice(STATUSES), delay_ms=DELAY_MS) for c in claims), strict=True):
        if settled.answer is Finished.OK and settled.verdict != "retry":
            note(log, "finished", claim.uri)


def turn(frontier: Frontier, rng: random.Random, log: TextIO, held: list[tuple[Claim, int]]) -> None:
    """One step at random."""
    what = rng.random()
    if what < 0.25:
        schedule(frontier, rng, log)
    elif what < 0.6:
        got = frontier.claim(rng.randrange(1, 4), lease_ms=rng.choice((300, 1000, 3000)))
        for claim in got:
            note(log, "claimed", got.now_ms, claim.queue, claim.uri)
        held += [(claim, got.now_ms) for claim in got]
    elif what < 0.9 and held:
        rng.shuffle(held)
        some = [held.pop()[0] for _ in range(min(len(held), 3))]
        finish(frontier, rng, log, some)
    elif what < 0.95 and held:
        claim, now = held.pop()
        note(log, "releasing", now, claim.queue, claim.uri)  # not fetched: its host owes no rest
        frontier.release([claim])
    elif held:
        frontier.extend([claim for claim, _ in held], 1000)
    else:
        time.sleep(0.01)


def main(url: str, crawl: str, seed: str, seconds: str, path: str) -> None:
    """Until the time is over; what is held then is left to its lease."""
    rng, end = random.Random(seed), time.monotonic() + float(seconds)
    held: list[tuple[Claim, int]] = []
    with open(path, "w", encoding="utf-8") as log, Frontier.connect(url, crawl=crawl, worker=f"w{seed}") as frontier:
        while time.monotonic() < end:
            turn(frontier, rng, log, held)


if __name__ == "__main__":
    main(*sys.argv[1:])
