"""The settings that the model knows, and the same for the real crawl."""

from __future__ import annotations

from dataclasses import dataclass

from redisfrontier.settings import Settings


@dataclass(frozen=True)
class Rules:
    """Settings of one example; delays in ms."""

    uniqueness: str = "exact"
    session_budget: int = 3000
    total_budget: int = -1
    penalty: int = 3
    max_retries: int = 3
    retry_delay_ms: int = 9000
    retry_scope: str = "queue"
    retry_statuses: tuple[int, ...] = ()
    max_in_flight: int = 1
    max_lost: int = 1
    floor: int = 255
    policy: str = "base"
    base_precedence: int = 3
    increments: tuple[int, ...] = (1, 2)
    retention: str = "pending"
    lease_ms: int = 20_000
    min_delay_ms: int = 3000
    max_delay_ms: int = 8000
    unset_delay_ms: int = 5000
    delay_factor: float = 2.0
    crawl_delay_cap_ms: int = 12_000
    slow_statuses: tuple[int, ...] = (429, 503)
    slow_base_ms: int = 6000
    slow_cap_ms: int = 20_000
    slow_forgive_ms: int = 30_000
    failure_limit: int = 2
    robots_retry_ms: int = 7000
    robots_tries: int = 1

    @property
    def exact(self) -> bool:
        """Is it known which copy of a URI is which?"""
        return self.uniqueness == "exact"

    def real(self) -> Settings:
        """The same for a crawl (no jitter: delays are compared to the millisecond)."""
        return Settings(
            uniqueness=self.uniqueness,
            expected_uris=1000,
            balance_replenish_amount=self.session_budget,
            queue_total_budget=self.total_budget,
            error_penalty_amount=self.penalty,
            max_retries=self.max_retries,
            retry_delay_seconds=self.retry_delay_ms // 1000,
            retry_scope=self.retry_scope,
            retry_statuses=tuple(map(str, self.retry_statuses)),
            max_in_flight=self.max_in_flight,
            max_lost_leases=self.max_lost,
            precedence_floor=self.floor,
            queue_precedence_policy=self.policy,
            base_precedence=self.base_precedence,
            increment_counts=tuple(map(str, self.increments)),
            retention=self.retention,
            lease_ms=self.lease_ms,
            min_delay_ms=self.min_delay_ms,
            max_delay_ms=self.max_delay_ms,
            unset_delay_ms=self.unset_delay_ms,
            delay_factor=self.delay_factor,
            respect_crawl_delay_up_to_seconds=self.crawl_delay_cap_ms // 1000,
            slow_statuses=tuple(map(str, self.slow_statuses)),
            slow_base_ms=self.slow_base_ms,
            slow_max_ms=self.slow_cap_ms,
            slow_forgive_ms=self.slow_forgive_ms,
            slow_jitter=0.0,
            failure_run_limit=self.failure_limit,
            robots_retry_ms=self.robots_retry_ms,
            robots_max_tries=self.robots_tries,
        )
