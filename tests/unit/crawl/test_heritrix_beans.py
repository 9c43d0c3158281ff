"""Heritrix job files: a full one against golden findings, Spring's ways of saying things, and hostile XML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from redisfrontier.crawl.definition import CrawlDefinition, dump, load
from redisfrontier.crawl.findings import Finding, Verdict, needs_attention
from redisfrontier.crawl.heritrix_beans import crawl_name, read
from redisfrontier.errors import DefinitionError
from redisfrontier.policy.sheets import Sheet
from redisfrontier.uri.canonical import DEFAULT_RULES

DATA = Path(__file__).parent / "data"
JOB = DATA / "crawler-beans.cxml"
SPRING = 'xmlns="http://www.springframework.org/schema/beans" xmlns:p="http://www.springframework.org/schema/p"'


def beans(tmp_path: Path, text: str, **options: object) -> tuple[CrawlDefinition, list[Finding]]:
    file = tmp_path / "job.cxml"
    file.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n<beans {SPRING}>\n{text}\n</beans>\n')
    return read(file, **options)  # type: ignore[arg-type]


def told(findings: list[Finding], verdict: Verdict) -> list[str]:
    return [f"{f.line}: {f.text}: {f.why}" for f in findings if f.verdict is verdict]


def test_a_full_job_gives_the_golden_findings() -> None:
    _, findings = read(JOB)
    assert [str(f) for f in findings] == (DATA / "crawler-beans.findings.txt").read_text().splitlines()


def test_every_bean_and_property_of_a_full_job_is_told_of() -> None:
    lines = {f.line for f in read(JOB)[1]}
    source = enumerate(JOB.read_text().splitlines(), 1)
    inner = "java.util.concurrent", "org.archive.spring.Config", "PrecedencePolicy"  # told of with the property they belong to
    silent = [
        n
        for n, line in source
        if re.search("<(property|entry|bean|ref|prop) ", line) and n not in lines and not any(i in line for i in inner)
    ]
    assert silent == []


def test_a_full_job_becomes_a_definition() -> None:
    crawl, _ = read(JOB)
    assert crawl.name == "news-weekly"
    assert crawl.metadata.checked().description == "News sites, once a week with their pictures"
    assert crawl.metadata.robots_policy_name == crawl.settings.robots_policy_name == "robots_txt_only"
    assert (crawl.settings.min_delay_ms, crawl.settings.delay_factor, crawl.settings.max_outlinks) == (2000, 4.5, 5000)
    assert (crawl.settings.cost_assignment_policy, crawl.settings.uri_precedence_policy) == ("wag", "hops")
    assert (crawl.settings.queue_precedence_policy, crawl.settings.base_precedence) == ("success_counts", 4)
    assert (crawl.settings.scope_log_to_file, crawl.settings.max_time_seconds) == (True, 86400)
    assert crawl.seeds.text.splitlines()[1:3] == ["http://www.example.com/news/", "news.example.net"]
    assert crawl.seeds.source_tag_seeds
    assert [rule["rule"] for rule in crawl.scope] == [
        "reject",
        "surt_prefixed",
        "too_many_hops",
        "transclusion",
        "surt_prefixed",
        "hops_path_matches_regex",
        "matches_list_regex",
        "pathological_path",
        "too_many_path_segments",
        "prerequisite_accept",
        "scheme_not_in_set",
    ]
    assert "private.example.com" in str(crawl.scope[4]["surts_source"])
    assert crawl.scope[6]["regex_list"] == [r".*\.(zip|exe)$", ".*[?&]print=1.*"]
    assert crawl.canonicalization[4] == {"rule": "regex", "regex": "^(.*)[?&]utm_source=[^&]*(.*)$", "format": "$1$2"}
    assert crawl.sheets == (
        Sheet("lessPolite", {"delay_factor": 8.0, "min_delay_ms": 10000}, ("http://(net,example,slow,", "http://(com,example,www,)/big/")),
        Sheet("small", {"queue_total_budget": 500}, (), ({"rule": "matches_regex", "regex": r".*\?.*"},), 5),
    )


def test_a_job_written_as_toml_is_the_same_crawl(tmp_path: Path) -> None:
    crawl, _ = read(JOB)
    (tmp_path / "crawl.toml").write_text(dump(crawl))
    assert load(tmp_path / "crawl.toml") == crawl == load(JOB)


def test_what_needs_attention_is_what_was_refused_or_unknown() -> None:
    lines = {f.line for f in needs_attention(read(JOB)[1])}
    assert lines == {19, 126, 127, 131, 183, 200, 246, 268, 269}


def test_a_job_without_a_contact_url_is_read_but_does_not_start(tmp_path: Path) -> None:
    crawl, _ = beans(tmp_path, '<bean id="metadata" class="org.archive.modules.CrawlMetadata"><property name="jobName" value="j"/></bean>')
    assert crawl.name == "j"
    with pytest.raises(DefinitionError, match="operator_contact_url"):
        load(tmp_path / "job.cxml")


def test_seeds_from_a_file_and_start_after_some_lines(tmp_path: Path) -> None:
    crawl, findings = beans(
        tmp_path,
        """<bean id="seeds" class="org.archive.modules.seeds.TextSeedModule">
        <property name="textSource"><bean class="org.archive.spring.ConfigFile" p:path="${launchId}/seeds.txt"/></property>
        <property name="blockAwaitingSeedLines" value="100"/>
        <property name="sourceTagSeeds" value="false"/></bean>""",
        placeholders={"launchId": "latest"},
    )
    assert crawl.seeds.files == (str(tmp_path / "latest" / "seeds.txt"),)
    assert crawl.seeds.block_awaiting_seed_lines == 100
    assert not crawl.seeds.source_tag_seeds
    assert not needs_attention(findings)


def test_overrides_reach_policies_rules_and_defaults_that_are_not_written_out(tmp_path: Path) -> None:
    crawl, findings = beans(
        tmp_path,
        """<bean class="org.springframework.beans.factory.config.PropertyOverrideConfigurer"><property name="properties"><value>
