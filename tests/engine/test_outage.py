"""When nothing but trivial questions is answered, a run ends soon, and its points are few."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from syncer.testing.github import faults
from syncer.testing.github.faults import Fault
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.requests import operation
from syncer.testing.github.simulator import Simulator
from tests.engine.harness import Hurry, content, run

PULLS = 300
FEW = 600
"""Far below one request for each connection, of which there are some two thousand."""


@pytest.mark.parametrize(
    "make", [faults.broken_gzip, faults.gateway_page, faults.cut_length], ids=lambda f: f.__name__
)
async def test_a_server_that_fails_every_batch_costs_few_points_and_ends_the_run(
    make: Callable[[], Fault], tmp_path: Path
) -> None:
    dataset = generate(51, PULLS, Shape(releases=2))
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        simulator.fail(make(), operation("Batch"), times=None)
        summary = await run(simulator, tmp_path / "kept", hurry=hurry)
        asked = simulator.requests
        simulator.rules.clear()
        simulator.clock.advance(8 * 86_400)
        after = await run(simulator, tmp_path / "kept", hurry=hurry)
        await run(simulator, tmp_path / "fresh", hurry=hurry)

    assert summary.exit == 5
    assert asked < FEW
    assert after.exit == 0
    assert content(tmp_path / "kept") == content(tmp_path / "fresh")


async def test_a_few_that_are_always_too_heavy_do_not_end_the_run(tmp_path: Path) -> None:
    dataset = generate(52, 60, Shape(releases=0))
    talked = [pull.number for pull in dataset.pull_requests if len(pull.comments) > 1][:10]
    async with Simulator(dataset) as simulator:
        for number in talked:
            heavy = faults.resource_limits("PullRequest.comments", number)
            simulator.fail(heavy, operation("Batch"), times=None)
        summary = await run(simulator, tmp_path, hurry=Hurry(simulator))

    assert summary.exit == 3
    assert {problem.number for problem in summary.problems} == set(talked)
    assert {problem.reason for problem in summary.problems} == {"too_heavy"}
