"""Rules that match the URI, or its queue, with regular expressions; always the whole text, in linear time."""

from __future__ import annotations

from collections.abc import Callable

from redisfrontier.errors import SettingError
from redisfrontier.policy.regexes import Matcher, all_matcher, any_matcher, full_matcher
from redisfrontier.policy.scope.decision import Rule
from redisfrontier.policy.scope.options import Options

_IMAGES = "bmp|gif|jpe?g|png|svg|tiff?"
_AUDIO = "aac|aiff?|m3u|m4a|midi?|mp2|mp3|mp4|mpa|ogg|ra|ram|wav|wma"
_VIDEO = "asf|asx|avi|flv|mov|mp4|mpeg|mpg|qt|ram|rm|smil|wmv"
_MISC = "doc|pdf|ppt|swf"
#: File name extensions by kind, as regular expressions.
PRESETS = {"ALL": f"{_IMAGES}|{_AUDIO}|{_VIDEO}|{_MISC}", "IMAGES": _IMAGES, "AUDIO": _AUDIO, "VIDEO": _VIDEO, "MISC": _MISC}

Build = Callable[[Options], Rule]


def matches_regex(name: str, *, negate: bool = False) -> Build:
    """Holds where `regex` (default: any single character) matches the URI, or does not."""

    def build(o: Options) -> Rule:
        return _on_uri(name, o, full_matcher(o.text("regex", ".")), negate=negate)

    return build


def matches_list_regex(name: str, *, negate: bool = False) -> Build:
    """Holds where one (`list_logical_or`, the default) or all of `regex_list` match the URI, or do not.

    An empty list never holds, negated or not: a rule without regexes says nothing (departure, Heritrix §11 item 19).
    """

    def build(o: Options) -> Rule:
        regexes = o.texts("regex_list")
        o.number("timeout_per_regex_seconds", 0)  # taken for Heritrix' sake; RE2 needs no time limit
        matches = any_matcher(regexes) if o.flag("list_logical_or", default=True) else all_matcher(regexes)
        if not regexes:
            return Rule(name, vote := o.decision(), lambda s: False, vote)
        return _on_uri(name, o, matches, negate=negate)

    return build


def matches_file_pattern(name: str, *, negate: bool = False) -> Build:
    """Holds where the URI ends in an extension of `use_preset` (ALL, IMAGES, AUDIO, VIDEO, MISC), or, if CUSTOM, matches `regex`."""

    def build(o: Options) -> Rule:
        preset, custom = o.choice("use_preset", "ALL", [*PRESETS, "CUSTOM"]), o.text("regex", ".")
        regex = custom if preset == "CUSTOM" else rf"(?i).*\.(?:{PRESETS[preset]})"
        return _on_uri(name, o, full_matcher(regex), negate=negate)

    return build


def class_key_matches_regex(o: Options) -> Rule:
    """Holds where `regex` matches the whole queue name."""
    vote, matches = o.decision(), full_matcher(o.text("regex", "."))
    return Rule("ClassKeyMatchesRegex", vote, lambda s: matches(s.queue), vote)


def _on_uri(name: str, o: Options, matches: Matcher, *, negate: bool) -> Rule:
    vote = o.decision()
    if negate:
        return Rule(name, vote, lambda s: not matches(s.uri.text), vote)
    return Rule(name, vote, lambda s: matches(s.uri.text), vote)


def unsupported(why: str) -> Build:
    """A rule of Heritrix that cannot be asked before a URI is fetched, or at all."""

    def build(o: Options) -> Rule:
        raise SettingError(f"scope rule {o.rule} is not available: {why}", remedy="leave it out")

    return build
