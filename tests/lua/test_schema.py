"""A crawl that a newer version has taken over is refused by the scripts of an older worker that still runs."""

from __future__ import annotations

import pytest
import redis

from redisfrontier import Frontier
from redisfrontier.errors import SchemaMismatch


def test_scripts_refuse_a_crawl_of_another_layout_and_write_nothing(redis_url: str, redis_client: redis.Redis) -> None:
    with Frontier.create(redis_url, "c", {"uniqueness": "exact"}, scope=[{"rule": "accept"}]) as frontier:
        frontier.start()
        frontier.schedule(["http://a.example/"])
        (claim,) = frontier.claim(1)
        redis_client.hset("rf:{c:0}:conf", "schema", 2)
        before = {key: redis_client.dump(key) for key in redis_client.keys("rf:*")}
        for operation in (lambda: frontier.claim(1), lambda: frontier.schedule(["http://b.example/"]), frontier.stats):
            with pytest.raises(SchemaMismatch, match="2"):
                operation()
        with pytest.raises(SchemaMismatch):
            frontier.finish([claim.outcome(200)])
        assert {key: redis_client.dump(key) for key in redis_client.keys("rf:*")} == before
