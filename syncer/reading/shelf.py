"""Where a wave keeps what it reads. The store is one such place; memory is another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from syncer.census.known import Why
from syncer.evidence import Evidence, Snapshot
from syncer.github.answers import PageRead, Row
from syncer.reading.frontier import Item
from syncer.reading.staged import Staged

__all__ = ["Commit", "Readings", "Records", "Shelf", "StagedItems", "Stored", "Unfinished"]


class Commit(Struct, frozen=True, kw_only=True):
    """A conversation ready to be stored. `read_at` None: it came from a corpus, not from GitHub."""

    snapshot: Snapshot
    evidence: tuple[Evidence, ...]
    bucket: str | None
    read_at: datetime | None
    settled: bool


class Stored(Struct, frozen=True, kw_only=True):
    """What deciding about a new reading needs of the stored one."""

    digest: str
    bucket: str | None
    evidence: tuple[Evidence, ...]


class StagedItems(Protocol):
    """What is under way: items, their pages, and the evidence of those that have ended."""

    async def add(self, items: Iterable[Item]) -> None:
        """Add items; one that is there already is left as it is."""
        ...

    async def stage(self, turns: Iterable[tuple[Item, PageRead]]) -> None:
        """Keep pages, each with the item as it stands after its page."""
        ...

    async def end(self, ended: Iterable[tuple[Item, Evidence]]) -> None:
        """Note the evidence of connections that ended, or were given up."""
        ...

    async def restart(self, items: Iterable[Item]) -> None:
        """Forget the pages of connections, which begin again with the `doubt` of their items."""
        ...

    async def drop(self, pulls: Iterable[str]) -> None:
        """Forget everything staged of `pulls`."""
        ...

    async def of(self, pulls: Sequence[str]) -> dict[str, list[Staged]]:
        """Everything staged of each of `pulls`, none of them absent."""
        ...

    async def pulls(self) -> set[str]:
        """The pull requests of which something is under way."""
        ...


class Readings(Protocol):
    """What is known of pull requests beside their conversations."""

    async def see(self, rows: Iterable[tuple[Row, Why]], date: datetime, walk: int) -> None:
        """Take full rows read at `date`."""
        ...

    async def forget_rows(self, ids: Iterable[str]) -> None:
        """Drop the full rows of `ids`, so that a fresh one is asked for."""
        ...

    async def done(self, ids: Iterable[str]) -> None:
        """Mark `ids` as read."""
        ...


class Unfinished(Protocol):
    """What must be tried again later."""

    async def queue(self, pull: str, reason: str, now: datetime) -> None:
        """Note an unfinished reading."""
        ...

    async def unqueue(self, pulls: Iterable[str]) -> None:
        """Take out what was finished."""
        ...


class Records(Protocol):
    """The finished conversations."""

    async def stored(self, pulls: Sequence[str]) -> dict[str, Stored]:
        """The stored side of a decision about each of `pulls`; those not stored are absent."""
        ...

    async def commit(self, commits: Sequence[tuple[Commit, Stored | None]]) -> None:
        """Keep conversations, each in the place of what was stored of it."""
        ...


class Shelf(Protocol):
    """All of it together."""

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """What is done inside is kept together or not at all."""
        ...

    @property
    def frontier(self) -> StagedItems:
        """What is under way."""
        ...

    @property
    def pulls(self) -> Readings:
        """What is known of pull requests."""
        ...

    @property
    def ledger(self) -> Unfinished:
        """What must be tried again."""
        ...

    @property
    def conversations(self) -> Records:
        """What is finished."""
        ...
