"""structlog set-up; event names are the op names (schedule, claim, finish …)."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

import structlog


def configure(*, json: bool, level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Log to `stream` (standard error): JSON lines, or readable lines for a terminal."""
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if json else structlog.dev.ConsoleRenderer(colors=False)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )


def logger(**values: object) -> structlog.typing.FilteringBoundLogger:
    """A logger with `values` bound to every event; until structlog is configured, warnings go the way of the logging module."""
    if structlog.is_configured():
        bound: structlog.typing.FilteringBoundLogger = structlog.get_logger(**values)
        return bound
    plain: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        logging.getLogger("redisfrontier"),
        processors=[structlog.stdlib.filter_by_level, structlog.processors.KeyValueRenderer(key_order=["event"])],
        wrapper_class=structlog.stdlib.BoundLogger,
    ).bind(**values)
    return plain
