"""One pull request as a selection holds it: who, when, and how far it is proven. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from syncer.corpus import Counts, Incomplete, LeafEntry, pull_url
from syncer.evidence import JUDGED, Connection, Status
from syncer.history.heads import Head
from syncer.records import Actor, Conversation
from syncer.repository import Repository

__all__ = ["Resolution", "Selected", "Standing", "resolution_of", "selected_of", "standings"]


class Resolution(StrEnum):
    """How a pull request was resolved."""

    MERGED = "merged"
    CLOSED_UNMERGED = "closed_unmerged"


class Standing(Struct, frozen=True, kw_only=True):
    """How far one connection was read; `expected` None: not known."""

    expected: int | None
    fetched: int
    status: Status
    reason: str | None = None


class Selected(Struct, frozen=True, kw_only=True):
    """A pull request of a selection. `judged` has the four connections that decide completeness."""

    number: int
    id: str
    url: str
    title: str | None  # None: its file is damaged
    author: Actor | None  # None: the account was deleted, or the file is damaged
    resolution: Resolution
    resolved_at: datetime
    updated_at: datetime
    revision: str
    counts: Counts
    release: str | None  # its bucket's tag; None: in the active tier
    sha256: str | None  # of its file; None: it was read live, and has none that says this
    judged: Mapping[Connection, Standing]
    named: tuple[Incomplete, ...]  # what is not whole, the connections that are not judged included
    is_behind: bool = False
    is_damaged: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether all that was said is here, as of the census."""
        whole = all(one.status is Status.EXHAUSTED for one in self.judged.values())
        return whole and not (self.is_behind or self.is_damaged)

    @property
    def is_live(self) -> bool:
        """Whether it was read in memory, past what the corpus holds."""
        return self.sha256 is None

    def evidence_status(self) -> dict[str, object]:
        """What the selection's digest says of how far it was read."""
        return {
            "connections": {name: one.status for name, one in self.judged.items()},
            "behind": self.is_behind,
            "damaged": self.is_damaged,
        }


_DAMAGED = Standing(expected=None, fetched=0, status=Status.UNKNOWN, reason="digest mismatch")
_ALL_DAMAGED: Mapping[Connection, Standing] = dict.fromkeys(JUDGED, _DAMAGED)


def resolution_of(state: str, merged_at: datetime | None) -> Resolution:
    """A stamp of merging decides, whatever the state says; then the state."""
    merged = merged_at is not None or state == "MERGED"
    return Resolution.MERGED if merged else Resolution.CLOSED_UNMERGED


def standings(counts: Counts, incomplete: tuple[Incomplete, ...]) -> dict[Connection, Standing]:
    """The judged connections by what a leaf says: what it does not name was read to its end."""
    held = {
        Connection.COMMENTS: counts.comments,
        Connection.REVIEWS: counts.reviews,
        Connection.REVIEW_THREADS: counts.review_threads,
        Connection.THREAD_COMMENTS: counts.review_thread_comments,
    }
    found = {
        name: Standing(expected=held[name], fetched=held[name], status=Status.EXHAUSTED)
        for name in JUDGED
    }
    for one in incomplete:
        if one.connection in found:
            found[one.connection] = Standing(
                expected=one.total_count, fetched=one.kept, status=one.status, reason=one.reason
            )
    return found


def selected_of(
    entry: LeafEntry,
    words: Head | Conversation | None,
    repository: Repository,
    *,
    resolved_at: datetime,
    release: str | None,
    is_behind: bool,
) -> Selected:
    """What is known of `entry`; `words` is what its file says, None where that is damaged."""
    judged: Mapping[Connection, Standing]
    if words is None:
        # Without the file, a stamp of resolution on an open pull request can only be of merging.
        resolution = resolution_of("MERGED" if entry.state == "OPEN" else entry.state, None)
        judged = dict.fromkeys(JUDGED, _DAMAGED)
    else:
        resolution = resolution_of(words.state, words.merged_at)
        judged = standings(entry.counts, entry.incomplete)
    return Selected(
        number=entry.number,
        id=entry.id,
        url=pull_url(repository, entry.number),
        title=None if words is None else words.title,
        author=None if words is None else words.author,
        resolution=resolution,
        resolved_at=resolved_at,
        updated_at=entry.updated_at,
        revision=entry.revision,
        counts=entry.counts,
        release=release,
        sha256=entry.sha256,
        judged=judged,
        named=entry.incomplete,
        is_behind=is_behind,
        is_damaged=words is None,
    )
