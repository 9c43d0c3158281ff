"""Measure what the policy of one URI costs before scheduling, in CPU time of one process."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from redisfrontier.candidates import Preparer
from redisfrontier.policy.queueing import queue_policy
from redisfrontier.policy.scope.build import stock_scope
from redisfrontier.policy.scope.decision import Subject
from redisfrontier.policy.scope.surt_rules import SeedSurts
from redisfrontier.settings import Settings
from redisfrontier.uri.canonical import Canonicalizer
from redisfrontier.uri.fingerprint import fingerprint
from redisfrontier.uri.parse import parse
from redisfrontier.uri.surt import candidate_surt

_WORDS = "news archive product list item view page story image search about contact forum thread user profile".split()  # noqa: SIM905
#: Of a hundred links: this many need the fix-up (upper case host, blanks, dot segments, international host names …).
_ROUGH_PERCENT = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured step: CPU µs per URI, the best of several rounds."""

    name: str
    microseconds: float


def sample_uris(count: int, hosts: int, seed: int = 7) -> list[str]:
    """Links as pages have them: mostly clean, 76 characters or so, some with a query, www, session ids; a tenth in need of repair."""
    rnd = random.Random(seed)
    return [_sample(rnd, hosts) for _ in range(count)]


def _sample(rnd: random.Random, hosts: int) -> str:
    number = rnd.randrange(hosts)
    host = f"{rnd.choice(('www.', '', '', 'blog.', 'www2.'))}site{number:05d}.example{number % 7}.com"
    path = "/".join(rnd.choice(_WORDS) for _ in range(rnd.randint(2, 4)))
    query = f"?id={rnd.randrange(10**5)}&lang=en" if rnd.random() < 0.3 else ""
    if rnd.random() * 100 < _ROUGH_PERCENT:
        host = rnd.choice((host.upper(), host.replace("example", "b\u00fccher"), host))
        path = rnd.choice((path.replace("/", "/../", 1), path.replace("/", " /", 1), path + "/\u00e9", path))
        query += rnd.choice(("#top", "&", " ", ""))
    return f"{rnd.choice(('http', 'https'))}://{host}/{path}/{rnd.randrange(10**6)}.html{query}"


def measure(step: Callable[[str], object], texts: Sequence[str], rounds: int = 5) -> float:
    """CPU µs of `step` per text, the best of `rounds`, without the garbage collector."""
    best = float("inf")
    gc.disable()
    try:
        for _ in range(rounds):
            begun = time.process_time()
            for text in texts:
                step(text)
            best = min(best, time.process_time() - begun)
    finally:
        gc.enable()
    return best / len(texts) * 1e6


def policy_figures(count: int = 20_000, hosts: int = 2_000, prefixes: Iterable[int] = (100, 10_000, 100_000)) -> list[Figure]:
    """CPU µs per URI: parse; parse to fingerprint; with the stock scope of so many SURT prefixes; the whole preparation."""
    texts = sample_uris(count, hosts)
    settings = Settings()
    canonical, queue_of = Canonicalizer(), queue_policy(settings)

    def identify(text: str) -> None:
        uri = parse(text)
        queue_of(uri, "", None, None)
        fingerprint(canonical(uri))

    figures = [Figure("parse", measure(parse, texts)), Figure("parse + canonicalise + queue + fingerprint", measure(identify, texts))]
    for size in prefixes:
        seeds = SeedSurts(tuple(f"http://(com,example{n % 7},site{n:05d}," for n in range(size)))
        scope = stock_scope(settings, seeds)

        def decide(text: str, decide: Callable[[Subject], object] = scope.decide) -> None:
            uri = parse(text)
            queue = queue_of(uri, "", None, None)
            fingerprint(canonical(uri))
            decide(Subject(uri, "", None, False, "", queue, candidate_surt(uri)))

        figures.append(Figure(f"the same + stock scope, {size} SURT prefixes", measure(decide, texts)))
        figures.append(Figure(f"Preparer.prepare, {size} SURT prefixes", measure(Preparer(settings, scope).prepare, texts)))
    return figures
