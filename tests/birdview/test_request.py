"""Every refusal names the field to change; everything else comes down to one window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdview.request import ROLLING, Bounds, Cut, Request, RequestError, Rolling, asked_of
from birdview.windows import resolve
from syncer.corpus import Timeline
from syncer.history import ResolutionFilter
from syncer.repository import Shaping
from syncer.testing.feed import release

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MAX_LAG = timedelta(hours=24)
NO_RELEASES = Timeline((), Shaping())


@pytest.mark.parametrize(
    ("field", "request_"),
    [
        ("resolution", {"resolution": "open"}),
        ("resolution", {"resolution": "MERGED"}),
        ("preset", {"preset": "yearly"}),
        ("preset", {"preset": "weekly", "window_start": "2026-01-01", "window_end": "2026-02-01"}),
        ("release", {"release": "v1", "window_start": "2026-01-01", "window_end": "2026-02-01"}),
        ("release", {"release": "v1"}),
        ("release", {"release": "v1", "preset": "weekly"}),
        ("release", {"preset": "release"}),
        ("release", {"preset": "release", "release": ""}),
        ("windowEnd", {"window_start": "2026-01-01"}),
        ("windowStart", {"window_end": "2026-01-01"}),
        ("windowEnd", {"window_start": "2026-01-01", "window_end": "2026-01-01"}),
        ("windowEnd", {"window_start": "2026-01-02", "window_end": "2026-01-01"}),
        ("windowStart", {"window_start": "2026-01-01T00:00:00", "window_end": "2026-02-01"}),
        ("windowEnd", {"window_start": "2026-01-01", "window_end": "tomorrow"}),
        ("windowEnd", {"window_start": "2026-01-01", "window_end": "2026-02-30"}),
        ("windowStart", {"window_start": "", "window_end": "2026-02-01"}),
        ("windowStart", {"window_start": "0001-01-01T00:00:00+23:00", "window_end": "2026-02-01"}),
    ],
)
def test_a_request_that_is_not_in_order_is_refused_by_the_field_s_name(
    field: str, request_: dict[str, Any]
) -> None:
    with pytest.raises(RequestError) as refusal:
        asked_of(Request(**request_))

    assert refusal.value.field == field
    assert str(refusal.value).startswith(f"{field}: ")


def test_nothing_asked_for_is_the_last_week_of_everything_resolved() -> None:
    asked = asked_of(Request())

    assert asked.window == Rolling("weekly")
    assert asked.resolution is ResolutionFilter.ALL_RESOLVED


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T00:00:00Z", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T00:00:00+08:00", datetime(2026, 2, 28, 16, tzinfo=UTC)),
        ("2026-03-01T12:00:00.4-03:30", datetime(2026, 3, 1, 15, 30, 0, 400_000, tzinfo=UTC)),
    ],
)
def test_a_bound_is_an_instant_in_utc(text: str, instant: datetime) -> None:
    asked = asked_of(Request(window_start=text, window_end="2026-12-31"))

    assert asked.window == Bounds(instant, datetime(2026, 12, 31, tzinfo=UTC))


@pytest.mark.parametrize(
    ("preset", "days"),
    [("daily", 1), ("3-day", 3), ("weekly", 7), ("monthly", 30), ("quarterly", 90)],
)
def test_presets_roll_back_whole_days_from_the_census(preset: str, days: int) -> None:
    as_of = NOW - timedelta(hours=1)
    window = asked_of(Request(preset=preset)).window

    found = resolve(window, NO_RELEASES, as_of, NOW, MAX_LAG)

    assert (found.window.start, found.window.end) == (as_of - days * DAY, as_of)
    assert found.shown().preset == preset


@pytest.mark.parametrize(
    ("as_of", "end"),
    [
        pytest.param(NOW - MAX_LAG, NOW - MAX_LAG, id="just recent enough"),
        pytest.param(NOW - MAX_LAG - timedelta(seconds=1), NOW, id="a second too old"),
        pytest.param(None, NOW, id="no census at all"),
        pytest.param(NOW + timedelta(hours=2), NOW + timedelta(hours=2), id="a clock that is slow"),
    ],
)
def test_a_rolling_window_ends_at_a_census_that_is_recent_enough(
    as_of: datetime | None, end: datetime
) -> None:
    assert resolve(Rolling("daily"), NO_RELEASES, as_of, NOW, MAX_LAG).window.end == end


def test_given_bounds_are_taken_as_they_are_whatever_the_census_says() -> None:
    asked = Bounds(NOW, NOW + DAY)

    assert resolve(asked, NO_RELEASES, None, NOW, MAX_LAG).window.end == NOW + DAY


def test_a_release_is_its_cut_to_cut_window_and_names_the_one_before() -> None:
    timeline = Timeline([release("v1", NOW), release("v2", NOW + DAY)], Shaping())

    first = resolve(Cut("v1"), timeline, None, NOW, MAX_LAG).shown()
    second = resolve(Cut("v2"), timeline, None, NOW, MAX_LAG).shown()

    assert (first.window_start_iso, first.window_end_iso, first.previous_release) == (
        None,
        NOW,
        None,
    )
    assert (second.window_start_iso, second.window_end_iso) == (NOW, NOW + DAY)
    assert (second.release, second.previous_release) == ("v2", "v1")


def test_an_unknown_release_is_refused_by_the_field_s_name() -> None:
    with pytest.raises(RequestError, match="release: release 'v9' is not known"):
        resolve(Cut("v9"), NO_RELEASES, None, NOW, MAX_LAG)


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_does_more_than_be_refused(start: str, end: str) -> None:
    window: object = None
    field: str | None = None
    try:
        window = asked_of(Request(window_start=start, window_end=end)).window
    except RequestError as refusal:
        field = refusal.field

    assert isinstance(window, Bounds) or field in {"windowStart", "windowEnd"}


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_no_name_does_more_than_be_refused(preset: str, release_: str, resolution: str) -> None:
    with pytest.raises(RequestError) as refusal:
        asked_of(Request(preset=f"x{preset}", release=release_, resolution=resolution))

    assert refusal.value.field in {"preset", "release", "resolution"}


def test_rolling_presets_and_the_documented_ones_are_the_same() -> None:
    assert list(ROLLING) == ["daily", "3-day", "weekly", "monthly", "quarterly"]
