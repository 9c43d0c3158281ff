"""`python -m tests.vectors DIR [KIND …]`: run every vector file of a directory and print what failed."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from tests.vectors.runner import Result, files, run_file


def show(result: Result) -> None:
    """Print the outcome of one file: counts, failing ids with what differs, departures by reason."""
    if result.error:
        print(f"{result.kind}: {result.error}")
        return
    apart = f" (apart: {len(result.apart)} departures)" if result.apart else ""
    print(f"{result.kind}: passed {result.passed} failed {len(result.failed)}{apart}")
    for name, differences in result.failed.items():
        print(f"  FAILED {name}")
        for difference in differences:
            print(f"    {difference[:600]}")
    for reason, count in sorted(Counter(result.apart.values()).items()):
        ids = [name for name, why in result.apart.items() if why == reason]
        print(f"  departure {reason}: {count}: {' '.join(ids)}")


def main(arguments: list[str]) -> int:
    """0 if all passed but what a departure explains, 1 if not, 2 if there was nothing to run."""
    if not arguments or not Path(arguments[0]).is_dir():
        print(__doc__)
        return 2
    wanted = set(arguments[1:])
    found = [(kind, path) for kind, path in files(Path(arguments[0])) if not wanted or kind in wanted]
    if not found:
        print(f"no vector files in {arguments[0]}")
        return 2
    bad = False
    for kind, path in found:
        result = run_file(kind, path)
        show(result)
        bad = bad or bool(result.failed or result.error)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
