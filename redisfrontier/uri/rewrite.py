"""Compile an operator's regex and format into a rewriting function that runs in linear time (RE2)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import re2

from redisfrontier.errors import SettingError

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_PIECE = re.compile(r"\\(.)|\$\{([A-Za-z][A-Za-z0-9]*)\}|\$([0-9])([0-9]*)|([^\\$]+)", re.DOTALL)


def regex_rule(regex: str, template: str) -> Callable[[str], str]:
    """A function that turns text which `regex` matches as a whole into `template`, and leaves any other text.

    The template is Java's: `$1`, `${name}`, `\\` before a literal character. Raises SettingError for a regex that RE2 does not
    take (look-around, back-references) or a template that names no group of it.
    """
    try:
        pattern = re2.compile(regex, _OPTIONS)
    except re2.error as error:
        raise SettingError(f"regex {regex!r}: {error}", remedy="RE2 syntax: no look-around, no back-references") from None
    pieces = _pieces(template, pattern.groups, dict(pattern.groupindex))

    def rewrite(text: str) -> str:
        found: Any = pattern.fullmatch(text)
        if found is None:
            return text
        return "".join(piece if isinstance(piece, str) else found.group(piece) or "" for piece in pieces)

    return rewrite


def _pieces(template: str, groups: int, names: dict[str, int]) -> list[str | int]:
    pieces: list[str | int] = []
    place = 0
    while place < len(template):
        found = _PIECE.match(template, place)
        if found is None:
            raise SettingError(f"format {template!r} has a stray '$' or backslash at {place}", remedy="write \\$ or \\\\")
        literal, name, digit, digits, plain = found.groups()
        if digit is not None:
            number, used = _group_number(digit, digits, groups, template)
            pieces.append(number)
            pieces.append(digits[used:])
        elif name is not None:
            if name not in names:
                raise SettingError(f"format {template!r}: no group named {name!r}")
            pieces.append(names[name])
        else:
            pieces.append(plain if literal is None else literal)
        place = found.end()
    return pieces


def _group_number(digit: str, digits: str, groups: int, template: str) -> tuple[int, int]:
    """The group meant by `$` and digits, and how many of the further digits belong to it: as many as make a group."""
    number, used = int(digit), 0
    if number > groups:
        raise SettingError(f"format {template!r}: no group {number}")
    while used < len(digits) and number * 10 + int(digits[used]) <= groups:
        number = number * 10 + int(digits[used])
        used += 1
    return number, used
