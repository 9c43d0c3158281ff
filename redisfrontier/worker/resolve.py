"""Host names to addresses: the operator's `--resolve` lines first, the system's resolver after."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Mapping

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from redisfrontier.errors import BadArgument

_REMEDY = "write HOST:IP or HOST:PORT:IP, for instance www.example.com:127.0.0.1"


def parse_lines(lines: Iterable[str]) -> dict[tuple[str, int], str]:
    """(host in lower case, port or 0 for any) → IP address; raises BadArgument for a line that is neither form.

    IPv6 addresses may stand in brackets. A later line beats an earlier one of the same host and port.
    """
    table: dict[tuple[str, int], str] = {}
    for line in lines:
        host, separator, rest = line.partition(":")
        port_text, second, address = rest.partition(":")
        port = 0
        if second and port_text.isdecimal() and not _is_address(rest):
            port, rest = int(port_text), address
        rest = rest.strip("[]")
        if not (host and separator and _is_address(rest) and port < 65536):
            raise BadArgument(f"cannot resolve by {line!r}", remedy=_REMEDY)
        table[(host.lower().rstrip("."), port)] = rest
    return table


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return False
    return True


class Resolver(AbstractResolver):
    """An aiohttp resolver over a fixed table; other names go to `fallback` (the system's)."""

    def __init__(self, table: Mapping[tuple[str, int], str], fallback: AbstractResolver | None = None) -> None:
        self._table = table
        self._fallback = fallback
        #: The address a host was last given, when it was the only one.
        self.only: dict[str, str] = {}

    async def resolve(self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET) -> list[ResolveResult]:
        """Addresses of `host`; raises OSError as the system does when there are none."""
        name = host.lower().rstrip(".")
        fixed = self._table.get((name, port)) or self._table.get((name, 0))
        if fixed is None:
            if self._fallback is None:
                self._fallback = ThreadedResolver()
            found = await self._fallback.resolve(host, port, family)
        else:
            kind = socket.AF_INET6 if ":" in fixed else socket.AF_INET
            flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
            found = [ResolveResult(hostname=host, host=fixed, port=port, family=kind, proto=0, flags=flags)]
        self._note(name, found)
        return found

    def _note(self, name: str, found: list[ResolveResult]) -> None:
        if len(self.only) > 100_000:
            self.only.clear()
        if len(found) == 1:
            self.only[name] = found[0]["host"]
        else:
            self.only.pop(name, None)

    async def close(self) -> None:
        """Give the fallback's resources back."""
        if self._fallback is not None:
            await self._fallback.close()
