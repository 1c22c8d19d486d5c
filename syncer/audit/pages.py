"""A listing followed to its end, and no further."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TypeVar

from syncer.errors import TransientError
from syncer.github.answers import Listing

__all__ = ["every_page"]

T = TypeVar("T")
_MAX_EMPTY = 3
"""Pages without an item in a row, after which a listing counts as endless."""


async def every_page(
    ask: Callable[[str | None], Awaitable[Listing[T]]],
) -> AsyncGenerator[Listing[T], None]:
    """Every page of a listing; `ask` gives the one after a cursor.

    Raises what `ask` raises, and TransientError for a listing that promises pages without end.
    """
    cursor: str | None = None
    empty = pages = 0
    while True:
        page = await ask(cursor)
        pages += 1
        empty = 0 if page.items else empty + 1
        if empty > _MAX_EMPTY or pages > page.total_count + _MAX_EMPTY:
            message = "a listing promises pages without end"
            raise TransientError(message)
        yield page
        if not page.has_next_page:
            return
        cursor = page.end_cursor
