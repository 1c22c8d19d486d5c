"""The rows of the pull requests to be audited: from a walk over all of them, or by their ids."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime

from msgspec import Struct

from syncer.audit.pages import every_page
from syncer.audit.source import AuditSource
from syncer.errors import TooHeavyError
from syncer.evidence import Connection
from syncer.github.answers import Fault, Listing, Part, StampedRow

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
    """Every pull request in the order of creation, in smaller pages where they are too heavy.

    Raises AskError where the walk breaks off.
    """

    async def ask(cursor: str | None) -> Listing[StampedRow]:
        nonlocal page
        while True:
            try:
                return await source.stamped_census(repository, page, cursor)
            except TooHeavyError:
                if page <= 1:
                    raise
                page //= 2

    async with aclosing(every_page(ask)) as found:
        async for listing in found:
            yield Sheet(
                date=listing.date,
                rows=listing.items,
                unreadable=listing.unreadable,
                claimed=None if listing.has_next_page else listing.total_count,
            )


async def by_ids(source: AuditSource, ids: Sequence[str], size: int) -> AsyncGenerator[Sheet, None]:
    """The rows of `ids`, `size` a request, fewer where that is too heavy. Raises AskError."""
    left = list(ids)
    while left:
        chosen = left[:size]
        part = Part(name=Connection.PULL_REQUEST, ids=tuple(chosen))
        try:
            answer = await source.stamps([part])
        except TooHeavyError:
            if len(chosen) == 1:
                raise
            size = len(chosen) // 2
            continue
        left = left[len(chosen) :]
        yield Sheet(
            date=answer.date,
            rows=tuple(row for row in answer.rows if isinstance(row, StampedRow)),
            faults=answer.faults,
        )
