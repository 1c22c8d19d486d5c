"""The live objects that answers are made of: one class per GraphQL type, changed by mutations.

Attributes carry GraphQL's names in snake case, which is all that the executor needs to find them.
Stamps stay text. Lists stand in their connection's natural order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

__all__ = [
    "Actor",
    "Entry",
    "Issue",
    "IssueComment",
    "Label",
    "NamedRepository",
    "Node",
    "PullRequest",
    "PullRequestReview",
    "PullRequestReviewComment",
    "PullRequestReviewThread",
    "Release",
    "Repository",
]


@dataclass(slots=True, eq=False)
class Node:
    """Anything with a node id."""

    KIND: ClassVar[str]
    database_id: int

    @property
    def kind(self) -> str:
        """The node's `__typename`."""
        return self.KIND


@dataclass(slots=True, eq=False)
class Actor(Node):
    """An account of any kind, made-up ones included."""

    KIND: ClassVar[str] = "Actor"
    login: str
    account_kind: str

    @property
    def kind(self) -> str:
        """The node's `__typename`, which may be one that no schema knows."""
        return self.account_kind


@dataclass(slots=True, eq=False)
class NamedRepository(Node):
    """A repository of which only the name is known: a fork, or the home of an issue."""

    KIND: ClassVar[str] = "Repository"
    name_with_owner: str


@dataclass(slots=True, eq=False)
class Label(Node):
    """A label of the repository."""

    KIND: ClassVar[str] = "Label"
    name: str


@dataclass(slots=True, eq=False)
class Issue(Node):
    """An issue that a pull request closes."""

    KIND: ClassVar[str] = "Issue"
    number: int
    repository: NamedRepository | Repository


@dataclass(slots=True, eq=False)
class Release(Node):
    """A release of the repository."""

    KIND: ClassVar[str] = "Release"
    tag_name: str
    name: str | None
    created_at: str
    published_at: str | None
    is_draft: bool
    is_prerelease: bool


@dataclass(slots=True, eq=False)
class Repository(NamedRepository):
    """The repository that the data set is about."""

    KIND: ClassVar[str] = "Repository"
    pull_requests: dict[int, PullRequest] = field(default_factory=dict[int, "PullRequest"])
    releases: dict[int, Release] = field(default_factory=dict[int, Release])
    labels: dict[int, Label] = field(default_factory=dict[int, Label])


@dataclass(slots=True, eq=False)
class Entry(Node):
    """What pull requests and every kind of comment have in common."""

    author: Actor | None
    author_association: str
    body: str
    created_at: str
    last_edited_at: str | None


@dataclass(slots=True, eq=False)
class PullRequest(Entry):
    """A pull request and its children."""

    KIND: ClassVar[str] = "PullRequest"
    repository: Repository
    number: int
    title: str
    state: str
    updated_at: str
    closed_at: str | None
    merged_at: str | None
    is_draft: bool
    base_ref_name: str
    head_ref_name: str
    head_repository: NamedRepository | None
    comments: list[IssueComment] = field(default_factory=list["IssueComment"])
    reviews: list[PullRequestReview] = field(default_factory=list["PullRequestReview"])
    review_threads: list[PullRequestReviewThread] = field(
        default_factory=list["PullRequestReviewThread"]
    )
    labels: list[Label] = field(default_factory=list[Label])
    closing_issues_references: list[Issue] = field(default_factory=list[Issue])


@dataclass(slots=True, eq=False)
class Said(Entry):
    """One entry of a conversation."""

    pull_request: PullRequest
    is_minimized: bool
    minimized_reason: str | None


@dataclass(slots=True, eq=False)
class IssueComment(Said):
    """A comment on the conversation."""

    KIND: ClassVar[str] = "IssueComment"


@dataclass(slots=True, eq=False)
class PullRequestReview(Said):
    """A review; PENDING ones belong to their author alone."""

    KIND: ClassVar[str] = "PullRequestReview"
    state: str
    submitted_at: str | None
    comments: list[PullRequestReviewComment] = field(
        default_factory=list["PullRequestReviewComment"]
    )


@dataclass(slots=True, eq=False)
class PullRequestReviewComment(Said):
    """A comment of a thread; PENDING ones belong to their author alone."""

    KIND: ClassVar[str] = "PullRequestReviewComment"
    state: str
    reply_to: PullRequestReviewComment | None
    pull_request_review: PullRequestReview | None
    diff_hunk: str
    thread: PullRequestReviewThread | None


@dataclass(slots=True, eq=False)
class PullRequestReviewThread(Node):
    """A thread of comments on the code."""

    KIND: ClassVar[str] = "PullRequestReviewThread"
    pull_request: PullRequest
    path: str
    subject_type: str
    diff_side: str
    original_line: int | None
    original_start_line: int | None
    line: int | None
    start_line: int | None
    is_outdated: bool
    is_resolved: bool
    resolved_by: Actor | None
    comments: list[PullRequestReviewComment] = field(
        default_factory=list["PullRequestReviewComment"]
    )
