"""The shapes of GitHub's answers, and decoders for them, built once.

What an error can put null into is allowed to be null here; `normalise` decides what that means.
Fields with a default are those that an older server may lack (`syncer.github.lacks`).
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.json import Decoder

from syncer.evidence import Connection
from syncer.records import Instant

__all__ = [
    "OWNERS",
    "Account",
    "Batch",
    "ChangeNode",
    "ClosingIssueNode",
    "CommentNode",
    "Envelope",
    "GraphError",
    "LabelNode",
    "OpeningData",
    "Owner",
    "Owners",
    "Page",
    "Price",
    "ReleaseNode",
    "RepositoryData",
    "ReviewNode",
    "RowNode",
    "ThreadCommentNode",
    "ThreadNode",
    "Total",
    "batch_data",
    "census_data",
    "changes_data",
    "envelope",
    "opening_data",
    "owners",
    "price_data",
    "releases_data",
]


class GraphError(Struct, frozen=True):
    """One entry of `errors`. GitHub leaves out any of these at times."""

    message: str | None = None
    type: str | None = None
    path: tuple[str | int, ...] | None = None
    extensions: dict[str, Any] | None = None
    code: str | int | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Everything that names the kind of this error, in upper case."""
        return (*_names(self.type), *self.codes)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes alone, which GitHub gives to what is wrong with a document."""
        return _names(self.code, (self.extensions or {}).get("code"))


def _names(*kinds: object) -> tuple[str, ...]:
    named = (str(kind).upper() for kind in kinds if kind)
    return tuple(kind for kind in named if kind.isidentifier())


class Envelope(Struct, frozen=True):
    """Any JSON object that GitHub answers with; `message` stands in refusals."""

    data: Raw = Raw(b"null")
    errors: tuple[GraphError, ...] | None = None
    message: str | None = None

    @property
    def has_data(self) -> bool:
        """Whether there is anything under `data`."""
        with memoryview(self.data) as data:
            return bytes(data[:5]) not in (b"null", b"{}")


class Price(Struct, frozen=True, rename="camel"):
    """What GitHub billed for the answer that this stands in."""

    cost: int = 0


class Turn(Struct, frozen=True, rename="camel"):
    """Where the next page begins."""

    has_next_page: bool
    end_cursor: str | None = None  # None: an empty connection has no cursor


class Total(Struct, frozen=True, rename="camel"):
    """A bare total, which costs nothing."""

    total_count: int | None = None


class Account(Struct, frozen=True, rename="camel"):
    """Any kind of account; `kind` is `__typename`."""

    kind: str = field(name="__typename")
    login: str
    id: str | None = None


class Ref(Struct, frozen=True):
    """A node named by its id alone."""

    id: str


class Named(Struct, frozen=True, rename="camel"):
    """A repository by its full name."""

    name_with_owner: str


class CommentNode(Struct, frozen=True, rename="camel", kw_only=True):
    """An issue comment, and what all entries have in common."""

    id: str
    full_database_id: int | str | None = None  # a BigInt travels as text or as a number
    author: Account | None
    author_association: str
    body: str
    created_at: Instant
    last_edited_at: Instant | None = None
    is_minimized: bool = False
    minimized_reason: str | None = None


class ReviewNode(CommentNode, frozen=True, rename="camel", kw_only=True):
    """A review with the bare total of its comments."""

    state: str
    submitted_at: Instant | None = None
    comments: Total | None = None


class ThreadCommentNode(CommentNode, frozen=True, rename="camel", kw_only=True):
    """A comment of a review thread."""

    state: str
    reply_to: Ref | None = None
    review: Ref | None = field(name="pullRequestReview", default=None)
    diff_hunk: str


class ThreadNode(Struct, frozen=True, rename="camel", kw_only=True):
    """A review thread with the bare total of its comments."""

    id: str
    path: str
    subject_type: str | None = None
    diff_side: str
    original_line: int | None = None
    original_start_line: int | None = None
    line: int | None = None
    start_line: int | None = None
    is_outdated: bool
    is_resolved: bool
    resolved_by: Account | None = None
    comments: Total | None = None


class LabelNode(Struct, frozen=True):
    """A label."""

    id: str
    name: str


class ClosingIssueNode(Struct, frozen=True):
    """An issue that merging closes."""

    id: str
    number: int
    repository: Named


class ReleaseNode(Struct, frozen=True, rename="camel", kw_only=True):
    """A release; a draft has no time of publication."""

    id: str
    tag_name: str
    published_at: Instant | None  # None: a draft
    is_draft: bool
    is_prerelease: bool


class ChangeNode(Struct, frozen=True, rename="camel", kw_only=True):
    """A pull request's row. Null in a field that has no null of its own comes with an error."""

    id: str | None = None
    number: int | None = None
    state: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    closed_at: Instant | None = None
    merged_at: Instant | None = None
    comments: Total | None = None
    reviews: Total | None = None
    review_threads: Total | None = None
    labels: Total | None = None
    closing_issues: Total | None = None


