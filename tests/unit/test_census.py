"""What a census row says about a pull request, against everything that may be known of it."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.census.known import Known, Why, by_connection, is_settled, voids, why
from syncer.evidence import FIRST_LEVEL, Connection
from syncer.github.answers import ChangeRow, Totals
from tests.unit.making import START, at, change, totals

counts = st.none() | st.integers(0, 3)
any_totals = st.builds(totals, counts, counts, counts, counts, counts)
stamps = st.sampled_from([at(0), at(0.4), at(1), at(2)])
reasons = st.none() | st.sampled_from(Why)
known_ones = st.builds(
    Known,
    updated_at=stamps,
    wanted=reasons,
    read=st.none() | stamps,
    state=st.sampled_from(["OPEN", "CLOSED"]),
    settled=st.booleans(),
    totals=any_totals.map(by_connection),
    claims=any_totals.map(by_connection),
)
rows = st.builds(
    change, st.just(1), stamps, state=st.sampled_from(["OPEN", "CLOSED"]), counts=any_totals
)


def _known(
    *,
    updated_at: datetime = START,
    wanted: Why | None = None,
    read: datetime | None = START,
    state: str = "OPEN",
    settled: bool = True,
    comments: int = 0,
) -> Known:
    return Known(
        updated_at=updated_at,
        wanted=wanted,
        read=read,
        state=state,
        settled=settled,
        totals=by_connection(totals(comments=comments)),
        claims=by_connection(totals(comments=comments)),
    )


def test_a_row_nobody_knows_is_new() -> None:
    assert why(change(), None) is Why.NEW


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param(_known(), None, id="the same as stored"),
        pytest.param(_known(read=at(-1)), Why.CHANGED, id="stored at another stamp"),
        pytest.param(_known(state="CLOSED"), Why.CHANGED, id="another state at the same stamp"),
        pytest.param(_known(comments=1), Why.TOTALS, id="a comment vanished without a word"),
        pytest.param(_known(settled=False), Why.UNSETTLED, id="read too soon after its change"),
        pytest.param(_known(read=None), Why.NEW, id="known and never stored"),
        pytest.param(_known(read=None, wanted=Why.RETRY), Why.RETRY, id="waiting for a retry"),
        pytest.param(_known(wanted=Why.AUDIT), Why.AUDIT, id="already to be read"),
        pytest.param(_known(updated_at=at(5), read=at(5)), None, id="a replica that lags"),
    ],
)
def test_what_is_stored_decides_why_the_same_row_is_read(known: Known, expected: Why) -> None:
    assert why(change(), known) is expected


@given(rows, known_ones)
def test_what_must_be_read_is_never_forgotten_for_a_row(row: ChangeRow, known: Known) -> None:
    found = why(row, known)
    if known.wanted is not None:
        assert found is not None
    if row.updated_at > known.updated_at:
        assert found is not None or known.read == row.updated_at


@given(rows, known_ones)
def test_only_what_is_proven_unchanged_is_left_unread(row: ChangeRow, known: Known) -> None:
    if why(row, known) is not None or row.updated_at < known.updated_at:
        return
    claims = by_connection(row.totals)
    assert known.read == row.updated_at
    assert known.state == row.state
    assert known.settled
    assert all(claims[name] == known.totals[name] for name in claims.keys() & known.totals.keys())


@given(any_totals)
def test_a_total_that_was_not_given_proves_nothing_and_is_left_out(given_totals: Totals) -> None:
    found = by_connection(given_totals)
    assert set(found) <= set(FIRST_LEVEL)
    assert None not in found.values()
    assert (Connection.COMMENTS in found) == (given_totals.comments is not None)
    assert len(found) == sum(
        getattr(given_totals, name) is not None for name in given_totals.__struct_fields__
    )


@pytest.mark.parametrize(("lag", "settled"), [(0, False), (59.9, False), (60, True), (600, True)])
def test_a_record_settles_when_the_margin_has_passed_since_its_last_change(
    lag: float, settled: bool
) -> None:
    assert is_settled(at(lag), START, 60.0) is settled


def test_with_no_margin_a_record_read_in_the_second_of_its_change_is_settled() -> None:
    assert is_settled(START, START, 0.0)


@given(rows, known_ones)
def test_what_was_read_by_another_row_is_void_when_a_newer_or_other_one_is_met(
    row: ChangeRow, known: Known
) -> None:
    claims = by_connection(row.totals)
    same = all(claims[name] == known.claims[name] for name in claims.keys() & known.claims.keys())
    if row.updated_at == known.updated_at:
        assert voids(row, known) is not same
    else:
        assert voids(row, known) is (row.updated_at > known.updated_at)
