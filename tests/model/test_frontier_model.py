"""The real frontier does what the model does, whatever is asked of it in whatever order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from redisfrontier.store.connect import connect
from redisfrontier.store.embedded import Embedded
from tests.conftest import private_server
from tests.model.machine import FrontierMachine

EXAMPLES = int(os.environ.get("REDISFRONTIER_MODEL_EXAMPLES", "2000" if os.environ.get("CI") else "300"))


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Embedded]:
    """A server for this test alone: it is emptied after every example."""
    with private_server(tmp_path / "redis") as server:
        yield server


def explore(server: Embedded, examples: int, steps: int) -> None:
    """Run the machine."""
    FrontierMachine.url = server.url
    FrontierMachine.client = connect(server.url)
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    run_state_machine_as_test(FrontierMachine, settings=chosen)
    FrontierMachine.client.close()


@pytest.mark.timeout(1200)
def test_the_frontier_does_what_the_model_does(own_server: Embedded) -> None:
    explore(own_server, EXAMPLES, 18)


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_the_frontier_does_what_the_model_does_for_long(own_server: Embedded) -> None:
    explore(own_server, 20_000, 60)
