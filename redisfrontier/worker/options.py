"""What the operator may tell a reference crawler; the command fills it in, `run_worker` reads it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from redisfrontier.errors import BadArgument


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How one crawler process runs; exactly one of `url` and `embedded` names the server."""

    crawl: str
    url: str | None = None
    """redis://, rediss:// or unix:// address of the server."""
    embedded: Path | None = None
    """Directory of an embedded server, started when it is not up."""
    user_agent: str | None = None
    """None: made from the crawl's metadata."""
    concurrency: int = 20
    """Fetches at once."""
    stop_when_empty: bool = False
    """Leave when the whole crawl has nothing left that could ever be claimed."""
    resolve: tuple[str, ...] = ()
    """HOST:IP or HOST:PORT:IP, as curl's --resolve; the DNS is not asked for these."""
    warc_dir: Path | None = None
    """None: no WARC files."""
    log_dir: Path | None = None
    """None: no crawl.log."""
    worker: str | None = None
    """Name of this worker; a restart under the same name takes its old leases back. None: host and process id."""
    progress: bool = False
    """Draw a progress bar instead of logging JSON lines."""
    max_uris: int = 0
    """Leave after about this many finished URIs; 0: never."""
    lease_ms: int | None = None
    """None: the crawl's setting. Fetches that take longer extend theirs."""
    fetch_timeout_seconds: float = 1200.0
    """Longest a fetch may take in all; what has come by then is kept as truncated."""
    idle_timeout_seconds: float = 20.0
    """Longest wait for a connection, and for the next bytes."""
    max_body_bytes: int = 20_000_000
    """A longer body is cut off there and noted as truncated."""
    warc_max_bytes: int = 1_000_000_000
    """A WARC file is closed and the next begun beyond this size."""
    favicons: bool = False
    """Infer /favicon.ico (hop I) from every site's pages."""

    def __post_init__(self) -> None:
        if (self.url is None) == (self.embedded is None):
            raise BadArgument("name either a Redis URL or an embedded directory", remedy="use --redis URL or --embedded DIR")
        _at_least("concurrency", self.concurrency, 1)
        _at_least("max-uris", self.max_uris, 0)
        _at_least("max-body-bytes", self.max_body_bytes, 1)
        _at_least("warc-max-bytes", self.warc_max_bytes, 1)
        if self.lease_ms is not None:
            _at_least("lease-ms", self.lease_ms, 100)
        if not (self.fetch_timeout_seconds > 0 and self.idle_timeout_seconds > 0):
            raise BadArgument("a timeout must be above 0 seconds")


def _at_least(name: str, value: int, low: int) -> None:
    if value < low:
        raise BadArgument(f"{name} = {value}: must be {low} or more")
