"""Serves the demo's sites until its standard input closes; the first line it prints is its port."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from tests.sites.server import SitesServer
from tests.sites.town import full_town


async def _serve(log: Path) -> None:
    server = SitesServer({}, log)
    port = await server.start()
    server.add(full_town(port))
    print(port, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, required=True)
    asyncio.run(_serve(parser.parse_args().log))
