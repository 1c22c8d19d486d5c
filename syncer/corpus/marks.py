"""The machine fields of each kind of entry: its record without the text, but with its line count.

What is absent in a file is null or false. `url` is derived, for readers; parsing drops it.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from syncer.corpus.lines import lines_of
from syncer.evidence import Coverage
from syncer.records import Actor, Comment, Instant, Review, Thread, ThreadComment

__all__ = [
    "CommentMark",
    "DescriptionMark",
    "Mark",
    "ReviewMark",
    "ThreadCommentMark",
    "ThreadMark",
    "comment_of",
    "mark_comment",
    "mark_review",
    "mark_thread",
    "mark_thread_comment",
    "review_of",
    "thread_comment_of",
    "thread_of",
]


LineCount = Annotated[int, Meta(ge=0)]
"""How many lines of text follow."""


class Mark(
    Struct,
    frozen=True,
    rename="camel",
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """What stands in a marker."""


class DescriptionMark(Mark, frozen=True, rename="camel", kw_only=True):
    """The pull request's own text; its other fields stand in the front matter."""

    lines: LineCount


class CommentMark(Mark, frozen=True, rename="camel", kw_only=True):
    """A comment without its text."""

    id: str
    full_database_id: int | None = None
    author: Actor | None  # always written: null is a deleted account, never a missing field
    author_association: str
    created_at: Instant
    last_edited_at: Instant | None = None
    is_minimized: bool = False
    minimized_reason: str | None = None
    url: str | None = None
    lines: LineCount


class ReviewMark(CommentMark, frozen=True, rename="camel", kw_only=True):
    """A review without its text."""

    state: str
    submitted_at: Instant | None = None


class ThreadCommentMark(CommentMark, frozen=True, rename="camel", kw_only=True):
    """A thread's comment without its text and hunk.

    `hunk` is the number of the hunk's lines; None: the same hunk as the first comment's.
    """

    reply_to: str | None = None
    review: str | None = None
    hunk: LineCount | None = None


class ThreadMark(Mark, frozen=True, rename="camel", kw_only=True):
    """A thread without its comments. `coverage` None: unknown how far they were read."""

    id: str
    path: str
    subject_type: str | None = None
    diff_side: str
    original_line: int | None = None
    original_start_line: int | None = None
    line: int | None = None
    start_line: int | None = None
    is_outdated: bool = False
    is_resolved: bool = False
    resolved_by: Actor | None = None
    coverage: Coverage | None = None


def mark_comment(comment: Comment, url: str | None) -> CommentMark:
    """Everything about `comment` but its text."""
    return CommentMark(
        id=comment.id,
        full_database_id=comment.full_database_id,
        author=comment.author,
        author_association=comment.author_association,
        created_at=comment.created_at,
        last_edited_at=comment.last_edited_at,
        is_minimized=comment.is_minimized,
        minimized_reason=comment.minimized_reason,
        url=url,
        lines=lines_of(comment.body),
    )


def mark_review(review: Review, url: str | None) -> ReviewMark:
    """Everything about `review` but its text."""
    return ReviewMark(
        id=review.id,
        full_database_id=review.full_database_id,
        author=review.author,
        author_association=review.author_association,
        created_at=review.created_at,
        last_edited_at=review.last_edited_at,
        is_minimized=review.is_minimized,
        minimized_reason=review.minimized_reason,
        url=url,
        lines=lines_of(review.body),
        state=review.state,
        submitted_at=review.submitted_at,
    )


def mark_thread_comment(
    comment: ThreadComment, url: str | None, hunk: int | None
) -> ThreadCommentMark:
    """Everything about `comment` but its text; `hunk` as in the struct."""
    return ThreadCommentMark(
        id=comment.id,
        full_database_id=comment.full_database_id,
        author=comment.author,
        author_association=comment.author_association,
        created_at=comment.created_at,
        last_edited_at=comment.last_edited_at,
        is_minimized=comment.is_minimized,
        minimized_reason=comment.minimized_reason,
        url=url,
        lines=lines_of(comment.body),
        reply_to=comment.reply_to,
        review=comment.review,
        hunk=hunk,
    )


def mark_thread(thread: Thread, coverage: Coverage | None) -> ThreadMark:
    """Everything about `thread` but its comments."""
    return ThreadMark(
        id=thread.id,
        path=thread.path,
        subject_type=thread.subject_type,
        diff_side=thread.diff_side,
        original_line=thread.original_line,
        original_start_line=thread.original_start_line,
        line=thread.line,
        start_line=thread.start_line,
        is_outdated=thread.is_outdated,
        is_resolved=thread.is_resolved,
        resolved_by=thread.resolved_by,
        coverage=coverage,
    )


def comment_of(mark: CommentMark, body: str) -> Comment:
    """The comment that `mark` and its text make."""
    return Comment(
        id=mark.id,
        full_database_id=mark.full_database_id,
        author=mark.author,
        author_association=mark.author_association,
        created_at=mark.created_at,
        last_edited_at=mark.last_edited_at,
        is_minimized=mark.is_minimized,
        minimized_reason=mark.minimized_reason,
        body=body,
    )


def review_of(mark: ReviewMark, body: str) -> Review:
    """The review that `mark` and its text make."""
    return Review(
        id=mark.id,
        full_database_id=mark.full_database_id,
        author=mark.author,
        author_association=mark.author_association,
        created_at=mark.created_at,
        last_edited_at=mark.last_edited_at,
        is_minimized=mark.is_minimized,
        minimized_reason=mark.minimized_reason,
        body=body,
        state=mark.state,
        submitted_at=mark.submitted_at,
    )


def thread_comment_of(mark: ThreadCommentMark, body: str, diff_hunk: str) -> ThreadComment:
    """The thread's comment that `mark` and its two texts make."""
    return ThreadComment(
        id=mark.id,
        full_database_id=mark.full_database_id,
        author=mark.author,
        author_association=mark.author_association,
        created_at=mark.created_at,
        last_edited_at=mark.last_edited_at,
        is_minimized=mark.is_minimized,
        minimized_reason=mark.minimized_reason,
        body=body,
        reply_to=mark.reply_to,
        review=mark.review,
        diff_hunk=diff_hunk,
    )


def thread_of(mark: ThreadMark, comments: tuple[ThreadComment, ...]) -> Thread:
    """The thread that `mark` and its comments make."""
    return Thread(
        id=mark.id,
        path=mark.path,
        subject_type=mark.subject_type,
        diff_side=mark.diff_side,
        original_line=mark.original_line,
        original_start_line=mark.original_start_line,
        line=mark.line,
        start_line=mark.start_line,
        is_outdated=mark.is_outdated,
        is_resolved=mark.is_resolved,
        resolved_by=mark.resolved_by,
        comments=comments,
    )
