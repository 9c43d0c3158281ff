"""Crawl files: the example loads, errors name line, key and remedy, and what is written back reads the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.crawl.definition import CrawlDefinition, dump, from_source, load
from redisfrontier.crawl.definition_file import from_text
from redisfrontier.crawl.live import unpacked
from redisfrontier.crawl.metadata import CrawlMetadata
from redisfrontier.crawl.seeds import SeedSource
from redisfrontier.errors import DefinitionError
from redisfrontier.policy.scope.build import stock_rules
from redisfrontier.policy.sheets import Sheet
from redisfrontier.settings import Settings
from redisfrontier.steps.crawl import packed

EXAMPLE = Path("deploy/crawl.toml")
HEAD = 'name = "n"\n[metadata]\noperator_contact_url = "http://a.example/"\n'


def toml(text: str) -> CrawlDefinition:
    return from_source(from_text(text, name="crawl.toml"))


def error_of(text: str, *, is_yaml: bool = False) -> tuple[str, str]:
    with pytest.raises(DefinitionError) as caught:
        from_source(from_text(text, is_yaml=is_yaml, name="crawl.yaml" if is_yaml else "crawl.toml"))
    return str(caught.value), caught.value.remedy


def test_the_example_file_loads() -> None:
    crawl = load(EXAMPLE)
    assert crawl.name == "news-weekly"
    assert crawl.seeds.source_tag_seeds
    assert [sheet.name for sheet in crawl.sheets] == ["gentle", "query-pages"]
    assert crawl.sheets[0].settings == {"min_delay_ms": 10000, "delay_factor": 8.0}
    assert [rule["rule"] for rule in crawl.scope] == [rule["rule"] for rule in stock_rules(Settings())]


def test_little_is_needed() -> None:
    crawl = toml(HEAD)
    assert crawl == CrawlDefinition("n", metadata=CrawlMetadata(operator_contact_url="http://a.example/"))


def test_yaml_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(
        """
name: n
metadata: {operator_contact_url: "http://a.example/", robots_policy_name: ignore}
settings: {min_delay_ms: 5, retry_statuses: ["500", "502"]}
seeds: {uris: [a.example], files: [more.txt, "-"], block_awaiting_seed_lines: 10}
scope:
  - rule: accept
  - {rule: too_many_hops, max_hops: 3}
sheets:
  - {name: s, surt_prefixes: ["http://(com,"], settings: {max_retries: 2}, order: 4}
