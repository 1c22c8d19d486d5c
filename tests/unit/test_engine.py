"""What a whole run makes of a store that an earlier one left in an odd place."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from syncer.testing.github import faults
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.simulator import Simulator
from tests.engine.harness import run, tree


async def test_what_a_resumed_run_stored_too_soon_is_read_again_below_the_watermark(
    tmp_path: Path,
) -> None:
    dataset = generate(51, 12, Shape(releases=1))
    number = dataset.pull_requests[4].number
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        with sqlite3.connect(tmp_path / "example-org/generated/.syncer/state.db") as store:
            store.execute("UPDATE conversation SET settled = 0 WHERE number = ?", (number,))
        store.close()
        simulator.clock.advance(3600)
        reads = [(await run(simulator, tmp_path)).conversations.read for _ in range(2)]

    assert reads == [1, 0]


@pytest.mark.parametrize("kind", ["PullRequest.reviewThreads", "PullRequest.reviews"])
@pytest.mark.parametrize("times", [1, None])
async def test_a_node_that_comes_as_null_costs_nobody_else_a_word(
    kind: str, times: int | None, tmp_path: Path
) -> None:
    dataset = generate(52, 20, Shape(releases=1))
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "whole")
        simulator.fail(faults.null_node(kind), lambda asked: kind in asked.kinds, times=times)
        summary = await run(simulator, tmp_path / "torn")

    assert summary.exit == (0 if times else 3)
    named = {problem.number for problem in summary.problems}
    whole, torn = tree(tmp_path / "whole"), tree(tmp_path / "torn")
    unequal = {path for path in whole if whole[path] != torn.get(path) and path.endswith(".md")}
    assert {int(path[path.rindex("-") + 1 : -3]) for path in unequal} <= named
    assert all(problem.status == "short" for problem in summary.problems)
