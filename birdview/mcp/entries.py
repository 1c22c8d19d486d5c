"""A conversation as a flat list of entries, each with its address and its text. Pure.

The order is that of the file: description, comments, reviews, then each thread followed by its
comments.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import replace

from birdview.envelope import DrillDown
from birdview.mcp.inputs import Include
from birdview.mcp.outputs import Body, Entry, ThreadShown
from birdview.synthesis.fragments import end_of_piece
from syncer.corpus import pull_url
from syncer.corpus.urls import comment_url, review_url, thread_comment_url
from syncer.records import Comment, Conversation, Thread
from syncer.repository import Repository

__all__ = ["entries_of", "from_offset", "part_of", "shortened", "text_of", "written_since"]

_PARTS: dict[str, Include] = {
    "pullRequest": "description",
    "comment": "comments",
    "review": "reviews",
    "thread": "threads",
    "threadComment": "threads",
}


def entries_of(conversation: Conversation, repository: Repository) -> Iterator[Entry]:
    """Every entry with its whole text."""
    pull = pull_url(repository, conversation.number)
    yield Entry(
        kind="pullRequest",
        id=conversation.id,
        url=pull,
        author=conversation.author,
        author_association=conversation.author_association,
        at=conversation.created_at,
        last_edited_at=None,
        is_minimized=False,
        minimized_reason=None,
        state=None,
        thread_id=None,
        review_id=None,
        reply_to=None,
        thread=None,
        body=_whole(conversation.body),
    )
    for comment in conversation.comments:
        url = comment_url(pull, comment.full_database_id)
        yield replace(_said(comment, url or pull), kind="comment")
    for review in conversation.reviews:
        url = review_url(pull, review.full_database_id)
        at = review.submitted_at or review.created_at
        yield replace(_said(review, url or pull), kind="review", state=review.state, at=at)
    for thread in conversation.review_threads:
        yield from _thread(thread, pull)


def part_of(entry: Entry) -> Include:
    """The part of a conversation that `entry` belongs to."""
    return _PARTS[entry.kind]


def written_since(entry: Entry, since: datetime) -> bool:
    """Whether `entry` was written, submitted or edited at or after `since`."""
    stamps = (entry.at, entry.last_edited_at)
    return any(stamp is not None and stamp >= since for stamp in stamps)


def text_of(entry: Entry) -> Body | None:
    """The text of `entry`: what was said, or the diff hunk of a thread."""
    return entry.body if entry.thread is None else entry.thread.diff_hunk


def from_offset(entry: Entry, offset: int) -> Entry:
    """`entry` with its text from character `offset` on."""
    text = text_of(entry)
    if text is None:
        return entry
    return _with_text(entry, replace(text, user_text=text.user_text[offset:], offset=offset))


def shortened(entry: Entry, limit: int, origin: str, number: int) -> Entry:
    """`entry` with at most `limit` bytes of its text, and the call that gives the rest."""
    text = text_of(entry)
    if text is None or (end := end_of_piece(text.user_text, 0, limit)) == len(text.user_text):
        return entry
    node: dict[str, str | int] = {"origin": origin, "number": number, "node": entry.id}
    rest = DrillDown(arguments={**node, "offset": text.offset + end})
    short = replace(text, user_text=text.user_text[:end], shortened=True, rest=rest)
    return _with_text(entry, short)


def _with_text(entry: Entry, text: Body) -> Entry:
    if entry.thread is None:
        return replace(entry, body=text)
    return replace(entry, thread=replace(entry.thread, diff_hunk=text))


def _whole(text: str) -> Body:
    return Body(user_text=text, offset=0, total_chars=len(text), shortened=False, rest=None)


def _said(comment: Comment, url: str) -> Entry:
    return Entry(
        kind="comment",
        id=comment.id,
        url=url,
        author=comment.author,
        author_association=comment.author_association,
        at=comment.created_at,
        last_edited_at=comment.last_edited_at,
        is_minimized=comment.is_minimized,
        minimized_reason=comment.minimized_reason,
        state=None,
        thread_id=None,
        review_id=None,
        reply_to=None,
        thread=None,
        body=_whole(comment.body),
    )


def _thread(thread: Thread, pull: str) -> Iterator[Entry]:
    first = thread.comments[0] if thread.comments else None
    url = None if first is None else thread_comment_url(pull, first.full_database_id)
    yield Entry(
        kind="thread",
        id=thread.id,
        url=url or pull,
        author=None,
        author_association=None,
        at=None if first is None else first.created_at,
        last_edited_at=None,
        is_minimized=False,
        minimized_reason=None,
        state=None,
        thread_id=None,
        review_id=None,
        reply_to=None,
        thread=_shown(thread),
        body=None,
    )
    for comment in thread.comments:
        url = thread_comment_url(pull, comment.full_database_id)
        yield replace(
            _said(comment, url or pull),
            kind="threadComment",
            thread_id=thread.id,
            review_id=comment.review,
            reply_to=comment.reply_to,
        )


def _shown(thread: Thread) -> ThreadShown:
    return ThreadShown(
        path=thread.path,
        subject_type=thread.subject_type,
        diff_side=thread.diff_side,
        line=thread.line,
        start_line=thread.start_line,
        original_line=thread.original_line,
        original_start_line=thread.original_start_line,
        is_outdated=thread.is_outdated,
        is_resolved=thread.is_resolved,
        resolved_by=thread.resolved_by,
        comments=len(thread.comments),
        diff_hunk=_whole(thread.comments[0].diff_hunk) if thread.comments else None,
    )
