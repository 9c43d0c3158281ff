"""The policy bench: its links are like those of pages, every one is taken, and it measures what it says."""

from __future__ import annotations

from redisfrontier.operate.bench_policy import measure, policy_figures, sample_uris
from redisfrontier.uri.parse import parse


def test_the_sample_is_stable_varied_and_valid() -> None:
    links = sample_uris(2_000, hosts=300)
    assert links == sample_uris(2_000, hosts=300)
    assert 60 < sum(map(len, links)) / len(links) < 90
    hosts = {parse(link).host for link in links}
    assert len(hosts) > 300
    repaired = sum(parse(link).text != link for link in links)
    assert 50 < repaired < 300


def test_a_step_is_timed_per_text() -> None:
    seen: list[str] = []
    assert 0 <= measure(seen.append, ["a", "b"], rounds=3) < 1_000
    assert seen == ["a", "b"] * 3


def test_figures_name_every_step() -> None:
    figures = policy_figures(count=300, hosts=50, prefixes=(10,))
    assert [figure.name.partition(",")[0] for figure in figures] == [
        "parse",
        "parse + canonicalise + queue + fingerprint",
        "the same + stock scope",
        "Preparer.prepare",
    ]
    assert all(figure.microseconds > 0 for figure in figures)