canonicalization: [lowercase]
partitions: 4
"""
    )
    crawl = load(tmp_path / "c.yaml")
    assert crawl.settings.robots_policy_name == "ignore"
    assert crawl.settings.retry_statuses == ("500", "502")
    assert crawl.seeds == SeedSource(text="a.example", files=(str(tmp_path / "more.txt"), "-"), block_awaiting_seed_lines=10)
    assert crawl.scope == ({"rule": "accept"}, {"rule": "too_many_hops", "max_hops": 3})
    assert crawl.sheets == (Sheet("s", {"max_retries": 2}, ("http://(com,",), (), 4),)
    assert (crawl.canonicalization, crawl.partitions) == (("lowercase",), 4)


@pytest.mark.parametrize(
    ("text", "where", "remedy"),
    [
        (HEAD + "[settings]\nmin_dealy_ms = 1\n", "crawl.toml:5: settings.min_dealy_ms: unknown key", "did you mean 'min_delay_ms'?"),
        (HEAD + "[settings]\n\nmax_retries = 0\n", "crawl.toml:6: settings.max_retries: setting max_retries = 0: out of range", "attempts"),
        (HEAD + "[settings]\nmax_retries = 'x'\n", "crawl.toml:5: settings.max_retries", "attempts"),
        ("partition = 2\n" + HEAD, "crawl.toml:1: partition: unknown key", "did you mean 'partitions'?"),
        ("partitions = 0\n" + HEAD, "crawl.toml:1: partitions: 0 is out of range", "1 to"),
        (
            'name = "n"\n[metadata]\noperator = "x"\n',
            "crawl.toml:2: metadata.operator_contact_url: operator_contact_url is missing",
            "https://",
        ),
        ('name = "n"\n', "crawl.toml: metadata.operator_contact_url: operator_contact_url is missing", "https://"),
        (HEAD + "operatr = 'x'\n", "crawl.toml:4: metadata.operatr: unknown key", "did you mean 'operator'?"),
        (HEAD.replace('"n"', '"-n"'), "crawl.toml:1: name:", "news"),
        (HEAD.replace('name = "n"\n', ""), "name: the crawl's name is missing", "name ="),
        (HEAD + "[seeds]\nuris = [1]\n", "crawl.toml:5: seeds.uris[0]: not a text but a number", "quotes"),
        (HEAD + "[seeds]\nurls = ['a']\n", "crawl.toml:5: seeds.urls: unknown key", "did you mean 'uris'?"),
        (HEAD + "[seeds]\nsource_tag_seeds = 1\n", "crawl.toml:5: seeds.source_tag_seeds: not true or false but a number", "true"),
        (HEAD + "[[scope]]\nrule = 'acept'\n", "crawl.toml:5: scope[0].rule: unknown scope rule 'acept'", "did you mean 'accept'?"),
        (
            HEAD + "[[scope]]\nrule = 'accept'\n[[scope]]\nrule = 'too_many_hops'\nmax_hop = 3\n",
            "crawl.toml:8: scope[1].max_hop: scope rule too_many_hops: no option 'max_hop'",
            "did you mean 'max_hops'?",
        ),
        (HEAD + "[[scope]]\nrule = 'matches_regex'\nregex = '('\n", "crawl.toml:6: scope[0].regex", ""),
        (HEAD + "[[scope]]\nrule = 'surt_prefixed'\nsurts_source_file = 'gone.txt'\n", "crawl.toml:6: scope[0].surts_source_file", "path"),
        (HEAD + "[scope]\nrule = 'accept'\n", "crawl.toml:4: scope: not a list but a table", "[[scope]]"),
        (HEAD + "[[sheets]]\nname = 'a'\n[[sheets]]\nname = 'a'\n", "crawl.toml:7: sheets[1].name: empty, or used", "own"),
        (
            HEAD + "[[sheets]]\nname = 'a'\n[sheets.settings]\nprecedence_floor = 3\n",
            "crawl.toml:7: sheets[0].settings.precedence_floor",
            "[settings]",
        ),
        (HEAD + "[[sheets]]\nname = 'a'\nsurt_prefix = 'x'\n", "crawl.toml:6: sheets[0].surt_prefix: unknown key", "surt_prefixes"),
        ("canonicalization = ['lowercas']\n" + HEAD, "crawl.toml:1: canonicalization[0]: no canonicalisation rule", "lowercase"),
        (
            HEAD + "robots_policy_name = 'ignore'\n[settings]\nrobots_policy_name = 'obey'\n",
            "crawl.toml:6: settings.robots_policy_name",
            "leave one",
        ),
        (HEAD + "x = \n", "crawl.toml: not TOML: Invalid value (at line 4", "deploy/crawl.toml"),
    ],
)
def test_errors_name_line_key_reason_and_remedy(text: str, where: str, remedy: str) -> None:
    message, told = error_of(text)
    assert message.startswith(where) or where in message
    assert remedy in told
    assert told


def test_yaml_errors_name_their_line() -> None:
    text = "name: n\nmetadata:\n  operator_contact_url: http://a.example/\nscope:\n- rule: accept\n- rule: too_many_hops\n  max_hop: 3\n"
    assert error_of(text, is_yaml=True)[0].startswith("crawl.yaml:7: scope[1].max_hop:")
    assert error_of("name: n\n  x: [", is_yaml=True)[0].startswith("crawl.yaml:2: not YAML")
    assert error_of("- 1\n", is_yaml=True)[0].startswith("crawl.yaml: the file: not a table but a list")
    assert "not a table" in error_of("name: n\nmetadata: {1: 2}\n", is_yaml=True)[0]


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
        "x: " + "[" * 20_000,
        "!!python/object/apply:os.system ['true']",
        "name: !!binary 'x'",
        "? [1, 2]\n: 3\n",
    ],
)
def test_hostile_yaml_is_refused(text: str) -> None:
    assert error_of(text, is_yaml=True)[1]


def test_hostile_toml_is_refused() -> None:
    assert "nested too deeply" in error_of("a = " + "[" * 20_000)[0]


@pytest.mark.parametrize("content", [None, b"name = '\xff'", b"#" * (16 * 1024 * 1024 + 1)])
def test_files_that_cannot_be_read_say_why(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(DefinitionError, match=r"c\.toml") as caught:
        load(file)
    assert caught.value.remedy


def test_a_scope_takes_its_files_with_it(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("a.example\n+http://(org,\n")
    (tmp_path / "c.toml").write_text(
        HEAD
        + "[[scope]]\nrule = 'surt_prefixed'\nsurts_source = 'b.example'\nsurts_source_file = 's.txt'\n"
        + "[[scope]]\nrule = 'sequence'\nrules = [{rule = 'surt_prefixed', surts_source_file = 's.txt'}]\n"
    )
    first, second = load(tmp_path / "c.toml").scope
    assert first == {"rule": "surt_prefixed", "surts_source": "b.example\na.example\n+http://(org,\n"}
    assert second["rules"] == [{"rule": "surt_prefixed", "surts_source": "a.example\n+http://(org,\n"}]


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20)


@given(
    name=st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,10}\Z"),
    description=_TEXT,
    text=_TEXT,
    block=st.integers(-1, 1000),
    delay=st.integers(0, 1000),
    floats=st.floats(0, 100),
    statuses=st.lists(st.sampled_from(["500", "-4"]), max_size=2),
    rules=st.lists(st.sampled_from([{"rule": "accept"}, {"rule": "too_many_hops", "max_hops": 3}]), max_size=3),
    prefixes=st.lists(st.sampled_from(["http://(com,", "a.example"]), max_size=2),
)
def test_what_is_written_reads_the_same(
    name: str, description: str, text: str, block: int, delay: int, floats: float, statuses: list[str], rules: list, prefixes: list[str]
) -> None:
    crawl = CrawlDefinition(
        name,
        CrawlMetadata("https://a.example/", description=description),
        Settings().changed({"min_delay_ms": delay, "delay_factor": floats, "retry_statuses": statuses}),
        SeedSource(text=text, files=("/x.txt",), block_awaiting_seed_lines=block),
        tuple(rules),
        (Sheet("s", {"max_retries": 3}, tuple(prefixes), tuple(rules), 7),),
        ("lowercase", {"rule": "regex", "regex": "^(.*)$", "format": "$1"}),
        3,
    )
    assert toml(dump(crawl)) == crawl


def test_the_example_reads_the_same_when_written(tmp_path: Path) -> None:
    crawl = load(EXAMPLE)
    (tmp_path / "c.toml").write_text(dump(crawl))
    assert load(tmp_path / "c.toml") == crawl


def test_sheets_come_back_from_redis_as_they_were_written() -> None:
    for sheet in (*load(EXAMPLE).sheets, Sheet("late", {"max_retries": 2}, (), ({"rule": "accept"},), 9)):
        assert unpacked(sheet.name, packed(sheet)) == sheet
