"""Assign a URI to its queue, and the queue to its group: Heritrix' queue assignment policies (§3), with departures for politeness.

Departures: userinfo and the default port of https never make a queue of their own; IPv6 hosts have queues.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from urllib.parse import quote

from redisfrontier.errors import InvalidUri
from redisfrontier.policy.consistent_hash import bucket_for
from redisfrontier.policy.public_suffix import MAX_NAME_CHARACTERS, assignment_level, is_address
from redisfrontier.settings import Settings
from redisfrontier.uri.parse import Uri, parse

#: (uri, hop path, via, queue it had before) → queue.
QueuePolicy = Callable[[Uri, str, "Uri | str | None", "str | None"], str]
#: (host, port or -1) → queue before it is forced or split; only for URIs that have a host.
CoreKey = Callable[[str, int], str]

#: Where URIs go that have no host of their own.
DEFAULT_QUEUE = "default..."
WHOIS_QUEUE = "whois..."
NO_HOST_QUEUE = "NO-HOST"

_MAX_NAME_BYTES = 255
_DEFAULT_PORTS = {"ftp": 21, "sftp": 22, "ws": 80, "wss": 443}
_LEGAL_NAME = re.compile(r"[!-z|~]{1,255}")
#: Queues kept in memory with their host; the least used are forgotten.
_CACHED_HOSTS = 65_536


def queue_policy(settings: Settings) -> QueuePolicy:
    """The policy that `settings` ask for. Its result is always a legal queue name (design §9)."""
    if settings.queue_assignment_policy == "bucket":
        core, without_host, parallel = _bucket(settings.queue_assignment_buckets), NO_HOST_QUEUE, 1
    else:
        core = _CORES[settings.queue_assignment_policy](settings.queue_assignment_limit)
        without_host, parallel = DEFAULT_QUEUE, settings.parallel_queues
    core = _remembering(core)
    forced = queue_name(settings.force_queue_assignment) if settings.force_queue_assignment else ""
    whole_uri = settings.parallel_queues_random_assignment

    def assign(uri: Uri, path: str = "", via: Uri | str | None = None, previous: str | None = None) -> str:
        if previous:
            return queue_name(previous)
        basis = uri
        if path[-1:] == "P" and via:
            basis = basis_uri(uri, path, via)
        if uri.scheme == "whois":
            return WHOIS_QUEUE
        name = forced or (core(basis.host, _own_port(basis)) if basis.host else without_host)
        if parallel > 1:
            return _split(name, basis, parallel, whole_uri=whole_uri)
        return name

    return assign


def _remembering(core: CoreKey) -> CoreKey:
    """`core` with a bounded memory, in number of hosts and in bytes."""
    remembered = lru_cache(maxsize=_CACHED_HOSTS)(core)
    return lambda host, port: remembered(host, port) if len(host) <= MAX_NAME_CHARACTERS else core(host, port)


def basis_uri(uri: Uri, path: str, via: Uri | str | None) -> Uri:
    """The URI whose host a policy looks at: that of the parent for a prerequisite, else the URI itself."""
    if path[-1:] != "P" or not via:
        return uri
    if isinstance(via, Uri):
        return via
    try:
        return parse(via)
    except InvalidUri:
        return uri


def group_of(uri: Uri, queue: str, settings: Settings) -> str | None:
    """The queue group: None, the assigned domain ('domain'), or a name of its own (the hosts of one server, a named set).

    `uri` is the policy basis; `queue` is the fall-back of 'domain' for URIs without a host.
    """
    wanted = settings.queue_group
    if not wanted or wanted == "none":
        return None
    if wanted == "domain":
        return surt_labels(assignment_level(uri.host)) if uri.host else queue
    return queue_name(wanted)


def queue_name(text: str) -> str:
    """`text` as a legal queue name: blanks, braces and controls percent-encoded; an over-long one ends in a hash of the rest."""
    if _LEGAL_NAME.fullmatch(text):
        return text
    name = "".join(_legal(c) for c in text) or DEFAULT_QUEUE
    if len(name.encode("utf-8")) <= _MAX_NAME_BYTES:
        return name
    digest = sha256(name.encode("utf-8")).hexdigest()[:16]
    return name.encode("utf-8")[: _MAX_NAME_BYTES - 17].decode("utf-8", "ignore") + "~" + digest


def surt_labels(host: str) -> str:
    """'com,example,www,' of 'www.example.com'; an address stands as it is."""
    return host if is_address(host) else ",".join(reversed(host.split("."))) + ","


def _legal(c: str) -> str:
    return quote(c, safe="", errors="replace") if c in "{}" or c.isspace() or not c.isprintable() else c


def _surt_authority(limit: int) -> CoreKey:
    return lambda host, port: queue_name(_with_port(surt_labels(host), port))


def _own_port(uri: Uri) -> int:
    """The port, −1 for the scheme's own (parsing has dropped that of http and https)."""
    return -1 if uri.port == _DEFAULT_PORTS.get(uri.scheme) else uri.port


