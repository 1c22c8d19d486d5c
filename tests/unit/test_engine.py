"""What a whole run makes of a store that an earlier one left in an odd place."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.simulator import Simulator
from tests.engine.harness import run


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