class RowNode(ChangeNode, frozen=True, rename="camel", kw_only=True):
    """All scalar fields of a pull request."""

    full_database_id: int | str | None = None
    title: str | None = None
    body: str | None = None
    is_draft: bool | None = None
    author: Account | None = None
    author_association: str | None = None
    base_ref_name: str | None = None
    head_ref_name: str | None = None
    head_repository: Named | None = None


N = TypeVar("N")


class Page(Struct, Generic[N], frozen=True, rename="camel"):
    """One page of any connection. Each part of it can be null beside an error."""

    total_count: int | None = None
    page_info: Turn | None = None
    nodes: tuple[N | None, ...] | None = None


class PullRef(Struct, frozen=True, rename="camel"):
    """The pull request that a thread belongs to."""

    id: str
    updated_at: Instant


class Owner(Struct, Generic[N], frozen=True, rename="camel", kw_only=True):
    """The node that a connection hangs on: a pull request, or a thread with its `pull_request`.

    `connection` is unset for a node of another type than was expected.
    """

    id: str | None = None
    updated_at: Instant | None = None
    pull_request: PullRef | None = None
    connection: Page[N] | UnsetType | None = UNSET


class Listed(Struct, Generic[N], frozen=True, rename="camel"):
    """A repository as a node, with whichever of its connections was asked for."""

    pull_requests: Page[N] | None = None
    releases: Page[ReleaseNode] | None = None
    labels: Page[LabelNode] | None = None


class RepositoryData(Struct, Generic[N], frozen=True, rename="camel"):
    """`data` of a question about a repository that is known by its id."""

    node: Listed[N] | None = None
    rate_limit: Price | None = None  # None: the server tracks no limit


class OpeningRepository(Struct, frozen=True, rename="camel"):
    """The repository as the opening asks for it."""

    id: str
    name_with_owner: str
    url: str
    releases: Page[ReleaseNode] | None
    pull_requests: Page[ChangeNode] | None


class OpeningData(Struct, frozen=True, rename="camel"):
    """`data` of the opening."""

    repository: OpeningRepository | None = None
    rate_limit: Price | None = None


Batch = dict[str, Raw]


class Owners(Struct, Generic[N], frozen=True):
    """How one alias of a batch is read: at once, or entry by entry where one does not fit."""

    whole: Decoder[tuple[N | None, ...]]
    parts: Decoder[tuple[Raw, ...]]
    entry: Decoder[N | None]


def owners(shape: type[N]) -> Owners[N]:
    """Decoders for the owners of connections of `shape`, or for nodes of that shape themselves."""
    # The types are made when the program runs, which no checker can follow.
    entry: Any = shape | None
    return Owners(
        whole=Decoder(tuple.__class_getitem__((entry, ...))),
        parts=Decoder(tuple[Raw, ...]),
        entry=Decoder(entry),
    )


OWNERS: dict[Connection, Owners[Any]] = {
    Connection.PULL_REQUEST: owners(RowNode),
    Connection.COMMENTS: owners(Owner[CommentNode]),
    Connection.REVIEWS: owners(Owner[ReviewNode]),
    Connection.REVIEW_THREADS: owners(Owner[ThreadNode]),
    Connection.THREAD_COMMENTS: owners(Owner[ThreadCommentNode]),
    Connection.LABELS: owners(Owner[LabelNode]),
    Connection.CLOSING_ISSUES: owners(Owner[ClosingIssueNode]),
}

envelope = Decoder(Envelope)
opening_data = Decoder(OpeningData)
releases_data = Decoder(RepositoryData[ChangeNode])
census_data = Decoder(RepositoryData[RowNode])
changes_data = Decoder(RepositoryData[ChangeNode])
batch_data = Decoder(Batch)
price_data = Decoder(Price | None)
