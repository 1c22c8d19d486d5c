"""Opaque cursors: where an answer was cut, and the question that it belongs to.

A cursor holds no state of the server, so it outlives a restart. What it is bound to (a revision, a
manifest hash, a corpus digest) is compared when it comes back: a page of another state is never
given for the next one.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from birdview.mcp.errors import ToolError

__all__ = ["Cursor", "asked_of", "continued", "opened", "sealed"]

T = TypeVar("T", bound=Struct)

_CHECK = 8  # characters of the digest: against cuts and slips, not against forgery


class Cursor(Struct, frozen=True, kw_only=True):
    """Where an answer was cut.

    `asked` are the arguments of the first call as they were given, `resolved` what they came down
    to; `bound` must not have changed since.
    """

    tool: str
    asked: dict[str, Any]
    resolved: dict[str, Any]
    bound: str
    at: tuple[int, ...]


def sealed(cursor: Cursor) -> str:
    """The text of `cursor`."""
    data = base64.urlsafe_b64encode(msgspec.json.encode(cursor)).decode().rstrip("=")
    return f"{data}.{_check(data)}"


def opened(text: str, tool: str) -> Cursor:
    """The cursor that `tool` once gave. Raises ToolError for any other text."""
    data, _, check = text.strip().partition(".")
    wrong = ToolError(
        "bad_argument",
        f"is not one that {tool} gave; pass `nextCursor` on exactly as it was, or leave it out",
        "cursor",
    )
    if check != _check(data):
        raise wrong
    try:
        padded = data + "=" * (-len(data) % 4)
        cursor = msgspec.json.decode(base64.urlsafe_b64decode(padded), type=Cursor)
    except (binascii.Error, ValueError, msgspec.MsgspecError, RecursionError):
        raise wrong from None
    if cursor.tool != tool:
        raise wrong
    return cursor


def continued(given: T, cursor: Cursor, own: frozenset[str]) -> T:
    """What the first call came down to, with the sizes (`own`) of this one.

    Arguments repeated along with the cursor must be those of the first call. Raises ToolError for
    one that is not.
    """
    said = _given(given)
    for name, value in said.items():
        same = value in (cursor.asked.get(name), cursor.resolved.get(name))
        if name not in own | {"cursor"} and not same:
            raise ToolError(
                "bad_argument",
                "differs from the call that gave this cursor; leave it out, or leave out `cursor`",
                name,
            )
    sizes = {name: value for name, value in said.items() if name in own}
    return msgspec.convert({**cursor.asked, **cursor.resolved, **sizes}, type=type(given))


def asked_of(given: Struct, own: frozenset[str]) -> dict[str, Any]:
    """The arguments that decide what is shown, as a cursor keeps them."""
    return {name: value for name, value in _given(given).items() if name not in own | {"cursor"}}


def _given(given: Struct) -> dict[str, Any]:
    built, empty = _as_sent(given), _as_sent(type(given)())
    return {name: value for name, value in built.items() if empty.get(name) != value}


def _as_sent(given: Struct) -> dict[str, Any]:
    sent: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(given))
    return sent


def _check(data: str) -> str:
    return hashlib.sha256(data.encode()).hexdigest()[:_CHECK]
