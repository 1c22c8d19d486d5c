"""The board mirrors what is under way: nothing is asked twice, nothing stale is asked at all."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from syncer.evidence import Connection
from syncer.github.answers import Row
from syncer.reading.board import Board, Reading
from syncer.reading.frontier import Item, Limits
from syncer.reading.staged import Staged
from tests.unit.making import PULL, item, proof, row, totals, wanted

LIMITS = Limits()
ROW, COMMENTS, LABELS, BELOW = (
    Connection.PULL_REQUEST,
    Connection.COMMENTS,
    Connection.LABELS,
    Connection.THREAD_COMMENTS,
)


@pytest.fixture
def board() -> Board:
    return Board(LIMITS)


def _begin(board: Board, full: Row, staged: list[Staged] | None = None) -> Reading:
    board.begin(wanted(full), staged or [])
    return board.readings[full.id]


def _due(board: Board) -> list[Item]:
    return board.ready.take(LIMITS)


def _names(items: list[Item]) -> set[Connection]:
    return {one.name for one in items}


def test_a_new_reading_asks_for_what_its_row_does_not_prove_empty(board: Board) -> None:
    items = board.begin(wanted(row(counts=totals(comments=3, labels=None))), [])
    assert {(one.name, one.total) for one in items} == {(COMMENTS, 3), (LABELS, None)}
    assert _due(board) == items
    assert board.finished == []


def test_a_row_that_proves_everything_empty_is_a_finished_reading(board: Board) -> None:
    reading = _begin(board, row())
    assert board.finished == [reading]
    assert _due(board) == []


def test_without_a_full_row_only_the_row_is_asked_for(board: Board) -> None:
    assert board.begin(replace(wanted(row(counts=totals(comments=3))), row=None), []) == []
    (asked,) = _due(board)
    assert (asked.name, asked.owner) == (ROW, PULL)


def test_a_reading_taken_up_again_goes_on_with_what_has_not_ended(board: Board) -> None:
    staged = [
        Staged(item=item(COMMENTS, pages=1, held=9, cursor="c", total=30), evidence=None, pages=()),
        Staged(item=item(LABELS), evidence=proof(LABELS), pages=()),
    ]
    assert board.begin(wanted(row(counts=totals(comments=30, labels=1))), staged) == []
    assert _due(board) == [staged[0].item]


def test_a_reading_that_had_ended_before_the_kill_is_finished_at_once(board: Board) -> None:
    reading = _begin(board, row(), [Staged(item=item(), evidence=proof(), pages=())])
    assert board.finished == [reading]


def test_a_reading_is_finished_once_when_its_last_connection_is_closed(board: Board) -> None:
    reading = _begin(board, row(counts=totals(comments=1, labels=1)))
    comments, labels = sorted(_due(board), key=lambda one: one.name)
    board.close(reading, comments)
    assert board.finished == []
    board.close(reading, labels)
    board.close(reading, labels)
    assert board.finished == [reading]


def test_what_started_over_makes_the_items_of_before_stale_wherever_they_are(
    board: Board,
) -> None:
    reading = _begin(board, row(counts=totals(comments=1, labels=1)))
    flying = board.ready.take(Limits(ids=1))
    board.start_over(reading)
    assert not any(board.alive(one) for one in flying)
    (asked,) = _due(board)
    assert (asked.name, asked.epoch, reading.starts) == (ROW, 1, 1)
    assert reading.row is None


def test_after_a_start_over_the_same_connections_are_opened_anew(board: Board) -> None:
    full = row(counts=totals(comments=1, threads=1))
    reading = _begin(board, full)
    board.open_children(reading, [("PRRT_1", 1)])
    board.start_over(reading)
    board.close(reading, _due(board)[0])
    items = board.expect(reading, full) + board.open_children(reading, [("PRRT_1", 1)])
    assert _names(_due(board)) == _names(items) == {COMMENTS, Connection.REVIEW_THREADS, BELOW}
    assert {one.epoch for one in items} == {1}


def test_the_comments_of_a_thread_are_opened_once_however_often_it_is_met(board: Board) -> None:
    reading = _begin(board, row(counts=totals(threads=2)))
    (first,) = board.open_children(reading, [("PRRT_1", 1)])
    assert board.open_children(reading, [("PRRT_1", 1)]) == []
    board.close(reading, first)
    (second,) = board.open_children(reading, [("PRRT_1", 1), ("PRRT_2", 4)])
    assert second.owner == "PRRT_2"


def test_threads_of_a_reading_taken_up_again_are_known_from_what_is_staged(board: Board) -> None:
    below = item(BELOW, owner="PRRT_1")
    staged = [
        Staged(item=item(Connection.REVIEW_THREADS, total=2), evidence=None, pages=()),
        Staged(item=below, evidence=proof(BELOW, owner="PRRT_1"), pages=()),
    ]
    reading = _begin(board, row(counts=totals(threads=2)), staged)
    assert board.open_children(reading, [("PRRT_1", 1)]) == []


def test_a_connection_that_is_reopened_is_asked_for_although_it_had_ended(board: Board) -> None:
    reading = _begin(board, row(counts=totals(comments=1)))
    (one,) = _due(board)
    board.close(reading, one)
    board.reopen(reading, [one])
    assert _due(board) == [one]
    assert reading.open == {(PULL, COMMENTS)}


def test_what_is_open_already_is_not_made_ready_twice(board: Board) -> None:
    reading = _begin(board, row(counts=totals(comments=1)))
    board.reopen(reading, [item()])
    assert len(_due(board)) == 1


def test_nothing_of_a_forgotten_reading_is_alive(board: Board) -> None:
    reading = _begin(board, row(counts=totals(comments=1)))
    (one,) = _due(board)
    assert board.alive(one)
    board.again(one)
    board.forget(reading)
    board.forget(reading)
    assert not board.alive(one)
    assert _due(board) == []
