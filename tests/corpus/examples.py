"""Small whole records for tests that need to say exactly what is in them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from syncer.evidence import FIRST_LEVEL, Coverage, Snapshot, Status
from syncer.records import Actor, Comment, Conversation, Review, Thread, ThreadComment

__all__ = [
    "ANN",
    "WHEN",
    "comment",
    "conversation",
    "review",
    "snapshot",
    "thread",
    "thread_comment",
    "whole",
]

WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ANN = Actor("ann", "User", "U_1")


def comment(body: str = "text", **fields: Any) -> Comment:
    return Comment(**_entry(body, fields))


def review(body: str = "text", **fields: Any) -> Review:
    return Review(**{"state": "APPROVED", "submitted_at": WHEN, **_entry(body, fields)})


def thread_comment(body: str = "text", **fields: Any) -> ThreadComment:
    hunk = {"reply_to": None, "review": "PRR_1", "diff_hunk": "@@ -1 +1 @@\n-a\n+b"}
    return ThreadComment(**{**hunk, **_entry(body, fields)})


def thread(*comments: ThreadComment, **fields: Any) -> Thread:
    plain: dict[str, Any] = {
        "id": "PRRT_1",
        "path": "src/a.py",
        "subject_type": "LINE",
        "diff_side": "RIGHT",
        "original_line": 3,
        "original_start_line": None,
        "line": 4,
        "start_line": None,
        "is_outdated": False,
        "is_resolved": False,
        "resolved_by": None,
    }
    return Thread(**{**plain, **fields, "comments": comments})


def conversation(**fields: Any) -> Conversation:
    plain: dict[str, Any] = {
        "id": "PR_1",
        "full_database_id": 77,
        "number": 12,
        "title": "A title",
        "body": "A description",
        "state": "MERGED",
        "is_draft": False,
        "author": ANN,
        "author_association": "MEMBER",
        "created_at": WHEN,
        "updated_at": WHEN,
        "closed_at": WHEN,
        "merged_at": WHEN,
        "base_ref_name": "main",
        "head_ref_name": "topic",
        "head_repository": None,
        "labels": (),
        "closing_issues": (),
        "comments": (),
        "reviews": (),
        "review_threads": (),
    }
    return Conversation(**{**plain, **fields})


def whole(total: int) -> Coverage:
    return Coverage(total_count=total, kept=total, has_next_page=False, status=Status.EXHAUSTED)


def snapshot(**fields: Any) -> Snapshot:
    """A conversation of these fields, read to the last node."""
    found = conversation(**fields)
    held = (found.comments, found.reviews, found.review_threads, found.labels, found.closing_issues)
    return Snapshot(
        conversation=found,
        connections={
            name: whole(len(nodes)) for name, nodes in zip(FIRST_LEVEL, held, strict=True)
        },
        threads={thread.id: whole(len(thread.comments)) for thread in found.review_threads},
    )


def _entry(body: str, fields: dict[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "id": "IC_1",
        "full_database_id": 5,
        "author": ANN,
        "author_association": "NONE",
        "body": body,
        "created_at": WHEN,
        "last_edited_at": None,
        "is_minimized": False,
        "minimized_reason": None,
    }
    return {**plain, **fields}
