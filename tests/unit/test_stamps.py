"""Stamps as text: they come back as they were, and the sortable ones sort as time does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.stamps import from_text, to_sortable, to_text

zones = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
aware = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=zones)  # noqa: DTZ001


@given(aware)
def test_either_spelling_comes_back_as_the_same_instant_in_utc(instant: datetime) -> None:
    for text in (to_text(instant), to_sortable(instant)):
        found = from_text(text)
        assert found == instant
        assert found.utcoffset() == timedelta(0)
        assert text.endswith("Z")
        assert text.isascii()


@given(aware, aware)
def test_the_order_of_sortable_texts_is_the_order_of_the_instants(
    one: datetime, other: datetime
) -> None:
    assert (to_sortable(one) < to_sortable(other)) == (one < other)
    assert (to_sortable(one) == to_sortable(other)) == (one == other)


def test_a_whole_second_is_spelt_without_a_fraction_and_sorts_before_its_fractions() -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    later = noon.replace(microsecond=400_000)
    assert to_text(noon) == "2026-03-01T12:00:00Z"
    assert to_text(later) == "2026-03-01T12:00:00.400000Z"
    assert to_sortable(noon) < to_sortable(later) < to_sortable(noon + timedelta(seconds=1))


@pytest.mark.parametrize("spell", [to_text, to_sortable])
def test_a_stamp_without_a_zone_is_refused(spell) -> None:
    with pytest.raises(ValueError, match="without a zone"):
        spell(datetime(2026, 3, 1, 12))  # noqa: DTZ001


def test_a_text_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="without a zone"):
        from_text("2026-03-01T12:00:00")


def test_an_offset_of_a_local_clock_is_reckoned_into_utc() -> None:
    assert from_text("2026-03-01T00:00:00+08:00") == datetime(2026, 2, 28, 16, tzinfo=UTC)
