"""The rows of a corpus as a listing, and what in it is known not to be whole."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from syncer.corpus import (
    Counts,
    Incomplete,
    LeafEntry,
    LeafRef,
    Window,
    pull_url,
)
from syncer.evidence import JUDGED
from syncer.history.ask import meets
from syncer.history.heads import head_of
from syncer.history.look import Look
from syncer.history.lookup import Listed
from syncer.records import Actor

__all__ = ["Problem", "Row", "Rows", "State", "problems_in", "rows_in"]


class State(StrEnum):
    """How a pull request stands, by its sealed entry."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED_UNMERGED = "closed_unmerged"


class Row(Struct, frozen=True, kw_only=True):
    """One conversation of the corpus, as its manifest and the head of its file tell."""

    number: int
    id: str
    url: str
    title: str | None  # None: its file is damaged
    author: Actor | None  # None: the account was deleted, or the file is damaged
    state: State
    resolved_at: datetime | None  # None: open
    updated_at: datetime
    revision: str
    counts: Counts
    release: str | None  # its bucket's tag; None: in the active tier
    incomplete: tuple[Incomplete, ...]
    is_behind: bool

    @property
    def is_complete(self) -> bool:
        """Whether all that was said is here, by the connections that are judged."""
        lacking = any(one.connection in JUDGED for one in self.incomplete)
        return self.title is not None and not (lacking or self.is_behind)


class Rows(Struct, frozen=True, kw_only=True):
    """`rows` are some of `total`; None: a damaged manifest hides how many there are.

    `unread` are numbers that are known to exist and were never read, whatever their state.
    """

    total: int | None
    rows: tuple[Row, ...]
    unread: tuple[int, ...]


class Problem(Struct, frozen=True, kw_only=True):
    """Why one pull request is not proven whole: `unread`, `behind`, or a connection's own words."""

    number: int
    status: str
    connection: str | None = None
    reason: str | None = None


def rows_in(
    look: Look, *, state: State | None, window: Window | None, start: int, count: int
) -> Rows:
    """The rows from `start` on, `count` of them, of those in `state` and resolved in `window`.

    Ordered by number. Only the files of the rows that are returned are opened.
    """
    leaves = [leaf for leaf in look.root.leaves if window is None or meets(leaf, window)]
    found = sorted(_matching(look, leaves, state, window), key=lambda one: one.entry.number)
    hidden = any(leaf.path in look.misfits for leaf in leaves)
    return Rows(
        total=None if hidden else len(found),
        rows=tuple(_row(look, one) for one in found[start : start + count]),
        unread=() if look.census is None else look.census.unread,
    )


def problems_in(look: Look) -> tuple[Problem, ...]:
    """What is known not to be whole, ordered by number."""
    found = [
        Problem(
            number=entry.number,
            status=one.status,
            connection=one.connection,
            reason=one.reason,
        )
        for leaf in look.root.leaves
        if leaf.incomplete
        for entry in look.entries(leaf)
        for one in entry.incomplete
    ]
    if look.census is not None:
        found += [Problem(number=number, status="unread") for number in look.census.unread]
        found += [Problem(number=number, status="behind") for number in look.census.behind]
    return tuple(sorted(found, key=lambda one: one.number))


def state_of(entry: LeafEntry) -> State:
    """How `entry` stands. A stamp of resolution on an open one can only be of merging."""
    if entry.resolved_at is None:
        return State.OPEN
    return State.CLOSED_UNMERGED if entry.state == "CLOSED" else State.MERGED


def _matching(
    look: Look, leaves: list[LeafRef], state: State | None, window: Window | None
) -> Iterator[Listed]:
    for leaf in leaves:
        for entry in look.entries(leaf):
            if state is not None and state_of(entry) is not state:
                continue
            if window is None or (entry.resolved_at is not None and entry.resolved_at in window):
                yield Listed(entry, leaf.release)


def _row(look: Look, listed: Listed) -> Row:
    entry = listed.entry
    data = look.file(entry, listed.release)
    head = None if data is None else head_of(data)
    return Row(
        number=entry.number,
        id=entry.id,
        url=pull_url(look.root.repository, entry.number),
        title=None if head is None else head.title,
        author=None if head is None else head.author,
        state=state_of(entry),
        resolved_at=entry.resolved_at,
        updated_at=entry.updated_at,
        revision=entry.revision,
        counts=entry.counts,
        release=listed.release,
        incomplete=entry.incomplete,
        is_behind=look.census is not None and entry.number in look.census.behind,
    )
