"""A conversation as it is kept: GitHub's names, three classes of fields, one canonical order.

Field classes (docs/how-it-works.md), which `syncer.canonical` reads from `TOUCHED` and `AS_READ`:

* content — what people wrote and decided; the revision is a digest of these alone
* touched — `updatedAt` of the pull request
* as read — true when read, but changed by others without a word: line numbers, associations

Nothing here depends on who was reading or when.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

__all__ = [
    "AS_READ",
    "TOUCHED",
    "Actor",
    "ClosingIssue",
    "Comment",
    "Conversation",
    "Instant",
    "Label",
    "Review",
    "Thread",
    "ThreadComment",
    "contradiction",
    "in_canonical_order",
    "resolution_event",
]

Instant = Annotated[datetime, Meta(tz=True)]
"""An aware time stamp; always UTC in a record."""

TOUCHED = frozenset({"updatedAt"})
AS_READ = frozenset(
    {
        "authorAssociation",
        "fullDatabaseId",
        "headRepository",
        "isOutdated",
        "line",
        "resolvedBy",
        "startLine",
    }
)


class Actor(Struct, frozen=True, rename="camel"):
    """An account. `kind` is GitHub's `__typename` as plain text, so that unknown kinds pass."""

    login: str
    kind: str
    id: str | None  # None: the answer named an account without a node id


class Label(Struct, frozen=True, rename="camel"):
    """A label, under the name that it had when it was read."""

    id: str
    name: str


class ClosingIssue(Struct, frozen=True, rename="camel"):
    """An issue that merging the pull request closes; `repository` is `owner/name`."""

    id: str
    repository: str
    number: int


class Comment(Struct, frozen=True, rename="camel", kw_only=True):
    """One issue comment, and what every other kind of entry has in common with it."""

    id: str
    full_database_id: int | None  # None: the server did not say
    author: Actor | None  # None: the account was deleted
    author_association: str
    body: str
    created_at: Instant
    last_edited_at: Instant | None  # None: never edited
    is_minimized: bool
    minimized_reason: str | None  # None: not minimised, or no reason given


class Review(Comment, frozen=True, rename="camel", kw_only=True):
    """One submitted review; drafts are never kept."""

    state: str
    submitted_at: Instant | None  # None: the server kept no time of submission


class ThreadComment(Comment, frozen=True, rename="camel", kw_only=True):
    """One comment of a review thread."""

    reply_to: str | None  # id of a thread comment; None: the first of its thread
    review: str | None  # id of the review it came with; None: that review is gone
    diff_hunk: str


class Thread(Struct, frozen=True, rename="camel", kw_only=True):
    """One review thread. Lines are None for a comment on a whole file, never 0."""

    id: str
    path: str
    subject_type: str | None  # None: the server's schema does not tell
    diff_side: str
    original_line: int | None
    original_start_line: int | None
    line: int | None  # None: outdated, or on the whole file
    start_line: int | None
    is_outdated: bool
    is_resolved: bool
    resolved_by: Actor | None
    comments: tuple[ThreadComment, ...]


class Conversation(Struct, frozen=True, rename="camel", kw_only=True):
    """One pull request with everything that was said on it."""

    id: str
    full_database_id: int | None
    number: int
    title: str
    body: str
    state: str
    is_draft: bool
    author: Actor | None  # None: the account was deleted
    author_association: str
    created_at: Instant
    updated_at: Instant
    closed_at: Instant | None
    merged_at: Instant | None
    base_ref_name: str
    head_ref_name: str
    head_repository: str | None  # None: the fork is gone
    labels: tuple[Label, ...]
    closing_issues: tuple[ClosingIssue, ...]
    comments: tuple[Comment, ...]
    reviews: tuple[Review, ...]
    review_threads: tuple[Thread, ...]


def resolution_event(
    state: str, merged_at: datetime | None, closed_at: datetime | None
) -> datetime | None:
    """When the pull request was resolved: `mergedAt` decides, else `closedAt`; None while open.

    A stamp of merging outweighs a state that contradicts it; `syncer.evidence` names the
    contradiction.
    """
    if merged_at is not None:
        return merged_at
    return None if state == "OPEN" else closed_at


def contradiction(state: str, merged_at: datetime | None, closed_at: datetime | None) -> str | None:
    """What GitHub says of one pull request that cannot all be true, or None."""
    if merged_at is not None and state != "MERGED":
        return f"{state} with mergedAt"
    if merged_at is None and state == "MERGED":
        return "MERGED without mergedAt"
    if closed_at is None and state == "CLOSED":
        return "CLOSED without closedAt"
    return None


def in_canonical_order(conversation: Conversation) -> Conversation:
    """The same conversation with every list in the one order that files and digests use.

    Entries by (createdAt, database id, id); threads by the key of their first comment; labels by
    id; closing issues by (repository, number).
    """
    threads = [
        replace(thread, comments=tuple(sorted(thread.comments, key=_entry_key)))
        for thread in conversation.review_threads
    ]
    return replace(
        conversation,
        labels=tuple(sorted(conversation.labels, key=lambda label: label.id)),
        closing_issues=tuple(
            sorted(conversation.closing_issues, key=lambda i: (i.repository, i.number, i.id))
        ),
        comments=tuple(sorted(conversation.comments, key=_entry_key)),
        reviews=tuple(sorted(conversation.reviews, key=_entry_key)),
        review_threads=tuple(sorted(threads, key=_thread_key)),
    )


_LAST = datetime.max.replace(tzinfo=UTC)


def _entry_key(entry: Comment) -> tuple[datetime, int, str]:
    return (entry.created_at, entry.full_database_id or 0, entry.id)


def _thread_key(thread: Thread) -> tuple[datetime, int, str]:
    # A thread of which no comment could be read has no time of its own: it stands last.
    return _entry_key(thread.comments[0]) if thread.comments else (_LAST, 0, thread.id)
