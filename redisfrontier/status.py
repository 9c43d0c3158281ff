"""Status codes: one unsigned byte in ranges (seed 003, NUTCH-416), Heritrix' fetch statuses, and the way from these to those."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

from redisfrontier.errors import RecordError

#: The predefined metadata key under which a record keeps the URI it redirects to (seed 003: no second URI field).
REDIRECT_KEY: Final = "redirect"
#: Metadata key of an interval in seconds that no schedule changes; below 0: never fetched again (Nutch' `fixedInterval`).
FIXED_INTERVAL_KEY: Final = "fixed_interval_s"

DB_MIN: Final = 0x01
DB_MAX: Final = 0x1F
FETCH_MIN: Final = 0x21
FETCH_MAX: Final = 0x3F
OTHER_MIN: Final = 0x41
OTHER_MAX: Final = 0xFF
#: From this record version on, codes stand for themselves; older ones are mapped as they are read.
MAPPED_BELOW_VERSION: Final = 5
#: The newest version of Nutch' CrawlDatum that is understood.
CURRENT_VERSION: Final = 7


class Status(IntEnum):
    """The known codes; a code that is missing here is still valid as a plain int, so newer ones survive an older reader."""

    DB_UNFETCHED = 0x01
    DB_FETCHED = 0x02
    DB_GONE = 0x03
    DB_REDIR_TEMP = 0x04
    DB_REDIR_PERM = 0x05
    DB_NOTMODIFIED = 0x06
    DB_DUPLICATE = 0x07
    DB_ORPHAN = 0x08
    DB_PARSE_FAILED = 0x09
    FETCH_SUCCESS = 0x21
    FETCH_RETRY = 0x22
    FETCH_REDIR_TEMP = 0x23
    FETCH_REDIR_PERM = 0x24
    FETCH_GONE = 0x25
    FETCH_NOTMODIFIED = 0x26
    SIGNATURE = 0x41
    INJECTED = 0x42
    LINKED = 0x43
    PARSE_METADATA = 0x44
    PARSE_FAILED = 0x45


_NAMES: Final = {int(s): s.name.lower() for s in Status}
_CODES: Final = {name: code for code, name in _NAMES.items()}


def check(code: object) -> int:
    """`code` if it is a status byte (1–255), known or not; raises RecordError for 0, what is no byte and what is no int."""
    if not isinstance(code, int) or isinstance(code, bool) or not 0 < code <= 0xFF:
        raise RecordError(f"{code!r:.40} is no status code; one byte from 0x01 to 0xff is")
    return int(code)


def from_signed(byte: int) -> int:
    """The code of a byte that Java wrote as a signed one (-1 is 0xff); raises RecordError as `check` does."""
    return check(byte + 0x100 if -0x80 <= byte < 0 else byte)


def has_db_status(code: int) -> bool:
    """Is it what a database holds of a URI (0x01–0x1f)?

    The byte is unsigned: 0x00 and 0x80 upwards, which Nutch' signed comparison takes in, are not.
    """
    return DB_MIN <= code <= DB_MAX


def has_fetch_status(code: int) -> bool:
    """Is it the result of one fetch (seed 003: above 0x1f, up to 0x3f)?

    PARSE_FAILED (0x45), fetched but unparsable, counts too, though it stands outside the range; so it does in Nutch.
    """
    return DB_MAX < code <= FETCH_MAX or code == Status.PARSE_FAILED


def name_of(code: int) -> str:
    """`db_fetched`, …; `unknown` for a code without a name."""
    return _NAMES.get(code, "unknown")


def code_of(name: str) -> int | None:
    """The code of a name in any case; None if there is none of that name."""
    return _CODES.get(name.strip().lower())


_LEGACY: Final = {
    0: Status.SIGNATURE,
    1: Status.DB_UNFETCHED,
    2: Status.DB_FETCHED,
    3: Status.DB_GONE,
    4: Status.LINKED,
    5: Status.FETCH_SUCCESS,
    6: Status.FETCH_RETRY,
    7: Status.FETCH_GONE,
}


def read_code(code: int, version: int) -> int:
    """The code that `code` means in a record of `version`; codes of versions below 5 are the linear ones from before NUTCH-416.

    The mapping hangs on the version and never on the value, as old and new values overlap (old 4 is LINKED, new 4
    DB_REDIR_TEMP); what no old version knew becomes DB_UNFETCHED, as in Nutch. Raises RecordError for a version that is
    newer than 7 or below 1, and for what `check` refuses.
    """
    if not 1 <= version <= CURRENT_VERSION:
        raise RecordError(f"record version {version}; versions 1 to {CURRENT_VERSION} are understood")
    if version < MAPPED_BELOW_VERSION:
        return int(_LEGACY.get(code, Status.DB_UNFETCHED))
    return from_signed(code)


class FetchStatus(IntEnum):
    """What Heritrix' crawl.log calls the fetch status, as far as it is not an HTTP status (reference: Heritrix §5.1)."""

    UNATTEMPTED = 0
    DNS_SUCCESS = 1
    GETBYNAME_SUCCESS = 1001
    WHOIS_SUCCESS = 2001
    WHOIS_GENERIC_FINISHED = 2002
    DOMAIN_UNRESOLVABLE = -1
    CONNECT_FAILED = -2
    CONNECT_LOST = -3
    TIMEOUT = -4
    RUNTIME_EXCEPTION = -5
    DOMAIN_PREREQUISITE_FAILURE = -6
    UNFETCHABLE_URI = -7
    TOO_MANY_RETRIES = -8
    DEFERRED = -50
    UNQUEUEABLE = -60
    ROBOTS_PREREQUISITE_FAILURE = -61
    OTHER_PREREQUISITE_FAILURE = -62
    PREREQUISITE_UNSCHEDULABLE_FAILURE = -63
    DEEMED_NOT_FOUND = -404
    SERIOUS_ERROR = -3000
    DEEMED_CHAFF = -4000
    TOO_MANY_LINK_HOPS = -4001
    TOO_MANY_EMBED_HOPS = -4002
    OUT_OF_SCOPE = -5000
    BLOCKED_BY_USER = -5001
    BLOCKED_BY_CUSTOM_PROCESSOR = -5002
    BLOCKED_BY_QUOTA = -5003
    BLOCKED_BY_RUNTIME_LIMIT = -5004
    DELETED_BY_USER = -6000
    PROCESSING_THREAD_KILLED = -7000
    ROBOTS_PRECLUDED = -9998


