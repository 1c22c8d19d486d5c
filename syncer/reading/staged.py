"""What has been read of a connection and not yet been assembled."""

from __future__ import annotations

from msgspec import Struct

from syncer.evidence import Evidence
from syncer.github.answers import Entry, PageRead
from syncer.reading.frontier import Item

__all__ = ["Staged", "StagedPage", "staged_page"]


class StagedPage(Struct, frozen=True, kw_only=True):
    """What one page brought. Of stamps and cursors nothing is kept: they were compared already."""

    total_count: int | None
    nodes: tuple[Entry, ...]
    left_out: int
    unreadable: int
    repaired: int
    child_totals: dict[str, int | None]


class Staged(Struct, frozen=True, kw_only=True):
    """One connection under way: its item, its evidence once it has ended, its pages in order."""

    item: Item
    evidence: Evidence | None
    pages: tuple[StagedPage, ...]


def staged_page(page: PageRead) -> StagedPage:
    """The part of a page that assembling needs."""
    return StagedPage(
        total_count=page.total_count,
        nodes=page.nodes,
        left_out=page.left_out,
        unreadable=page.unreadable,
        repaired=page.repaired,
        child_totals=page.child_totals,
    )
