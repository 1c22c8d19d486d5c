from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.github.pace import (
    SLOW_S,
    Bounds,
    Pace,
    answered,
    at_start,
    faltered,
    quiet_minute,
    refused,
    too_heavy,
)

BOUNDS = Bounds()
START = at_start(BOUNDS)


def fast(pace: Pace, nodes: int = 0, times: int = 1) -> Pace:
    return reduce(lambda now, _: answered(now, BOUNDS, nodes, 0.5), range(times), pace)


def test_it_starts_moderate_and_within_the_bounds():
    assert START.concurrency == 8
    assert START.nodes == 2000
    assert at_start(Bounds(concurrency=3)).concurrency == 3


def test_a_round_of_good_answers_allows_one_more_at_once():
    assert fast(START, times=7).concurrency == 8
    assert fast(START, times=8).concurrency == 9
    assert fast(START, times=8 + 9).concurrency == 10


def test_a_refusal_halves_what_is_asked_at_once():
    assert refused(START, START, points=0, seconds=0).concurrency == 4


def test_refusals_of_one_moment_count_once():
    first = refused(START, START, points=100, seconds=10)

    assert refused(refused(first, START, 100, 10), START, 100, 10) == first


def test_a_refusal_holds_the_minute_below_what_was_used():
    learnt = refused(START, START, points=100, seconds=30)

    assert learnt.points_per_minute == 80
    assert learnt.seconds_per_minute == 24


def test_a_refusal_after_few_points_was_not_about_points():
    assert refused(START, START, points=5, seconds=1).points_per_minute == 1800


def test_quiet_minutes_bring_the_limits_back_to_the_bounds():
    learnt = refused(START, START, points=100, seconds=30)

    once = quiet_minute(learnt, BOUNDS)
    later = reduce(lambda now, _: quiet_minute(now, BOUNDS), range(100), learnt)

    assert learnt.points_per_minute < once.points_per_minute < 100
    assert later.points_per_minute == BOUNDS.points_per_minute
    assert later.seconds_per_minute == BOUNDS.seconds_per_minute


def test_a_fault_asks_a_little_less_at_once():
    assert faltered(START, START).concurrency == 6
    assert faltered(faltered(START, START), START).concurrency == 6


def test_a_slow_answer_halves_the_size():
    assert answered(START, BOUNDS, 2000, SLOW_S + 1).nodes == 1000


def test_a_slow_server_does_not_make_requests_tiny():
    pace = START
    for _ in range(20):
        pace = answered(pace, BOUNDS, pace.nodes, SLOW_S + 1)

    assert pace.nodes == 100


def test_a_size_that_was_too_heavy_is_halved_and_grows_again():
    smaller = too_heavy(START, 2000)
    assert smaller.nodes == 1000

    larger = fast(smaller, nodes=1000, times=8)

    assert 1000 < larger.nodes < 2000
    assert fast(smaller, nodes=1900, times=100).nodes == 2000


def test_small_answers_say_nothing_about_the_full_size():
    smaller = too_heavy(START, 2000)

    assert fast(smaller, nodes=10, times=100).nodes == 1000


def test_ten_requests_of_one_moment_that_were_too_heavy_halve_once():
    assert reduce(lambda now, _: too_heavy(now, 2000), range(10), START).nodes == 1000


@pytest.mark.parametrize("threshold", [12, 100, 700])
def test_it_settles_at_the_size_that_the_server_bears(threshold):
    pace, refusals = START, 0
    for _ in range(400):
        if pace.nodes > threshold:
            pace, refusals = too_heavy(pace, pace.nodes), refusals + 1
        else:
            pace = answered(pace, BOUNDS, pace.nodes, 0.5)

    assert threshold / 2 <= pace.nodes <= threshold * 1.25
    assert refusals <= 25


def test_one_stubborn_pull_request_does_not_make_every_batch_small():
    # Its batch fails at every size; each time the other half of the batch is answered.
    pace, size = START, 2000
    while size >= 1:
        pace = too_heavy(pace, size)
        pace = answered(pace, BOUNDS, max(1, size // 2), 0.5)
        size //= 2

    assert pace.nodes >= 1000


def test_a_size_that_was_good_once_is_doubted_when_it_fails_again_and_again():
    pace = fast(START, nodes=2000)
    for _ in range(4):
        pace = too_heavy(pace, 2000)

    assert pace.nodes == 1000


events = st.one_of(
    st.tuples(st.just("good"), st.integers(0, 5000), st.floats(0, 20)),
    st.tuples(st.just("heavy"), st.integers(1, 5000), st.just(0.0)),
    st.tuples(st.just("faulty"), st.just(0), st.just(0.0)),
    st.tuples(st.just("refused"), st.integers(0, 2000), st.floats(0, 100)),
    st.tuples(st.just("quiet"), st.just(0), st.just(0.0)),
)


@given(st.lists(events, max_size=60))
def test_whatever_comes_back_the_pace_stays_within_its_bounds(happened):
    pace = START
    for kind, amount, seconds in happened:
        match kind:
            case "good":
                pace = answered(pace, BOUNDS, amount, seconds)
            case "heavy":
                pace = too_heavy(pace, amount)
            case "faulty":
                pace = faltered(pace, pace)
            case "refused":
                pace = refused(pace, pace, amount, seconds)
            case _:
                pace = quiet_minute(pace, BOUNDS)
        assert 1 <= pace.concurrency <= BOUNDS.concurrency
        assert 1 <= pace.nodes <= BOUNDS.nodes
        assert 1 <= pace.points_per_minute <= BOUNDS.points_per_minute
        assert 1 <= pace.seconds_per_minute <= BOUNDS.seconds_per_minute