class FetchStatusInfo(NamedTuple):
    """What there is to say of a fetch status: `verdict` is how it ends by default (succeeded, failed, disregarded, retry)."""

    name: str
    verdict: str
    text: str


_F = FetchStatus
_TOLD: Final[dict[int, tuple[str, str]]] = {
    _F.UNATTEMPTED: ("failed", "never tried; with force_retire it stays, and its queue retires"),
    _F.DNS_SUCCESS: ("succeeded", "the host name was resolved"),
    _F.GETBYNAME_SUCCESS: ("succeeded", "the host name was resolved by the system's resolver"),
    _F.WHOIS_SUCCESS: ("succeeded", "a whois server answered"),
    _F.WHOIS_GENERIC_FINISHED: ("succeeded", "the generic whois look-up is done"),
    _F.DOMAIN_UNRESOLVABLE: ("retry", "the host name could not be resolved"),
    _F.CONNECT_FAILED: ("retry", "no connection to the server"),
    _F.CONNECT_LOST: ("retry", "the connection broke off"),
    _F.TIMEOUT: ("failed", "the server took too long"),
    _F.RUNTIME_EXCEPTION: ("failed", "the crawler failed while processing it"),
    _F.DOMAIN_PREREQUISITE_FAILURE: ("failed", "the DNS look-up it needed failed"),
    _F.UNFETCHABLE_URI: ("failed", "not a URI that can be fetched"),
    _F.TOO_MANY_RETRIES: ("failed", "tried too often"),
    _F.DEFERRED: ("retry", "waits for a prerequisite"),
    _F.UNQUEUEABLE: ("failed", "it could not be queued"),
    _F.ROBOTS_PREREQUISITE_FAILURE: ("failed", "the robots.txt it needed could not be had"),
    _F.OTHER_PREREQUISITE_FAILURE: ("failed", "another prerequisite failed"),
    _F.PREREQUISITE_UNSCHEDULABLE_FAILURE: ("failed", "its prerequisite could not be scheduled, for instance out of scope"),
    _F.DEEMED_NOT_FOUND: ("failed", "taken for missing without asking"),
    _F.SERIOUS_ERROR: ("failed", "the crawler ran into a serious error, such as lack of memory"),
    _F.DEEMED_CHAFF: ("failed", "taken for a trap of no content"),
    _F.TOO_MANY_LINK_HOPS: ("disregarded", "too many link hops from its seed"),
    _F.TOO_MANY_EMBED_HOPS: ("disregarded", "too many embed hops from its last link"),
    _F.OUT_OF_SCOPE: ("disregarded", "out of scope when looked at again"),
    _F.BLOCKED_BY_USER: ("disregarded", "blocked by an operator's rule"),
    _F.BLOCKED_BY_CUSTOM_PROCESSOR: ("disregarded", "blocked by a processor of the crawl, for instance as another crawler's"),
    _F.BLOCKED_BY_QUOTA: ("failed", "a quota is used up"),
    _F.BLOCKED_BY_RUNTIME_LIMIT: ("failed", "the crawl's time is up"),
    _F.DELETED_BY_USER: ("disregarded", "deleted by an operator"),
    _F.PROCESSING_THREAD_KILLED: ("failed", "an operator killed its worker"),
    _F.ROBOTS_PRECLUDED: ("disregarded", "robots.txt forbids it"),
}
_OTHER_SUCCESSES: Final = frozenset({_F.DNS_SUCCESS, _F.GETBYNAME_SUCCESS, _F.WHOIS_SUCCESS, _F.WHOIS_GENERIC_FINISHED})


