"""Single URIs in the hands of an operator: deleted wherever they stand, whatever the crawl knows of them."""

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


def delete(live: Live, preparer: Preparer, uris: Iterable[str], how: str = "deleted") -> Steps[list[bool]]:
    """Per URI or id "partition:number": was it there?  Where the index gives no id (a Bloom crawl), the URI's queue is searched."""
    answers = []
    for uri in uris:
        found = yield from show.show(live, preparer, uri)
        if found["id"] and found["queue"]:
            gone = yield from queues.delete_ids(live, [(found["id"], found["queue"])], how)
        elif _ID.fullmatch(uri) or found["how"] == "unknown":
            answers.append(False)
            continue
        else:
            gone = yield from _search(live, preparer, uri, found["queue"], how)
        answers.append(sum(gone.values()) > 0)
    return answers


def _search(live: Live, preparer: Preparer, uri: str, queue: str, how: str) -> Steps[Counter[str]]:
    mark = show.unscoped(preparer, uri).fingerprint[:8]

    def same(record: UriRecord) -> bool:
        return record.fingerprint == mark

    return (yield from queues.delete(live, queue.__eq__, same, how))
