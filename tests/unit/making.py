"""What the engine is told and what it keeps, made in one line: rows, pages, items, listings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from syncer.census.known import Wanted, Why
from syncer.evidence import Connection, Coverage, Evidence, Status
from syncer.github.answers import (
    BatchAnswer,
    ChangeRow,
    Entry,
    Fault,
    Listing,
    PageRead,
    Row,
    Totals,
)
from syncer.reading.frontier import Item
from syncer.records import Comment, Label, Review, Thread, ThreadComment

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = START + timedelta(hours=1)
PULL = "PR_1"


def at(seconds: float) -> datetime:
    """So many seconds after the start of all tests."""
    return START + timedelta(seconds=seconds)


def totals(
    comments: int | None = 0,
    reviews: int | None = 0,
    threads: int | None = 0,
    labels: int | None = 0,
    issues: int | None = 0,
) -> Totals:
    return Totals(
        comments=comments,
        reviews=reviews,
        review_threads=threads,
        labels=labels,
        closing_issues=issues,
    )


def change(
    number: int = 1,
    updated_at: datetime = START,
    *,
    state: str = "OPEN",
    counts: Totals | None = None,
) -> ChangeRow:
    return ChangeRow(
        id=f"PR_{number}",
        number=number,
        state=state,
        created_at=at(-100_000 + number),
        updated_at=updated_at,
        closed_at=None,
        merged_at=None,
        totals=counts or totals(),
    )


def row(
    number: int = 1,
    updated_at: datetime = START,
    *,
    state: str = "OPEN",
    counts: Totals | None = None,
    closed_at: datetime | None = None,
    merged_at: datetime | None = None,
    unreadable: tuple[str, ...] = (),
    repaired: int = 0,
) -> Row:
    return Row(
        id=f"PR_{number}",
        number=number,
        state=state,
        created_at=at(-100_000 + number),
        updated_at=updated_at,
        closed_at=closed_at,
        merged_at=merged_at,
        totals=counts or totals(),
        full_database_id=number,
        title=f"Change {number}",
        body="",
        is_draft=False,
        author=None,
        author_association="NONE",
        base_ref_name="main",
        head_ref_name="topic",
        head_repository=None,
        unreadable=unreadable,
        repaired=repaired,
    )


def comment(id: str = "IC_1", *, created_at: datetime = START, database: int | None = 1) -> Comment:
    return Comment(**_entry(id, created_at, database))


def review(id: str = "PRR_1", *, created_at: datetime = START) -> Review:
    return Review(**_entry(id, created_at, 1), state="COMMENTED", submitted_at=created_at)


def thread_comment(
    id: str = "PRRC_1", *, review: str | None = "PRR_1", created_at: datetime = START
) -> ThreadComment:
    return ThreadComment(
        **_entry(id, created_at, 1), reply_to=None, review=review, diff_hunk="@@ -1 +1 @@"
    )


def thread(id: str = "PRRT_1", comments: Sequence[ThreadComment] = ()) -> Thread:
    return Thread(
        id=id,
        path="a.py",
        subject_type="LINE",
        diff_side="RIGHT",
        original_line=1,
        original_start_line=None,
        line=1,
        start_line=None,
        is_outdated=False,
        is_resolved=False,
        resolved_by=None,
        comments=tuple(comments),
    )


def label(id: str = "L_1") -> Label:
    return Label(id=id, name=id.lower())


def item(
    name: Connection = Connection.COMMENTS,
    *,
    owner: str = PULL,
    pull: str = PULL,
    total: int | None = 1,
    pages: int = 0,
    held: int = 0,
    cursor: str | None = None,
    cap: int = 100,
    doubt: str | None = None,
    restarts: int = 0,
    faults: int = 0,
    idle: int = 0,
) -> Item:
    return Item(
        pull=pull,
        owner=owner,
        name=name,
        total=total,
        pages=pages,
        held=held,
        cursor=cursor,
        cap=cap,
        doubt=doubt,
        restarts=restarts,
        faults=faults,
        idle=idle,
    )


def page(
    nodes: Iterable[Entry] = (),
    name: Connection = Connection.COMMENTS,
    *,
    owner: str = PULL,
    pull: str = PULL,
    total: int | None = None,
    more: bool = False,
    cursor: str | None = "end",
    stamp: datetime = START,
    left_out: int = 0,
    unreadable: int = 0,
    children: Mapping[str, int | None] | None = None,
) -> PageRead:
    """A page; without a `total` it claims exactly what it holds."""
    found = tuple(nodes)
    held = len(found) + left_out + unreadable
    return PageRead(
        owner=owner,
        name=name,
        pull=pull,
        updated_at=stamp,
        total_count=held if total is None else total,
        has_next_page=more,
        end_cursor=cursor,
        nodes=found,
        left_out=left_out,
        unreadable=unreadable,
        child_totals=dict(children or {}),
    )


def batch(
    *,
    pages: Iterable[PageRead] = (),
    rows: Iterable[Row] = (),
    faults: Iterable[Fault] = (),
    date: datetime = LATER,
) -> BatchAnswer:
    return BatchAnswer(
        date=date, cost=1, pages=tuple(pages), rows=tuple(rows), faults=tuple(faults)
    )


def listing(
    rows: Iterable[ChangeRow],
    *,
    total: int,
    more: bool = False,
    cursor: str | None = "next",
    date: datetime = LATER,
    unreadable: int = 0,
) -> Listing[ChangeRow]:
    return Listing[ChangeRow](
        date=date,
        cost=1,
        items=tuple(rows),
        total_count=total,
        has_next_page=more,
        end_cursor=cursor,
        unreadable=unreadable,
    )


def wanted(full: Row, *, date: datetime = LATER) -> Wanted:
    return Wanted(full.id, full.number, full.updated_at, Why.NEW, full, date)


def proof(
    name: Connection = Connection.COMMENTS,
    status: Status = Status.EXHAUSTED,
    *,
    owner: str = PULL,
    total: int | None = 1,
    kept: int = 1,
    left_out: int = 0,
    reason: str | None = None,
) -> Evidence:
    return Evidence(
        owner=owner,
        name=name,
        total_count=total,
        kept=kept,
        left_out=left_out,
        has_next_page=False,
        status=status,
        reason=reason,
        read_at=LATER,
    )


def covered(
    status: Status = Status.EXHAUSTED,
    *,
    total: int | None = 1,
    kept: int = 1,
    more: bool | None = False,
    reason: str | None = None,
    repaired: int = 0,
) -> Coverage:
    return Coverage(
        total_count=total,
        kept=kept,
        has_next_page=more,
        status=status,
        reason=reason,
        repaired=repaired,
    )


def _entry(id: str, created_at: datetime, database: int | None) -> dict[str, Any]:
    return {
        "id": id,
        "full_database_id": database,
        "author": None,
        "author_association": "NONE",
        "body": "words",
        "created_at": created_at,
        "last_edited_at": None,
        "is_minimized": False,
        "minimized_reason": None,
    }