def describe(fetch_status: int) -> FetchStatusInfo:
    """Name, default verdict and meaning of a fetch status; every number has one.

    HTTP answers are `HTTP_<status>` and succeed, whatever they say (Heritrix §5.3); an unknown number below 0 fails.
    """
    told = _TOLD.get(fetch_status)
    if told:
        return FetchStatusInfo(_F(fetch_status).name, *told)
    if fetch_status > 0:
        return FetchStatusInfo(f"HTTP_{fetch_status}", "succeeded", "the server answered")
    return FetchStatusInfo("UNKNOWN", "failed", "an unknown fetch status")


def fetch_code(fetch_status: int, *, retried: bool = False) -> Status:
    """The FETCH code of a fetch status (design §9); `retried`: the frontier will try it again.

    An answer that HTTP does not define (1xx, 600 and above) is taken like a 5xx: FETCH_RETRY, which the merge rules
    turn into DB_GONE once their retries are used up (Nutch, too, retries what it does not know).
    """
    if retried:
        return Status.FETCH_RETRY
    if 200 <= fetch_status < 300 or fetch_status in _OTHER_SUCCESSES:
        return Status.FETCH_SUCCESS
    if fetch_status == 304:
        return Status.FETCH_NOTMODIFIED
    if fetch_status in (301, 308):
        return Status.FETCH_REDIR_PERM
    if 300 <= fetch_status < 400:
        return Status.FETCH_REDIR_TEMP
    if fetch_status <= 0 or 400 <= fetch_status < 500:
        return Status.FETCH_GONE
    return Status.FETCH_RETRY
