"""Refuse candidates with fields of a wrong type or range: they come from other programs too, whatever the annotations say."""

from __future__ import annotations

import re
from collections.abc import Mapping

from redisfrontier.errors import BadArgument
from redisfrontier.record.codec import is_metadata
from redisfrontier.record.record import Candidate

#: A hop path as it is stored; other letters than Heritrix' eight are taken, as it does.
_PATH = re.compile(r"(?:[0-9]{1,9}\+)?[A-Za-z]{0,50}")


def check_fields(c: Candidate) -> None:
    """Raise BadArgument, with a short reason, for the first field that cannot be taken; the URI itself is not looked at."""
    texts: tuple[object, ...] = (c.path, c.via, c.via_context, c.source_tag, c.queue, c.dedup_key)
    for value in texts:
        if value is not None and not isinstance(value, str):
            raise BadArgument("bad_field: not a text")
    numbers: tuple[object, ...] = (c.directive, c.precedence, c.cost)
    for value in numbers:
        if value is not None and not isinstance(value, int):
            raise BadArgument("bad_field: not a whole number")
    maps: tuple[object, ...] = (c.heritable, c.metadata)
    for values in maps:
        if values and not (isinstance(values, Mapping) and all(map(is_metadata, values.keys(), values.values()))):
            raise BadArgument("bad_metadata: not texts with texts, whole numbers or lists of texts")
    if c.path and not _PATH.fullmatch(c.path):
        raise BadArgument("bad_path")
    if c.directive is not None and not 0 <= c.directive <= 3:
        raise BadArgument("bad_directive")
