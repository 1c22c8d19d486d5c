"""A repair mends what it can, keeps what it cannot write again, and has nothing left to do after."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sinks.corpus import open_sink
from syncer.cli.checking import check
from syncer.errors import LocalError, LockedError
from syncer.findings import Report
from syncer.repair import Repaired, repair
from syncer.sink import Applied
from syncer.store.lock import hold
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.simulator import Simulator
from tests.engine.harness import run, tree

NAME = Path("example-org/generated")


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return generate(81, 40, Shape(releases=4))


@pytest.fixture(scope="module")
def synced(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("synced")

    async def read() -> None:
        async with Simulator(dataset) as simulator:
            await run(simulator, root)

    asyncio.run(read())
    return root


@pytest.fixture
def root(synced: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(synced, tmp_path / "root"))


def _file(folder: Path, place: int = 3) -> Path:
    return sorted(folder.rglob("pr-*.md"))[place]


def alter_a_file(folder: Path) -> None:
    _file(folder).write_bytes(_file(folder).read_bytes() + b"x")


def lose_a_file(folder: Path) -> None:
    _file(folder).unlink()


def double_a_file(folder: Path) -> None:
    (folder / "pulls/0000000").mkdir(parents=True, exist_ok=True)
    path = next(p for p in sorted(folder.rglob("pr-*.md")) if "archive" in p.parts)
    shutil.copy(path, folder / "pulls/0000000" / path.name)


def move_a_file(folder: Path) -> None:
    path = next(p for p in sorted(folder.rglob("pr-*.md")) if "archive" in p.parts)
    path.rename(folder / "pulls/0000000" / path.name)


def tear_the_root(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes()[:90])


def lose_the_root(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def tear_every_leaf(folder: Path) -> None:
    for path in folder.rglob("manifest.json"):
        if path.parent != folder:
            path.write_bytes(b"{")


def tear_the_census(folder: Path) -> None:
    (folder / "census.json").write_bytes(b"")


def lose_the_attributes(folder: Path) -> None:
    (folder / ".gitattributes").unlink()


def leave_a_temporary(folder: Path) -> None:
    _file(folder).with_name(".pr-1.md.tmp").write_bytes(b"half")


def lose_all(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name != ".syncer":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


DAMAGES = [
    alter_a_file,
    lose_a_file,
    double_a_file,
    move_a_file,
    tear_the_root,
    lose_the_root,
    tear_every_leaf,
    tear_the_census,
    lose_the_attributes,
    leave_a_temporary,
    lose_all,
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
async def test_what_the_store_holds_is_written_again_to_the_byte_and_once(
    damage: Callable[[Path], None], root: Path
) -> None:
    folder = root / NAME
    before = tree(folder)
    damage(folder)
    assert not (await _checked(folder)).sound
    await _repaired(folder)
    after = _everything(folder)
    again = await _repaired(folder)

    assert {name: sha for name, sha in tree(folder).items() if "damaged" not in name} == before
    assert (await _checked(folder)).sound
    assert again.applied == Applied()
    assert again.kept == ()
    assert _everything(folder) == after


async def test_a_file_that_the_store_does_not_know_is_kept_under_another_name(root: Path) -> None:
    folder = root / NAME
    stranger = folder / "pulls/0000000/pr-999.md"
    stranger.write_bytes(b"somebody's own words")
    done = await _repaired(folder)

    assert done.kept == ("pulls/0000000/pr-999.md.damaged-1",)
    assert any("pr-999.md holds what the store does not" in note for note in done.notes)
    assert (folder / done.kept[0]).read_bytes() == b"somebody's own words"
    assert (await _checked(folder)).sound
    assert (await _repaired(folder)).kept == ()


async def test_a_file_newer_than_its_record_is_kept_and_the_next_run_reads_it_again(
    dataset: Dataset, root: Path
) -> None:
    folder = root / NAME
    shutil.copytree(folder / ".syncer", root / "older")
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(3600)
        simulator.mutate.add_comment(dataset.pull_requests[0].number, "after the backup")
        simulator.clock.advance(3600)
        await run(simulator, root)
        newest = tree(folder)
        shutil.rmtree(folder / ".syncer")
        shutil.copytree(root / "older", folder / ".syncer")
        done = await _repaired(folder)
        (kept,) = done.kept
        words = (folder / kept).read_bytes()
        summary = await run(simulator, root)

    assert b"after the backup" in words
    assert summary.exit == 0
    assert {name: sha for name, sha in tree(folder).items() if name != kept} == newest


async def test_a_file_of_what_is_proven_to_be_gone_is_not_kept(
    dataset: Dataset, root: Path
) -> None:
    folder = root / NAME
    number = dataset.pull_requests[2].number
    (path,) = folder.rglob(f"pr-{number}.md")
    words = path.read_bytes()
    async with Simulator(dataset) as simulator:
        simulator.mutate.delete_pull(number)
        for _ in range(2):
            simulator.clock.advance(3600)
            await run(simulator, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(words)
    done = await _repaired(folder)

    assert (done.kept, done.applied.removed) == ((), 1)
    assert not list(folder.rglob(f"pr-{number}.md*"))


async def test_a_damaged_store_is_kept_aside_and_made_anew_from_the_files(root: Path) -> None:
    folder = root / NAME
    before = tree(folder)
    store = folder / ".syncer/state.db"
    store.write_bytes(bytes(store.stat().st_size))
    done = await _repaired(folder)

    assert (done.applied, done.kept) == (Applied(), ())
    assert any("state.db.damaged-1" in note for note in done.notes)
    assert tree(folder) == before
    assert (await _checked(folder)).sound


async def test_where_store_and_file_are_both_damaged_the_file_is_kept_and_told_as_unread(
    dataset: Dataset, root: Path
) -> None:
    folder = root / NAME
    before = tree(folder)
    store = folder / ".syncer/state.db"
    store.write_bytes(bytes(store.stat().st_size))
    path = _file(folder)
    words = path.read_bytes() + b"x"
    path.write_bytes(words)
    done = await _repaired(folder)
    sound = (await _checked(folder)).sound
    async with Simulator(dataset) as simulator:
        simulator.clock.advance(3600)
        summary = await run(simulator, root)

    (kept,) = done.kept
    assert (folder / kept).read_bytes() == words
    assert sound
    assert (summary.exit, summary.conversations.read) == (0, 1)
    assert {name: sha for name, sha in tree(folder).items() if name != kept} == before


async def test_without_a_store_nothing_is_touched(root: Path) -> None:
    folder = root / NAME
    shutil.rmtree(folder / ".syncer")
    alter_a_file(folder)
    before = _everything(folder)
    with pytest.raises(LocalError, match="run `syncer sync`"):
        await _repaired(folder)

    assert _everything(folder) == before


async def test_where_neither_store_nor_root_can_be_read_nothing_is_thrown_away(root: Path) -> None:
    folder = root / NAME
    store = folder / ".syncer/state.db"
    store.write_bytes(bytes(store.stat().st_size))
    tear_the_root(folder)
    before = set(folder.rglob("pr-*.md"))
    with pytest.raises(LocalError, match="run `syncer sync`"):
        await _repaired(folder)

    assert set(folder.rglob("pr-*.md")) == before


async def test_a_run_at_work_is_not_disturbed(root: Path) -> None:
    with hold(root / NAME / ".syncer/lock"), pytest.raises(LockedError):
        await _repaired(root / NAME)


async def _repaired(folder: Path) -> Repaired:
    return await repair(folder, corpus=open_sink)


async def _checked(folder: Path) -> Report:
    return await check(folder, lambda _: None)


def _everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Time of writing and bytes of every file but the store's."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".syncer" not in path.parts
    }
