"""Opaque cursors: a value predicate on the sort key, as GitHub's decode to.

A cursor says "strictly after this key", not "after this row": a row that was touched since moves to
where its new key belongs, and a deleted one leaves no hole. A stamp in a key carries the zone of
the viewer who got the cursor. A check sum ties the cursor to its connection and order.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from datetime import timedelta, timezone

import msgspec

from syncer.testing.github.clock import instant, stamp

__all__ = ["InvalidCursorError", "Key", "decode_cursor", "encode_cursor"]

Key = tuple[str, int]
"""What rows are ordered by: a stamp or other text ("" where the id alone decides), then the id."""

_MAGIC = b"cursor:v2:"
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(tuple[str, int, int, int]).decode


class InvalidCursorError(ValueError):
    """The text is no cursor of the connection it was used on."""


def encode_cursor(key: Key, connection: str, offset_minutes: int, salt: int = 0) -> str:
    """The cursor of the row with `key`; `connection` names owner, field and order.

    Another `salt` gives another text for the same place.
    """
    parts = (_zoned(key[0], offset_minutes), key[1], zlib.crc32(connection.encode()), salt)
    return base64.b64encode(_MAGIC + _pack(parts)).decode()


def decode_cursor(text: str, connection: str) -> Key:
    """The key behind `text`. Raises InvalidCursorError for what `encode_cursor` did not make."""
    try:
        raw = base64.b64decode(text, validate=True)
        if not raw.startswith(_MAGIC):
            raise InvalidCursorError(text)
        first, number, check, _ = _unpack(raw.removeprefix(_MAGIC))
        if check != zlib.crc32(connection.encode()):
            raise InvalidCursorError(text)
        return (_utc(first), number)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as exc:
        raise InvalidCursorError(text) from exc


def _zoned(text: str, offset_minutes: int) -> str:
    if not _is_stamp(text):
        return text
    return instant(text).astimezone(timezone(timedelta(minutes=offset_minutes))).isoformat()


def _utc(text: str) -> str:
    return stamp(instant(text)) if len(text) == 25 and text[10] == "T" else text


def _is_stamp(text: str) -> bool:
    return len(text) == 20 and text[10] == "T" and text[-1] == "Z"
