"""The reference crawler: small, honest, asyncio; `run_worker` is one process of it."""

from redisfrontier.worker.options import WorkerOptions

__all__ = ["WorkerOptions", "run_worker"]


def run_worker(options: WorkerOptions) -> int:
    """See run.run_worker; imported only when a worker runs, since it draws in aiohttp and all the parsers."""
    from redisfrontier.worker.run import run_worker as run

    return run(options)
