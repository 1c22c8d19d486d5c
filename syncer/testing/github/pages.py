"""Pages of connections: which rows a viewer sees, in which order, and where a page ends."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from syncer.testing.github.cursors import InvalidCursorError, Key, decode_cursor, encode_cursor
from syncer.testing.github.failing import FieldError
from syncer.testing.github.nodes import Node

__all__ = ["Edge", "Page", "PageInfo", "Rows", "turn"]


@dataclass(slots=True)
class Rows:
    """All rows of one connection that a viewer sees, ascending by `key`."""

    name: str  # owner, field and order: what a cursor is tied to
    nodes: Sequence[Node]
    key: Callable[[Any], Key]
    descending: bool = False


@dataclass(slots=True)
class PageInfo:
    """Where a page begins and ends."""

    has_next_page: bool = False
    has_previous_page: bool = False
    start_cursor: str | None = None
    end_cursor: str | None = None


@dataclass(slots=True)
class Edge:
    """A row with its own cursor."""

    node: Node | None
    cursor: str


@dataclass(slots=True)
class Page:
    """One answer of a connection; a bare total has no nodes. Faults may change any part."""

    total_count: int
    nodes: list[Node | None] | None = field(default_factory=list["Node | None"])
    page_info: PageInfo = field(default_factory=PageInfo)
    cursor_of: Callable[[Node], str] = lambda _: ""
    same_place: Callable[[int], str] = lambda _: (
        ""
    )  # by salt, a cursor from which this page follows

    @property
    def edges(self) -> list[Edge | None] | None:
        """The nodes with their cursors."""
        if self.nodes is None:
            return None
        return [None if n is None else Edge(n, self.cursor_of(n)) for n in self.nodes]


def turn(rows: Rows, args: Mapping[str, Any], offset_minutes: int) -> Page:
    """The page of `rows` that `args` (first, last, after, before) ask for.

    Raises FieldError as GitHub does for a cursor that is not of this connection.
    """
    size = args.get("first") or args.get("last")
    if size is None:
        return Page(len(rows.nodes))
    low, high = _window(rows, _key(rows, args.get("after")), _key(rows, args.get("before")))
    if ("first" in args and args["first"] is not None) != rows.descending:
        start, stop = low, min(low + size, high)
    else:
        start, stop = max(low, high - size), high
    rows_shown = list(rows.nodes[start:stop])
    more = (start > 0, stop < len(rows.nodes))
    if rows.descending:
        rows_shown.reverse()
        more = (more[1], more[0])

    def cursor_of(node: Node) -> str:
        return encode_cursor(rows.key(node), rows.name, offset_minutes)

    before_all = ("\U0010ffff", 2**62) if rows.descending else ("", 0)
    place = _key(rows, args.get("after")) or before_all

    def same_place(salt: int) -> str:
        return encode_cursor(place, rows.name, offset_minutes, salt)

    ends = (cursor_of(rows_shown[0]), cursor_of(rows_shown[-1])) if rows_shown else (None, None)
    info = PageInfo(more[1], more[0], *ends)
    return Page(len(rows.nodes), list(rows_shown), info, cursor_of, same_place)


def _key(rows: Rows, cursor: str | None) -> Key | None:
    if cursor is None:
        return None
    try:
        return decode_cursor(cursor, rows.name)
    except InvalidCursorError:
        raise FieldError(
            f"`{cursor}` does not appear to be a valid cursor.", type="INVALID_CURSOR_ARGUMENTS"
        ) from None


def _window(rows: Rows, after: Key | None, before: Key | None) -> tuple[int, int]:
    """The half-open range of rows strictly between two keys, in ascending positions."""
    lower, upper = (before, after) if rows.descending else (after, before)
    low = 0 if lower is None else bisect_right(rows.nodes, lower, key=rows.key)
    high = len(rows.nodes) if upper is None else bisect_left(rows.nodes, upper, key=rows.key)
    return low, max(low, high)
