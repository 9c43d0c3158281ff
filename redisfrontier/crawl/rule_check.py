"""Checks a scope rule's configuration before a crawl is made from it, and takes the files it names into it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from redisfrontier.errors import DefinitionError
from redisfrontier.policy.scope.build import build_rule

RuleConfig = Mapping[str, object]

MAX_SURT_BYTES = 64 * 1024 * 1024
"""Size of a SURT file above which it is refused: the scope is kept in Redis and read by every worker."""


def check_rule(config: RuleConfig) -> None:
    """Raises SettingError when no rule can be made from it; files it names are not looked at."""
    build_rule(config, read=lambda _: "")


def inlined(config: RuleConfig, directory: Path) -> RuleConfig:
    """The configuration with the text of its `surts_source_file` in it, also in nested rules.

    A crawl's scope is the same for all its workers, wherever they run, so it may not hang on a file of
    one machine. The file's path counts from `directory`. Raises DefinitionError when it cannot be read.
    """
    found = dict(config)
    name = found.pop("surts_source_file", None)
    if isinstance(name, str) and name:
        given = found.get("surts_source")
        found["surts_source"] = "\n".join([*([given] if isinstance(given, str) and given else []), _text_of(directory / name)])
    nested = found.get("rules")
    if isinstance(nested, list | tuple):
        found["rules"] = [inlined(rule, directory) for rule in nested]
    return found


def _text_of(path: Path) -> str:
    remedy = "correct surts_source_file; its path counts from the crawl file"
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_SURT_BYTES + 1)
        text = raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise DefinitionError(f"cannot read {path}: {getattr(e, 'strerror', None) or 'not UTF-8'}", remedy=remedy) from e
    if len(raw) > MAX_SURT_BYTES:
        raise DefinitionError(f"{path} is larger than {MAX_SURT_BYTES} bytes", remedy="split the crawl, or use a rule by regex")
    return text
