"""Nodes as GitHub sends them → entries as records keep them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypedDict

from syncer.evidence import Connection
from syncer.github import wire
from syncer.github.answers import Entry
from syncer.records import Actor, ClosingIssue, Comment, Label, Review, Thread, ThreadComment

__all__ = ["ENTRIES", "account", "child_total", "is_draft", "utc", "whole_number"]


def utc(instant: datetime) -> datetime:
    """The same instant in UTC."""
    return instant if instant.tzinfo is UTC else instant.astimezone(UTC)


def _utc_or_none(instant: datetime | None) -> datetime | None:
    return None if instant is None else utc(instant)


def whole_number(value: int | str | None) -> int | None:
    """A BigInt, which travels as text or as a number; None where it is neither."""
    if isinstance(value, str):
        # Twenty digits hold any BigInt of GitHub's.
        return int(value) if value.isascii() and value.isdigit() and len(value) <= 20 else None
    return value


def account(found: wire.Account | None) -> Actor | None:
    """Any kind of account; None: it was deleted."""
    return None if found is None else Actor(login=found.login, kind=found.kind, id=found.id)


def is_draft(node: object) -> bool:
    """Whether `node` is a draft that only its author is shown."""
    return isinstance(node, wire.ReviewNode | wire.ThreadCommentNode) and node.state == "PENDING"


def child_total(node: object) -> tuple[str, int | None] | None:
    """The id of a review or thread with the bare total of its comments; None for other nodes."""
    if not isinstance(node, wire.ReviewNode | wire.ThreadNode):
        return None
    return node.id, None if node.comments is None else node.comments.total_count


class _Common(TypedDict):
    id: str
    full_database_id: int | None
    author: Actor | None
    author_association: str
    body: str
    created_at: datetime
    last_edited_at: datetime | None
    is_minimized: bool
    minimized_reason: str | None


def _common(node: wire.CommentNode) -> _Common:
    return {
        "id": node.id,
        "full_database_id": whole_number(node.full_database_id),
        "author": account(node.author),
        "author_association": node.author_association,
        "body": node.body,
        "created_at": utc(node.created_at),
        "last_edited_at": _utc_or_none(node.last_edited_at),
        "is_minimized": node.is_minimized,
        "minimized_reason": node.minimized_reason,
    }


def _comment(node: wire.CommentNode) -> Comment:
    return Comment(**_common(node))


def _review(node: wire.ReviewNode) -> Review:
    return Review(**_common(node), state=node.state, submitted_at=_utc_or_none(node.submitted_at))


def _thread_comment(node: wire.ThreadCommentNode) -> ThreadComment:
    return ThreadComment(
        **_common(node),
        reply_to=None if node.reply_to is None else node.reply_to.id,
        review=None if node.review is None else node.review.id,
        diff_hunk=node.diff_hunk,
    )


def _thread(node: wire.ThreadNode) -> Thread:
    return Thread(
        id=node.id,
        path=node.path,
        subject_type=node.subject_type,
        diff_side=node.diff_side,
        original_line=node.original_line,
        original_start_line=node.original_start_line,
        line=node.line,
        start_line=node.start_line,
        is_outdated=node.is_outdated,
        is_resolved=node.is_resolved,
        resolved_by=account(node.resolved_by),
        comments=(),
    )


def _label(node: wire.LabelNode) -> Label:
    return Label(id=node.id, name=node.name)


def _closing_issue(node: wire.ClosingIssueNode) -> ClosingIssue:
    return ClosingIssue(id=node.id, repository=node.repository.name_with_owner, number=node.number)


ENTRIES: Mapping[Connection, Callable[[Any], Entry]] = {
    Connection.COMMENTS: _comment,
    Connection.REVIEWS: _review,
    Connection.REVIEW_THREADS: _thread,
    Connection.THREAD_COMMENTS: _thread_comment,
    Connection.LABELS: _label,
    Connection.CLOSING_ISSUES: _closing_issue,
}
"""What makes an entry of a node, by connection."""
