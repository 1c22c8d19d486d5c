"""What an audit is to look at, where it goes on, and what it will cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.audit.plan import (
    Depth,
    Mark,
    Plan,
    Sample,
    drawn,
    points,
    sample_of,
    scope_of,
    seed_of,
)
from syncer.errors import ConfigError

NOW = datetime(2026, 5, 4, 23, 30, tzinfo=UTC)
PULLS = [(f"PR_{n}", n) for n in range(1, 201)]
SETS = st.lists(st.integers(1, 10_000), unique=True, max_size=60).map(
    lambda numbers: [(f"PR_{n}", n) for n in sorted(numbers)]
)


@pytest.mark.parametrize(
    ("text", "sample", "of_200"),
    [
        ("7", Sample(count=7), 7),
        ("5%", Sample(percent=5.0), 10),
        ("0.1%", Sample(percent=0.1), 1),
        ("100%", Sample(percent=100.0), 200),
        ("900", Sample(count=900), 200),
    ],
)
def test_a_sample_is_a_number_or_a_percentage(text: str, sample: Sample, of_200: int) -> None:
    assert sample_of(text) == sample
    assert sample.size(200) == of_200


@pytest.mark.parametrize("text", ["", "%", "0", "-3", "0%", "101%", "nan%", "inf%", "1.5", "ten"])
def test_what_is_no_sample_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="a sample is"):
        sample_of(text)


@given(SETS, st.integers(0, 80), st.integers())
def test_a_draw_is_a_part_of_that_size_by_number_and_the_same_every_time(
    pulls: list[tuple[str, int]], count: int, seed: int
) -> None:
    sample = Sample(count=count)

    found = drawn(pulls, sample, seed)

    assert set(found) <= set(pulls)
    assert len(found) == sample.size(len(pulls))
    assert found == sorted(found, key=lambda pull: pull[1])
    assert found == drawn(pulls[::-1], sample, seed)


@given(SETS, st.integers(1, 60), st.integers())
def test_a_pull_request_that_goes_lets_one_move_up_and_moves_no_other(
    pulls: list[tuple[str, int]], count: int, seed: int
) -> None:
    before = drawn(pulls, Sample(count=count), seed)
    after = drawn(pulls[1:], Sample(count=count), seed)

    assert set(before) - set(pulls[:1]) <= set(after)


def test_seeds_draw_differently_and_together_reach_everything() -> None:
    draws = [drawn(PULLS, Sample(percent=25.0), seed) for seed in range(40)]

    assert len({tuple(one) for one in draws}) == len(draws)
    assert {pull for one in draws for pull in one} == set(PULLS)


def test_a_day_has_one_seed_and_the_next_day_the_next() -> None:
    assert seed_of(NOW) == seed_of(NOW - timedelta(hours=23))
    assert seed_of(NOW + timedelta(hours=1)) == seed_of(NOW) + 1
    assert seed_of(datetime(1970, 1, 1, tzinfo=UTC)) == 0


def test_without_a_mark_everything_is_left() -> None:
    scope = scope_of(Plan(), PULLS, None, NOW)

    assert (scope.resumed, scope.plan.seed, len(scope.left())) == (False, None, 200)
    assert not scope.mark.is_begun


def test_a_mark_of_the_same_plan_is_gone_on_with() -> None:
    mark = Mark(plan=Plan(), begun_at=NOW).past(150).with_done([160, 170])

    scope = scope_of(Plan(), PULLS, mark, NOW + timedelta(days=3))

    assert scope.resumed
    assert [int(pull.removeprefix("PR_")) for pull in scope.left()] == [
        n for n in range(151, 201) if n not in (160, 170)
    ]


def test_a_sample_is_gone_on_with_by_the_seed_that_it_was_drawn_by() -> None:
    plan = Plan(sample=Sample(count=20))
    first = scope_of(plan, PULLS, None, NOW)
    mark = first.mark.past(first.pulls[4][1])

    again = scope_of(plan, PULLS, mark, NOW + timedelta(days=1))
    other = scope_of(replace(plan, seed=4), PULLS, mark, NOW)

    assert (again.resumed, again.pulls, len(again.left())) == (True, first.pulls, 15)
    assert (other.resumed, other.plan.seed) == (False, 4)


@pytest.mark.parametrize(
    "other",
    [Plan(depth=Depth.TOTALS), Plan(since=NOW), Plan(sample=Sample(count=3))],
    ids=["depth", "since", "sample"],
)
def test_a_mark_of_another_plan_is_not_gone_on_with(other: Plan) -> None:
    mark = Mark(plan=Plan(), begun_at=NOW, through=150)

    assert not scope_of(other, PULLS, mark, NOW).resumed


@given(st.lists(st.integers(1, 99)), st.integers(0, 100))
def test_a_mark_forgets_single_ones_that_it_has_passed(done: list[int], through: int) -> None:
    mark = Mark(plan=Plan(), begun_at=NOW).with_done(done).past(through)

    assert [n for n in range(1, 120) if mark.has(n)] == [
        n for n in range(1, 120) if n <= through or n in done
    ]
    assert all(n > through for n in mark.done)


def test_the_price_is_the_opening_the_labels_the_rows_and_the_pages() -> None:
    assert points(0, 0, ids=100, page=100) == 2
    assert points(1000, 3032, ids=100, page=100) == 2 + 10 + 31
    assert scope_of(Plan(depth=Depth.TOTALS), PULLS, None, NOW).left() == []
