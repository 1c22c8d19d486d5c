from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from syncer.errors import ThrottledError
from syncer.github.pauses import Pauses

START = Pauses(until_s=0.0, refused_s=0.0)


def limit(wait_s: float | None, *, primary: bool = False) -> ThrottledError:
    return ThrottledError("x", wait_s=wait_s, primary=primary)


def after(refusals: int) -> Pauses:
    return Pauses(until_s=0.0, refused_s=0.0, refusals=refusals)


def test_the_first_pause_is_as_long_as_was_told():
    assert after(1).length_s(limit(5.0), dice=1.0) == 5.0


def test_an_untold_pause_is_a_minute_at_least_and_a_little_more_by_chance():
    assert after(1).length_s(limit(None), dice=0.0) == 60.0
    assert after(1).length_s(limit(None), dice=1.0) == 66.0


def test_a_told_pause_that_was_too_short_becomes_a_minute():
    assert after(2).length_s(limit(5.0), dice=0.0) == 60.0
    assert after(2).length_s(limit(300.0), dice=0.0) == 300.0


def test_a_primary_limit_is_believed_every_time():
    assert after(5).length_s(limit(5.0, primary=True), dice=0.0) == 5.0


def test_what_was_under_way_when_the_pause_began_is_no_further_refusal():
    first = START.refused(sent_s=10.0, now_s=11.0).extended(71.0)

    assert first.refusals == 1
    assert first.refused(sent_s=10.5, now_s=12.0) == first
    assert first.refused(sent_s=71.0, now_s=72.0).refusals == 2


def test_after_a_quiet_minute_the_series_begins_anew():
    first = START.refused(sent_s=10.0, now_s=11.0).extended(71.0)

    assert first.refused(sent_s=130.0, now_s=131.0).refusals == 2
    assert first.refused(sent_s=131.0, now_s=132.0).refusals == 1


@given(st.integers(1, 10_000), st.none() | st.floats(1, 3600), st.floats(0, 1))
def test_no_pause_is_shorter_than_told_or_longer_than_an_hour(refusals, wait_s, dice):
    length_s = after(refusals).length_s(limit(wait_s), dice)

    assert (wait_s or 60.0) <= length_s <= 3600


@given(st.floats(0, 100), st.floats(0, 100))
def test_a_pause_is_never_shortened(first, second):
    assert START.extended(first).extended(second).until_s == max(first, second)
