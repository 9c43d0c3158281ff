"""Relocation: claims given back untried to another queue, in their partition or, by way of a schedule call, in another one."""

from __future__ import annotations

from collections.abc import Iterable

from redisfrontier.candidates import Prepared, Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.record.outcome import Claim, Finished
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.steps.claim import finished, release, split_id
from redisfrontier.steps.inspect import replies_of
from redisfrontier.steps.schedule import combine
from redisfrontier.steps.show import unscoped
from redisfrontier.store.drive import Steps
from redisfrontier.store.ops import HEAD, MOVED, text


def relocate(live: Live, preparer: Preparer, claims: Iterable[Claim], queue: str) -> Steps[list[Finished]]:
    """One answer a claim, in order."""
    answers = []
    for claim in claims:
        if claim.queue == queue:
            answers += yield from release(live, [claim])
        else:
            answers.append((yield from _one(live, preparer, claim, queue)))
    return answers


def _one(live: Live, preparer: Preparer, claim: Claim, queue: str) -> Steps[Finished]:
    target = unscoped(preparer, _candidate(claim.record, queue))
    partition, number = split_id(claim.id)
    to = target.queue
    if target.partition != partition:
        (reply,) = yield from replies_of([live.ops.extend(partition, [(number, claim.token)], 0)])
        if (answer := finished(text(reply[HEAD]))) is not Finished.OK:  # no longer ours: it must not be doubled
            return answer
        yield from _admit_there(live, target)
        to = MOVED
    (reply,) = yield from replies_of([live.ops.release(partition, [(number, claim.token)], to, target.group)])
    return finished(text(reply[HEAD]))


def _admit_there(live: Live, target: Prepared) -> Steps[None]:
    """First there, then away from here: a crash between the two leaves it in both, never in none."""
    if target.sheets:
        yield from combine(live, [target.sheets])
    sheet = live.combos[" ".join(target.sheets)] if target.sheets else 0
    yield from replies_of([live.ops.schedule(target.partition, [(target, sheet)])])


def _candidate(r: UriRecord, queue: str) -> Candidate:
    return Candidate(
        r.uri,
        path=r.path,
        via=r.via,
        via_context=r.via_context,
        is_seed=r.is_seed,
        source_tag=r.source_tag,
        force_fetch=True,
        prerequisite=r.prerequisite,
        queue=queue,
        directive=r.directive,
        precedence=r.precedence,
        cost=r.cost,
        dedup_key=r.dedup_key,
        heritable=r.heritable,
        metadata=r.metadata,
    )
