"""The walk over a repository's pull requests, and the proof that it missed nothing. Pure.

A full walk goes by creation, an order that nothing can change. An incremental one goes from the
newest change down to strictly below a bound; a row touched meanwhile jumps to the front, behind
the reader, so a pass of more than one page is followed by another from the top that must reach
below the start of the pass before. A pass of one page closes the walk: it is one consistent answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from syncer.github.answers import ChangeRow, Listing
from syncer.records import Instant

__all__ = ["MAX_PASSES", "Closed", "Moving", "Walk", "advance", "full_walk", "incremental_walk"]

MAX_PASSES = 10
"""Passes after which a repository counts as moving faster than it can be read."""


class Walk(Struct, frozen=True, rename="camel", kw_only=True):
    """Where a walk stands: enough to go on after a kill."""

    id: int
    kind: Literal["full", "incremental"]
    first_date: Instant  # the server's clock at the walk's first answer
    cursor: str | None = None  # None: the first page is next
    bound: Instant | None = None  # a pass ends at a row strictly older; None: at the last page
    passes: int = 1
    pages: int = 0  # read in this pass
    top: Instant | None = None  # updatedAt of the first row of this pass
    unreadable: int = 0  # rows that came as null, in all passes


class Closed(Struct, frozen=True):
    """The walk is proven to have met every row; `total_count` is the last page's claim.

    Of `unreadable` ones among them nothing is known but that they are there.
    """

    total_count: int
    unreadable: int = 0


class Moving(Struct, frozen=True):
    """Rows kept jumping to the front for `MAX_PASSES` passes: nothing is proven."""

    total_count: int


def full_walk(walk_id: int, first_date: datetime) -> Walk:
    """A walk over every pull request by creation."""
    return Walk(id=walk_id, kind="full", first_date=first_date)


def incremental_walk(walk_id: int, first_date: datetime, watermark: datetime) -> Walk:
    """A walk over what changed at or after `watermark`."""
    return Walk(id=walk_id, kind="incremental", first_date=first_date, bound=watermark)


def advance(walk: Walk, page: Listing[ChangeRow]) -> Walk | Closed | Moving:
    """What follows from the page that `walk` asked for."""
    walk = replace(walk, unreadable=walk.unreadable + page.unreadable)
    if walk.kind == "full":
        if page.has_next_page:
            return replace(walk, cursor=page.end_cursor, pages=walk.pages + 1)
        return Closed(page.total_count, walk.unreadable)
    return _descend(walk, page)


def _descend(walk: Walk, page: Listing[ChangeRow]) -> Walk | Closed | Moving:
    top = walk.top if walk.pages else _newest(page.items)
    if walk.passes > 1 and not walk.pages and _is_quiet(walk.bound, top):
        return Closed(page.total_count, walk.unreadable)
    if not _reached(walk.bound, page):
        return replace(walk, cursor=page.end_cursor, pages=walk.pages + 1, top=top)
    if walk.pages == 0:
        return Closed(page.total_count, walk.unreadable)
    if walk.passes >= MAX_PASSES:
        return Moving(page.total_count)
    return replace(walk, cursor=None, bound=top, passes=walk.passes + 1, pages=0, top=None)


def _reached(bound: datetime | None, page: Listing[ChangeRow]) -> bool:
    if not page.has_next_page:
        return True
    return bound is not None and any(row.updated_at < bound for row in page.items)


def _is_quiet(bound: datetime | None, top: datetime | None) -> bool:
    """Whether nothing is newer than the start of the pass before, though ties may fill the page.

    A row touched in that very second is no loss: it is younger than the watermark will be.
    """
    return bound is not None and top is not None and top <= bound


def _newest(rows: Sequence[ChangeRow]) -> datetime | None:
    return max((row.updated_at for row in rows), default=None)
