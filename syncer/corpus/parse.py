"""A file of the corpus back into the conversation and the proof it was rendered from.

Reading goes by position: every text is passed over by the number of lines that its marker states,
so no text can end, add or forge an entry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from syncer.canonical import revision_of
from syncer.corpus.errors import CorpusError
from syncer.corpus.front import FrontMatter, decode_front
from syncer.corpus.headings import (
    comment_heading,
    fence_for,
    review_heading,
    thread_heading,
    title_heading,
)
from syncer.corpus.lines import Lines
from syncer.corpus.marker import decoder_of, read_mark
from syncer.corpus.marks import (
    CommentMark,
    DescriptionMark,
    ReviewMark,
    ThreadCommentMark,
    ThreadMark,
    comment_of,
    review_of,
    thread_comment_of,
    thread_of,
)
from syncer.corpus.render import SECTIONS
from syncer.corpus.urls import comment_url, review_url, thread_comment_url
from syncer.evidence import Connection, Coverage, Snapshot
from syncer.records import Comment, Conversation, Review, Thread, ThreadComment

__all__ = ["parse"]

T = TypeVar("T")

_description = decoder_of(DescriptionMark)
_comment = decoder_of(CommentMark)
_review = decoder_of(ReviewMark)
_thread = decoder_of(ThreadMark)
_thread_comment = decoder_of(ThreadCommentMark)


def parse(data: bytes, *, file: str | None = None, check_revision: bool = True) -> Snapshot:
    """The snapshot that `render` made `data` from.

    Raises CorpusError naming the line and what was expected there. With `check_revision` False the
    revision that the front matter states is not compared with the content; all else is checked.
    """
    lines = Lines(data, file)
    front = decode_front(lines)
    snapshot = _Reader(lines, front.url).snapshot(front)
    if check_revision and front.revision != revision_of(snapshot.conversation):
        raise CorpusError("the content does not have the revision that is stated", file=file)
    return snapshot


class _Reader:
    """Reads what follows the front matter; `url` is the pull request's address."""

    def __init__(self, lines: Lines, url: str) -> None:
        self._lines = lines
        self._url = url
        self._coverage: dict[str, Coverage] = {}

    def snapshot(self, front: FrontMatter) -> Snapshot:
        body = self._opening(front.title)
        comments = self._section(SECTIONS[1], self._comment)
        reviews = self._section(SECTIONS[2], self._review)
        threads = self._section(SECTIONS[3], self._thread)
        if not self._lines.at_end:
            raise self._lines.damage("an entry, the next section or the end of the file")
        stated = front.connections or {}
        return Snapshot(
            conversation=_conversation(front, body, comments, reviews, threads),
            connections={k: v for k, v in stated.items() if k is not Connection.THREAD_COMMENTS},
            threads=self._coverage,
        )

    def _opening(self, title: str) -> str:
        self._lines.expect("")
        self._lines.skip()
        self._lines.confirm(1, title_heading(title))
        self._lines.expect("")
        self._lines.expect(SECTIONS[0])
        return self._text(read_mark(self._lines, _description).lines)

    def _section(self, heading: str, read: Callable[[], T]) -> tuple[T, ...]:
        if not self._lines.after_blank(heading):
            return ()
        self._lines.expect("")
        self._lines.expect(heading)
        entries = [read()]
        while self._lines.after_blank("### "):
            entries.append(read())
        return tuple(entries)

    def _comment(self) -> Comment:
        self._to_marker()
        mark = read_mark(self._lines, _comment)
        self._confirm(mark, comment_heading(mark), comment_url(self._url, mark.full_database_id))
        return comment_of(mark, self._text(mark.lines))

    def _review(self) -> Review:
        self._to_marker()
        mark = read_mark(self._lines, _review)
        self._confirm(mark, review_heading(mark), review_url(self._url, mark.full_database_id))
        return review_of(mark, self._text(mark.lines))

    def _thread(self) -> Thread:
        self._to_marker()
        mark = read_mark(self._lines, _thread)
        self._lines.confirm(2, thread_heading(mark))
        if mark.coverage is not None:
            self._coverage[mark.id] = mark.coverage
        comments: list[ThreadComment] = []
        while self._lines.after_blank("#### "):
            comments.append(self._thread_comment(comments[0].diff_hunk if comments else None))
        return thread_of(mark, tuple(comments))

    def _thread_comment(self, first_hunk: str | None) -> ThreadComment:
        self._to_marker()
        mark = read_mark(self._lines, _thread_comment)
        url = thread_comment_url(self._url, mark.full_database_id)
        self._confirm(mark, comment_heading(mark, "####"), url)
        hunk = first_hunk if mark.hunk is None else self._hunk(mark.hunk)
        if hunk is None:
            raise self._lines.damage("a hunk with the first comment of a thread", back=1)
        return thread_comment_of(mark, self._text(mark.lines), hunk)

    def _to_marker(self) -> None:
        self._lines.expect("")
        self._lines.skip()  # the heading, compared as soon as the marker is known

    def _confirm(self, mark: CommentMark, heading: str, url: str | None) -> None:
        self._lines.confirm(2, heading)
        if mark.url != url:
            raise self._lines.damage("the address that follows from the database id", back=1)

    def _text(self, count: int) -> str:
        if count:
            self._lines.expect("")
        return self._lines.block(count)

    def _hunk(self, count: int) -> str:
        if not count:
            return ""
        self._lines.expect("")
        self._lines.skip()
        hunk = self._lines.block(count)
        fence = fence_for(hunk)
        self._lines.confirm(count + 1, f"{fence}diff")
        self._lines.expect(fence)
        return hunk


def _conversation(
    front: FrontMatter,
    body: str,
    comments: tuple[Comment, ...],
    reviews: tuple[Review, ...],
    threads: tuple[Thread, ...],
) -> Conversation:
    return Conversation(
        id=front.id,
        full_database_id=front.full_database_id,
        number=front.number,
        title=front.title,
        body=body,
        state=front.state,
        is_draft=front.is_draft,
        author=front.author,
        author_association=front.author_association,
        created_at=front.created_at,
        updated_at=front.updated_at,
        closed_at=front.closed_at,
        merged_at=front.merged_at,
        base_ref_name=front.base_ref_name,
        head_ref_name=front.head_ref_name,
        head_repository=front.head_repository,
        labels=front.labels,
        closing_issues=front.closing_issues,
        comments=comments,
        reviews=reviews,
        review_threads=threads,
    )
