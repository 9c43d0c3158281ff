"""Compile the regular expressions of operators, written for Java as Heritrix' are, for RE2, whose time is linear in the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import re2

from redisfrontier.errors import SettingError

#: Bytes that the automaton of one expression may take.
MAX_AUTOMATON_BYTES = 16 << 20
#: Longest expression taken.
MAX_REGEX_CHARACTERS = 100_000

_HORIZONTAL_BLANKS = r" \t\x{A0}\x{1680}\x{180E}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}"
_ESCAPES = {
    "Z": r"\z",
    "h": f"[{_HORIZONTAL_BLANKS}]",
    "H": f"[^{_HORIZONTAL_BLANKS}]",
    "R": r"(?:\r\n|[\n-\r\x{85}\x{2028}\x{2029}])",
    "e": r"\x1B",
}
#: In a character class, where a nested class cannot stand.
_CLASS_ESCAPES = {"h": _HORIZONTAL_BLANKS, "e": r"\x1B"}
_POSIX = {
    name: f"[:{name.lower()}:]"
    for name in ("Lower", "Upper", "Alpha", "Digit", "Alnum", "Punct", "Graph", "Print", "Blank", "Cntrl", "XDigit", "Space", "ASCII")
}
_UNICODE_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})")
_PROPERTY = re.compile(r"\\([pP])\{(?:Is|In)?(\w+)\}")
_FLAGS = re.compile(r"\(\?([a-zA-Z]*)(-[a-zA-Z]*)?([:)])")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})")
_UNSUPPORTED_GROUPS = {"(?=": "look-ahead", "(?!": "look-ahead", "(?<=": "look-behind", "(?<!": "look-behind", "(?>": "atomic group"}

#: Does the whole text match?
Matcher = Callable[[str], bool]


@lru_cache(maxsize=4096)
def full_matcher(regex: str) -> Matcher:
    """Whether the whole of a text matches `regex`.

    Raises SettingError, naming what is wrong, for what RE2 has no linear way to match (back-references, look-around,
    possessive quantifiers, class intersections) and for what is no regular expression.
    """
    return _matcher(regex, translated(regex))


def any_matcher(regexes: Sequence[str]) -> Matcher:
    """Whether the whole of a text matches one of `regexes`, all tried in one pass where RE2 can hold them in one."""
    matchers = [full_matcher(r) for r in regexes]
    if len(matchers) < 2:
        return matchers[0] if matchers else lambda text: False
    together = "|".join(f"(?:{translated(r)})" for r in regexes)
    try:
        return _matcher(f"{len(regexes)} regexes together", together)
    except SettingError:
        return lambda text: any(m(text) for m in matchers)


def all_matcher(regexes: Sequence[str]) -> Matcher:
    """Whether the whole of a text matches every one of `regexes`, of which there is at least one."""
    matchers = [full_matcher(r) for r in regexes]
    return lambda text: bool(matchers) and all(m(text) for m in matchers)


def _matcher(name: str, pattern: str) -> Matcher:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_AUTOMATON_BYTES
    options.never_capture = True
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as e:
        reason = e.args[0] if e.args else e
        shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise SettingError(f"regex {name[:200]!r}: {shown}", remedy="correct it; the syntax is RE2's") from None
    fullmatch = compiled.fullmatch
    return lambda text: fullmatch(text) is not None


def translated(regex: str) -> str:
    """A Java regular expression in RE2's syntax, where that has the same meaning; raises SettingError where it has none."""
    if len(regex) > MAX_REGEX_CHARACTERS:
        raise SettingError(f"regex {regex[:200]!r}… is over {MAX_REGEX_CHARACTERS} characters")
    out: list[str] = []
    at = 0
    while at < len(regex):
        if regex[at] == "\\":
            step, text = _escape(regex, at, in_class=False)
        elif regex[at] == "[":
            step, text = _character_class(regex, at)
        elif regex.startswith("(?", at):
            step, text = _group(regex, at)
        else:
            step, text = _plain(regex, at)
        out.append(text)
        at += step
    return "".join(out)


def _plain(regex: str, at: int) -> tuple[int, str]:
    """A quantifier, which must not be possessive, or any other character."""
    found = _QUANTIFIER.match(regex, at)
    if found is None:
        return 1, regex[at]
    if regex[found.end() : found.end() + 1] == "+":
        _refuse(regex, "a possessive quantifier")
    lazy = regex[found.end() : found.end() + 1] == "?"
    text = found.group() + "?" * lazy
    return len(text), text


def _group(regex: str, at: int) -> tuple[int, str]:
    for opening, name in _UNSUPPORTED_GROUPS.items():
        if regex.startswith(opening, at):
            _refuse(regex, f"a {name} {opening}…)")
    found = _FLAGS.match(regex, at)
    if found is None:
        return 2, "(?"
    on, off, end = found.group(1), found.group(2) or "", found.group(3)
    if "x" in on:
        _refuse(regex, "the comment flag (?x)")
    # d and u change only what line ends and non-ASCII letters mean; a URI has neither.
    on, off = re.sub("[duU]", "", on), re.sub("[duUx]", "", off)
    off = "" if off == "-" else off
    return len(found.group()), f"(?{on}{off}{end}" if on or off or end == ":" else ""


def _character_class(regex: str, at: int) -> tuple[int, str]:
    out = ["[^" if regex.startswith("[^", at) else "["]
    i = at + len(out[0])
    if regex.startswith("]", i):
        _refuse(regex, "an empty character class")
    while i < len(regex) and regex[i] != "]":
        if regex.startswith("&&", i):
            _refuse(regex, "a class intersection (&&)")
        if regex[i] == "[":
            _refuse(regex, "a character class within another (a literal bracket is written \\[)")
        step, text = _escape(regex, i, in_class=True) if regex[i] == "\\" else (1, regex[i])
        out.append(text)
        i += step
    return i + 1 - at, "".join(out) + regex[i : i + 1]


def _escape(regex: str, at: int, *, in_class: bool) -> tuple[int, str]:
    found = _UNICODE_ESCAPE.match(regex, at)
    if found:
        return 6, f"\\x{{{found.group(1)}}}"
    found = _PROPERTY.match(regex, at)
    if found:
        return len(found.group()), _property(found.group(1), found.group(2), in_class=in_class)
    letter = regex[at + 1 : at + 2]
    if not in_class and ((letter in "123456789" and letter) or letter == "k"):
        _refuse(regex, "a back-reference")
    if letter == "c":
        return 3, f"\\x{ord(regex[at + 2 : at + 3] or '@') ^ 64:02X}"
    if letter == "Q":
        end = regex.find("\\E", at + 2)
        quoted = regex[at + 2 : end if end >= 0 else len(regex)]
        return len(quoted) + (4 if end >= 0 else 2), re2.escape(quoted)
    return 2, (_CLASS_ESCAPES if in_class else _ESCAPES).get(letter, regex[at : at + 2])


def _property(sign: str, name: str, *, in_class: bool) -> str:
    """\\p{Alpha} and its like are RE2's POSIX classes; the Unicode ones have the same name in both."""
    posix = _POSIX.get(name)
    if posix is None:
        return f"\\{sign}{{{name}}}"
    if sign == "P":
        posix = "[:^" + posix[2:]
    return posix if in_class else f"[{posix}]"


def _refuse(regex: str, what: str) -> None:
    raise SettingError(
        f"regex {regex[:200]!r} has {what}, which cannot be matched in linear time",
        remedy="write it without: two rules in a row, or a list of regexes, say the same",
    )
