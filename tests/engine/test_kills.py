"""A run may end anywhere, however hard; the next one goes on where it stood."""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from sinks.corpus import CorpusSink
from sinks.faults import FaultyFileSystem, Stopped
from sinks.files import Folder
from syncer.settings import Settings
from syncer.sink import Destination, Sink
from syncer.store.database import Database
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.simulator import Simulator
from tests.engine.harness import run, tree

IDS = 10
CONCURRENCY = 4
SEED = 20
KILLS = 24
SHARDS = 4


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return generate(5, 60, Shape(releases=6, long_conversation=45))


@pytest.fixture(scope="module")
def baseline(
    dataset: Dataset, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, str], int, int]:
    """The tree of an undisturbed run, its requests, and the connections that it asked for."""
    root = tmp_path_factory.mktemp("baseline")

    async def read() -> tuple[int, int]:
        async with Simulator(dataset) as simulator:
            await _child(simulator, root)
            return simulator.requests, _connections(simulator)

    requests, connections = asyncio.run(read())
    return tree(root), requests, connections


def _kills() -> Iterator[tuple[str, float]]:
    dice = random.Random(SEED)
    for moment in ("received", "answered"):
        for _ in range(KILLS):
            yield moment, dice.random()


@pytest.mark.parametrize(("moment", "place"), list(_kills()))
async def test_a_killed_run_goes_on_and_asks_for_nothing_twice_but_what_was_under_way(
    moment: str,
    place: float,
    dataset: Dataset,
    baseline: tuple[dict[str, str], int, int],
    tmp_path: Path,
) -> None:
    whole, requests, connections = baseline
    # How requests are filled depends on timing: another run may take a few less.
    k = 1 + int(place * 0.85 * requests)

    async with Simulator(dataset) as simulator:
        killed = await _killed_at(simulator, tmp_path, k, moment)
        status = await _child(simulator, tmp_path)
        asked = _connections(simulator)

    assert killed == -signal.SIGKILL
    assert status == 0
    assert tree(tmp_path) == whole
    again = 3  # the opening's two listings, and the walk over what changed since the first run
    assert asked <= connections + again + CONCURRENCY * IDS


@pytest.mark.parametrize("shard", range(SHARDS))
async def test_stopping_at_any_transaction_leaves_a_run_that_goes_on_to_the_same_tree(
    shard: int,
    dataset: Dataset,
    baseline: tuple[dict[str, str], int, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, _, _ = baseline
    steps = _Steps()
    with monkeypatch.context() as patch:
        steps.install(patch)
        async with Simulator(dataset) as simulator:
            await run(simulator, tmp_path / "counted", settings=_SETTINGS)

    for step in range(shard, steps.taken, SHARDS):
        root = tmp_path / str(step)
        async with Simulator(dataset) as simulator:
            with monkeypatch.context() as patch:
                _Steps(step).install(patch)
                assert await _stopped(run(simulator, root, settings=_SETTINGS))
            summary = await run(simulator, root, settings=_SETTINGS)
        assert summary.exit == 0, step
        assert tree(root) == whole, step


@pytest.mark.parametrize("shard", range(SHARDS))
async def test_stopping_at_any_step_of_a_file_leaf_or_root_leaves_a_run_that_goes_on(
    shard: int, dataset: Dataset, baseline: tuple[dict[str, str], int, int], tmp_path: Path
) -> None:
    whole, _, _ = baseline
    disk = FaultyFileSystem()
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "read", sinks={})
        shutil.copytree(tmp_path / "read", tmp_path / "counted")
        await run(simulator, tmp_path / "counted", sinks={"corpus": _on(disk)})

        for step in range(shard, len(disk.steps), SHARDS):
            root = tmp_path / str(step)
            shutil.copytree(tmp_path / "read", root)
            faulty = _on(FaultyFileSystem(at=step))
            assert await _stopped(run(simulator, root, sinks={"corpus": faulty}))
            summary = await run(simulator, root)
            assert summary.exit == 0, disk.steps[step]
            assert tree(root) == whole, disk.steps[step]
            shutil.rmtree(root)


_SETTINGS = Settings(ids=IDS, page=IDS, concurrency=CONCURRENCY, wave=25)


class _Steps:
    """Counts the edges of transactions, and ends everything at the `at`-th of them."""

    def __init__(self, at: int | None = None) -> None:
        self.taken = 0
        self._at = at

    def install(self, patch: pytest.MonkeyPatch) -> None:
        original = Database.run

        async def stepping(database: Database, sql: str, values: tuple[object, ...] = ()) -> int:
            if sql in ("BEGIN IMMEDIATE", "COMMIT"):
                self.taken += 1
                if self._at is not None and self.taken > self._at:
                    raise Stopped
            return await original(database, sql, values)

        patch.setattr(Database, "run", stepping)


def _on(disk: FaultyFileSystem) -> Callable[[Destination], Sink]:
    return lambda destination: CorpusSink(Folder(destination.folder, disk))


async def _stopped(running: Awaitable[object]) -> bool:
    try:
        await running
    except Stopped:
        return True
    return False


def _connections(simulator: Simulator) -> int:
    return sum(entry.connections for entry in simulator.log)


async def _start(simulator: Simulator, root: Path) -> asyncio.subprocess.Process:
    name = simulator.world.repository.name_with_owner
    arguments = ("-m", "tests.engine.child", simulator.url, str(root), name, str(IDS))
    return await asyncio.create_subprocess_exec(sys.executable, *arguments)


async def _child(simulator: Simulator, root: Path) -> int:
    return await (await _start(simulator, root)).wait()


async def _killed_at(simulator: Simulator, root: Path, k: int, moment: str) -> int:
    process = await _start(simulator, root)

    def kill(request: int) -> None:
        if request == k and process.returncode is None:
            process.kill()

    hook = simulator.on_received if moment == "received" else simulator.on_answered
    hook(kill)
    return await process.wait()
