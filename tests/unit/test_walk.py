"""A walk that closes has met every row, whatever happened between its pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.census.walk import (
    MAX_PASSES,
    Closed,
    Moving,
    Walk,
    advance,
    full_walk,
    incremental_walk,
)
from syncer.github.answers import ChangeRow
from tests.unit.making import at, change, listing, row
from tests.unit.town import Town

# What happens ahead of one page: which pull request, and how many seconds later.
touches = st.lists(st.tuples(st.integers(1, 12), st.sampled_from([0.0, 0.2, 0.4, 1.0])), max_size=4)
# The stamps of a town at rest: seconds before the walk, many of them equal, some not whole.
stamps = st.lists(
    st.sampled_from([0.0, 1.0, 1.4, 2.0, 2.4, 3.0, 30.0, 90.0]), min_size=1, max_size=12
)

NOW = 1000.0


def _walk(
    town: Town, walk: Walk, page: int, ask: Callable[[Walk], object] | None = None
) -> tuple[Closed | Moving, dict[str, datetime]]:
    """The end of a walk, and the newest stamp of every row that it met."""
    seen: dict[str, datetime] = {}
    while True:
        if walk.kind == "incremental":
            answer = town.newest(page, walk.cursor)
            rows: tuple[ChangeRow, ...] = answer.items
        else:
            full = town.oldest(page, walk.cursor)
            rows = full.items
            answer = listing(
                rows, total=full.total_count, more=full.has_next_page, cursor=full.end_cursor
            )
        for one in rows:
            seen[one.id] = max(one.updated_at, seen.get(one.id, one.updated_at))
        step = advance(walk, answer)
        if not isinstance(step, Walk):
            return step, seen
        walk = step


def _town(ages: list[float], resolution: float) -> Town:
    rows = [row(number, at(NOW - age)) for number, age in enumerate(ages, 1)]
    return Town(rows, now=NOW, resolution=resolution)


def _haunted(town: Town, script: list[list[tuple[int, float]]]) -> Town:
    def play(touched: list[tuple[int, float]]) -> Callable[[Town], None]:
        def hook(town: Town) -> None:
            for number, wait in touched:
                if f"PR_{number}" in town.rows:
                    town.touch(number, wait=wait)
                else:
                    town.now += wait
                    town.open(number)

        return hook

    town.hooks = {k: play(touched) for k, touched in enumerate(script) if touched}
    return town


@given(
    ages=stamps,
    script=st.lists(touches, max_size=12),
    page=st.integers(1, 5),
    bound=st.sampled_from([0.0, 1.0, 2.0, 2.4, 60.0, 1000.0]),
    resolution=st.sampled_from([1.0, 0.2]),
)
def test_a_closed_walk_met_every_change_or_leaves_it_to_the_next(
    ages: list[float],
    script: list[list[tuple[int, float]]],
    page: int,
    bound: float,
    resolution: float,
) -> None:
    town = _haunted(_town(ages, resolution), script)
    first_date, watermark = town.date, at(NOW - bound)

    end, seen = _walk(town, incremental_walk(0, first_date, watermark), page)

    if isinstance(end, Moving):
        assert town.pages > MAX_PASSES
        return
    for one in town.rows.values():
        if watermark <= one.updated_at < first_date:
            assert seen[one.id] == one.updated_at
        assert one.updated_at >= first_date or one.id in seen or one.updated_at < watermark
    assert end.total_count == len(town.rows)


@given(ages=stamps, script=st.lists(touches, max_size=8), page=st.integers(1, 5))
def test_a_full_walk_met_every_row_but_those_born_behind_its_last_page(
    ages: list[float], script: list[list[tuple[int, float]]], page: int
) -> None:
    town = _haunted(_town(ages, 1.0), script)
    there, first_date = set(town.rows), town.date

    end, seen = _walk(town, full_walk(1, first_date), page)

    assert isinstance(end, Closed)
    assert there <= set(seen)
    born = [town.rows[pull].created_at for pull in set(town.rows) - set(seen)]
    assert all(created_at >= first_date for created_at in born)


@given(ages=stamps, page=st.integers(1, 5))
def test_a_quiet_repository_is_walked_in_one_pass_and_one_closing_page_at_most(
    ages: list[float], page: int
) -> None:
    town = _town(ages, 0.2)
    watermark = at(NOW - 2)
    end, seen = _walk(town, incremental_walk(0, town.date, watermark), page)

    assert isinstance(end, Closed)
    newer = sum(age <= 2 for age in ages)
    pages = newer // page + 1
    tied = max(ages.count(min(ages)), 1)
    closing = tied // page + 1
    assert town.pages <= pages + (0 if pages == 1 else closing + (closing > 1))
    assert {f"PR_{n}" for n, age in enumerate(ages, 1) if age <= 2} <= set(seen)


@pytest.mark.parametrize("half", [0.0, 0.4])
def test_rows_that_share_the_stamp_of_the_bound_are_met_however_they_are_paged(half: float) -> None:
    town = Town([row(number, at(NOW + half)) for number in range(1, 8)], now=NOW + 60)
    town.rows |= {"PR_9": row(9, at(NOW - 1))}
    _, seen = _walk(town, incremental_walk(0, town.date, at(NOW)), 2)
    assert set(seen) >= {f"PR_{number}" for number in range(1, 8)}


def test_a_page_whose_last_row_has_the_very_stamp_of_the_bound_is_not_the_end() -> None:
    walk = incremental_walk(0, at(60), at(0))
    page = listing([change(1, at(1)), change(2, at(0))], total=9, more=True)
    step = advance(walk, page)
    assert isinstance(step, Walk)
    assert (step.cursor, step.passes, step.pages, step.top) == ("next", 1, 1, at(1))


def test_a_fraction_below_the_bound_is_older_than_the_bound() -> None:
    walk = incremental_walk(0, at(60), at(1))
    page = listing([change(1, at(1.4)), change(2, at(0.999))], total=9, more=True)
    assert advance(walk, page) == Closed(9)


def test_the_pass_after_a_long_one_must_reach_below_where_that_one_began() -> None:
    walk = incremental_walk(0, at(60), at(0))
    first = advance(walk, listing([change(1, at(9))], total=3, more=True))
    assert isinstance(first, Walk)
    second = advance(first, listing([change(2, at(-1))], total=3, more=True))
    assert isinstance(second, Walk)
    assert (second.passes, second.cursor, second.bound, second.pages) == (2, None, at(9), 0)
    busy = advance(second, listing([change(3, at(9.4)), change(1, at(9))], total=3, more=True))
    assert isinstance(busy, Walk)
    assert (busy.passes, busy.pages, busy.top) == (2, 1, at(9.4))
    below = listing([change(3, at(9.4)), change(2, at(8))], total=3, more=True)
    assert advance(second, below) == Closed(3)
    assert advance(busy, below) == replace(second, passes=3, bound=at(9.4))


def test_a_closing_page_full_of_ties_is_enough_when_nothing_is_newer() -> None:
    second = Walk(
        id=0, kind="incremental", first_date=at(60), passes=2, bound=at(9), pages=0, cursor=None
    )
    assert advance(second, listing([change(1, at(9))], total=3, more=True)) == Closed(3)


def test_a_repository_that_moves_in_every_pass_is_called_moving_after_the_last_of_them() -> None:
    town = _town([0.0, 1.0, 2.0, 3.0, 90.0], 1.0)

    def churn(town: Town) -> None:
        for number in (1, 2, 3):
            town.touch(number, wait=1)

    town.hooks = dict.fromkeys(range(1000), churn)
    end, _ = _walk(town, incremental_walk(0, town.date, at(NOW - 50)), 2)
    assert end == Moving(5)
    assert town.pages >= 2 * MAX_PASSES


def test_an_empty_repository_is_closed_by_its_first_page() -> None:
    nothing = listing([], total=0, cursor=None)
    assert advance(full_walk(1, at(0)), nothing) == Closed(0)
    assert advance(incremental_walk(1, at(0), at(-60)), nothing) == Closed(0)


def test_rows_that_came_as_null_are_remembered_to_the_end_of_the_walk() -> None:
    step = advance(full_walk(1, at(0)), listing([], total=3, more=True, unreadable=2))
    assert isinstance(step, Walk)
    assert advance(step, listing([change()], total=3, unreadable=1)) == Closed(3, unreadable=3)
