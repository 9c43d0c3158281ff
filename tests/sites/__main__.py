"""Serves a town of sites until its standard input closes; the first line it prints is its port."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from tests.sites.server import SitesServer
from tests.sites.town import TOWNS, built


async def _serve(town: str, log: Path) -> None:
    server = SitesServer({}, log)
    port = await server.start()
    server.add(built(TOWNS[town], port))
    print(port, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--town", choices=sorted(TOWNS), default="full")
    parser.add_argument("--log", type=Path, required=True)
    asked = parser.parse_args()
    asyncio.run(_serve(asked.town, asked.log))
