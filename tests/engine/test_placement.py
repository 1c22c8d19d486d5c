"""Releases decide where files stand; when they change, files move and nothing is read again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from syncer.adoption import read_root
from syncer.corpus import RootRelease, Timeline
from syncer.records import resolution_event
from syncer.repository import Release, Shaping
from syncer.settings import Settings
from syncer.testing.github.expected import expected
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.mutations import Mutations
from syncer.testing.github.simulator import Simulator
from syncer.verify import verify
from tests.engine.harness import run, tree

LATER_S = 3600.0
FOLDER = Path("example-org/generated")


def _new(mutate: Mutations) -> None:
    mutate.add_release("v9.0")


def _backport(mutate: Mutations) -> None:
    mutate.add_release("v0.1.7", published_at="2021-03-20T12:00:00Z")


def _deleted(mutate: Mutations) -> None:
    mutate.delete_release("v1.2")


def _redated(mutate: Mutations) -> None:
    mutate.redate_release("v1.1", "2021-12-24T12:00:00Z")


def _tie(mutate: Mutations) -> None:
    at = mutate.release("v1.2").published_at
    mutate.add_release("v1.2-again", published_at=at)


def _draft(mutate: Mutations) -> None:
    mutate.add_release("v9.9-draft", draft=True)


def _published(mutate: Mutations) -> None:
    mutate.add_release("v9.9", draft=True)
    mutate.publish_release("v9.9")


def _hostile(mutate: Mutations) -> None:
    for tag in ("../../outside", "/abs", "V1.2", "feature/1.0", "v1..2", "a\\b", "nul"):
        mutate.add_release(tag, published_at="2021-04-02T12:00:00Z")


@pytest.mark.parametrize(
    "change",
    [_new, _backport, _deleted, _redated, _tie, _draft, _published, _hostile],
    ids=lambda change: change.__name__.removeprefix("_"),
)
async def test_a_changed_release_moves_files_and_reads_nothing_again(
    change: Callable[[Mutations], None], tmp_path: Path
) -> None:
    dataset = generate(31, 150, Shape(releases=6))
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        simulator.clock.advance(LATER_S)
        change(simulator.mutate)
        summary = await run(simulator, tmp_path / "kept")
        await run(simulator, tmp_path / "fresh")

    assert summary.conversations.read == 0
    assert summary.sinks["corpus"].written == 0
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")
    assert _empty_directories(tmp_path / "kept") == []
    assert verify(tmp_path / "kept" / FOLDER).findings == ()


async def test_a_moved_file_keeps_its_bytes(tmp_path: Path) -> None:
    dataset = generate(31, 150, Shape(releases=6))
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = _by_name(tmp_path)
        simulator.clock.advance(LATER_S)
        _new(simulator.mutate)
        summary = await run(simulator, tmp_path)

    assert summary.sinks["corpus"].moved > 0
    assert _by_name(tmp_path) == before


@pytest.mark.parametrize("prereleases", [True, False], ids=["prereleases", "no-prereleases"])
async def test_every_file_stands_where_the_one_rule_says(prereleases: bool, tmp_path: Path) -> None:
    dataset = generate(32, 200, Shape(releases=12))
    shaping = Shaping(prereleases=prereleases)
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path, settings=Settings(shaping=shaping))

    timeline = Timeline(_releases(tmp_path), shaping)
    folders = {release.tag_name: release.folder for release in _root_releases(tmp_path)}
    for number, one in expected(dataset).items():
        tag = timeline.bucket(resolution_event(one.state, one.merged_at, one.closed_at))
        block = f"{number - number % 1000:07d}"
        tier = "pulls" if tag is None else f"archive/pulls/{folders[tag]}"
        assert (tmp_path / FOLDER / tier / block / f"pr-{number}.md").is_file()


def _releases(root: Path) -> list[Release]:
    return [release.release() for release in _root_releases(root)]


def _root_releases(root: Path) -> tuple[RootRelease, ...]:
    found = read_root(root / FOLDER)
    assert found is not None
    return found.releases


def _by_name(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.rglob("pr-*.md")}


def _empty_directories(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_dir() and not any(path.iterdir())]
