"""Measure what the policy of one URI costs before scheduling, in CPU time of one process."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from redisfrontier.uri.canonical import Canonicalizer
from redisfrontier.uri.fingerprint import fingerprint, partition_of
from redisfrontier.uri.parse import Uri, parse
from redisfrontier.uri.surt import candidate_surt, surt_authority
from redisfrontier.uri.surt_prefixes import SurtPrefixSet

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


def uri_figures(count: int = 20_000, hosts: int = 2_000, prefixes: Iterable[int] = (100, 10_000, 100_000)) -> list[Figure]:
    """The steps of uri/: parse; parse to fingerprint; the same with a look-up among so many SURT prefixes."""
    texts = sample_uris(count, hosts)
    canonical = Canonicalizer()

    def identify(text: str) -> Uri:
        uri = parse(text)
        fingerprint(canonical(uri))
        partition_of(surt_authority(uri), 16)
        return uri

    figures = [Figure("parse", measure(parse, texts)), Figure("parse + canonical + queue + fingerprint", measure(identify, texts))]
    for size in prefixes:
        held = SurtPrefixSet(f"http://(com,example{n % 7},site{n:05d}," for n in range(size))
        cost = measure(lambda text, held=held: held.matches(candidate_surt(identify(text))), texts)  # type: ignore[misc]
        figures.append(Figure(f"the same + look-up among {size} SURT prefixes", cost))
    return figures
