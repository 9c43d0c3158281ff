"""Which sites there are under which host names: a full town for the demo, a small one for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.sites import odd_sites as odd
from tests.sites.page import Site
from tests.sites.python_sites import package_site, pydoc_site, source_site

#: Host → what makes its site, given the port that all listen on.
Town = Mapping[str, Callable[[int], Site]]

ODD: Town = {
    odd.ELSEWHERE: lambda _: odd.elsewhere_site,
    "traps.demo.test": odd.trap_site,
    "busy.demo.test": lambda _: odd.busy_site(),
    "slow.demo.test": lambda _: odd.slow_site,
    "robots.demo.test": lambda _: odd.robots_site(40),
    "flaky.demo.test": lambda _: odd.flaky_robots_site(),
    "escapes.demo.test": lambda _: odd.escape_site,
    odd.IDN_ASCII: odd.idn_site,
}

#: Several thousand pages.
FULL: Town = {
    "pydoc.demo.test": lambda _: pydoc_site(),
    "source.demo.test": lambda _: source_site(),
    "aiohttp.docs.demo.test": lambda _: package_site("aiohttp"),
    "click.docs.demo.test": lambda _: package_site("click"),
    "commands.redis.demo.test": lambda _: package_site("redis.commands"),
    "asyncio.redis.demo.test": lambda _: package_site("redis.asyncio"),
    "rich.docs.demo.test": lambda _: package_site("rich"),
    "structlog.docs.demo.test": lambda _: package_site("structlog"),
    **ODD,
}

#: Some hundred pages, without the slow and the endless ones.
SMALL: Town = {
    "pydoc.demo.test": lambda _: pydoc_site(20),
    "aiohttp.docs.demo.test": lambda _: package_site("aiohttp", 6),
    "robots.demo.test": lambda _: odd.robots_site(5),
    **{host: ODD[host] for host in ("flaky.demo.test", "escapes.demo.test", odd.IDN_ASCII)},
}

TOWNS: Mapping[str, Town] = {"full": FULL, "small": SMALL}


def built(town: Town, port: int) -> dict[str, Site]:
    """The sites of a town."""
    return {host: make(port) for host, make in town.items()}
