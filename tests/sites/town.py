"""Which sites there are under which host names: a full town for the demo, a small one for tests."""

from __future__ import annotations

from tests.sites import odd_sites as odd
from tests.sites.page import Site
from tests.sites.python_sites import package_site, pydoc_site, source_site

#: Resolves, but nobody listens there.
DEAD_HOST = "dead.demo.test"


def odd_town(port: int) -> dict[str, Site]:
    """The generated sites."""
    return {
        "traps.demo.test": odd.trap_site,
        "busy.demo.test": odd.busy_site(),
        "robots.demo.test": odd.robots_site,
        "flaky.demo.test": odd.flaky_robots_site(),
        "slow.demo.test": odd.slow_site,
        "escapes.demo.test": odd.escape_site,
        odd.IDN_ASCII: odd.idn_site(port),
    }


def full_town(port: int) -> dict[str, Site]:
    """Several thousand pages over a dozen hosts."""
    return {
        "pydoc.demo.test": pydoc_site(),
        "source.demo.test": source_site(),
        "aiohttp.docs.demo.test": package_site("aiohttp"),
        "redis.docs.demo.test": package_site("redis"),
        "rich.docs.demo.test": package_site("rich"),
        **odd_town(port),
    }


def small_town(port: int) -> dict[str, Site]:
    """About 150 pages over a few hosts, without the slow ones."""
    return {
        "pydoc.demo.test": pydoc_site(25),
        "aiohttp.docs.demo.test": package_site("aiohttp", 6),
        "robots.demo.test": odd.robots_site,
        "flaky.demo.test": odd.flaky_robots_site(),
        "escapes.demo.test": odd.escape_site,
        odd.IDN_ASCII: odd.idn_site(port),
    }
