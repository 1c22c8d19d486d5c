"""Edges of windows, watermarks and releases: to the second, in any zone, the same on every run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from birdview.request import instant
from syncer.history import History
from syncer.repository import Shaping
from syncer.settings import Settings
from syncer.testing.github import faults
from syncer.testing.github.clock import stamp
from syncer.testing.github.dataset import Dataset, Pull, Release
from syncer.testing.github.simulator import Simulator
from tests.cases.scene import FOLDER, HOUR_S, NAME, comment, pull, read, repository
from tests.engine.harness import Hurry, content, run, tree
from tests.history.corpora import numbers, select

SECOND = timedelta(seconds=1)
CUT = datetime(2026, 3, 10, 12, 0, 0, tzinfo=UTC)


def _merged(number: int, at: datetime, **more: object) -> Pull:
    text = stamp(at)
    return pull(
        number, state="MERGED", created_at="2026-01-01T00:00:00Z", updated_at=text,
        closed_at=text, merged_at=text, **more,
    )  # fmt: skip


def _release(tag: str, at: datetime | None, **more: object) -> Release:
    return Release(tag_name=tag, published_at=None if at is None else stamp(at), **more)  # type: ignore[arg-type]


# -- the watermark


@pytest.mark.parametrize("page", [1, 100])
async def test_what_is_touched_in_the_very_second_of_the_watermark_is_read_and_not_doubled(
    page: int, tmp_path: Path
) -> None:
    dataset = repository(*(pull(n, comments=(comment(),)) for n in range(1, 7)))
    settings = Settings(page=page, margin_s=0.0)
    async with Simulator(dataset) as simulator:
        simulator.mutate.add_comment(1, "in the second before the first run")
        first = await run(simulator, tmp_path / "kept", settings=settings)
        for number in (1, 2, 3):
            simulator.mutate.add_comment(number, "in the same second, after it")
        simulator.clock.advance(1)
        simulator.mutate.add_comment(4, "a second later")
        simulator.clock.advance(HOUR_S)
        second = await run(simulator, tmp_path / "kept", settings=settings)
        third = await run(simulator, tmp_path / "kept", settings=settings)
        await run(simulator, tmp_path / "fresh", settings=settings)

    assert (first.exit, second.exit, third.exit) == (0, 0, 0)
    assert second.conversations.read == 4
    assert (third.conversations.read, third.sinks["corpus"].written) == (0, 0)
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


@pytest.mark.parametrize("second", range(-2, 3))
async def test_what_lags_behind_the_clock_by_less_than_the_margin_is_not_missed(
    second: int, tmp_path: Path
) -> None:
    dataset = repository(*(pull(n) for n in range(1, 4)))
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        now = simulator.clock.now()
        simulator.clock.set(now - timedelta(seconds=58) + second * SECOND)
        simulator.mutate.add_comment(2, "seen late by the replica")
        simulator.clock.set(now + timedelta(hours=1))
        later = await run(simulator, tmp_path / "kept")
        await run(simulator, tmp_path / "fresh")

    assert later.conversations.read == 1
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_reading_the_same_second_again_costs_one_request_and_changes_no_file(
    tmp_path: Path,
) -> None:
    dataset = repository(*(pull(n) for n in range(1, 40)))
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = tree(tmp_path)
        again = [await run(simulator, tmp_path) for _ in range(3)]

    assert [one.requests for one in again] == [1, 1, 1]
    assert tree(tmp_path) == before


# -- the window


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01T00:00:00+08:00", "2026-02-28T16:00:00Z"),
        ("2026-03-01T00:00:00-11:30", "2026-03-01T11:30:00Z"),
        ("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z"),
        ("2026-03-01", "2026-03-01T00:00:00Z"),
        ("2026-03-29T02:30:00+01:00", "2026-03-29T01:30:00Z"),
    ],
)
async def test_a_bound_in_any_zone_is_one_moment_with_its_second_inside_or_outside(
    text: str, moment: str, tmp_path: Path
) -> None:
    bound = instant("windowStart", text)
    at = datetime.fromisoformat(moment)
    dataset = repository(*(_merged(n, at + (n - 3) * SECOND) for n in range(1, 6)))
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
    corpus = History(tmp_path).corpus(NAME)

    day = timedelta(days=1)
    assert bound == at
    assert numbers(select(corpus, bound, bound + day)) == [3, 4, 5]
    assert numbers(select(corpus, bound - day, bound)) == [1, 2]


# -- releases


def _released() -> Dataset:
    """v1.9, v2.0, then v1.9.5; a pre-release; a draft; merges on, beside, before and after."""
    day = timedelta(days=1)
    v19, v20, v195 = CUT, CUT + day, CUT + 2 * day
    moments = (
        v19 - day, v19 - SECOND, v19, v19 + SECOND, v20 - SECOND, v20, v20 + SECOND,
        v195 - SECOND, v195, v195 + SECOND, v195 + 2 * day,
    )  # fmt: skip
    return repository(
        *(
            _merged(n, at, base_ref_name="main" if n % 2 else "release-1.9")
            for n, at in enumerate(moments, start=1)
        ),
        pull(20),
        releases=(
            _release("v1.9.5", v195),
            _release("v2.0", v20),
            _release("v1.9", v19),
            _release("v3.0", None, is_draft=True),
        ),
    )


BUCKETS = {
    1: "v1.9", 2: "v1.9", 3: "v2.0", 4: "v2.0", 5: "v2.0", 6: "v1.9.5", 7: "v1.9.5", 8: "v1.9.5",
    9: None, 10: None, 11: None, 20: None,
}  # fmt: skip


async def test_a_merge_belongs_to_the_first_release_later_than_it_whatever_its_branch(
    tmp_path: Path,
) -> None:
    async with Simulator(_released()) as simulator:
        first = await run(simulator, tmp_path)
        placed = _buckets(tmp_path)
        simulator.clock.advance(HOUR_S)
        again = await run(simulator, tmp_path)

    assert first.exit == 0
    assert placed == BUCKETS
    assert (again.sinks["corpus"].written, again.sinks["corpus"].moved) == (0, 0)


async def test_a_release_that_appears_takes_what_waited_for_it_with_every_byte_as_it_was(
    tmp_path: Path,
) -> None:
    async with Simulator(_released()) as simulator:
        await run(simulator, tmp_path / "kept")
        before = _bytes(tmp_path / "kept")
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_release("v2.1", published_at=stamp(CUT + timedelta(days=3)))
        summary = await run(simulator, tmp_path / "kept")
        await run(simulator, tmp_path / "fresh")

    assert summary.conversations.read == 0
    assert (summary.sinks["corpus"].written, summary.sinks["corpus"].moved) == (0, 2)
    assert _buckets(tmp_path / "kept") == {**BUCKETS, 9: "v2.1", 10: "v2.1"}
    assert _bytes(tmp_path / "kept") == before
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_a_pre_release_is_a_cut_or_none_by_the_setting_and_moving_reads_nothing(
    tmp_path: Path,
) -> None:
    async with Simulator(_released()) as simulator:
        simulator.mutate.add_release(
            "v2.1-rc1", published_at=stamp(CUT + timedelta(days=3)), prerelease=True
        )
        await run(simulator, tmp_path, settings=Settings(shaping=Shaping(prereleases=True)))
        with_it = _buckets(tmp_path)
        moved = await run(
            simulator, tmp_path, settings=Settings(shaping=Shaping(prereleases=False))
        )

    assert with_it == {**BUCKETS, 9: "v2.1-rc1", 10: "v2.1-rc1"}
    assert _buckets(tmp_path) == BUCKETS
    assert moved.conversations.read == 0


async def test_more_releases_than_a_page_holds_are_all_cuts_and_none_is_flooded(
    tmp_path: Path,
) -> None:
    every = [_release(f"v0.{n}", CUT + n * SECOND) for n in range(210)]
    dataset = repository(
        *(_merged(n + 1, CUT + n * SECOND) for n in range(210)), releases=tuple(every)
    )
    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path)

    assert summary.exit == 0
    assert _buckets(tmp_path) == {n + 1: f"v0.{n + 1}" if n < 209 else None for n in range(210)}


@pytest.mark.parametrize("field", ["publishedAt", "tagName", "isDraft", "isPrerelease", "id"])
async def test_a_release_that_cannot_be_read_whole_moves_nothing_and_is_named(
    field: str, tmp_path: Path
) -> None:
    async with Simulator(_released()) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path, hurry=hurry)
        before = tree(tmp_path)
        simulator.clock.advance(HOUR_S)
        rule = simulator.fail(faults.forbidden(f"Release.{field}"), times=None)
        summary = await run(simulator, tmp_path, hurry=hurry)

    assert rule.hits
    assert summary.exit == 3
    assert "releases" in {problem.connection for problem in summary.problems}
    assert tree(tmp_path) == before


# -- items that move while they are read


@pytest.mark.parametrize("victim", [1, 4, 7, 10])
@pytest.mark.parametrize("full", [True, False], ids=["by creation", "by change"])
async def test_what_is_touched_between_two_pages_is_in_the_result_once_and_new(
    victim: int, full: bool, tmp_path: Path
) -> None:
    dataset = repository(*(pull(n, updated_at=f"2026-03-02T00:00:{n:02d}Z") for n in range(1, 11)))
    settings = Settings(page=2, full=full)
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept", settings=Settings(page=2))
        simulator.clock.advance(HOUR_S)
        for number in range(1, 11):
            simulator.mutate.touch(number)
            simulator.clock.advance(1)
        simulator.clock.advance(HOUR_S)
        start = simulator.requests
        simulator.between(
            start + (3 if full else 1),
            lambda mutate: mutate.add_comment(victim, "between two pages"),
        )
        hurry = Hurry(simulator)
        first = await run(simulator, tmp_path / "kept", settings=settings, hurry=hurry)
        simulator.clock.advance(HOUR_S)
        second = await run(simulator, tmp_path / "kept", settings=Settings(page=2), hurry=hurry)
        await run(simulator, tmp_path / "fresh", settings=settings)

    assert (first.exit, second.exit) == (0, 0)
    assert len(read(tmp_path / "kept", victim).conversation.comments) == 1
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


# -- inside


def _buckets(root: Path) -> dict[int, str | None]:
    """The folder of a release, or None, for every number; each has one file."""
    found: dict[int, str | None] = {}
    for name in content(root / FOLDER):
        number = int(Path(name).stem.removeprefix("pr-"))
        assert number not in found
        parts = name.split("/")
        found[number] = parts[2] if parts[0] == "archive" else None
    return found


def _bytes(root: Path) -> dict[str, bytes]:
    return {Path(name).name: data for name, data in content(root).items()}
