"""Single URIs in the hands of an operator: deleted or reordered wherever they stand, whatever the crawl knows of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from redisfrontier.candidates import Preparer
from redisfrontier.crawl.live import Live
from redisfrontier.record.record import UriRecord
from redisfrontier.steps import queues, show
from redisfrontier.store.drive import Steps

_ID = re.compile(r"\d{1,4}:\d{1,16}")
_NONE: Counter[str] = Counter()


def delete(live: Live, preparer: Preparer, uris: Iterable[str], how: str = "deleted") -> Steps[list[bool]]:
    """Per URI or id "partition:number": was it there?"""
    answers = []
    for uri in uris:
        id_, queue = yield from _place(live, preparer, uri)
        if id_:
            gone = yield from queues.delete_ids(live, [(id_, queue)], how)
        else:
            gone = (yield from queues.delete(live, queue.__eq__, _same(preparer, uri), how)) if queue else _NONE
        answers.append(gone.total() > 0)
    return answers


def reorder(live: Live, preparer: Preparer, uris: Iterable[str], to: queues.Place) -> Steps[list[bool]]:
    """Per URI or id: did it get another place?"""
    answers = []
    for uri in uris:
        id_, queue = yield from _place(live, preparer, uri)
        if id_:
            moved = yield from queues.reorder_ids(live, [(id_, queue)], to)
        else:
            moved = (yield from queues.reorder(live, queue.__eq__, _same(preparer, uri), to)) if queue else _NONE
        answers.append(moved.total() > 0)
    return answers


def _place(live: Live, preparer: Preparer, uri: str) -> Steps[tuple[str, str]]:
    """Id and queue; no id: only a filter knows it, so the queue must be searched; neither: nobody knows it."""
    found = yield from show.show(live, preparer, uri)
    if found["id"] and found["queue"]:
        return found["id"], found["queue"]
    return "", "" if _ID.fullmatch(uri) or found["how"] == "unknown" else found["queue"]


def _same(preparer: Preparer, uri: str) -> queues.Test:
    mark = show.unscoped(preparer, uri).fingerprint[:8]

    def same(record: UriRecord) -> bool:
        return record.fingerprint == mark

    return same
