from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.testing.github.cursors import InvalidCursorError, decode_cursor, encode_cursor

STAMPS = (
    st.datetimes()
    .map(lambda moment: moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
    .filter(lambda text: len(text) == 20 and "0003" < text < "9990")
)
KEYS = st.tuples(STAMPS | st.just(""), st.integers(0, 2**62))


@given(KEYS, st.integers(-720, 840))
def test_a_cursor_holds_its_key_whatever_the_zone(key: tuple[str, int], zone: int):
    assert decode_cursor(encode_cursor(key, "here", zone), "here") == key


def test_a_cursor_shows_the_zone_of_its_viewer():
    east, west = (encode_cursor(("2024-01-01T00:00:00Z", 7), "here", zone) for zone in (330, -480))
    assert b"2024-01-01T05:30:00+05:30" in base64.b64decode(east)
    assert b"2023-12-31T16:00:00-08:00" in base64.b64decode(west)


def test_a_salt_changes_the_text_and_not_the_place():
    texts = {encode_cursor(("", 7), "here", 0, salt) for salt in range(5)}
    assert len(texts) == 5
    assert {decode_cursor(text, "here") for text in texts} == {("", 7)}


@given(KEYS)
def test_a_cursor_is_refused_by_every_other_connection(key: tuple[str, int]):
    with pytest.raises(InvalidCursorError):
        decode_cursor(encode_cursor(key, "here", 0), "there")


@given(st.text())
def test_any_other_text_is_refused(text: str):
    with pytest.raises(InvalidCursorError):
        decode_cursor(text, "here")
