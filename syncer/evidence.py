"""What was read of one connection, and what follows from it.

`Evidence` is what the reader of one viewer saw; it lives in the store. `Coverage` is the same net
of drafts, equal for every viewer; it stands in the corpus beside the words it is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from syncer.records import Conversation

__all__ = [
    "FIRST_LEVEL",
    "JUDGED",
    "UNKNOWN",
    "Connection",
    "Coverage",
    "Evidence",
    "Snapshot",
    "Status",
    "aggregate",
    "coverage_of",
    "is_complete",
]


class Connection(StrEnum):
    """The connections of a conversation; `PULL_REQUEST` stands for its own scalar fields."""

    PULL_REQUEST = "pullRequest"
    COMMENTS = "comments"
    REVIEWS = "reviews"
    REVIEW_THREADS = "reviewThreads"
    THREAD_COMMENTS = "reviewThreadComments"
    LABELS = "labels"
    CLOSING_ISSUES = "closingIssues"


FIRST_LEVEL = (
    Connection.COMMENTS,
    Connection.REVIEWS,
    Connection.REVIEW_THREADS,
    Connection.LABELS,
    Connection.CLOSING_ISSUES,
)
"""The connections that hang on the pull request itself, in the order in which files name them."""

JUDGED = (
    Connection.COMMENTS,
    Connection.REVIEWS,
    Connection.REVIEW_THREADS,
    Connection.THREAD_COMMENTS,
)
"""The connections that decide whether a conversation was read whole (BIRDVIEW: Envelope)."""


class Status(StrEnum):
    """How far one connection was read (DESIGN: Vocabulary). Only `EXHAUSTED` is complete."""

    EXHAUSTED = "exhausted"
    SHORT = "short"
    CUT = "cut"
    UNKNOWN = "unknown"


_WORST_FIRST = (Status.CUT, Status.UNKNOWN, Status.SHORT, Status.EXHAUSTED)


class Evidence(Struct, frozen=True, rename="camel", kw_only=True):
    """What was read of the connection `name` of node `owner`.

    kept + left_out + unreadable is what the pages held, `total_count` what the last page claimed.
    """

    owner: str
    name: Connection
    total_count: int | None  # None: GitHub gave no count (a null connection, an older tool's file)
    kept: int
    left_out: int = 0  # drafts of the viewer, or threads of nothing else
    unreadable: int = 0  # entries that came as null
    repaired: int = 0  # lone surrogates that became U+FFFD
    has_next_page: bool | None = None
    end_cursor: str | None = None  # None: an empty connection, or evidence that came by file
    status: Status
    reason: str | None = None
    read_at: datetime | None = None  # the server's clock; None: evidence that came by file


class Coverage(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """Evidence net of drafts: what every viewer with the same rights would find."""

    total_count: int | None
    kept: int
    has_next_page: bool | None
    status: Status
    reason: str | None = None
    repaired: int = 0


class Snapshot(Struct, frozen=True, kw_only=True):
    """A conversation with the proof of how far it was read: what one file of the corpus holds.

    `connections` has an entry for each of `FIRST_LEVEL`, and one for `PULL_REQUEST` only where a
    scalar field could not be read; `threads` has one per thread of the conversation, by thread id.
    A missing entry means unknown, never empty.
    """

    conversation: Conversation
    connections: Mapping[Connection, Coverage]
    threads: Mapping[str, Coverage]

    def judged(self) -> dict[Connection, Coverage]:
        """Coverage by connection, the comments of all threads as one; absent ones as unknown."""
        found = {name: self.connections.get(name, UNKNOWN) for name in FIRST_LEVEL}
        threads = self.conversation.review_threads
        found[Connection.THREAD_COMMENTS] = aggregate(
            [self.threads.get(thread.id, UNKNOWN) for thread in threads],
            found[Connection.REVIEW_THREADS],
        )
        if (row := self.connections.get(Connection.PULL_REQUEST)) is not None:
            found[Connection.PULL_REQUEST] = row
        return found


UNKNOWN = Coverage(total_count=None, kept=0, has_next_page=None, status=Status.UNKNOWN)
"""Coverage of what nothing is told of."""


def coverage_of(evidence: Evidence) -> Coverage:
    """The part of `evidence` that does not depend on who was reading."""
    total = evidence.total_count
    return Coverage(
        total_count=None if total is None else total - evidence.left_out,
        kept=evidence.kept,
        has_next_page=evidence.has_next_page,
        status=evidence.status,
        reason=evidence.reason,
        repaired=evidence.repaired,
    )


def aggregate(parts: Iterable[Coverage], parent: Coverage) -> Coverage:
    """One coverage over the comments of all threads.

    The status is the worst of the parts. Where the threads themselves were not all read, nothing
    is known of the comments of the missing ones: the total is then None and the status no better
    than the parent's.
    """
    found = list(parts)
    worst = _worst([part.status for part in found] + _inherited(parent.status))
    totals = [part.total_count for part in found]
    known = parent.status is Status.EXHAUSTED and None not in totals
    more = [part.has_next_page for part in found]
    return Coverage(
        total_count=sum(total or 0 for total in totals) if known else None,
        kept=sum(part.kept for part in found),
        has_next_page=None if None in more else any(more),
        status=worst,
        reason=next((p.reason for p in found if p.status is worst and p.reason), None),
        repaired=sum(part.repaired for part in found),
    )


def is_complete(connections: Iterable[Coverage]) -> bool:
    """Whether every one of `connections` was read to its last node."""
    return all(coverage.status is Status.EXHAUSTED for coverage in connections)


def _worst(statuses: list[Status]) -> Status:
    return min(statuses, key=_WORST_FIRST.index, default=Status.EXHAUSTED)


def _inherited(parent: Status) -> list[Status]:
    # Threads that could not be read may hold comments: their aggregate cannot be complete either.
    return [] if parent is Status.EXHAUSTED else [parent]
