"""Make decide rules and sequences from their configuration, and the stock scope of a crawl that defines none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from redisfrontier.errors import SettingError
from redisfrontier.policy.scope import answer_rules, domain_rules, hop_rules, origin_rules, path_rules, regex_rules, surt_rules
from redisfrontier.policy.scope.decision import Decision, Rule, Subject
from redisfrontier.policy.scope.options import Options, snake
from redisfrontier.policy.scope.sequence import DecideRuleSequence
from redisfrontier.policy.scope.surt_rules import ON_DOMAINS, ON_HOSTS, SeedSurts, SurtRules
from redisfrontier.settings import Settings

Build = Callable[[Options], Rule]
Config = Mapping[str, object]

_AFTER_FETCH = "it needs the fetched document"
_NO_SEEDS = SeedSurts()


def read_file(path: str) -> str:
    """The text of a `surts_source_file`; raises SettingError if it cannot be read."""
    try:
        return Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise SettingError(f"surts_source_file {path!r} cannot be read: {e}", remedy="correct the path") from e


def build_rule(config: Config, seeds: SeedSurts = _NO_SEEDS, read: Callable[[str], str] = read_file) -> Rule:
    """The rule that `config` asks for: {rule: name, its options …}; names as here, or as in Heritrix.

    Raises SettingError for an unknown rule or option, a value out of range, a regex that cannot be matched in linear time.
    """
    name = rule_name(config)
    options = Options(name, config)
    if name == "sequence":
        rule = _nested(options, seeds, read)
    else:
        rule = _builders(seeds, read)[name](options)
    enabled = options.enabled
    options.done()
    return rule if enabled else rule._replace(holds=lambda s: False)


def build_sequence(
    configs: Iterable[Config],
    seeds: SeedSurts = _NO_SEEDS,
    *,
    read: Callable[[str], str] = read_file,
    log_to_file: bool = False,
    log_extra_info: bool = False,
) -> DecideRuleSequence:
    """A sequence of configured rules; raises SettingError as build_rule does, telling which rule it is."""
    rules = []
    for i, config in enumerate(configs):
        try:
            rules.append(build_rule(config, seeds, read))
        except SettingError as e:
            raise SettingError(f"scope rule {i}: {e}", remedy=e.remedy) from e
    return DecideRuleSequence(rules, log_to_file=log_to_file, log_extra_info=log_extra_info)


def stock_scope(
    settings: Settings,
    seeds: SeedSurts = _NO_SEEDS,
    *,
    negative_surts: str = "",
    reject_regexes: Iterable[str] = (),
    log_to_file: bool = False,
) -> DecideRuleSequence:
    """Heritrix' stock scope of ten rules with the numbers of `settings`; without seeds it takes nothing."""
    return build_sequence(stock_rules(settings, negative_surts, reject_regexes), seeds, log_to_file=log_to_file)


def stock_rules(settings: Settings, negative_surts: str = "", reject_regexes: Iterable[str] = ()) -> tuple[Config, ...]:
    """The configuration of the stock scope."""
    return (
        {"rule": "reject"},
        {"rule": "surt_prefixed"},
        {"rule": "too_many_hops", "max_hops": settings.max_hops},
        {"rule": "transclusion", "max_trans_hops": settings.max_trans_hops, "max_speculative_hops": settings.max_speculative_hops},
        {"rule": "surt_prefixed", "decision": "REJECT", "seeds_as_surt_prefixes": False, "surts_source": negative_surts},
        {"rule": "matches_list_regex", "decision": "REJECT", "regex_list": tuple(reject_regexes)},
        {"rule": "pathological_path", "max_repetitions": settings.max_repetitions},
        {"rule": "too_many_path_segments", "max_path_depth": settings.max_path_depth},
        {"rule": "prerequisite_accept"},
        {"rule": "scheme_not_in_set"},
    )


def rule_name(config: Config) -> str:
    """The rule's name here; raises SettingError for none, or one that does not exist."""
    given = config.get("rule")
    if not isinstance(given, str) or not given:
        raise SettingError(f"a scope rule without a name: {str(dict(config))[:200]}", remedy='begin it with rule = "…"')
    name = snake(given.rpartition(".")[2]).removesuffix("_rule").removesuffix("_decide")
    name = _ALIASES.get(name, name)
    known = rule_names()
    if name not in known:
        near = get_close_matches(name, known, 1)
        raise SettingError(f"unknown scope rule {given!r}", remedy=f"did you mean {near[0]!r}?" if near else "one of " + ", ".join(known))
    return name


