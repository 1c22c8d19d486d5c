"""The kinds of fault: values that say what goes wrong, not when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from msgspec import Struct

from syncer.testing.github.context import Call
from syncer.testing.github.failing import FieldError
from syncer.testing.github.pages import Page

__all__ = [
    "Cut",
    "Fault",
    "FieldFault",
    "Heavy",
    "Older",
    "PageFault",
    "Respond",
    "Rewrite",
    "Slow",
    "Wire",
]


class Wire(StrEnum):
    """How a connection ends before its answer does."""

    RESET = "reset"  # before a byte of the answer
    RESET_MID_BODY = "resetMidBody"
    CUT_LENGTH = "cutLength"  # fewer bytes than Content-Length says
    CUT_CHUNKS = "cutChunks"  # a chunked answer without its last chunk


class Respond(Struct, frozen=True, kw_only=True):
    """This answer instead of the real one. `body` is sent as it is, anything else as JSON.

    `reset_in_s` moves `x-ratelimit-reset` to so many seconds from now, and the remaining budget to
    `remaining`. The work was done: the request is billed where `billed`.
    """

    status: int = 200
    body: bytes | dict[str, object] = b""
    headers: Mapping[str, str] = {}
    content_type: str = "application/json; charset=utf-8"
    reset_in_s: int | None = None
    remaining: int | None = None
    billed: bool = False


class Cut(Struct, frozen=True):
    """The real answer, ended early."""

    wire: Wire


class Rewrite(Struct, frozen=True):
    """The real answer with other bytes and headers."""

    change: Callable[[bytes], bytes]
    headers: Mapping[str, str] = {}


class Slow(Struct, frozen=True):
    """The real answer, after so many more seconds."""

    seconds: float


class Heavy(Struct, frozen=True):
    """`instead`, where the real answer holds more than `nodes` nodes."""

    nodes: int
    instead: Respond


class Older(Struct, frozen=True):
    """A server whose schema lacks a field."""

    type_name: str
    field_name: str


class PageFault(Struct, frozen=True, kw_only=True):
    """Changed pages of the connection `kind` (`Type.field`), of every pull request or of `number`.

    `change` gets a page that is its own to change; None makes the whole connection null; it may
    raise FieldError. Bare totals are pages too where `bare`.
    """

    kind: str
    change: Callable[[Call, Page], Page | None]
    number: int | None = None
    bare: bool = False

    def meets(self, call: Call) -> bool:
        """Whether `call` is one that this fault is about."""
        paged = call.args.get("first") is not None or call.args.get("last") is not None
        return (
            f"{call.type_name}.{call.field_name}" == self.kind
            and (paged or self.bare)
            and (self.number is None or call.number == self.number)
        )


class FieldFault(Struct, frozen=True, kw_only=True):
    """An error instead of one field; of one pull request where `number` is given."""

    type_name: str
    field_name: str
    error: FieldError
    number: int | None = None

    def meets(self, call: Call) -> bool:
        """Whether `call` is one that this fault is about."""
        return self.number is None or call.number == self.number


Fault = Respond | Cut | Rewrite | Slow | Heavy | Older | PageFault | FieldFault
