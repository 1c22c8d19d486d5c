"""What the engine asks GitHub for, and what it is told: no GraphQL on this side of the door.

Every answer carries `date`, the server's clock at the moment of answering: watermarks and
settledness are judged by it, never by the local clock.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from msgspec import Struct

from syncer.evidence import Connection
from syncer.records import Actor, ClosingIssue, Comment, Instant, Label, Thread
from syncer.repository import Release

__all__ = [
    "Answer",
    "BatchAnswer",
    "ChangeRow",
    "Entry",
    "Fault",
    "Listing",
    "Opening",
    "PageRead",
    "Part",
    "Row",
    "StampedRow",
    "Totals",
]

Entry = Comment | Thread | Label | ClosingIssue
"""One node of a connection; `Comment` includes reviews and thread comments. Threads come empty."""

T = TypeVar("T")


class Totals(Struct, frozen=True, rename="camel", kw_only=True):
    """Bare totals of a pull request's connections. None: GitHub gave none, which proves nothing.

    `closing_issues` is None on every row of a server whose schema lacks the field.
    """

    comments: int | None
    reviews: int | None
    review_threads: int | None
    labels: int | None
    closing_issues: int | None


class ChangeRow(Struct, frozen=True, rename="camel", kw_only=True):
    """A light census row: enough to see that a pull request changed."""

    id: str
    number: int
    state: str
    created_at: Instant
    updated_at: Instant
    closed_at: Instant | None
    merged_at: Instant | None
    totals: Totals


class Row(ChangeRow, frozen=True, rename="camel", kw_only=True):
    """A full census row: all scalar fields of a conversation.

    `unreadable` names fields (GitHub's names) that came with an error instead of a value; each of
    them holds None, or "" where a record wants text.
    """

    full_database_id: int | None
    title: str
    body: str
    is_draft: bool
    author: Actor | None
    author_association: str
    base_ref_name: str
    head_ref_name: str
    head_repository: str | None
    unreadable: tuple[str, ...] = ()
    repaired: int = 0


class StampedRow(Row, frozen=True, rename="camel", kw_only=True):
    """A row as an audit asks for it: `body` and `author_association` are "", never asked for.

    `edited_at` is when the description was edited last; None: never, or the server does not tell.
    It serves comparison; what is stored comes from a whole row.
    """

    edited_at: Instant | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """What every answer tells beside its data."""

    date: Instant  # the server's clock
    cost: int  # points billed, as GitHub reported them; 0 where it tracks none


class Listing(Answer, Generic[T], frozen=True, kw_only=True):
    """One page of a repository's releases or pull requests.

    `unreadable` counts null nodes: a listing with one is not proof of completeness.
    """

    items: tuple[T, ...]
    total_count: int
    has_next_page: bool
    end_cursor: str | None
    unreadable: int = 0


class Opening(Answer, frozen=True, kw_only=True):
    """The first answer of a run."""

    repository_id: str
    name: str  # owner/name as GitHub spells it today
    web_url: str  # the site, without a slash at the end
    releases: Listing[Release]
    changes: Listing[ChangeRow]


class Part(Struct, frozen=True, kw_only=True):
    """One part of a batch: the same page of the connection `name` of each owner in `ids`.

    `name` PULL_REQUEST asks for full rows instead, without `first` and `after`. `after` goes with
    a single id only.
    """

    name: Connection
    ids: tuple[str, ...]
    first: int = 100
    after: str | None = None

    @property
    def connections(self) -> int:
        """What GitHub bills for this part, in hundredths of a point."""
        return 0 if self.name is Connection.PULL_REQUEST else len(self.ids)


class PageRead(Struct, frozen=True, kw_only=True):
    """One page of one connection, as read. len(nodes) + left_out + unreadable is what it held.

    `total_count` None: the whole connection came as null. `child_totals` gives, for reviews and
    threads, the bare total of each node's own comments by node id.
    """

    owner: str
    name: Connection
    pull: str
    updated_at: Instant
    total_count: int | None
    has_next_page: bool
    end_cursor: str | None
    nodes: tuple[Entry, ...]
    left_out: int = 0
    unreadable: int = 0
    repaired: int = 0
    child_totals: dict[str, int | None] = {}


class Fault(Struct, frozen=True, kw_only=True):
    """Why one id of a part has no page.

    `reason` is one of `not_found`, `forbidden`, `too_heavy`, `cursor_refused`, `cursor_stuck`
    (GitHub claims more but gives no new cursor), `unreadable` (null, or of a wrong shape),
    `unsupported` (the server's schema lacks the connection: it was not asked for).
    `transient` faults may vanish when asked again.
    """

    owner: str
    name: Connection
    reason: str
    transient: bool = False


class BatchAnswer(Answer, frozen=True, kw_only=True):
    """For every id of every part exactly one of: a page, a row (`PULL_REQUEST`), a fault."""

    pages: tuple[PageRead, ...]
    rows: tuple[Row, ...]
    faults: tuple[Fault, ...]
