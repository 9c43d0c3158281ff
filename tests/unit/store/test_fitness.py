"""Servers that cannot keep a frontier safely are refused with a remedy."""

from __future__ import annotations

import pytest

from redisfrontier.errors import ServerUnfit
from redisfrontier.store.fitness import check_server, version_of

GOOD = {"redis_version": "7.0.15", "redis_mode": "standalone", "maxmemory_policy": "noeviction"}


@pytest.mark.parametrize(
    ("info", "config"),
    [
        (GOOD, {"maxmemory-policy": "noeviction"}),
        (GOOD, {}),
        ({"redis_version": "6.2.14"}, {}),
        ({"redis_version": "8.2-rc1"}, {}),
        ({"redis_version": "7.2.4", "valkey_version": "8.0.1", "server_name": "valkey"}, {}),
    ],
)
def test_fit_servers_pass(info, config) -> None:
    check_server(info, config)


@pytest.mark.parametrize(
    ("info", "config", "why", "remedy"),
    [
        (GOOD | {"redis_version": "6.0.16"}, {}, r"6\.0\.16; 6\.2", "upgrade"),
        (GOOD | {"redis_version": "5.0.7"}, {}, r"5\.0\.7", "upgrade"),
        ({}, {}, "unknown version", "upgrade"),
        (GOOD, {"maxmemory-policy": "volatile-lru"}, "volatile-lru", "noeviction"),
        (GOOD | {"maxmemory_policy": "allkeys-lfu"}, {}, "allkeys-lfu", "noeviction"),
        (GOOD | {"redis_mode": "cluster"}, {}, "Cluster", "single server"),
    ],
)
def test_unfit_servers_are_refused(info, config, why, remedy) -> None:
    with pytest.raises(ServerUnfit, match=why) as caught:
        check_server(info, config)
    assert remedy in caught.value.remedy


def test_a_cluster_client_may_meet_a_cluster() -> None:
    check_server(GOOD | {"redis_mode": "cluster"}, {}, cluster_client=True)


@pytest.mark.parametrize(
    ("text", "numbers"), [("7.0.15", (7, 0, 15)), ("10.0", (10, 0)), ("255.255.255", (255, 255, 255)), ("8.2-rc1", (8, 2)), ("x", ())]
)
def test_versions_compare_as_numbers(text, numbers) -> None:
    assert version_of(text) == numbers