frontier.queuePrecedencePolicy.basePrecedence : 7
scope.rules[1].maxHops=9
scope.rules[8].maxHops=9
frontier.maxRetries   5
frontier.maxRetries=6
preparer.queueAssignmentPolicy.parallelQueues=\\u0033
</value></property></bean>
<bean id="frontier" class="org.archive.crawler.frontier.BdbFrontier"/>
<bean id="preparer" class="org.archive.crawler.prefetch.FrontierPreparer"/>
<bean id="scope" class="org.archive.modules.deciderules.DecideRuleSequence"><property name="rules"><list>
 <bean class="org.archive.modules.deciderules.AcceptDecideRule"/>
 <bean class="org.archive.modules.deciderules.TooManyHopsDecideRule"/>
</list></property></bean>""",
    )
    assert (crawl.settings.base_precedence, crawl.settings.max_retries, crawl.settings.parallel_queues) == (7, 6, 3)
    assert crawl.scope == ({"rule": "accept"}, {"rule": "too_many_hops", "max_hops": 9})
    assert told(findings, Verdict.UNKNOWN) == ["6: scope.rules[8].maxHops = 9: 'rules[8]' is no bean there"]
    assert told(findings, Verdict.IGNORED) == ["7: frontier.maxRetries = 5: overridden in line 8"]


def test_placeholders_are_filled_or_told_of(tmp_path: Path) -> None:
    crawl, findings = beans(
        tmp_path,
        '<bean id="metadata" class="org.archive.modules.CrawlMetadata" p:operator="${who:nobody}" p:audience="${x.y}"/>',
    )
    assert (crawl.metadata.operator, crawl.metadata.audience) == ("nobody", "${x.y}")
    assert told(findings, Verdict.UNKNOWN) == ["3: ${x.y}: no value for this placeholder; it stays as it is"]


def test_a_surt_file_that_is_missing_is_told_of(tmp_path: Path) -> None:
    crawl, findings = beans(
        tmp_path,
        """<bean id="scope" class="org.archive.modules.deciderules.DecideRuleSequence"><property name="rules"><list>
        <bean class="org.archive.modules.deciderules.surt.SurtPrefixedDecideRule">
         <property name="surtsSourceFile" value="gone.txt"/></bean>
        </list></property></bean>""",
    )
    assert crawl.scope == ({"rule": "surt_prefixed"},)
    assert len(told(findings, Verdict.REFUSED)) == 1
    assert "without these prefixes" in told(findings, Verdict.REFUSED)[0]


def test_one_sheet_bound_twice_by_rules_becomes_two(tmp_path: Path) -> None:
    """Two rule lists mean either of them; in one list the last decision would win."""
    association = """<bean id="{id}" class="org.archive.crawler.spring.DecideRuledSheetAssociation">
      <property name="rules"><list><bean class="org.archive.modules.deciderules.{rule}"/></list></property>
      <property name="order" value="{order}"/><property name="targetSheetNames"><set><value>s</value></set></property></bean>"""
    crawl, findings = beans(
        tmp_path,
        '<bean id="s" class="org.archive.spring.Sheet"><property name="map"><map>'
        '<entry key="frontier.maxRetries"><value>2</value></entry></map>'
        "</property></bean>"
        + association.format(id="b", rule="SeedAcceptDecideRule", order=9)
        + association.format(id="a", rule="HasViaDecideRule", order=1)
        + """<bean class="org.archive.crawler.spring.SurtPrefixesSheetAssociation"><property name="surtPrefixes" value="http://(com,"/>
          <property name="targetSheetNames" value="s"/></bean>""",
    )
    assert crawl.sheets == (
        Sheet("s", {"max_retries": 2}, ("http://(com,",), ({"rule": "has_via"},), 1),
        Sheet("s-2", {"max_retries": 2}, (), ({"rule": "seed_accept"},), 9),
    )
    assert not needs_attention(findings)


def test_associations_with_sheets_that_do_not_exist_are_told_of(tmp_path: Path) -> None:
    _, findings = beans(
        tmp_path,
        '<bean id="x" class="org.archive.crawler.spring.SurtPrefixesSheetAssociation">'
        '<property name="targetSheetNames" value="gone"/></bean>',
    )
    assert told(findings, Verdict.REFUSED) == ["3: x: no sheet gone"]


def test_policies_by_their_classes(tmp_path: Path) -> None:
    crawl, findings = beans(
        tmp_path,
        """<bean id="preparer" class="org.archive.crawler.prefetch.FrontierPreparer">
        <property name="queueAssignmentPolicy">
         <bean class="org.archive.crawler.frontier.HostnameQueueAssignmentPolicyWithLimits" p:limit="2"/></property>
        <property name="uriPrecedencePolicy"><bean class="org.example.OwnPolicy"/></property></bean>
        <bean class="org.archive.crawler.frontier.ZeroCostAssignmentPolicy"/>
        <bean id="candidates" class="org.archive.crawler.postprocessor.CandidatesProcessor" p:seedsRedirectNewSeeds="false"/>""",
    )
    settings = crawl.settings
    assert (settings.queue_assignment_policy, settings.queue_assignment_limit) == ("hostname_with_limits", 2)
    assert (settings.cost_assignment_policy, settings.seed_redirects) == ("zero", "never")
    assert crawl.canonicalization == DEFAULT_RULES
    assert [f.line for f in needs_attention(findings)] == [6]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('<!DOCTYPE beans [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><beans>&b;</beans>', "entities"),
        ('<!DOCTYPE beans [<!ENTITY a SYSTEM "file:///etc/passwd">]><beans>&a;</beans>', "entities"),
        ("<beans>" + "<bean>" * 200 + "</bean>" * 200 + "</beans>", "nested deeper"),
        ("<beans><bean></beans>", "job.cxml:1: not well-formed"),
        ("<html/>", "no <beans>"),
        ("", "not well-formed"),
        ("<beans>" + " " * (16 * 1024 * 1024) + "</beans>", "larger than"),
    ],
)
def test_hostile_or_foreign_xml_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "job.cxml").write_text(text)
    with pytest.raises(DefinitionError, match=reason) as caught:
        read(tmp_path / "job.cxml")
    assert caught.value.remedy


def test_nothing_is_fetched_for_a_doctype(tmp_path: Path) -> None:
    text = '<!DOCTYPE beans PUBLIC "-//SPRING//DTD BEAN 2.0//EN" "http://www.springframework.org/dtd/spring-beans-2.0.dtd">\n<beans/>'
    (tmp_path / "job.cxml").write_text(text)
    with pytest.raises(DefinitionError, match="not read") as caught:
        read(tmp_path / "job.cxml")
    assert "DOCTYPE" in caught.value.remedy


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="cannot read"):
        read(tmp_path / "none.cxml")


def test_job_names_are_made_fit() -> None:
    assert crawl_name("  my job/№ 7 ") == "my-job-7"
    assert crawl_name("뉴스") == "crawl"
    assert len(crawl_name("x" * 100)) == 64
