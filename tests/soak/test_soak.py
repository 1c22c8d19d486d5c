"""A repository's life in twelve rounds: nothing lost, torn, doubled, damaged or passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.soak import soak

ROUNDS = 12
PULLS = 300


@pytest.mark.timeout(300)  # one long test, on machines that do other things as well
@pytest.mark.parametrize("seed", [1])
async def test_after_any_acts_faults_and_ends_the_tree_is_that_of_a_fresh_reading(
    seed: int, tmp_path: Path
) -> None:
    done = await soak(tmp_path, rounds=ROUNDS, seed=seed, pulls=PULLS, tell=print)

    assert done.rounds == ROUNDS
    assert done.stopped > 0
    assert done.incomplete + done.refused > 0
