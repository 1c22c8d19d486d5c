"""What once was and is no more: id, kind, pull request and time. Never a word of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct

from syncer.evidence import Connection, Coverage, Snapshot, Status
from syncer.records import Conversation
from syncer.stamps import from_text, to_sortable
from syncer.store.database import Database

__all__ = ["Tombstone", "Tombstones", "arrived", "departed"]

_KINDS = {
    Connection.PULL_REQUEST: "pullRequest",
    Connection.COMMENTS: "comment",
    Connection.REVIEWS: "review",
    Connection.REVIEW_THREADS: "reviewThread",
    Connection.THREAD_COMMENTS: "reviewThreadComment",
}


class Tombstone(Struct, frozen=True, kw_only=True):
    """One thing that is gone; `number` is its pull request's.

    `kind` is `pullRequest`, `comment`, `review`, `reviewThread` or `reviewThreadComment`.
    """

    id: str
    kind: str
    number: int
    gone_at: datetime


class Tombstones:
    """All of them. Writing methods belong inside a transaction of the caller's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def bury(self, number: int, gone: Mapping[str, Connection], at: datetime) -> None:
        """Note that `gone`, by id, was found missing at `at`; one noted before keeps its time."""
        await self._database.run_many(
            "INSERT OR IGNORE INTO tombstone (id, kind, number, gone_at) VALUES (?, ?, ?, ?)",
            [(id, _KINDS[name], number, to_sortable(at)) for id, name in gone.items()],
        )

    async def unbury(self, ids: Iterable[str]) -> None:
        """Take back what was noted of `ids`: they are there again."""
        await self._database.run_many(
            "DELETE FROM tombstone WHERE id = ?", [(found,) for found in ids]
        )

    async def every(self) -> list[Tombstone]:
        """All tombstones, by pull request, kind and id."""
        rows = await self._database.all(
            "SELECT id, kind, number, gone_at FROM tombstone ORDER BY number, kind, id"
        )
        return [
            Tombstone(id=id, kind=kind, number=number, gone_at=from_text(at))
            for id, kind, number, at in rows
        ]


def departed(old: Conversation, new: Snapshot) -> dict[str, Connection]:
    """By id, what `old` held and `new` proves to be gone. Pure.

    Only an exhausted connection proves that; a label or an issue goes on without the pull request.
    """
    there = dict(_entries(new.conversation))
    return {
        id: name
        for id, (name, thread) in _entries(old)
        if id not in there and _is_proven(name, thread, there.keys(), new)
    }


def arrived(old: Conversation, new: Conversation) -> list[str]:
    """The ids of what `new` holds and `old` did not. Pure."""
    there = dict(_entries(old))
    return [id for id, _ in _entries(new) if id not in there]


def _entries(of: Conversation) -> Iterator[tuple[str, tuple[Connection, str]]]:
    """Every entry with its connection, and for a thread's comment the id of the thread."""
    yield from ((entry.id, (Connection.COMMENTS, "")) for entry in of.comments)
    yield from ((entry.id, (Connection.REVIEWS, "")) for entry in of.reviews)
    for thread in of.review_threads:
        yield thread.id, (Connection.REVIEW_THREADS, "")
        yield from ((one.id, (Connection.THREAD_COMMENTS, thread.id)) for one in thread.comments)


def _is_proven(name: Connection, thread: str, there: Iterable[str], new: Snapshot) -> bool:
    if name is not Connection.THREAD_COMMENTS:
        return _exhausted(new.connections.get(name))
    if thread not in there:
        return _exhausted(new.connections.get(Connection.REVIEW_THREADS))
    return _exhausted(new.threads.get(thread))


def _exhausted(coverage: Coverage | None) -> bool:
    return coverage is not None and coverage.status is Status.EXHAUSTED