def _with_port(name: str, port: int) -> str:
    return name if port < 0 else f"{name}#{port}"


def _limited_surt_authority(limit: int) -> CoreKey:
    def core(host: str, port: int) -> str:
        labels = surt_labels(host)
        if limit > 0 and not is_address(host):
            labels = ",".join(labels.split(",")[:-1][:limit]) + ","
        return queue_name(_with_port(labels, port))

    return core


def _hostname(limit: int) -> CoreKey:
    return lambda host, port: queue_name(_with_port(host, port))


def _limited_hostname(limit: int) -> CoreKey:
    def core(host: str, port: int) -> str:
        if limit > 0 and not host.startswith("["):
            host = ".".join(host.split(".")[-limit:])
        return queue_name(_with_port(host, port))

    return core


def _assignment_level(limit: int) -> CoreKey:
    def core(host: str, port: int) -> str:
        assigned = assignment_level(host)
        # A host of one label, or an address, has no assignment level: Heritrix then leaves the key as it is, with its port.
        whole = is_address(host) or "." not in host
        return queue_name(_with_port(surt_labels(assigned), port if whole else -1))

    return core


_CORES: dict[str, Callable[[int], CoreKey]] = {
    "surt_authority": _surt_authority,
    "surt_authority_with_limits": _limited_surt_authority,
    "hostname": _hostname,
    "hostname_with_limits": _limited_hostname,
    "assignment_level_surt": _assignment_level,
}


def _bucket(buckets: int) -> CoreKey:
    """Queues by hash of the address where the host is one, else by hash of its name ('NO-IP-…')."""
    by_name = (1 << (buckets - 1).bit_length()) - 1

    def core(host: str, port: int) -> str:
        if is_address(host):
            return str(abs(java_hash(host)) % buckets)
        return f"NO-IP-{abs(java_hash(host)) & by_name}"

    return core


def java_hash(text: str) -> int:
    """Java's String.hashCode: a signed 32-bit number."""
    value = 0
    for low, high in _utf16_units(text):
        value = (31 * value + low + 256 * high) & 0xFFFFFFFF
    return value - (1 << 32) if value & 0x80000000 else value


def _utf16_units(text: str) -> Iterable[tuple[int, int]]:
    """The UTF-16 units of `text`, each as its low and high byte."""
    raw = text.encode("utf-16-le", "surrogatepass")
    return zip(raw[::2], raw[1::2], strict=True)


def _split(name: str, basis: Uri, parallel: int, *, whole_uri: bool) -> str:
    """`name` or one of its parallel queues `name+n`: by the first path segment if another follows it, or by the whole URI."""
    if whole_uri:
        key = basis.text
    else:
        end = basis.path.find("/", 1)
        key = basis.path[1:end] if end > 1 else ""
    bucket = bucket_for(key, parallel) if key else 0
    return queue_name(f"{name}+{bucket}") if bucket else name