def rule_names() -> tuple[str, ...]:
    """Every rule there is."""
    return ("sequence", *_builders(_NO_SEEDS, read_file))


_ALIASES = {"decide_rule_sequence": "sequence", "add_redirect_from_root_server_to_scope": "add_redirect_from_root_server"}


def _nested(options: Options, seeds: SeedSurts, read: Callable[[str], str]) -> Rule:
    """A sequence within a sequence votes what it decides."""
    log, extra = options.flag("log_to_file", default=False), options.flag("log_extra_info", default=False)
    inner = build_sequence(options.rules(), seeds, read=read, log_to_file=log, log_extra_info=extra)

    def vote(s: Subject) -> object:
        decision = inner.decide(s).decision
        return None if decision is Decision.NONE else decision

    return Rule("DecideRuleSequence", None, vote, widen=lambda sign, prefix: inner.widen(prefix, sign))


def _builders(seeds: SeedSurts, read: Callable[[str], str]) -> dict[str, Build]:
    surts = SurtRules(seeds, read).surt_prefixed
    return {
        "surt_prefixed": surts("SurtPrefixed"),
        "not_surt_prefixed": surts("NotSurtPrefixed", negate=True),
        "on_hosts": surts("OnHosts", widen=ON_HOSTS),
        "not_on_hosts": surts("NotOnHosts", negate=True, widen=ON_HOSTS),
        "on_domains": surts("OnDomains", widen=ON_DOMAINS),
        "not_on_domains": surts("NotOnDomains", negate=True, widen=ON_DOMAINS),
        **_SEEDLESS,
    }


_SEEDLESS: dict[str, Build] = {
    "accept": origin_rules.accept,
    "reject": origin_rules.reject,
    "seed_accept": origin_rules.seed_accept,
    "has_via": origin_rules.has_via,
    "source_seed": origin_rules.source_seed,
    "prerequisite_accept": origin_rules.prerequisite_accept,
    "scheme_not_in_set": origin_rules.scheme_not_in_set,
    "too_many_hops": hop_rules.too_many_hops,
    "transclusion": hop_rules.transclusion,
    "hops_path_matches_regex": hop_rules.hops_path_matches_regex,
    "matches_regex": regex_rules.matches_regex("MatchesRegex"),
    "not_matches_regex": regex_rules.matches_regex("NotMatchesRegex", negate=True),
    "matches_list_regex": regex_rules.matches_list_regex("MatchesListRegex"),
    "not_matches_list_regex": regex_rules.matches_list_regex("NotMatchesListRegex", negate=True),
    "matches_file_pattern": regex_rules.matches_file_pattern("MatchesFilePattern"),
    "not_matches_file_pattern": regex_rules.matches_file_pattern("NotMatchesFilePattern", negate=True),
    "class_key_matches_regex": regex_rules.class_key_matches_regex,
    "pathological_path": path_rules.pathological_path,
    "too_many_path_segments": path_rules.too_many_path_segments,
    "nested_escapes": path_rules.nested_escapes,
    "via_surt_prefixed": surt_rules.via_surt_prefixed,
    "hop_crosses_assignment_level_domain": domain_rules.hop_crosses_assignment_level_domain,
    "add_redirect_from_root_server": domain_rules.add_redirect_from_root_server,
    "fetch_status": answer_rules.fetch_status,
    "fetch_status_matches_regex": answer_rules.fetch_status_matches_regex("FetchStatusMatchesRegex"),
    "fetch_status_not_matches_regex": answer_rules.fetch_status_matches_regex("FetchStatusNotMatchesRegex", negate=True),
    "matches_status_code": answer_rules.matches_status_code,
    "not_matches_status_code": answer_rules.not_matches_status_code,
    "content_type_matches_regex": answer_rules.content_type_matches_regex("ContentTypeMatchesRegex"),
    "content_type_not_matches_regex": answer_rules.content_type_matches_regex("ContentTypeNotMatchesRegex", negate=True),
    "content_length": regex_rules.unsupported(_AFTER_FETCH),
    "resource_no_longer_than": regex_rules.unsupported(_AFTER_FETCH),
    "resource_longer_than": regex_rules.unsupported(_AFTER_FETCH),
    "response_content_length": regex_rules.unsupported(_AFTER_FETCH),
    "identical_digest": regex_rules.unsupported(_AFTER_FETCH),
    "external_geo_location": regex_rules.unsupported("it needs a database of addresses"),
    "ip_address_set": regex_rules.unsupported("the address of a host is not known when a link is scheduled"),
    "scripted": regex_rules.unsupported("scripts are not run"),
    "expression": regex_rules.unsupported("scripts are not run"),
}
