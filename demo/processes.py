"""The demo's processes: the sites' server and the workers, started as an operator would, and ended for sure."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


class Process:
    """A child process with its output in a file; ended with the demo at the latest."""

    def __init__(self, arguments: list[str], output: Path, *, talk: bool = False) -> None:
        output.parent.mkdir(parents=True, exist_ok=True)
        path = os.pathsep.join([str(ROOT), str(ROOT / "cli"), os.environ.get("PYTHONPATH", "")])
        self._output = output.open("wb")
        self.child = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE if talk else subprocess.DEVNULL,
            stdout=subprocess.PIPE if talk else self._output,
            stderr=self._output,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": path.rstrip(os.pathsep)},
            text=talk,
        )

    def first_line(self) -> str:
        """What it says first."""
        assert self.child.stdout is not None
        line = str(self.child.stdout.readline()).strip()
        if not line:
            raise RuntimeError(f"it ended at once; see {self._output.name}")
        return line

    def kill(self) -> None:
        """kill -9."""
        os.kill(self.child.pid, signal.SIGKILL)
        self.child.wait()

    def close(self) -> None:
        """End it if it still runs."""
        if self.child.stdin is not None:
            self.child.stdin.close()
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        self._output.close()


def sites(log: Path, output: Path, town: str = "full") -> Process:
    """The sites' server; its first line is its port."""
    return Process(["-m", "tests.sites", "--log", str(log), "--town", town], output, talk=True)


def worker(name: str, url: str, crawl: str, out: Path, resolve: list[str], concurrency: int) -> Process:
    """One `redisfrontier worker`."""
    command = ["-m", "redisfrontier_cli", "--redis", url, "--crawl", crawl, "worker", "--worker", name]
    command += ["--concurrency", str(concurrency), "--stop-when-empty", "--warc-dir", str(out / "warc"), "--log-dir", str(out / "logs")]
    for line in resolve:
        command += ["--resolve", line]
    return Process(command, out / "logs" / f"{name}.json")
