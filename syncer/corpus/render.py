"""A conversation as Markdown, losslessly. Docs: docs/corpus-format.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from syncer.canonical import revision_of
from syncer.corpus.front import encode_front, front_of
from syncer.corpus.headings import (
    comment_heading,
    fence_for,
    review_heading,
    thread_heading,
    title_heading,
)
from syncer.corpus.lines import lines_of
from syncer.corpus.marker import encode_mark
from syncer.corpus.marks import (
    DescriptionMark,
    mark_comment,
    mark_review,
    mark_thread,
    mark_thread_comment,
)
from syncer.corpus.urls import comment_url, pull_url, review_url, thread_comment_url
from syncer.evidence import Coverage, Snapshot
from syncer.records import Comment, Review, Thread, ThreadComment
from syncer.repository import Repository

__all__ = ["SECTIONS", "render"]

SECTIONS = ("## Description", "## Comments", "## Reviews", "## Threads")
"""The sections in their order; all but the first are left out when they would be empty."""

Blocks = Iterator[str]
"""Stretches of lines that an empty line parts: a heading with its marker, a fence, a text."""


def render(snapshot: Snapshot, repository: Repository, *, revision: str | None = None) -> bytes:
    """The file of `snapshot`: `parse` gives back an equal snapshot.

    The conversation must be in canonical order, its stamps in UTC. Coverage of a thread that the
    conversation does not hold is not written. `revision` spares computing a known one again.
    """
    conversation = snapshot.conversation
    url = pull_url(repository, conversation.number)
    front = front_of(snapshot, url, revision or revision_of(conversation))
    blocks = [encode_front(front), title_heading(conversation.title)]
    blocks += _description(conversation.body)
    for heading, entries in _sections(snapshot, url):
        if found := list(entries):
            blocks += [heading, *found]
    blocks.append("")
    return "\n\n".join(blocks)[:-1].encode()


def _description(body: str) -> Blocks:
    yield f"{SECTIONS[0]}\n{encode_mark(DescriptionMark(lines=lines_of(body)))}"
    if body:
        yield body


def _sections(snapshot: Snapshot, url: str) -> Iterator[tuple[str, Blocks]]:
    conversation = snapshot.conversation
    yield SECTIONS[1], _comments(conversation.comments, url)
    yield SECTIONS[2], _reviews(conversation.reviews, url)
    yield SECTIONS[3], _threads(conversation.review_threads, snapshot.threads, url)


def _comments(comments: Iterable[Comment], url: str) -> Blocks:
    for comment in comments:
        mark = mark_comment(comment, comment_url(url, comment.full_database_id))
        yield f"{comment_heading(mark)}\n{encode_mark(mark)}"
        if comment.body:
            yield comment.body


def _reviews(reviews: Iterable[Review], url: str) -> Blocks:
    for review in reviews:
        mark = mark_review(review, review_url(url, review.full_database_id))
        yield f"{review_heading(mark)}\n{encode_mark(mark)}"
        if review.body:
            yield review.body


def _threads(threads: Iterable[Thread], coverage: Mapping[str, Coverage], url: str) -> Blocks:
    for thread in threads:
        mark = mark_thread(thread, coverage.get(thread.id))
        yield f"{thread_heading(mark)}\n{encode_mark(mark)}"
        for index, comment in enumerate(thread.comments):
            first = thread.comments[0]
            own_hunk = index == 0 or comment.diff_hunk != first.diff_hunk
            yield from _thread_comment(comment, url, own_hunk=own_hunk)


def _thread_comment(comment: ThreadComment, url: str, *, own_hunk: bool) -> Blocks:
    hunk = comment.diff_hunk
    address = thread_comment_url(url, comment.full_database_id)
    mark = mark_thread_comment(comment, address, lines_of(hunk) if own_hunk else None)
    yield f"{comment_heading(mark, '####')}\n{encode_mark(mark)}"
    if own_hunk and hunk:
        fence = fence_for(hunk)
        yield f"{fence}diff\n{hunk}\n{fence}"
    if comment.body:
        yield comment.body
