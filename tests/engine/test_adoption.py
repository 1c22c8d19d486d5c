"""A store can be rebuilt from its corpus, and a corpus from its store; neither needs the other."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from syncer.testing.github.dataset import Dataset
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.simulator import Simulator
from tests.engine.harness import run, tree

LATER_S = 3600.0
NAME = "example-org/generated"


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return generate(21, 130, Shape(releases=5))


@pytest.fixture(scope="module")
def synced(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root after one whole run; copy it, never change it."""
    root = tmp_path_factory.mktemp("synced")

    async def read() -> None:
        async with Simulator(dataset) as simulator:
            await run(simulator, root)

    asyncio.run(read())
    return root


@pytest.fixture
def root(synced: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(synced, tmp_path / "root"))


async def test_a_deleted_store_is_adopted_from_the_corpus_and_the_next_run_is_incremental(
    dataset: Dataset, root: Path
) -> None:
    before = tree(root)
    shutil.rmtree(root / NAME / ".syncer")
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(LATER_S)
        adopted = await run(simulator, root)
        changed = dataset.pull_requests[7].number
        simulator.mutate.add_comment(changed, "after the adoption")
        simulator.clock.advance(LATER_S)
        after = await run(simulator, root)

    assert (adopted.exit, after.exit) == (0, 0)
    assert adopted.requests == 1
    assert adopted.conversations.read == 0
    assert after.conversations.read == 1
    assert set(before) == set(tree(root))


async def test_an_adopted_corpus_goes_on_to_the_tree_of_one_that_kept_its_store(
    dataset: Dataset, root: Path, tmp_path: Path
) -> None:
    kept = Path(shutil.copytree(root, tmp_path / "kept"))
    shutil.rmtree(root / NAME / ".syncer")
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(LATER_S)
        for pull in dataset.pull_requests[::25]:
            simulator.mutate.add_review(pull.number, "later", state="APPROVED")
        simulator.mutate.add_release("v7")
        simulator.clock.advance(LATER_S)
        await run(simulator, root)
        await run(simulator, kept)

    assert tree(root) == tree(kept)


async def test_a_damaged_file_is_not_adopted_but_read_again(dataset: Dataset, root: Path) -> None:
    before = tree(root)
    shutil.rmtree(root / NAME / ".syncer")
    victim = _first(root)
    victim.write_bytes(victim.read_bytes()[:-20])
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, root)

    assert summary.exit == 0
    assert tree(root) == before


@pytest.mark.parametrize("damage", ["zeroed", "truncated", "garbage"])
async def test_a_damaged_store_is_set_aside_and_rebuilt(
    damage: str, dataset: Dataset, root: Path
) -> None:
    before = tree(root)
    store = root / NAME / ".syncer" / "state.db"
    data = store.read_bytes()
    broken = {
        "zeroed": b"\0" * len(data),
        "truncated": data[: len(data) // 3],
        "garbage": data[:4096] + b"\xa5" * (len(data) - 4096),
    }[damage]
    store.write_bytes(broken)
    notes: list[str] = []
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, root, notes=notes)

    assert summary.exit == 0
    assert summary.requests == 1
    assert tree(root) == before
    assert store.with_name("state.db.damaged-1").read_bytes() == broken
    assert any("damaged-1" in note for note in notes)


async def test_an_empty_store_file_is_no_first_run(dataset: Dataset, root: Path) -> None:
    (root / NAME / ".syncer" / "state.db").write_bytes(b"")
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, root)

    assert summary.requests == 1
    assert (root / NAME / ".syncer" / "state.db.damaged-1").exists()


async def test_a_deleted_corpus_is_restored_from_the_store_without_reading_again(
    dataset: Dataset, root: Path
) -> None:
    before = tree(root)
    _clear(root / NAME)
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, root)

    assert summary.requests == 1
    assert tree(root) == before


async def test_an_older_corpus_is_brought_up_to_date_from_the_store(
    dataset: Dataset, root: Path, tmp_path: Path
) -> None:
    old = Path(shutil.copytree(root / NAME, tmp_path / "old", ignore=_store))
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(LATER_S)
        for pull in dataset.pull_requests[::25]:
            simulator.mutate.add_comment(pull.number, "newer")
        simulator.mutate.add_release("v7")
        simulator.clock.advance(LATER_S)
        await run(simulator, root)
        newest = tree(root)
        _clear(root / NAME)
        shutil.copytree(old, root / NAME, dirs_exist_ok=True)
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, root)

    assert summary.requests == 1
    assert tree(root) == newest


async def test_a_single_lost_file_is_restored(dataset: Dataset, root: Path) -> None:
    before = tree(root)
    _first(root).unlink()
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, root)

    assert summary.exit == 0
    assert tree(root) == before


def _first(root: Path) -> Path:
    return min(root.rglob("pr-*.md"))


def _clear(folder: Path) -> None:
    """Delete the corpus, and leave its store."""
    for path in folder.iterdir():
        if path.name != ".syncer":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _store(_: str, names: list[str]) -> set[str]:
    return {".syncer"} & set(names)
