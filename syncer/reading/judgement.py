"""When a connection has ended, whether it is exhausted, and if not, what that is called. Pure.

A count that does not add up is not believed at once: the connection is read a second time from
its first page. Only two whole readings with the same ids make it `short`; everything else goes on
until it adds up or has been tried too often.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from syncer.canonical import digest_of
from syncer.evidence import Connection, Evidence, Status
from syncer.reading.frontier import Item
from syncer.reading.staged import StagedPage

__all__ = ["MAX_IDLE", "MAX_RESTARTS", "UNSUPPORTED", "Again", "cut", "judge", "zero"]

UNSUPPORTED = "unsupported"
"""The reason where the server's schema does not have a connection at all."""

MAX_RESTARTS = 3
"""Whole readings of one connection in one run, after which it is cut."""

MAX_IDLE = 3
"""Pages in a row without anything new, after which a connection counts as endless."""


class Again(Struct, frozen=True):
    """Read the connection again from its first page; `item` remembers why."""

    item: Item


def judge(
    item: Item, pages: Sequence[StagedPage], cursor: str | None, at: datetime
) -> Evidence | Again:
    """What follows once the last page of `item` is among `pages`.

    `cursor` is the last page's endCursor and `at` the server's clock when it was read.
    """
    evidence = _count(item, pages, cursor, at)
    if evidence.status is Status.EXHAUSTED:
        return evidence
    doubt = _doubt(pages, evidence)
    if doubt == item.doubt:
        return evidence
    if item.restarts >= MAX_RESTARTS:
        return replace(evidence, status=Status.CUT, reason="mutated")
    return Again(restarted(replace(item, doubt=doubt)))


def restarted(item: Item) -> Item:
    """`item` at its first page again, one restart further."""
    return replace(item, pages=0, held=0, cursor=None, idle=0, restarts=item.restarts + 1)


def cut(item: Item, pages: Sequence[StagedPage], reason: str, at: datetime) -> Evidence:
    """Evidence of a connection that is given up with the pages it has.

    One that the server's schema lacks is unknown rather than cut: no further try can read it.
    """
    counted = _count(item, pages, item.cursor, at)
    if reason == UNSUPPORTED:
        return replace(counted, has_next_page=None, status=Status.UNKNOWN, reason=reason)
    return replace(counted, has_next_page=True, status=Status.CUT, reason=reason)


def zero(owner: str, name: Connection, at: datetime) -> Evidence:
    """Evidence of an empty connection: a total of zero is proof that nothing is there."""
    return Evidence(
        owner=owner,
        name=name,
        total_count=0,
        kept=0,
        has_next_page=False,
        status=Status.EXHAUSTED,
        read_at=at,
    )


def _count(item: Item, pages: Sequence[StagedPage], cursor: str | None, at: datetime) -> Evidence:
    total = pages[-1].total_count if pages else item.total
    kept = len({node.id for page in pages for node in page.nodes})
    left_out = sum(page.left_out for page in pages)
    unreadable = sum(page.unreadable for page in pages)
    status, reason = _status(total, kept, left_out, unreadable)
    return Evidence(
        owner=item.owner,
        name=item.name,
        total_count=total,
        kept=kept,
        left_out=left_out,
        unreadable=unreadable,
        repaired=sum(page.repaired for page in pages),
        has_next_page=False,
        end_cursor=cursor,
        status=status,
        reason=reason,
        read_at=at,
    )


def _status(
    total: int | None, kept: int, left_out: int, unreadable: int
) -> tuple[Status, str | None]:
    if total is None:
        return Status.UNKNOWN, "null connection"
    if unreadable:
        return Status.SHORT, f"unreadable: {unreadable}"
    if kept + left_out != total:
        return Status.SHORT, f"claimed {total}, held {kept + left_out}"
    return Status.EXHAUSTED, None


def _doubt(pages: Sequence[StagedPage], evidence: Evidence) -> str:
    ids = sorted({node.id for page in pages for node in page.nodes})
    return digest_of([ids, evidence.total_count, evidence.left_out, evidence.unreadable])
