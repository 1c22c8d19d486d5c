"""A first run reads everything, proves it, and pays little more than the least that it can cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncer.corpus import parse
from syncer.evidence import is_complete
from syncer.records import Conversation
from syncer.settings import Settings
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.expected import expected, node_ids, quotient
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.loading import load
from syncer.testing.github.simulator import Simulator
from syncer.verify import verify
from tests.engine.harness import content, run

UNKIND = Shape(
    long_conversation=3000, long_thread=150, many_reviews=400, many_threads=130, huge_bodies=2
)


async def test_two_thousand_unkind_pull_requests_are_whole_proven_and_cheap(tmp_path: Path) -> None:
    dataset = generate(1, 2000, UNKIND)

    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path)

    assert summary.exit == 0
    assert summary.complete
    assert summary.connections.short == summary.connections.cut == summary.connections.unknown == 0
    assert summary.points == summary.points_planned == simulator.points
    assert summary.points <= 1.15 * quotient(dataset)
    _assert_whole(tmp_path, dataset)


async def test_a_real_project_is_whole_and_proven(tmp_path: Path, shared: Path) -> None:
    dataset = load(shared / "data" / "real-project.json")

    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path)

    assert summary.exit == 0
    assert summary.conversations.total == len(dataset.pull_requests)
    _assert_whole(tmp_path, dataset)


@pytest.mark.parametrize("size", [1, 100], ids=["pages-of-one", "pages-of-a-hundred"])
async def test_a_hundred_and_one_of_everything_is_read_past_the_first_page(
    size: int, tmp_path: Path
) -> None:
    shape = Shape(
        releases=0, hostile=False, drafts=False, long_conversation=101, many_reviews=101,
        many_threads=101, long_thread=101,
    )  # fmt: skip
    dataset = generate(8, 6, shape)

    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path, settings=Settings(page=size))

    assert summary.exit == 0
    _assert_whole(tmp_path, dataset)


def _assert_whole(root: Path, dataset: Dataset) -> None:
    """Every node id and every body is the data set's, every connection exhausted, every seal good."""
    snapshots = [parse(data) for data in content(root).values()]
    found = {snapshot.conversation.number: snapshot.conversation for snapshot in snapshots}
    wanted = expected(dataset)

    assert _said(found) == _said(wanted)
    assert found == wanted
    assert all(is_complete(snapshot.judged().values()) for snapshot in snapshots)
    folder = root / dataset.repository.name_with_owner
    assert verify(folder).findings == ()


def _said(conversations: dict[int, Conversation]) -> dict[int, dict[str, str]]:
    return {number: node_ids(conversation) for number, conversation in conversations.items()}
