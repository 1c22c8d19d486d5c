from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from syncer.github.window import Use, Window


def used_up(window: Window, amount: float, at: float) -> None:
    window.end(window.begin(amount), amount, at)


def test_a_use_counts_until_a_minute_after_its_answer():
    window = Window()
    use = window.begin(3)
    assert window.used(500) == 3

    window.end(use, 5, now=500)

    assert window.used(559.9) == 5
    assert window.used(560) == 0


def test_what_fits_goes_at_once():
    window = Window()
    used_up(window, 6, at=0)

    assert window.wait_s(4, limit=10, now=1) == 0.0


def test_what_does_not_fit_waits_for_the_oldest_uses_to_end():
    window = Window()
    used_up(window, 6, at=0)
    used_up(window, 4, at=10)

    assert window.wait_s(5, limit=10, now=20) == 40.0
    assert window.wait_s(7, limit=10, now=20) == 50.0


def test_what_waits_for_a_request_under_way_cannot_be_timed():
    window = Window()
    window.begin(10)

    assert window.wait_s(1, limit=10, now=0) is None


def test_more_than_the_limit_goes_when_nothing_else_counts():
    window = Window()
    assert window.wait_s(99, limit=10, now=0) == 0.0

    used_up(window, 1, at=0)

    assert window.wait_s(99, limit=10, now=0) == 60.0
    assert window.wait_s(99, limit=10, now=60) == 0.0


@given(
    st.lists(
        st.tuples(st.integers(1, 5), st.floats(0, 30), st.floats(0, 1), st.floats(0, 20)),
        max_size=40,
    )
)
def test_no_minute_of_the_servers_holds_more_than_the_limit(requests):
    # Each request is sent as soon as it may be; the server counts it anywhere before its answer.
    window, now, counted, flying = Window(), 0.0, [], []
    for amount, lasts, share, pause in requests:
        now += pause
        while True:
            for sent in [one for one in flying if one[1] <= now]:
                flying.remove(sent)
                window.end(sent[0], sent[0].amount, sent[1])
            wait_s = window.wait_s(amount, limit=10, now=now)
            if wait_s == 0.0:
                break
            now = min(one[1] for one in flying) if wait_s is None else now + wait_s
        flying.append((window.begin(amount), now + lasts))
        flying.sort(key=lambda one: one[1])
        counted.append((now + lasts * share, amount))

    for start, _ in counted:
        assert sum(amount for at, amount in counted if start <= at < start + 60 - 1e-6) <= 10


def test_a_use_is_worth_what_it_cost_in_the_end():
    window = Window()
    window.end(Use(0), 0, 0)
    use = window.begin(1)
    window.end(use, 50, 0)

    assert window.used(0) == 50
