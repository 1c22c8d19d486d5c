from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from syncer.github.budget import Primary, ServerClock
from syncer.github.throttle import MARGIN_S, MIN_PAUSE_S, Limits
from tests.github.support import NOW


def limits(remaining: int, resets_in_s: float = 600) -> Limits:
    return Limits(limit=5000, remaining=remaining, resets_at=NOW + timedelta(seconds=resets_in_s))


def test_the_servers_clock_goes_on_with_the_monotonic_one():
    assert ServerClock(NOW, 100.0).at(130.0) == NOW + timedelta(seconds=30)


def test_within_one_hour_the_lowest_budget_counts():
    primary = Primary().told(limits(50)).told(limits(70)).told(limits(60))

    assert primary.limits == limits(50)


def test_a_later_hour_replaces_an_earlier_one():
    primary = Primary().told(limits(0)).told(limits(5000, 4200))

    assert primary.limits == limits(5000, 4200)
    assert primary.told(limits(1)).limits == limits(5000, 4200)


def test_an_answer_without_limits_changes_nothing():
    assert Primary().told(None) == Primary()
    assert Primary().told(limits(5)).told(None).limits == limits(5)


def test_what_is_above_the_reserve_may_be_spent():
    primary = Primary(limits(100))

    assert primary.short_s(90, reserve=10, now=NOW) is None
    assert primary.short_s(91, reserve=10, now=NOW) == 600 + MARGIN_S


def test_an_untracked_budget_is_never_short():
    assert Primary().short_s(10_000, reserve=10_000, now=NOW) is None


def test_a_reset_in_the_past_is_no_longer_waited_for():
    assert Primary(limits(0, -30)).short_s(1, 0, NOW) is None


@given(st.floats(-100, 4000), st.integers(0, 20))
def test_a_wait_is_never_negative_nor_too_short(resets_in_s, remaining):
    wait_s = Primary(limits(remaining, resets_in_s)).short_s(10, 0, NOW)

    assert wait_s is None or wait_s >= MIN_PAUSE_S
