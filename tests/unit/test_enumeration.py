"""A census over a repository that changes, is killed, deceives: what it proves it has, or names."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncer.census.enumeration import Enumeration, Trouble, describe
from syncer.errors import TooHeavyError, TransientError
from syncer.github.answers import Listing, Row
from syncer.repository import Release
from syncer.settings import Settings
from syncer.store import Discrepancy, Store, meta, open_store
from tests.unit.making import at, item, row, totals
from tests.unit.town import Town


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


# Kills and changes


@pytest.mark.parametrize("read", range(6))
async def test_a_census_that_is_killed_after_any_page_goes_on_from_there(
    read: int, store: Store
) -> None:
    town = _town()
    town.hooks = {1 + read: _killed}  # the first page is the opening's
    with pytest.raises(KeyboardInterrupt):
        await _census(town, store, page=2)
    town.hooks.clear()
    assert await _census(town, store, page=2) == []
    assert town.asked.count("census") == 6 + 1
    assert await store.pulls.count_wanted() == 12
    assert await store.meta.get(meta.WALK) is None


def _killed(town: Town) -> None:
    raise KeyboardInterrupt


acts = st.lists(
    st.tuples(st.integers(1, 9), st.sampled_from([0.0, 0.4, 1.0, 70.0])), min_size=1, max_size=4
)


@settings(max_examples=25)
@given(
    between=acts,
    during=st.dictionaries(st.integers(0, 9), acts, max_size=4),
    kill=st.none() | st.integers(0, 4),
    page=st.integers(2, 4),
)
def test_whatever_changes_and_wherever_it_is_killed_the_next_census_knows_it(
    tmp_path_factory: pytest.TempPathFactory,
    between: Sequence[tuple[int, float]],
    during: dict[int, Sequence[tuple[int, float]]],
    kill: int | None,
    page: int,
) -> None:
    async def play() -> None:
        town = _town(6)
        async with open_store(tmp_path_factory.mktemp("store")) as store:
            await _census(town, store, page=page)
            await _read_all(store)
            town.now += 1000
            _acts(between)(town)
            town.hooks = {town.pages + k: _acts(found) for k, found in during.items()}
            if kill is not None:
                town.hooks[town.pages + kill] = _killed
            with contextlib.suppress(KeyboardInterrupt):
                await _census(town, store, page=page)
            town.hooks.clear()
            assert await _census(town, store, page=page) == []
            wanted = set(await _read_all(store))
            known = await store.pulls.known(sorted(town.rows))
        assert {pull: one.updated_at for pull, one in known.items()} == {
            pull: one.updated_at for pull, one in town.rows.items()
        }
        assert {town.rows[pull].number for pull in town.touched} <= wanted

    asyncio.run(play())


def _acts(found: Sequence[tuple[int, float]]) -> Callable[[Town], None]:
    def hook(town: Town) -> None:
        for number, wait in found:
            town.now += wait
            if f"PR_{number}" in town.rows:
                town.touch(number)
            else:
                town.open(number)

    return hook


# Counts that do not add up


async def test_a_row_that_is_counted_and_never_listed_is_named_and_left_alone_for_a_day(
    store: Store,
) -> None:
    town = _town()
    town.hidden = 1
    await _census(town, store)
    found = await store.meta.get(meta.DISCREPANCY)
    assert found == Discrepancy(13, 12, town.date)
    assert describe(found) == "GitHub claims 13 pull requests, 12 were found"
    assert await store.meta.get(meta.WATERMARK) is not None

    town.now += 3600
    town.asked.clear()
    await _census(town, store)
    assert "census" not in town.asked
    town.now += 24 * 3600
    await _census(town, store)
    assert "census" in town.asked
    town.hidden = 0
    await _census(town, store)
    assert await store.meta.get(meta.DISCREPANCY) is None


async def test_a_changed_row_that_came_as_null_is_not_passed_over(store: Store) -> None:
    town = _town()
    await _census(town, store)
    await _read_all(store)
    town.now += 1000
    town.touch(5)
    town.blank = {"PR_5"}
    town.hooks = {town.pages + 1: lambda town: town.blank.clear()}
    await _census(town, store)
    assert 5 in await _read_all(store)


async def test_a_repository_whose_count_never_agrees_with_itself_is_moving_and_proves_nothing(
    store: Store,
) -> None:
    town = _town()

    def hide(town: Town) -> None:
        town.hidden += 1

    town.hooks = dict.fromkeys(range(100), hide)
    assert await _census(town, store) == [Trouble("pullRequests", "moving")]
    assert await store.meta.get(meta.WATERMARK) is None
    assert await store.pulls.count_wanted() == 12
    town.hooks.clear()
    town.hidden = 0
    assert await _census(town, store) == []
    assert await store.meta.get(meta.WATERMARK) is not None


# Gone


async def test_what_is_gone_is_removed_by_the_second_run_that_does_not_find_it(
    store: Store,
) -> None:
    town = _town()
    await _census(town, store)
    town.delete(7)
    town.now += 1000
    await _census(town, store)
    assert [one.number for one in await store.pulls.vanished()] == [7]
    assert "PR_7" in await store.pulls.known(["PR_7"])
    town.now += 1000
    await _census(town, store)
    assert await store.pulls.known(["PR_7"]) == {}
    assert await store.pulls.count() == 11


async def test_what_a_listing_lacks_and_its_id_still_finds_is_not_gone(store: Store) -> None:
    town = _town()
    await _census(town, store)
    kept = town.rows["PR_7"]
    town.delete(7)
    batch = town.batch

    async def found_by_id(parts, *, nodes=None):
        town.rows["PR_7"] = kept
        return await batch(parts)

    town.batch = found_by_id  # type: ignore[method-assign]
    town.now += 1000
    await _census(town, store)
    assert await store.pulls.vanished() == []
    assert await store.pulls.count() == 12


async def test_a_listing_that_fails_removes_nothing_and_keeps_the_watermark(store: Store) -> None:
    town = _town()
    await _census(town, store)
    before = await store.meta.get(meta.WATERMARK)
    town.now += 1000

    async def failing(*_: object) -> None:
        raise TransientError("no answer")

    town.changes = town.census = failing  # type: ignore[method-assign,assignment]
    town.touch(1)
    town.rows = {"PR_1": town.rows["PR_1"]}
    (trouble,) = await _census(town, store)
    assert (trouble.connection, trouble.reason) == ("pullRequests", "no answer")
    assert await store.meta.get(meta.WATERMARK) == before
    assert await store.pulls.count() == 12
    assert await store.pulls.vanished() == []


async def test_a_listing_too_heavy_for_the_server_is_asked_for_in_smaller_pages(
    store: Store,
) -> None:
    town = _town()
    census = town.census
    sizes: list[int] = []

    async def weak(repository: str, first: int, after: str | None) -> Listing[Row]:
        sizes.append(first)
        if first > 3:
            raise TooHeavyError("too heavy")
        return await census(repository, first, after)

    town.census = weak  # type: ignore[method-assign]
    assert await _census(town, store, page=12) == []
    assert sizes[:3] == [12, 6, 3]
    assert await store.pulls.count() == 12


# Releases


def _release(number: int) -> Release:
    return Release(
        id=f"RE_{number:03}",
        tag_name=f"v{number}",
        published_at=at(number),
        is_draft=False,
        is_prerelease=False,
    )


def _releases(*pages: Sequence[int], total: int, unreadable: int = 0) -> list[Listing[Release]]:
    return [
        Listing[Release](
            date=at(10_000),
            cost=1,
            items=tuple(_release(number) for number in page),
            total_count=total,
            has_next_page=n + 1 < len(pages),
            end_cursor=str(n + 1),
            unreadable=unreadable,
        )
        for n, page in enumerate(pages)
    ]


async def test_releases_are_read_to_the_end_each_once_and_kept_by_id(store: Store) -> None:
    town = _town(1)
    town.releases_pages = _releases((5, 4), (4, 3), (), (2,), total=4)
    assert await _census(town, store) == []
    found = await store.meta.get(meta.RELEASES)
    assert found == tuple(_release(number) for number in (2, 3, 4, 5))


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(_releases((5,), (4,), total=3), id="one is missing"),
        pytest.param(_releases((5,), (4,), total=1), id="one too many"),
        pytest.param(_releases((5,), (4,), total=2, unreadable=1), id="one came as null"),
        pytest.param(_releases((5,), *[()] * 40, total=1), id="pages without end"),
    ],
)
async def test_releases_that_are_not_proven_leave_the_stored_ones_in_place(
    pages: list[Listing[Release]], store: Store
) -> None:
    town = _town(1)
    town.releases_pages = _releases((9,), total=1)
    await _census(town, store)
    town.releases_pages = pages
    (trouble,) = await _census(town, store)
    assert trouble.connection == "releases"
    assert await store.meta.get(meta.RELEASES) == (_release(9),)
