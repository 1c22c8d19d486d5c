"""What follows for one connection from a page or a fault. Pure."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from syncer.evidence import Connection
from syncer.github.answers import Fault, PageRead
from syncer.reading.frontier import Item
from syncer.reading.judgement import MAX_IDLE, MAX_RESTARTS, restarted

__all__ = [
    "MAX_FAULTS",
    "GiveUp",
    "Last",
    "Missing",
    "Next",
    "Restart",
    "Retry",
    "Smaller",
    "StartOver",
    "after_fault",
    "after_page",
]

MAX_FAULTS = 3
"""Transient faults of one connection in a row, after which it is cut."""

_OVERRUN = 300
"""Entries beyond the claimed total, after which a connection counts as endless."""


class Next(Struct, frozen=True):
    """The page counts; another follows."""

    item: Item


class Last(Struct, frozen=True):
    """The page counts, and it was the last."""

    item: Item


class StartOver(Struct, frozen=True):
    """The pull request changed while it was read: everything staged of it is void."""


class Retry(Struct, frozen=True):
    """The same page again."""

    item: Item


class Smaller(Struct, frozen=True):
    """The same cursor again, in smaller requests."""

    item: Item


class Restart(Struct, frozen=True):
    """This connection again from its first page."""

    item: Item


class GiveUp(Struct, frozen=True):
    """The connection is cut."""

    item: Item
    reason: str


class Missing(Struct, frozen=True):
    """The pull request itself was not found."""


def after_page(item: Item, page: PageRead, stamp: datetime) -> Next | Last | StartOver | GiveUp:
    """What a page means for its connection, while the row under reading shows `stamp`.

    Staged pages count only while every later one shows the same updatedAt and the same total.
    """
    if page.updated_at != stamp or (item.pages and page.total_count != item.total):
        return StartOver()
    entries = len(page.nodes) + page.left_out + page.unreadable
    after = replace(
        item,
        total=page.total_count,
        pages=item.pages + 1,
        held=item.held + entries,
        cursor=page.end_cursor,
        idle=0 if entries else item.idle + 1,
        faults=0,
    )
    if not page.has_next_page:
        return Last(after)
    overrun = page.total_count is not None and after.held > page.total_count + _OVERRUN
    if overrun or after.idle >= MAX_IDLE:
        return GiveUp(after, "endless")
    return Next(after)


def after_fault(
    item: Item, fault: Fault
) -> Retry | Smaller | Restart | StartOver | GiveUp | Missing:
    """What a fault means for its connection."""
    match fault.reason:
        case "not_found":
            return StartOver() if item.owner != item.pull else Missing()
        case "too_heavy":
            return Smaller(item)
        case "cursor_refused" if item.restarts < MAX_RESTARTS and item.cursor is not None:
            return Restart(restarted(item))
        case _ if fault.transient and item.faults < MAX_FAULTS:
            return Retry(replace(item, faults=item.faults + 1))
        case reason:
            return GiveUp(item, reason)


def row_item(pull: str, epoch: int, faults: int = 0) -> Item:
    """The item that asks for the full row of a pull request."""
    return Item(
        pull=pull,
        owner=pull,
        name=Connection.PULL_REQUEST,
        total=None,
        epoch=epoch,
        faults=faults,
    )
