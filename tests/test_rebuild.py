"""Every sink can be written anew from the store alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sinks.corpus import open_sink
from syncer.corpus import MANIFEST
from syncer.errors import LocalError, LockedError
from syncer.rebuild import rebuild
from syncer.repository import Shaping
from syncer.store import STATE_FILE, STATE_FOLDER, hold_folder, meta, open_store
from syncer.testing.github import Shape, Simulator, generate
from syncer.verify import verify
from tests.engine.harness import run, tree

SINKS = {"corpus": open_sink}


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A repository as a whole run left it."""
    async with Simulator(generate(6, 30, Shape(name="o/r"))) as simulator:
        await run(simulator, tmp_path)
    return tmp_path / "o" / "r"


def two_files(folder: Path) -> tuple[Path, Path]:
    first, second, *_ = sorted(folder.rglob("pr-*.md"))
    return first, second


async def test_what_is_right_already_is_not_written(folder: Path) -> None:
    before = tree(folder)

    done = await rebuild(folder, sinks=SINKS)

    assert done.applied["corpus"].written == 0
    assert done.failures == {}
    assert tree(folder) == before


async def test_altered_and_missing_files_come_back_and_strays_go(folder: Path) -> None:
    before = tree(folder)
    altered, missing = two_files(folder)
    altered.write_bytes(b"somebody else's")
    missing.unlink()
    (altered.parent / "pr-999.md").write_bytes(b"nobody's")

    done = await rebuild(folder, sinks=SINKS)

    assert done.applied["corpus"].written == 2
    assert tree(folder) == before


async def test_placements_follow_from_what_the_store_knows(folder: Path) -> None:
    async with open_store(folder / STATE_FOLDER) as store, store.transaction():
        await store.meta.put(meta.SHAPING, Shaping(prereleases=False))

    done = await rebuild(folder, sinks=SINKS)

    assert done.applied["corpus"].moved > 0
    assert verify(folder).sound


async def test_a_repository_at_work_is_not_touched(folder: Path) -> None:
    async with hold_folder(folder):
        with pytest.raises(LockedError):
            await rebuild(folder, sinks=SINKS)


async def test_without_a_store_nothing_is_made_up(folder: Path) -> None:
    (folder / STATE_FOLDER / STATE_FILE).unlink()
    manifest = (folder / MANIFEST).read_bytes()

    with pytest.raises(LocalError, match="run `syncer sync`"):
        await rebuild(folder, sinks=SINKS)

    assert (folder / MANIFEST).read_bytes() == manifest
    assert not (folder / STATE_FOLDER / STATE_FILE).exists()
