"""However a repository is read, its corpus is the same bytes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from syncer.settings import Settings
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator
from syncer.testing.github.viewers import Viewer
from tests.engine.harness import run, tree

RICH = {DEFAULT_TOKEN: Viewer(limit=1_000_000)}
SHAPE = Shape(long_conversation=105, long_thread=30, many_reviews=25, many_threads=20)


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return generate(3, 200, SHAPE)


@pytest.fixture(scope="module")
def whole(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The tree that the default settings give."""
    root = tmp_path_factory.mktemp("whole")

    async def read() -> int:
        async with Simulator(dataset) as simulator:
            return (await run(simulator, root)).exit

    assert asyncio.run(read()) == 0
    return tree(root)


@pytest.mark.parametrize("concurrency", [1, 16], ids=["one-at-once", "sixteen-at-once"])
@pytest.mark.parametrize("size", [1, 2, 7, 100], ids=lambda size: f"pages-of-{size}")
async def test_page_and_batch_sizes_and_concurrency_leave_no_trace_in_the_corpus(
    size: int, concurrency: int, dataset: Dataset, whole: dict[str, str], tmp_path: Path
) -> None:
    settings = Settings(ids=size, page=size, concurrency=concurrency)

    async with Simulator(dataset, tokens=RICH) as simulator:
        summary = await run(simulator, tmp_path, settings=settings)

    assert summary.exit == 0
    assert tree(tmp_path) == whole


async def test_two_viewers_in_different_zones_with_different_drafts_get_the_same_bytes(
    dataset: Dataset, whole: dict[str, str], tmp_path: Path
) -> None:
    tokens = {
        "token-west": Viewer(login="viewer", offset_minutes=-8 * 60),
        "token-east": Viewer(login="person-001", offset_minutes=9 * 60),
    }

    async with Simulator(dataset, tokens=tokens) as simulator:
        for token in tokens:
            summary = await run(simulator, tmp_path / token, token=token)
            assert summary.exit == 0

    assert tree(tmp_path / "token-west") == tree(tmp_path / "token-east") == whole
