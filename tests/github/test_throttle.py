from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.github.throttle import CAP_S, MARGIN_S, MIN_PAUSE_S, limits_of, throttled
from tests.github.support import NOW, answer


def reset_in(seconds: float) -> dict[str, str]:
    return {"x-ratelimit-reset": str(int((NOW + timedelta(seconds=seconds)).timestamp()))}


def date_in(seconds: float) -> str:
    return format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "60"}, 60.0),
        ({"retry-after": date_in(75)}, 75.0),
        ({"retry-after": date_in(-5)}, MIN_PAUSE_S),
        ({"retry-after": "0"}, MIN_PAUSE_S),
        ({"retry-after": "86400"}, CAP_S),
        ({"retry-after": date_in(86400)}, CAP_S),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({}, None),
        (reset_in(1800), None),
    ],
    ids=str,
)
def test_a_secondary_limit_waits_as_it_is_told_within_reason(headers, wait_s):
    assert throttled(answer(headers=headers), primary=False).wait_s == wait_s


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        (reset_in(90), 90 + MARGIN_S),
        (reset_in(0), MARGIN_S),
        (reset_in(-3), MIN_PAUSE_S),
        (reset_in(-7200), MIN_PAUSE_S),
        (reset_in(7200), CAP_S),
        ({"retry-after": "30", **reset_in(90)}, 30.0),
        ({"x-ratelimit-reset": "99999999999999999999"}, None),
        ({"x-ratelimit-reset": "never"}, None),
        ({}, None),
    ],
    ids=str,
)
def test_a_primary_limit_waits_for_the_reset_by_the_servers_clock(headers, wait_s):
    assert throttled(answer(headers=headers), primary=True).wait_s == wait_s


def test_a_time_that_is_not_believed_is_named():
    assert "86400" in str(throttled(answer(headers={"retry-after": "86400"}), primary=False))


@given(st.text(max_size=30), st.text(max_size=30), st.booleans())
def test_no_wait_is_negative_or_longer_than_the_hour(retry_after, reset, primary):
    headers = {"retry-after": retry_after, "x-ratelimit-reset": reset}

    wait_s = throttled(answer(headers=headers), primary=primary).wait_s

    assert wait_s is None or MIN_PAUSE_S <= wait_s <= CAP_S


def test_the_budget_is_read_from_the_headers():
    headers = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4711", **reset_in(60)}

    limits = limits_of(answer(headers=headers))

    assert limits is not None
    assert (limits.limit, limits.remaining) == (5000, 4711)
    assert limits.resets_at == NOW + timedelta(seconds=60)


@pytest.mark.parametrize("missing", ["x-ratelimit-remaining", "x-ratelimit-reset"])
def test_a_server_that_tracks_no_limit_has_no_budget(missing):
    headers = {"x-ratelimit-remaining": "1", **reset_in(60)}
    del headers[missing]

    assert limits_of(answer(headers=headers)) is None
