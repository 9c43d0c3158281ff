"""Read the options of one configured rule, each checked, none left over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import NoReturn

from redisfrontier.errors import SettingError
from redisfrontier.policy.scope.decision import Decision

_WORD_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TRUTH = {"true": True, "false": False}
#: Options that every rule takes.
_COMMON = ("rule", "enabled", "comment")


def snake(name: str) -> str:
    """A Java name in snake_case: surtsSourceFile → surts_source_file."""
    return _WORD_BOUNDARY.sub("_", name).lower()


class Options:
    """The options of a rule by their names in snake_case; Heritrix' camelCase is taken as well."""

    def __init__(self, rule: str, config: Mapping[str, object]) -> None:
        self.rule = rule
        self._given = {snake(str(k)): v for k, v in config.items()}
        self._known: set[str] = set(_COMMON)

    @property
    def enabled(self) -> bool:
        """Disabled rules never vote."""
        return self.flag("enabled", default=True)

    def flag(self, name: str, *, default: bool) -> bool:
        """A truth value."""
        value = self._take(name, default)
        value = _TRUTH.get(value.strip().lower(), value) if isinstance(value, str) else value
        return value if isinstance(value, bool) else self._refuse(name, value, "true or false")

    def number(self, name: str, default: int, *, low: int | None = None) -> int:
        """A whole number, at least `low`."""
        value = self._take(name, default)
        if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,18}\s*", value):
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            return self._refuse(name, value, "a whole number")
        return value if low is None or value >= low else self._refuse(name, value, f"at least {low}")

    def text(self, name: str, default: str = "") -> str:
        """A text."""
        value = self._take(name, default)
        return value if isinstance(value, str) else self._refuse(name, value, "a text")

    def texts(self, name: str, default: Iterable[str] = ()) -> tuple[str, ...]:
        """A list of texts; numbers count as their text, a mapping as its keys."""
        value = self._take(name, default)
        if isinstance(value, str):
            return tuple(value.split())
        if not isinstance(value, Iterable):
            return self._refuse(name, value, "a list")
        return tuple(str(v) for v in value)

    def choice(self, name: str, default: str, choices: Iterable[str]) -> str:
        """One of `choices`, in any case of letters."""
        value = self.text(name, default).strip().upper()
        return value if value in choices else self._refuse(name, value, "one of " + ", ".join(choices))

    def decision(self, default: Decision = Decision.ACCEPT) -> Decision:
        """ACCEPT or REJECT (NONE makes a rule that never votes)."""
        return Decision(self.choice("decision", default.value, [d.value for d in Decision]))

    def rules(self, name: str = "rules") -> tuple[Mapping[str, object], ...]:
        """A list of rule configurations."""
        value = self._take(name, ())
        if isinstance(value, str) or not isinstance(value, Iterable):
            return self._refuse(name, value, "a list of rules")
        found = tuple(value)
        return found if all(isinstance(v, Mapping) for v in found) else self._refuse(name, value, "a list of rules")

    def done(self) -> None:
        """Raise SettingError for an option that the rule does not have."""
        unknown = [name for name in self._given if name not in self._known]
        if unknown:
            near = get_close_matches(unknown[0], self._known, 1)
            raise SettingError(
                f"scope rule {self.rule}: no option {unknown[0]!r}",
                remedy=f"did you mean {near[0]!r}?" if near else "its options are " + ", ".join(sorted(self._known)),
            )

    def _take(self, name: str, default: object) -> object:
        self._known.add(name)
        return self._given.get(name, default)

    def _refuse(self, name: str, value: object, wanted: str) -> NoReturn:
        raise SettingError(f"scope rule {self.rule}: {name} = {str(value)[:100]!r} is not {wanted}")
