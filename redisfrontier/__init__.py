"""A web crawl frontier in Redis: which URI is fetched next, when, and by whom."""

from redisfrontier.aio import AsyncFrontier
from redisfrontier.frontier import Frontier
from redisfrontier.record.outcome import Admission, Admitted, Claim, Claims, Finished, Outcome, Settled
from redisfrontier.record.record import Candidate, UriRecord
from redisfrontier.settings import Settings

__version__ = "0.1.0"
__all__ = [
    "Admission",
    "Admitted",
    "AsyncFrontier",
    "Candidate",
    "Claim",
    "Claims",
    "Finished",
    "Frontier",
    "Outcome",
    "Settings",
    "Settled",
    "UriRecord",
    "__version__",
]
