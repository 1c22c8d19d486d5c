"""An audit that meets what an earlier run had begun to read."""

from __future__ import annotations

from pathlib import Path

from syncer.testing.github import faults
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.requests import asks
from syncer.testing.github.simulator import Simulator
from tests.audit.harness import audited
from tests.engine.harness import run, tree


async def test_a_silent_change_under_a_reading_that_was_stopped_is_found_by_the_next_audit(
    tmp_path: Path,
) -> None:
    dataset = generate(71, 20, Shape(releases=0))
    number = next(pull.number for pull in dataset.pull_requests if pull.comments)
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        simulator.clock.advance(3600)
        simulator.mutate.add_comment(number, "a loud one")
        simulator.clock.advance(3600)
        simulator.fail(faults.bad_credentials(), asks("PullRequest.comments"))
        stopped = await run(simulator, tmp_path / "kept")
        simulator.mutate.rename_branch(simulator.world.pull(number).base_ref_name, "silent")
        summary = await audited(simulator, tmp_path / "kept")
        await run(simulator, tmp_path / "fresh")

    assert (stopped.exit, summary.exit) == (4, 0)
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")
