"""How much of every node is asked for: all of it, or what an audit compares. Pure.

The shapes of stamps are those of whole nodes with nothing where the words would stand, so that an
answer is read, and a conversation put together, by the same code as a whole one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec.json import Decoder
from msgspec.structs import asdict

from syncer.evidence import Connection
from syncer.github import wire
from syncer.github.answers import Row, StampedRow
from syncer.github.entries import utc
from syncer.github.rows import row
from syncer.github.wire import Owner, Owners
from syncer.records import Instant

__all__ = ["STAMPED", "WHOLE", "Form", "stamped_data", "stamped_row"]


class Form(NamedTuple):
    """The documents that ask, the shapes of what comes, and what makes a row of a node.

    `row` is told the names of fields that came with an error, and how many texts were repaired.
    """

    documents: Mapping[Connection, str]
    shapes: Mapping[Connection, Owners[Any]]
    row: Callable[[wire.RowNode | None, frozenset[str], int], Row | None]


WHOLE = Form(
    {
        Connection.PULL_REQUEST: "rows",
        Connection.COMMENTS: "comments",
        Connection.REVIEWS: "reviews",
        Connection.REVIEW_THREADS: "reviewThreads",
        Connection.THREAD_COMMENTS: "reviewThreadComments",
        Connection.LABELS: "labels",
        Connection.CLOSING_ISSUES: "closingIssues",
    },
    wire.OWNERS,
    row,
)
"""Everything that a record holds."""

_NEVER_ASKED = frozenset({"body", "authorAssociation"})


class CommentStamp(wire.CommentNode, frozen=True, rename="camel", kw_only=True):
    """An issue comment without its words."""

    author_association: str = ""
    body: str = ""


class ReviewStamp(wire.ReviewNode, frozen=True, rename="camel", kw_only=True):
    """A review without its words."""

    author_association: str = ""
    body: str = ""


class ThreadCommentStamp(wire.ThreadCommentNode, frozen=True, rename="camel", kw_only=True):
    """A thread's comment without its words and its code."""

    author_association: str = ""
    body: str = ""
    diff_hunk: str = ""


class RowStamp(wire.RowNode, frozen=True, rename="camel", kw_only=True):
    """A pull request without its words."""

    last_edited_at: Instant | None = None


stamped_data = Decoder(wire.RepositoryData[RowStamp])


def stamped_row(
    node: wire.RowNode | None, marked: frozenset[str] = frozenset(), repaired: int = 0
) -> StampedRow | None:
    """The row, or None where the node, or what identifies a row, is null or marked."""
    found = row(node, marked, repaired)
    if found is None:
        return None
    edited_at = node.last_edited_at if isinstance(node, RowStamp) else None
    fields = asdict(found)
    fields["unreadable"] = tuple(name for name in found.unreadable if name not in _NEVER_ASKED)
    return StampedRow(**fields, edited_at=edited_at and utc(edited_at))


STAMPED = Form(
    {
        **WHOLE.documents,  # nobody's words stand in threads, labels and closing issues
        Connection.PULL_REQUEST: "stampedRows",
        Connection.COMMENTS: "stampedComments",
        Connection.REVIEWS: "stampedReviews",
        Connection.THREAD_COMMENTS: "stampedThreadComments",
    },
    {
        **WHOLE.shapes,
        Connection.PULL_REQUEST: wire.owners(RowStamp),
        Connection.COMMENTS: wire.owners(Owner[CommentStamp]),
        Connection.REVIEWS: wire.owners(Owner[ReviewStamp]),
        Connection.THREAD_COMMENTS: wire.owners(Owner[ThreadCommentStamp]),
    },
    stamped_row,
)
"""Ids, stamps and states, and of a pull request its title: what tells that the rest has changed."""
