"""A count that adds up is proof; one that does not is believed only when it is met twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.evidence import Connection, Evidence, Status
from syncer.reading.frontier import Item
from syncer.reading.judgement import MAX_RESTARTS, Again, cut, judge, restarted, zero
from syncer.reading.staged import StagedPage, staged_page
from tests.unit.making import LATER, PULL, comment, item, page


def _reading(
    *ids: str, total: int | None, left_out: int = 0, unreadable: int = 0
) -> tuple[StagedPage, ...]:
    """Pages of at most two entries; drafts and null entries came on the first."""
    chunks = [ids[n : n + 2] for n in range(0, len(ids), 2)] or [()]
    return tuple(
        StagedPage(
            total_count=total,
            nodes=tuple(comment(one) for one in chunk),
            left_out=0 if n else left_out,
            unreadable=0 if n else unreadable,
            repaired=0,
            child_totals={},
        )
        for n, chunk in enumerate(chunks)
    )


readings = st.builds(
    lambda ids, total, left_out, unreadable: _reading(
        *ids, total=total, left_out=left_out, unreadable=unreadable
    ),
    st.lists(st.sampled_from("abc"), max_size=4),
    st.sampled_from([0, 1, 2, 3, None]),
    st.integers(0, 1),
    st.integers(0, 1),
)


def _ids(pages: tuple[StagedPage, ...]) -> set[str]:
    return {node.id for one in pages for node in one.nodes}


def _counts(pages: tuple[StagedPage, ...]) -> tuple[int | None, int, int]:
    left_out, unreadable = (sum(p.left_out for p in pages), sum(p.unreadable for p in pages))
    return pages[-1].total_count, left_out, unreadable


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(_reading(total=0), id="nothing of nothing"),
        pytest.param(_reading("a", "b", "c", total=3), id="all of three"),
        pytest.param(_reading("a", total=3, left_out=2), id="one, and two drafts"),
        pytest.param(_reading("a", "b", "a", total=2), id="one of them twice"),
    ],
)
def test_a_count_that_adds_up_is_exhausted_at_once(pages: tuple[StagedPage, ...]) -> None:
    found = judge(item(), pages, "end", LATER)
    assert isinstance(found, Evidence)
    assert (found.status, found.reason) == (Status.EXHAUSTED, None)
    assert (found.end_cursor, found.read_at, found.has_next_page) == ("end", LATER, False)
    assert found.kept + found.left_out == found.total_count


@given(readings)
def test_only_a_reading_without_a_null_entry_whose_counts_agree_is_exhausted(
    pages: tuple[StagedPage, ...],
) -> None:
    found = judge(item(), pages, None, LATER)
    total, left_out, unreadable = _counts(pages)
    whole = not unreadable and total == len(_ids(pages)) + left_out
    assert isinstance(found, Evidence) == whole


@given(st.lists(readings, min_size=1, max_size=6))
def test_a_difference_is_believed_when_two_whole_readings_in_a_row_show_the_same_ids(
    script: list[tuple[StagedPage, ...]],
) -> None:
    current, before = item(), None
    for n, pages in enumerate(script):
        found = judge(current, pages, None, LATER)
        shows = (_ids(pages), _counts(pages))
        if isinstance(found, Again):
            assert shows != before
            assert n < MAX_RESTARTS
            assert (found.item.pages, found.item.held, found.item.cursor) == (0, 0, None)
            current, before = found.item, shows
            continue
        if found.status is Status.CUT:
            assert (found.reason, n) == ("mutated", MAX_RESTARTS)
        elif found.status is not Status.EXHAUSTED:
            assert shows == before
            assert found.status is (Status.UNKNOWN if shows[1][0] is None else Status.SHORT)
        return


def test_other_ids_with_the_same_counts_are_not_the_same_reading() -> None:
    first = judge(item(), _reading("a", total=2), None, LATER)
    assert isinstance(first, Again)
    second = judge(first.item, _reading("b", total=2), None, LATER)
    assert isinstance(second, Again)
    third = judge(second.item, _reading("b", total=2), None, LATER)
    assert isinstance(third, Evidence)
    assert (third.status, third.reason) == (Status.SHORT, "claimed 2, held 1")


@pytest.mark.parametrize(
    ("pages", "status", "reason"),
    [
        (_reading("a", total=2, unreadable=1), Status.SHORT, "unreadable: 1"),
        (_reading("a", "b", "c", total=2), Status.SHORT, "claimed 2, held 3"),
        (_reading(total=None), Status.UNKNOWN, "null connection"),
    ],
)
def test_what_is_lacking_is_called_by_its_name(
    pages: tuple[StagedPage, ...], status: Status, reason: str
) -> None:
    first = judge(item(), pages, None, LATER)
    assert isinstance(first, Again)
    second = judge(first.item, pages, None, LATER)
    assert isinstance(second, Evidence)
    assert (second.status, second.reason) == (status, reason)


@given(readings)
def test_a_connection_that_is_cut_keeps_its_counts_and_says_that_there_is_more(
    pages: tuple[StagedPage, ...],
) -> None:
    found = cut(item(cursor="here", total=9), pages, "too_heavy", LATER)
    assert (found.status, found.reason, found.has_next_page) == (Status.CUT, "too_heavy", True)
    assert found.end_cursor == "here"
    assert found.kept == len(_ids(pages))


def test_a_connection_that_is_cut_before_its_first_page_keeps_the_total_of_the_census() -> None:
    found = cut(item(total=9), (), "forbidden", LATER)
    assert (found.total_count, found.kept) == (9, 0)


def test_a_total_of_zero_is_proof_that_there_is_nothing() -> None:
    found = zero(PULL, Connection.LABELS, LATER)
    assert (found.status, found.total_count, found.kept) == (Status.EXHAUSTED, 0, 0)
    assert found.has_next_page is False


def test_a_restart_forgets_the_pages_and_keeps_the_doubt_and_the_page_size() -> None:
    before: Item = item(pages=3, held=9, cursor="c", idle=2, restarts=1, doubt="d", cap=12)
    assert restarted(before) == item(restarts=2, doubt="d", cap=12)


def test_staging_a_page_keeps_what_assembling_needs() -> None:
    read = page([comment()], left_out=1, children={"IC_1": 2})
    found = staged_page(read)
    assert (found.total_count, found.nodes, found.left_out) == (2, read.nodes, 1)
    assert found.child_totals == {"IC_1": 2}
