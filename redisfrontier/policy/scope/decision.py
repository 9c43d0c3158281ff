"""What rules decide on and how they vote: Decision, Subject, Rule, Verdict, Vote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from redisfrontier.uri.parse import Uri
from redisfrontier.uri.surt import candidate_surt


class Decision(StrEnum):
    """A rule's vote; NONE leaves the matter to the other rules."""

    ACCEPT = "ACCEPT"
    REJECT = "REJECT"
    NONE = "NONE"


class Subject(NamedTuple):
    """A URI as rules see it. `surt` is its candidate SURT (https as http); `subject_of` fills it in."""

    uri: Uri
    path: str
    via: Uri | None
    is_seed: bool
    source_tag: str | None
    queue: str
    surt: str
    status: int = 0
    content_type: str | None = None

    @property
    def via_surt(self) -> str | None:
        """The candidate SURT of the page it was found on."""
        return None if self.via is None else candidate_surt(self.via)


def subject_of(
    uri: Uri,
    path: str = "",
    via: Uri | None = None,
    *,
    is_seed: bool = False,
    source_tag: str | None = None,
    queue: str = "",
    status: int = 0,
    content_type: str | None = None,
) -> Subject:
    """A Subject with its SURT worked out."""
    return Subject(uri, path, via, is_seed, source_tag, queue, candidate_surt(uri), status, content_type)


class Rule(NamedTuple):
    """One decide rule: it votes `vote` where `holds`, else NONE.

    `only` is the vote that it declares as its only one: where the sequence already stands at that, the rule is not asked.
    A rule with `vote` None votes what `holds` returns.
    """

    name: str
    vote: Decision | None
    holds: Callable[[Subject], object]
    only: Decision | None = None
    #: Where the rule holds, the URI becomes a seed.
    makes_seed: bool = False
    #: Takes a SURT prefix that a new seed or a directive implies; (sign, prefix) with sign '+', '-' or '' for a seed. Was it news?
    widen: Callable[[str, str], bool] | None = None
    #: The text of the SURT prefixes in use, and the file it is wanted in ('' for none).
    dump: Callable[[], tuple[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a sequence decided: `index` and `rule` of the one whose vote it is, −1 and '' if none voted."""

    decision: Decision
    index: int
    rule: str
    becomes_seed: bool = False

    @property
    def accepts(self) -> bool:
        """Is the URI in scope?"""
        return self.decision is Decision.ACCEPT


@dataclass(frozen=True, slots=True)
class Vote:
    """One rule's vote, for explanations: `asked` is False where the sequence stood at the rule's only vote already."""

    index: int
    rule: str
    decision: Decision
    asked: bool
    decisive: bool
