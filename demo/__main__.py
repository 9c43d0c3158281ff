"""Runs the demo: serves the sites, crawls them, kills a worker, prints the account; exit code 1 if any claim in it fails."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from demo import show
from demo.run import Plan, run


def main() -> int:
    """The exit code: 0 if every claim holds."""
    out = Path("demo-out").resolve()
    shutil.rmtree(out, ignore_errors=True)
    plan = Plan(out)
    print(f"Three workers crawl {len(plan.hosts)} local sites; everything they write is in {out.name}/.", flush=True)
    return show.report(plan, run(plan, show.progress))


if __name__ == "__main__":
    sys.exit(main())
