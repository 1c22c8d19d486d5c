"""What a page or a fault means for its connection: always one of the few, never an endless one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.evidence import Connection
from syncer.github.answers import Fault, PageRead
from syncer.reading.frontier import Item
from syncer.reading.judgement import MAX_IDLE, MAX_RESTARTS
from syncer.reading.turns import (
    MAX_FAULTS,
    GiveUp,
    Last,
    Missing,
    Next,
    Restart,
    Retry,
    Smaller,
    StartOver,
    after_fault,
    after_page,
    row_item,
)
from tests.unit.making import PULL, START, at, comment, item, page

REASONS = (
    "not_found",
    "forbidden",
    "too_heavy",
    "cursor_refused",
    "cursor_stuck",
    "unreadable",
    "unsupported",
    "made up",
)


def _pages(first: int, count: int, **changes: object) -> PageRead:
    nodes = [comment(f"IC_{n}") for n in range(first, first + count)]
    return replace(page(nodes, total=7, more=True, cursor=f"c{first}"), **changes)


def test_a_page_with_more_to_come_moves_the_cursor_and_counts_what_it_held() -> None:
    step = after_page(item(total=7), _pages(0, 3, left_out=1, unreadable=1), START)
    assert step == Next(item(total=7, pages=1, held=5, cursor="c0"))


def test_the_last_page_counts_like_any_other() -> None:
    step = after_page(item(total=None), _pages(0, 3, has_next_page=False), START)
    assert step == Last(item(total=7, pages=1, held=3, cursor="c0"))


@pytest.mark.parametrize(
    ("before", "changes"),
    [
        pytest.param(item(total=7), {"updated_at": at(1)}, id="another stamp on the first page"),
        pytest.param(item(total=7), {"updated_at": at(-1)}, id="an older stamp: a lagging replica"),
        pytest.param(
            item(total=7, pages=1), {"total_count": 8}, id="another total on a later page"
        ),
        pytest.param(item(total=7, pages=1), {"total_count": None}, id="no total on a later page"),
        pytest.param(
            item(total=7, pages=1),
            {"updated_at": at(1), "has_next_page": False},
            id="another stamp on the last page",
        ),
    ],
)
def test_whatever_shows_a_change_starts_the_pull_request_over(
    before: Item, changes: dict[str, object]
) -> None:
    assert after_page(before, _pages(0, 3, **changes), START) == StartOver()


def test_the_first_page_may_show_another_total_than_the_census_did() -> None:
    step = after_page(item(total=3), _pages(0, 3), START)
    assert isinstance(step, Next)
    assert step.item.total == 7


def test_pages_that_bring_nothing_are_borne_up_to_a_bound() -> None:
    current = item(total=7)
    for _ in range(MAX_IDLE - 1):
        step = after_page(current, _pages(0, 0), START)
        assert isinstance(step, Next)
        current = step.item
    assert isinstance(after_page(current, _pages(0, 0), START), GiveUp)
    assert after_page(current, _pages(0, 1), START) == Next(
        replace(current, pages=current.pages + 1, held=1, cursor="c0", idle=0)
    )


@given(
    st.lists(
        st.builds(
            _pages,
            st.integers(0, 9),
            st.integers(0, 4),
            has_next_page=st.sampled_from([True, True, True, False]),
            total_count=st.sampled_from([7, 7, 7, 7, 8, None]),
            updated_at=st.sampled_from([START, START, START, START, START, at(1)]),
        ),
        max_size=12,
    )
)
def test_any_script_of_pages_is_counted_to_the_page_or_ended_with_a_reason(
    script: list[PageRead],
) -> None:
    current, held = item(total=7), 0
    for n, one in enumerate(script):
        step = after_page(current, one, START)
        if isinstance(step, StartOver):
            changed = n > 0 and one.total_count != current.total
            assert one.updated_at != START or changed
            return
        held += len(one.nodes)
        assert (step.item.pages, step.item.held) == (n + 1, held)
        assert (step.item.total, step.item.cursor) == (one.total_count, one.end_cursor)
        if isinstance(step, Last):
            assert not one.has_next_page
            return
        assert one.has_next_page
        if isinstance(step, GiveUp):
            assert step.reason == "endless"
            return
        current = step.item


@pytest.mark.parametrize(
    ("total", "count"), [(7, 0), (7, 1), (7, 100), (5000, 0), (5000, 1), (5000, 100), (None, 0)]
)
def test_a_listing_that_never_ends_is_given_up_whatever_it_holds(
    total: int | None, count: int
) -> None:
    current = item(total=total)
    for n in range(6000):
        step = after_page(current, _pages(n, count, total_count=total), START)
        if isinstance(step, GiveUp):
            assert step.reason == "endless"
            assert step.item.held <= (total or 0) + 300 + count
            return
        assert isinstance(step, Next)
        current = step.item
    pytest.fail("endless")


@given(
    st.sampled_from(REASONS),
    st.booleans(),
    st.integers(0, MAX_FAULTS),
    st.integers(0, MAX_RESTARTS),
    st.none() | st.just("c"),
    st.booleans(),
)
def test_every_fault_has_a_meaning_and_none_is_retried_for_ever(
    reason: str, transient: bool, faults: int, restarts: int, cursor: str | None, below: bool
) -> None:
    owner = "PRRT_1" if below else PULL
    before = item(owner=owner, faults=faults, restarts=restarts, cursor=cursor, pages=1)
    fault = Fault(owner=owner, name=Connection.COMMENTS, reason=reason, transient=transient)
    match after_fault(before, fault):
        case Missing():
            assert (reason, below) == ("not_found", False)
        case StartOver():
            assert (reason, below) == ("not_found", True)
        case Smaller(after):
            assert reason == "too_heavy"
            assert after == before
        case Restart(after):
            assert reason == "cursor_refused"
            assert cursor is not None
            assert (after.restarts, after.cursor, after.pages) == (restarts + 1, None, 0)
            assert after.restarts <= MAX_RESTARTS
        case Retry(after):
            assert transient
            assert after.faults == faults + 1 <= MAX_FAULTS
        case GiveUp(after, why):
            assert (after, why) == (before, reason)


def test_a_page_that_comes_forgives_the_faults_before_it() -> None:
    step = after_page(item(total=7, faults=MAX_FAULTS), _pages(0, 1), START)
    assert isinstance(step, Next)
    assert step.item.faults == 0


def test_the_item_of_a_row_asks_for_the_pull_request_itself() -> None:
    found = row_item(PULL, 2, 1)
    assert found.key == (PULL, PULL, Connection.PULL_REQUEST)
    assert (found.total, found.epoch, found.faults) == (None, 2, 1)
