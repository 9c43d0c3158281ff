"""Crawl metadata: no crawl without a contact URL, and a user agent that site owners can follow."""

from __future__ import annotations

import pytest

from redisfrontier.crawl.metadata import CrawlMetadata, is_web_address
from redisfrontier.errors import DefinitionError

CONTACT = "https://archive.example.org/our-crawler.html"


def test_a_contact_url_is_all_it_takes() -> None:
    assert CrawlMetadata(operator_contact_url=CONTACT).checked().robots_policy_name == "obey"


@pytest.mark.parametrize(
    "url", ["", " ", "ENTER_A_URL", "ftp://a.example/", "http://", "https://a b/", "http://a.example:x/", "a.example", "http://[::1/"]
)
def test_no_crawl_starts_without_a_contact_url(url: str) -> None:
    with pytest.raises(DefinitionError, match="operator_contact_url") as caught:
        CrawlMetadata(operator_contact_url=url).checked()
    assert "https://" in caught.value.remedy


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("robots_policy_name", "obey_sometimes"),
        ("user_agent_template", "nobody/1.0"),
        ("user_agent_template", "x +@OPERATOR_CONTACT_URL@\r\nX-Evil: 1"),
        ("operator_from", "not a mail address"),
        ("description", "x" * 5000),
    ],
)
def test_what_would_go_wrong_is_named(field: str, value: str) -> None:
    metadata = CrawlMetadata(operator_contact_url=CONTACT).changed({field: value})
    with pytest.raises(DefinitionError, match=field):
        metadata.checked()


def test_unknown_names_and_wrong_types_are_refused() -> None:
    with pytest.raises(DefinitionError, match="operatr"):
        CrawlMetadata().changed({"operatr": "x"})
    with pytest.raises(DefinitionError, match="not a text"):
        CrawlMetadata().changed({"operator": 7})


def test_the_user_agent_tells_version_and_contact() -> None:
    agent = CrawlMetadata(operator_contact_url=CONTACT).user_agent("1.2.3")
    assert agent == f"Mozilla/5.0 (compatible; redisfrontier/1.2.3 +{CONTACT})"


def test_web_addresses() -> None:
    assert is_web_address("http://a.example:8080/x?y")
    assert not is_web_address("mailto:a@b.example")
