"""The rows of the pull requests to be audited: from a walk over all of them, or by their ids."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime

from msgspec import Struct

from syncer.audit.source import AuditSource
from syncer.errors import TooHeavyError
from syncer.evidence import Connection
from syncer.github.answers import Fault, Part, StampedRow

__all__ = ["Sheet", "by_ids", "walk"]


class Sheet(Struct, frozen=True, kw_only=True):
    """Some rows, read at `date` by the server's clock, and the ids that brought none.

    `claimed` is, on the last sheet of a walk, how many pull requests there are.
    """

    date: datetime
    rows: tuple[StampedRow, ...]
    faults: tuple[Fault, ...] = ()
    unreadable: int = 0
    claimed: int | None = None


async def walk(source: AuditSource, repository: str, page: int) -> AsyncGenerator[Sheet, None]:
    """Every pull request in the order of creation. Raises AskError where the walk breaks off."""
    cursor: str | None = None
    while True:
        try:
            found = await source.stamped_census(repository, page, cursor)
        except TooHeavyError:
            if page <= 1:
                raise
            page //= 2
            continue
        yield Sheet(
            date=found.date,
            rows=found.items,
            unreadable=found.unreadable,
            claimed=None if found.has_next_page else found.total_count,
        )
        if not found.has_next_page:
            return
        cursor = found.end_cursor


async def by_ids(source: AuditSource, ids: Sequence[str], size: int) -> AsyncGenerator[Sheet, None]:
    """The rows of `ids`, `size` a request, fewer where that is too heavy.

    A single row that is too heavy is a fault, like one that is not found.
    """
    left = list(ids)
    while left:
        chosen = left[:size]
        part = Part(name=Connection.PULL_REQUEST, ids=tuple(chosen))
        try:
            answer = await source.stamps([part])
        except TooHeavyError:
            if size > 1:
                size = max(1, len(chosen) // 2)
                continue
            raise
        left = left[size:]
        yield Sheet(
            date=answer.date,
            rows=tuple(row for row in answer.rows if isinstance(row, StampedRow)),
            faults=answer.faults,
        )
