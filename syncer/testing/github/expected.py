"""What a perfect reader would hold, straight from the data: for tests to compare with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from syncer import records
from syncer.testing.github.clock import instant
from syncer.testing.github.connections import visible_comments, visible_threads
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.ids import new_id
from syncer.testing.github.loading import with_ids
from syncer.testing.github.nodes import (
    Actor,
    IssueComment,
    Node,
    PullRequest,
    PullRequestReview,
    PullRequestReviewComment,
    PullRequestReviewThread,
)
from syncer.testing.github.world import World

__all__ = ["expected", "node_ids", "quotient"]

_PAGE = 100


def expected(source: Dataset | World) -> dict[int, records.Conversation]:
    """By number, the record of every pull request: complete, without drafts, in canonical order."""
    world = source if isinstance(source, World) else World(with_ids(source))
    maker = _Maker(world)
    return {number: maker.conversation(p) for number, p in world.repository.pull_requests.items()}


def node_ids(conversation: records.Conversation) -> dict[str, str]:
    """By node id the body of everything that was said, the pull request and its threads included.

    A thread has no body of its own: its id stands with its path.
    """
    threads = conversation.review_threads
    said: list[records.Comment] = [*conversation.comments, *conversation.reviews]
    said += [comment for thread in threads for comment in thread.comments]
    return {
        conversation.id: conversation.body,
        **{thread.id: thread.path for thread in threads},
        **{entry.id: entry.body for entry in said},
    }


def quotient(source: Dataset | World, viewer: str = "viewer") -> float:
    """The least that a full read can cost, in points.

    It is (pull requests + non-empty connections + overflow pages) / 100 at pages of 100; only
    `viewer`'s own drafts count, for no other is ever seen.
    """
    world = source if isinstance(source, World) else World(with_ids(source))
    pulls = world.repository.pull_requests.values()
    pages = sum(_pages(size) for pull in pulls for size in _sizes(pull, viewer))
    return (len(pulls) + pages) / 100


def _sizes(pull: PullRequest, viewer: str) -> Iterator[int]:
    yield len(pull.comments)
    yield sum(review.state != "PENDING" for review in pull.reviews)
    yield len(pull.labels)
    yield len(pull.closing_issues_references)
    threads = visible_threads(pull, viewer)
    yield len(threads)
    for thread in threads:
        yield len(visible_comments(thread.comments, viewer))


def _pages(size: int) -> int:
    return -(-size // _PAGE)


class _Maker:
    """Turns live nodes into records."""

    def __init__(self, world: World) -> None:
        self._repository = world.repository.database_id

    def conversation(self, pull: PullRequest) -> records.Conversation:
        head = pull.head_repository
        return records.in_canonical_order(
            records.Conversation(
                id=self._id(pull),
                full_database_id=pull.database_id,
                number=pull.number,
                title=pull.title,
                body=pull.body,
                state=pull.state,
                is_draft=pull.is_draft,
                author=self._actor(pull.author),
                author_association=pull.author_association,
                created_at=instant(pull.created_at),
                updated_at=instant(pull.updated_at),
                closed_at=_maybe(pull.closed_at),
                merged_at=_maybe(pull.merged_at),
                base_ref_name=pull.base_ref_name,
                head_ref_name=pull.head_ref_name,
                head_repository=None if head is None else head.name_with_owner,
                labels=tuple(records.Label(self._id(x), x.name) for x in pull.labels),
                closing_issues=tuple(
                    records.ClosingIssue(self._id(x), x.repository.name_with_owner, x.number)
                    for x in pull.closing_issues_references
                ),
                comments=tuple(self._comment(comment) for comment in pull.comments),
                reviews=tuple(self._review(r) for r in pull.reviews if r.state != "PENDING"),
                review_threads=tuple(self._threads(pull.review_threads)),
            )
        )

    def _id(self, node: Node) -> str:
        return new_id(node.kind, node.database_id, self._repository)

    def _actor(self, actor: Actor | None) -> records.Actor | None:
        return None if actor is None else records.Actor(actor.login, actor.kind, self._id(actor))

    def _comment(self, entry: IssueComment) -> records.Comment:
        return records.Comment(
            id=self._id(entry),
            full_database_id=entry.database_id,
            author=self._actor(entry.author),
            author_association=entry.author_association,
            body=entry.body,
            created_at=instant(entry.created_at),
            last_edited_at=_maybe(entry.last_edited_at),
            is_minimized=entry.is_minimized,
            minimized_reason=entry.minimized_reason,
        )

    def _review(self, entry: PullRequestReview) -> records.Review:
        return records.Review(
            id=self._id(entry),
            full_database_id=entry.database_id,
            author=self._actor(entry.author),
            author_association=entry.author_association,
            body=entry.body,
            created_at=instant(entry.created_at),
            last_edited_at=_maybe(entry.last_edited_at),
            is_minimized=entry.is_minimized,
            minimized_reason=entry.minimized_reason,
            state=entry.state,
            submitted_at=_maybe(entry.submitted_at),
        )

    def _threads(self, threads: Iterable[PullRequestReviewThread]) -> Iterator[records.Thread]:
        for thread in threads:
            said = [comment for comment in thread.comments if comment.state != "PENDING"]
            if said:
                yield self._thread(thread, said)

    def _thread(
        self, thread: PullRequestReviewThread, said: list[PullRequestReviewComment]
    ) -> records.Thread:
        return records.Thread(
            id=self._id(thread),
            path=thread.path,
            subject_type=thread.subject_type,
            diff_side=thread.diff_side,
            original_line=thread.original_line,
            original_start_line=thread.original_start_line,
            line=thread.line,
            start_line=thread.start_line,
            is_outdated=thread.is_outdated,
            is_resolved=thread.is_resolved,
            resolved_by=self._actor(thread.resolved_by),
            comments=tuple(self._said(comment) for comment in said),
        )

    def _said(self, entry: PullRequestReviewComment) -> records.ThreadComment:
        review = entry.pull_request_review
        return records.ThreadComment(
            id=self._id(entry),
            full_database_id=entry.database_id,
            author=self._actor(entry.author),
            author_association=entry.author_association,
            body=entry.body,
            created_at=instant(entry.created_at),
            last_edited_at=_maybe(entry.last_edited_at),
            is_minimized=entry.is_minimized,
            minimized_reason=entry.minimized_reason,
            reply_to=None if entry.reply_to is None else self._id(entry.reply_to),
            review=None if review is None else self._id(review),
            diff_hunk=entry.diff_hunk,
        )


def _maybe(stamp: str | None) -> datetime | None:
    return None if stamp is None else instant(stamp)
