"""Ask decide rules in their order; the last vote other than NONE is the decision (Heritrix' DecideRuleSequence)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from redisfrontier.policy.scope.decision import Decision, Rule, Subject, Verdict, Vote


class DecideRuleSequence:
    """An ordered list of rules. With no rule, or none that votes, the decision is NONE, which is out of scope."""

    __slots__ = ("_makes_seed", "_steps", "_verdicts", "log_extra_info", "log_to_file", "rules")

    def __init__(self, rules: Iterable[Rule], *, log_to_file: bool = False, log_extra_info: bool = False) -> None:
        self.rules: Sequence[Rule] = tuple(rules)
        #: Whether the verdicts are wanted in scope.log, and with more than the URI.
        self.log_to_file = log_to_file
        self.log_extra_info = log_extra_info
        self._steps = tuple((i, r.only, r.vote, r.holds) for i, r in enumerate(self.rules))
        self._verdicts = {(d, i): Verdict(d, i, r.name) for i, r in enumerate(self.rules) for d in Decision}
        self._verdicts[Decision.NONE, -1] = Verdict(Decision.NONE, -1, "")
        self._makes_seed = any(r.makes_seed for r in self.rules)

    def decide(self, subject: Subject) -> Verdict:
        """The decision, and the rule whose vote it is."""
        result, index = Decision.NONE, -1
        for i, only, vote, holds in self._steps:
            if only is not result and (got := holds(subject)):
                result, index = vote or Decision(str(got)), i
        verdict = self._verdicts[result, index]
        if self._makes_seed and any(v.asked and v.decision is not Decision.NONE for v in self._seed_votes(subject)):
            return replace(verdict, becomes_seed=True)
        return verdict

    def explain(self, subject: Subject) -> list[Vote]:
        """Every rule's vote, also of those that need not be asked."""
        decisive = self.decide(subject).index
        return [replace(vote, decisive=vote.index == decisive) for vote in self._votes(subject)]

    def _votes(self, subject: Subject) -> list[Vote]:
        result, votes = Decision.NONE, []
        for i, rule in enumerate(self.rules):
            got = rule.holds(subject)
            vote = (rule.vote or Decision(str(got))) if got else Decision.NONE
            asked = rule.only is None or rule.only is not result
            votes.append(Vote(i, rule.name, vote, asked, decisive=False))
            if asked and vote is not Decision.NONE:
                result = vote
        return votes

    def widen(self, prefix: str, sign: str = "") -> bool:
        """Let the rules that follow seeds (sign '') or directives ('+', '-') take a SURT prefix; False if none had to."""
        news = [rule.widen(sign, prefix) for rule in self.rules if rule.widen is not None]
        return any(news)

    def surt_dumps(self) -> list[tuple[str, str]]:
        """(file, SURT prefixes in use, one a line) of each rule that wants them dumped."""
        return [dump for rule in self.rules if rule.dump is not None and (dump := rule.dump())[0]]

    def log_line(self, subject: Subject, verdict: Verdict) -> str:
        """The line of scope.log: rule index, rule, decision, URI, with `log_extra_info` also how it was found, as JSON."""
        line = f"{verdict.index} {_class_name(verdict.rule) or '-'} {verdict.decision} {subject.uri.text}"
        if not self.log_extra_info:
            return line
        via = subject.via.text if subject.via else None
        extra = {"hopPath": subject.path, "via": via, "seed": subject.source_tag, "host": subject.uri.host or "-"}
        return f"{line} {json.dumps({k: v for k, v in extra.items() if v is not None})}"

    def _seed_votes(self, subject: Subject) -> list[Vote]:
        return [v for v in self._votes(subject) if self.rules[v.index].makes_seed]


def _class_name(rule: str) -> str:
    """The name of a rule's class in Heritrix, whose scope.log has it."""
    return rule if not rule or rule.endswith(("Scope", "Sequence")) else f"{rule}DecideRule"
