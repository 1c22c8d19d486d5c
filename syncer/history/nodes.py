"""Finding one entry of a conversation by what a citation can carry. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from syncer.corpus import Kind
from syncer.records import Comment, Conversation, Thread

__all__ = ["NodeKind", "NodeRef", "by_database_id", "by_id", "nodes_of"]


class NodeKind(StrEnum):
    """What a node is."""

    PULL = "pull"
    COMMENT = "comment"
    REVIEW = "review"
    THREAD = "thread"
    THREAD_COMMENT = "threadComment"


class NodeRef(Struct, frozen=True, kw_only=True):
    """A node of a conversation; `thread` is the thread that a thread's comment stands in."""

    kind: NodeKind
    id: str
    full_database_id: int | None = None
    thread: str | None = None


_BY_ADDRESS = {
    Kind.COMMENT: NodeKind.COMMENT,
    Kind.REVIEW: NodeKind.REVIEW,
    Kind.THREAD_COMMENT: NodeKind.THREAD_COMMENT,
}


def nodes_of(conversation: Conversation) -> Iterator[NodeRef]:
    """The pull request itself, then every entry, in the order of the file."""
    yield NodeRef(
        kind=NodeKind.PULL, id=conversation.id, full_database_id=conversation.full_database_id
    )
    for comment in conversation.comments:
        yield _entry(NodeKind.COMMENT, comment)
    for review in conversation.reviews:
        yield _entry(NodeKind.REVIEW, review)
    for thread in conversation.review_threads:
        yield from _thread(thread)


def by_id(conversation: Conversation, node: str) -> NodeRef | None:
    """The node with the id `node`, or None."""
    return next((one for one in nodes_of(conversation) if one.id == node), None)


def by_database_id(conversation: Conversation, kind: Kind, database_id: int) -> NodeRef | None:
    """The entry that an address of `kind` with that number points at, or None."""
    wanted = _BY_ADDRESS.get(kind)
    return next(
        (
            one
            for one in nodes_of(conversation)
            if one.kind == wanted and one.full_database_id == database_id
        ),
        None,
    )


def _thread(thread: Thread) -> Iterator[NodeRef]:
    yield NodeRef(kind=NodeKind.THREAD, id=thread.id)
    for comment in thread.comments:
        yield NodeRef(
            kind=NodeKind.THREAD_COMMENT,
            id=comment.id,
            full_database_id=comment.full_database_id,
            thread=thread.id,
        )


def _entry(kind: NodeKind, entry: Comment) -> NodeRef:
    return NodeRef(kind=kind, id=entry.id, full_database_id=entry.full_database_id)
