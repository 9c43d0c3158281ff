"""Bring a URI into its canonical form, the key of uniqueness, by a list of rules (heritrix-frontier §6.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from redisfrontier.errors import SettingError
from redisfrontier.uri.parse import MAX_URI_BYTES, Uri
from redisfrontier.uri.rewrite import regex_rule

Rule = Callable[[str], str]

#: Heritrix' default list, in its order.
DEFAULT_RULES: tuple[str, ...] = (
    "lowercase",
    "strip_userinfo",
    "strip_www_n",
    "strip_session_ids",
    "strip_session_cfids",
    "fixup_query_string",
)
#: Passes after which a text counts as one that never settles: dozens of nested session ids, a regex that adds text each time.
_MAX_PASSES = 20
_MAX_CHARACTERS = 2 * MAX_URI_BYTES

_USERINFO = re.compile(r"((?:https?|ftps?)://)[^/]+@", re.IGNORECASE)
_WWW = re.compile(r"(https?://)www\.(?=[^/]*/.)", re.IGNORECASE)
_WWW_N = re.compile(r"(https?://)www[0-9]*\.(?=[^/]*/.)", re.IGNORECASE)
#: What can stand at place 7 of http://www… and https://www…; most URIs are told by it without a match.
_AFTER_SCHEME = ("w", "W", "/")
_MANY_SLASHES = re.compile(r"//+")
_SESSION_IDS = tuple(
    re.compile(rf"(?<=.)(?:{name})(?:&|\Z)", re.IGNORECASE | re.ASCII)
    for name in ("(?:jsessionid|phpsessid)=[0-9a-z]{32}", "sid=[0-9a-z]{32}", "aspsessionid[a-z]{8}=[a-z]{24}")
)


class Canonicalizer:
    """The rules of a crawl, applied in order and again until nothing changes: so its own output stays as it is."""

    __slots__ = ("_rules",)

    def __init__(self, rules: Sequence[str | Mapping[str, object]] | None = None) -> None:
        """`rules`: names of rules, or mappings {rule, enabled, regex, format}; None means the default list.

        Raises SettingError for an unknown rule, a regex that RE2 does not take, or a bad format.
        """
        made = (rule_named(rule) for rule in (DEFAULT_RULES if rules is None else rules))
        self._rules: tuple[Rule, ...] = tuple(rule for rule in made if rule is not None)

    def __call__(self, uri: Uri | str) -> str:
        """The canonical form of a parsed URI, or of a text as it is; a text that the rules never leave alone stays as it is."""
        given = text = uri if isinstance(uri, str) else uri.text
        rules = self._rules
        unchanged = 0
        for _ in range(_MAX_PASSES):
            for rule in rules:
                changed = rule(text)
                unchanged = unchanged + 1 if changed == text else 0
                text = changed
                if unchanged == len(rules):
                    return text
            if len(text) > _MAX_CHARACTERS:
                break
        return given

    def once(self, text: str) -> str:
        """One pass of all rules, as Heritrix does it."""
        for rule in self._rules:
            text = rule(text)
        return text


def rule_named(rule: str | Mapping[str, object]) -> Rule | None:
    """The function of one configured rule; None if it is disabled. Raises SettingError."""
    config: Mapping[str, object] = {"rule": rule} if isinstance(rule, str) else rule
    unknown = set(config) - {"rule", "enabled", "regex", "format"}
    if unknown:
        raise SettingError(f"canonicalisation rule has unknown keys {sorted(unknown)}")
    name = config.get("rule")
    if name == "regex":
        made: Rule = regex_rule(str(config.get("regex", "(.*)")), str(config.get("format", "$1")))
    elif isinstance(name, str) and name in _RULES:
        made = _RULES[name]
    else:
        raise SettingError(f"no canonicalisation rule {name!r}", remedy=f"choose from {', '.join([*_RULES, 'regex'])}")
    return made if config.get("enabled", True) else None


def lowercase(text: str) -> str:
    """The whole text in lower case."""
    return text.lower()


def strip_userinfo(text: str) -> str:
    """Without `user:password@`, for http, https, ftp and ftps."""
    return _USERINFO.sub(r"\1", text, count=1) if "@" in text and _USERINFO.match(text) else text


def strip_www(text: str) -> str:
    """Without `www.`, for http and https, unless the URI is a bare host."""
    if text[7:8] not in _AFTER_SCHEME:
        return text
    found = _WWW.match(text)
    return found.group(1) + text[found.end() :] if found else text


def strip_www_n(text: str) -> str:
    """Without `www.`, `www1.`, `www23.` …, for http and https, unless the URI is a bare host."""
    if text[7:8] not in _AFTER_SCHEME:
        return text
    found = _WWW_N.match(text)
    return found.group(1) + text[found.end() :] if found else text


def strip_session_ids(text: str) -> str:
    """Without the last jsessionid or phpsessid (32 letters or digits), the last sid, the last ASPSESSIONID."""
    if "=" not in text:
        return text
    lowered = text.lower()
    if "sid=" not in lowered and "sessionid" not in lowered:
        return text
    for pattern in _SESSION_IDS:
        places = [found.span() for found in pattern.finditer(text)]
        if places:
            begin, end = places[-1]
            text = text[:begin] + text[end:]
    return text


def strip_session_cfids(text: str) -> str:
    """Without ColdFusion's last pair `cfid=…&cftoken=…`."""
    if "&" not in text:
        return text
    lowered = text.lower()
    token = lowered.rfind("&cftoken=")
    while token > 0:
        begin = lowered.rfind("cfid=", max(lowered.rfind("&", 0, token) + 1, 1), token - 1)
        value = token + len("&cftoken=")
        if begin > 0 and lowered[value : value + 1] not in ("", "&"):
            return text[:begin] + text[value:].partition("&")[2]
        token = lowered.rfind("&cftoken=", 0, token)
    return text


def strip_extra_slashes(text: str) -> str:
    """Runs of slashes after `http://` or `https://` as one slash."""
    for scheme in ("http://", "https://"):
        if text.startswith(scheme):
            return scheme + _MANY_SLASHES.sub("/", text[len(scheme) :])
    return text


def fixup_query_string(text: str) -> str:
    """Without an empty query, one leading or one trailing '&' of the query."""
    mark = text.rfind("?")
    if mark <= 0:
        return text
    query = text[mark + 1 :]
    if query in ("", "&"):
        return text[:mark]
    if query[0] == "&":
        return text[: mark + 1] + query[1:]
    return text[:-1] if query[-1] == "&" else text


def sort_query(text: str) -> str:
    """The parameters of the query in the order of their text (not one of Heritrix'; field case B10)."""
    mark = text.find("?")
    if mark < 0 or "&" not in text[mark:]:
        return text
    return text[: mark + 1] + "&".join(sorted(text[mark + 1 :].split("&")))


_RULES: dict[str, Rule] = {
    "lowercase": lowercase,
    "strip_userinfo": strip_userinfo,
    "strip_www": strip_www,
    "strip_www_n": strip_www_n,
    "strip_session_ids": strip_session_ids,
    "strip_session_cfids": strip_session_cfids,
    "strip_extra_slashes": strip_extra_slashes,
    "fixup_query_string": fixup_query_string,
    "sort_query": sort_query,
}
