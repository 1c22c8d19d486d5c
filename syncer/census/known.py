"""Which pull requests must be read, decided from a census row and what is stored. Pure."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from syncer.evidence import Connection
from syncer.github.answers import ChangeRow, Row, Totals

__all__ = ["Known", "Wanted", "Why", "by_connection", "is_settled", "voids", "why"]


class Why(StrEnum):
    """Why a pull request is to be read."""

    NEW = "new"
    CHANGED = "changed"  # another updatedAt or state than the stored record's
    TOTALS = "totals"  # the same updatedAt, but other counts: something vanished or came silently
    UNSETTLED = "unsettled"  # read within the margin after its last change
    RETRY = "retry"  # an earlier reading did not finish, and its time has come
    REQUESTED = "requested"
    AUDIT = "audit"  # an audit found something else than what is stored


class Known(Struct, frozen=True, kw_only=True):
    """What the store knows of one pull request. `read` None: no record is stored."""

    updated_at: datetime  # newest ever seen
    wanted: Why | None
    read: datetime | None  # updatedAt of the stored record
    state: str
    settled: bool
    queued: bool = False  # an earlier reading did not finish; its next try has a time
    totals: dict[Connection, int]  # by the evidence of the stored record, drafts included
    claims: dict[Connection, int]  # by the newest row


class Wanted(Struct, frozen=True):
    """A pull request to be read; `row` is None until a full row as new as `updated_at` is there."""

    id: str
    number: int
    updated_at: datetime
    why: Why
    row: Row | None
    row_date: datetime | None


def why(row: ChangeRow, known: Known | None) -> Why | None:
    """Why `row` says that its pull request must be read, or None.

    A row older than what is known comes from a replica that lags: it says nothing new. Unfinished
    work rests until its next try, unless the pull request has changed since.
    """
    if known is None:
        return Why.NEW
    if row.updated_at < known.updated_at:
        return known.wanted
    if known.queued and row.updated_at == known.updated_at:
        return known.wanted
    if known.read is None:
        return known.wanted or Why.NEW
    if row.updated_at != known.read or row.state != known.state:
        return Why.CHANGED
    if _differ(by_connection(row.totals), known.totals):
        return Why.TOTALS
    return known.wanted if known.settled else Why.UNSETTLED


def voids(row: ChangeRow, known: Known) -> bool:
    """Whether what was read by an older row of `row`'s pull request, and not finished, is void."""
    if row.updated_at == known.updated_at:
        return _differ(by_connection(row.totals), known.claims)
    return row.updated_at > known.updated_at


def is_settled(read_at: datetime, updated_at: datetime, margin_s: float) -> bool:
    """Whether a record read at `read_at` can no longer share its stamp with a later change.

    Stamps have one-second resolution and replicas lag; both instants are the server's.
    """
    return (read_at - updated_at).total_seconds() >= margin_s


def by_connection(totals: Totals) -> dict[Connection, int]:
    """The totals that are known, by connection."""
    found = {
        Connection.COMMENTS: totals.comments,
        Connection.REVIEWS: totals.reviews,
        Connection.REVIEW_THREADS: totals.review_threads,
        Connection.LABELS: totals.labels,
        Connection.CLOSING_ISSUES: totals.closing_issues,
    }
    return {name: total for name, total in found.items() if total is not None}


def _differ(row: dict[Connection, int], stored: dict[Connection, int]) -> bool:
    return any(row[name] != stored[name] for name in row.keys() & stored.keys())
