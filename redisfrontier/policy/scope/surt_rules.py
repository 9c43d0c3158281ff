"""Rules on SURT prefixes: of the URI, of its via, on hosts and on domains (Heritrix §8.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from redisfrontier.policy.scope.decision import Decision, Rule, Subject
from redisfrontier.policy.scope.options import Options
from redisfrontier.uri.surt import directive_prefix, implied_prefix, to_domains_prefix, to_hosts_prefix
from redisfrontier.uri.surt_prefixes import SurtPrefixSet

Widening = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class SeedSurts:
    """The SURT prefixes that the seeds of a crawl imply, and those that its seed source names after + and −."""

    seeds: tuple[str, ...] = ()
    plus: tuple[str, ...] = ()
    minus: tuple[str, ...] = ()


def surts_of_source(text: str) -> list[str]:
    """SURT prefixes from lines of text: after '+' a directive, else what plain text implies; '#' begins a comment."""
    found = []
    for line in text.splitlines():
        entry = line.partition("#")[0].strip()
        if entry:
            found.append(directive_prefix(entry[1:]) if entry[0] == "+" else implied_prefix(entry))
    return [prefix for prefix in found if prefix]


@dataclass(frozen=True, slots=True)
class SurtRules:
    """Builds the rules that follow the seeds; `read` gives the text of a `surts_source_file`."""

    seeds: SeedSurts
    read: Callable[[str], str]

    def surt_prefixed(self, name: str, *, negate: bool = False, widen: Widening = str) -> Callable[[Options], Rule]:
        """Holds where the URI (or with `also_check_via` its via) lies within the prefixes, or does not.

        They are those of the seeds (`seeds_as_surt_prefixes`, true), of directives (+ for ACCEPT, − for REJECT; taken as they
        are), of `surts_source` and `surts_source_file`. A seed that was added in mid-crawl lies within its own.
        """

        def build(o: Options) -> Rule:
            vote, from_seeds = o.decision(), o.flag("seeds_as_surt_prefixes", default=True)
            sign = {Decision.ACCEPT: "+", Decision.REJECT: "-"}.get(vote, "")
            prefixes = SurtPrefixSet(widen(p) for p in self._implied(o, from_seeds=from_seeds))
            prefixes.update({"+": self.seeds.plus, "-": self.seeds.minus}.get(sign, ()))
            holds = _holder(prefixes, also_via=o.flag("also_check_via", default=False), from_seeds=from_seeds, negate=negate)
            dump_file = o.text("surts_dump_file")

            def add(new_sign: str, prefix: str) -> bool:
                if new_sign:
                    return new_sign == sign and prefixes.add(prefix)
                return from_seeds and prefixes.add(widen(prefix))

            return Rule(name, vote, holds, vote, widen=add, dump=lambda: (dump_file, "".join(f"{p}\n" for p in prefixes)))

        return build

    def _implied(self, o: Options, *, from_seeds: bool) -> Iterable[str]:
        source, path = o.text("surts_source"), o.text("surts_source_file")
        o.flag("rebuild_on_reconfig", default=True)  # taken for Heritrix' sake
        yield from surts_of_source(source)
        yield from surts_of_source(self.read(path)) if path else ()
        yield from self.seeds.seeds if from_seeds else ()


def via_surt_prefixed(o: Options) -> Rule:
    """Holds where the via lies within one of `surt_prefixes` (literal, or plain text)."""
    vote = o.decision()
    prefixes = SurtPrefixSet(filter(None, map(directive_prefix, o.texts("surt_prefixes"))))

    def holds(s: Subject) -> bool:
        via = s.via_surt
        return via is not None and prefixes.matches(via)

    return Rule("ViaSurtPrefixed", vote, holds, vote)


def _holder(prefixes: SurtPrefixSet, *, also_via: bool, from_seeds: bool, negate: bool) -> Callable[[Subject], bool]:
    matches = prefixes.matches

    def holds(s: Subject) -> bool:
        if matches(s.surt) or (from_seeds and s.is_seed):
            return not negate
        if also_via:
            via = s.via_surt
            return (via is not None and matches(via)) is not negate
        return negate

    return holds


#: How a prefix is widened for rules on hosts and on domains.
ON_HOSTS: Widening = to_hosts_prefix
ON_DOMAINS: Widening = to_domains_prefix
