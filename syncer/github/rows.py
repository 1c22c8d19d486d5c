"""Rows of pull requests, light and full, as the census reads them. Pure."""

from __future__ import annotations

from typing import TypedDict

from syncer.github import wire
from syncer.github.answers import ChangeRow, Row, Totals
from syncer.github.entries import account, utc, whole_number
from syncer.records import Instant

__all__ = ["change_row", "row"]

_IDENTITY = frozenset({"id", "number", "createdAt", "updatedAt", "state"})
_TEXTS = {
    "title": "title",
    "body": "body",
    "isDraft": "is_draft",
    "authorAssociation": "author_association",
    "baseRefName": "base_ref_name",
    "headRefName": "head_ref_name",
}
"""GitHub's name → ours, for scalars that are never null without an error."""

_TOTALS = frozenset({"comments", "reviews", "reviewThreads", "labels", "closingIssues"})


class _Change(TypedDict):
    id: str
    number: int
    state: str
    created_at: Instant
    updated_at: Instant
    closed_at: Instant | None
    merged_at: Instant | None
    totals: Totals


def change_row(node: wire.ChangeNode | None) -> ChangeRow | None:
    """The light row, or None where the node, or what identifies a row, came as null."""
    change = None if node is None else _change(node)
    return None if change is None else ChangeRow(**change)


def row(
    node: wire.RowNode | None, marked: frozenset[str] = frozenset(), repaired: int = 0
) -> Row | None:
    """The full row, or None where the node, or what identifies a row, is null or marked.

    `marked` names the fields (GitHub's names) that came with an error.
    """
    change = None if node is None or marked & _IDENTITY else _change(node)
    if node is None or change is None:
        return None
    absent = {name for name, ours in _TEXTS.items() if getattr(node, ours) is None}
    return Row(
        **change,
        full_database_id=whole_number(node.full_database_id),
        title=node.title or "",
        body=node.body or "",
        is_draft=bool(node.is_draft),
        author=account(node.author),
        author_association=node.author_association or "",
        base_ref_name=node.base_ref_name or "",
        head_ref_name=node.head_ref_name or "",
        head_repository=node.head_repository.name_with_owner if node.head_repository else None,
        unreadable=tuple(sorted(absent | marked - _TOTALS)),
        repaired=repaired,
    )


def _change(node: wire.ChangeNode) -> _Change | None:
    if node.id is None or node.number is None or node.state is None:
        return None
    if node.created_at is None or node.updated_at is None:
        return None
    return {
        "id": node.id,
        "number": node.number,
        "state": node.state,
        "created_at": utc(node.created_at),
        "updated_at": utc(node.updated_at),
        "closed_at": node.closed_at and utc(node.closed_at),
        "merged_at": node.merged_at and utc(node.merged_at),
        "totals": Totals(
            comments=_total(node.comments),
            reviews=_total(node.reviews),
            review_threads=_total(node.review_threads),
            labels=_total(node.labels),
            closing_issues=_total(node.closing_issues),
        ),
    }


def _total(found: wire.Total | None) -> int | None:
    return None if found is None else found.total_count
