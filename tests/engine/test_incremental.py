"""Later runs cost what changed, and end in the tree that a full run would give."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from syncer.settings import Settings
from syncer.testing.github import faults
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.mutations import Mutations
from syncer.testing.github.requests import asks
from syncer.testing.github.simulator import Simulator
from tests.engine.harness import run, tree

LATER_S = 3600.0


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return generate(11, 140, Shape(releases=5))


async def test_nothing_new_costs_one_request_and_writes_nothing_but_the_census(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = _stamps(tmp_path)
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, tmp_path)

    changed = {path for path, stamp in _stamps(tmp_path).items() if before.get(path) != stamp}
    assert set(_stamps(tmp_path)) == set(before)
    assert summary.requests == summary.points == 1
    assert summary.conversations.read == 0
    assert changed == {"census.json"}


async def test_releases_cost_one_more_request_for_each_hundred_after_the_first(
    tmp_path: Path,
) -> None:
    dataset = generate(12, 5, Shape(releases=0))
    async with Simulator(dataset) as simulator:
        for day in range(201):
            at = f"2022-01-{1 + day % 28:02d}T00:00:{day % 60:02d}Z"
            simulator.mutate.add_release(f"r{day}", published_at=at)
        await run(simulator, tmp_path)
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, tmp_path)

    assert summary.requests == 3


async def test_what_changed_is_read_and_the_tree_is_that_of_a_full_run(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        simulator.clock.advance(LATER_S)
        changed = _mutate(simulator.mutate, simulator)
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, tmp_path / "kept")
        await run(simulator, tmp_path / "fresh")

    assert summary.exit == 0
    assert summary.conversations.read == len(changed)
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


@pytest.mark.parametrize("gap", range(13))
async def test_a_change_between_any_two_requests_is_in_the_result_or_in_the_next(
    gap: int, dataset: Dataset, tmp_path: Path
) -> None:
    settings = Settings(ids=40, page=50, concurrency=1)
    number = dataset.pull_requests[70].number
    async with Simulator(dataset) as simulator:
        simulator.between(gap, lambda mutate: mutate.add_comment(number, f"in gap {gap}"))
        await run(simulator, tmp_path / "kept", settings=settings)
        assert simulator.requests >= 12
        await run(simulator, tmp_path / "kept", settings=settings)
        await run(simulator, tmp_path / "fresh", settings=settings)

    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_a_record_read_within_the_margin_is_read_again_until_it_has_settled(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = dataset.pull_requests[3].number
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        simulator.clock.advance(LATER_S)
        simulator.mutate.add_comment(number, "just now")
        reads = []
        for _ in range(4):
            reads.append((await run(simulator, tmp_path)).conversations.read)
            simulator.clock.advance(40)

    assert reads == [1, 1, 1, 0]


async def test_a_pull_request_is_removed_when_two_runs_did_not_find_it(
    dataset: Dataset, tmp_path: Path
) -> None:
    gone = dataset.pull_requests[50].number
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        simulator.clock.advance(LATER_S)
        simulator.mutate.delete_pull(gone)
        first = await run(simulator, tmp_path / "kept")
        kept = bool(list((tmp_path / "kept").rglob(f"pr-{gone}.md")))
        simulator.clock.advance(LATER_S)
        second = await run(simulator, tmp_path / "kept")
        await run(simulator, tmp_path / "fresh")

    assert kept
    assert (first.exit, second.exit) == (0, 0)
    assert second.sinks["corpus"].removed == 1
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_a_renamed_repository_keeps_its_folder_and_is_known_by_its_id(
    dataset: Dataset, tmp_path: Path
) -> None:
    notes: list[str] = []
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = set(tree(tmp_path)) - {"example-org/generated/manifest.json"}
        simulator.clock.advance(LATER_S)
        simulator.mutate.rename("example-org/renamed")
        summary = await run(simulator, tmp_path, notes=notes)

    assert summary.exit == 0
    assert summary.conversations.read == 0
    assert any("renamed" in note for note in notes)
    assert before < set(tree(tmp_path))
    assert not (tmp_path / "example-org" / "renamed").exists()


async def test_many_changes_during_a_long_walk_are_caught_by_the_closing_page(
    tmp_path: Path,
) -> None:
    dataset = generate(13, 120, Shape(releases=0))
    numbers = [pull.number for pull in dataset.pull_requests]
    settings = Settings(page=20)
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept", settings=settings)
        simulator.clock.advance(LATER_S)
        for number in numbers[:110]:
            simulator.clock.advance(1)
            simulator.mutate.add_comment(number, "a busy day")
        start = simulator.requests
        for k in range(1, 5):
            simulator.between(start + k, _touching(simulator, numbers[k]))
        simulator.clock.advance(LATER_S)
        summary = await run(simulator, tmp_path / "kept", settings=settings)
        await run(simulator, tmp_path / "kept", settings=settings)
        await run(simulator, tmp_path / "fresh", settings=settings)

    assert summary.exit == 0
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


def _stamps(root: Path) -> dict[str, tuple[int, int]]:
    """Inode and time of modification of every file of the corpus, by name."""
    files = (p for p in root.rglob("*") if p.is_file() and ".syncer" not in p.parts)
    return {
        p.name if p.name == "census.json" else str(p): (p.stat().st_ino, p.stat().st_mtime_ns)
        for p in files
    }


def _touching(simulator: Simulator, number: int) -> Callable[[Mutations], None]:
    def touch(mutate: Mutations) -> None:
        simulator.clock.advance(1)
        mutate.add_comment(number, "while it was read")

    return touch


def _mutate(mutate: Mutations, simulator: Simulator) -> set[int]:
    """One of each loud change; returns the numbers changed."""
    numbers = sorted(mutate.world.repository.pull_requests)
    step = iter(numbers[::9])
    changed: set[int] = set()

    def following() -> int:
        simulator.clock.advance(timedelta(minutes=1).total_seconds())
        number = next(step)
        changed.add(number)
        return number

    mutate.add_comment(following(), "another word")
    mutate.add_review(following(), "looks right", state="APPROVED")
    review = mutate.add_review(following(), "", state="COMMENTED")
    mutate.reply(mutate.add_thread(review, "why this line?"), "because")
    mutate.edit_pull(following(), title="retitled", body="rewritten")
    mutate.add_label(following(), "late label")
    mutate.close(following())
    mutate.reopen(following())
    changed.add(mutate.open_pull(title="a new one").number)
    return changed


async def test_unfinished_work_rests_until_its_next_try_unless_it_changes(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = _with_comments(dataset)
    heavy = faults.forbidden("PullRequest.comments", number)
    async with Simulator(dataset) as simulator:
        simulator.fail(heavy, asks("PullRequest.comments"), times=None)
        first = await run(simulator, tmp_path)
        simulator.clock.advance(LATER_S / 2)
        resting = await run(simulator, tmp_path)
        simulator.mutate.add_label(number, "touched")
        changed = await run(simulator, tmp_path)
        simulator.rules.clear()
        simulator.clock.advance(2 * LATER_S + 1)
        due = await run(simulator, tmp_path)

    assert [one.exit for one in (first, resting, changed, due)] == [3, 3, 3, 0]
    assert resting.requests == 1
    assert changed.requests > 1
    assert due.conversations.read == 1


def _with_comments(dataset: Dataset) -> int:
    return next(pull.number for pull in dataset.pull_requests if len(pull.comments) > 1)
