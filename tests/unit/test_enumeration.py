"""A census over a repository that changes, is killed, deceives: what it proves it has, or names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from syncer.enumeration import Enumeration, Trouble
from syncer.settings import Settings
from syncer.store import Store, meta, open_store
from tests.unit.making import at, item, row, totals
from tests.unit.town import Town

DAY = timedelta(days=1)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


def _town(count: int = 12) -> Town:
    return Town([row(number, at(number)) for number in range(1, count + 1)])


async def _census(town: Town, store: Store, *, page: int = 4, full: bool = False) -> list[Trouble]:
    town.opens_with = page
    settings = Settings(page=page, full=full)
    enumeration = Enumeration(town, store, settings, await town.opening())
    await enumeration.releases()
    await enumeration.pull_requests()
    return enumeration.troubles


async def _read_all(store: Store) -> list[int]:
    """Mark everything wanted as read; returns the numbers."""
    wanted = await store.pulls.wanted(1000)
    async with store.transaction():
        await store.pulls.done([one.id for one in wanted])
    return [one.number for one in wanted]


async def test_a_first_census_wants_everything_and_sets_the_watermark_before_its_first_answer(
    store: Store,
) -> None:
    town = _town()
    assert await _census(town, store) == []
    assert await store.meta.get(meta.WATERMARK) == town.date - timedelta(seconds=60)
    assert await store.meta.get(meta.TOTAL) == 12
    assert await store.meta.get(meta.WALK) is None
    assert await _read_all(store) == list(range(1, 13))


async def test_a_walk_that_could_not_keep_up_begins_anew_in_the_next_run(store: Store) -> None:
    town = _town()
    await _census(town, store)
    before = await store.meta.get(meta.WATERMARK)
    town.now += 1000
    for number in range(1, 13):
        town.touch(number, wait=1)
    town.hooks = dict.fromkeys(range(town.pages, town.pages + 200), _churn)

    assert await _census(town, store, page=2) == [Trouble("pullRequests", "moving")]
    assert await store.meta.get(meta.WATERMARK) == before

    town.hooks.clear()
    town.now += 1000
    assert await _census(town, store, page=2) == []
    assert await store.meta.get(meta.WATERMARK) == town.date - timedelta(seconds=60)


def _churn(town: Town) -> None:
    for number in (1, 2, 3, 4):
        town.touch(number, wait=1)


@pytest.mark.parametrize("full", [False, True])
async def test_a_reading_under_way_is_void_when_its_row_comes_back_with_other_totals(
    full: bool, store: Store
) -> None:
    town = Town([row(1, at(9990), counts=totals(comments=1)), row(2, at(9990))])
    await _census(town, store)
    async with store.transaction():
        await store.frontier.add([item(pull="PR_1", owner="PR_1"), item(pull="PR_2", owner="PR_2")])
    town.whisper(1, comments=2)

    await _census(town, store, full=full)

    assert await store.frontier.pulls() == {"PR_2"}
    one, other = sorted(await store.pulls.wanted(5), key=lambda found: found.number)
    assert (one.row is None) == (not full)
    assert one.row is None or one.row.totals == totals(comments=2)
    assert other.row is not None
