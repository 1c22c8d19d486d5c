"""What runs leave behind: unfinished work with its next try, sinks' positions, and run records."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from syncer.stamps import from_text, to_sortable
from syncer.store.database import Database

__all__ = ["Ledger", "Queued", "RunRecord", "SinkState", "delay_of"]

_FIRST_DELAY = timedelta(hours=1)
_LONGEST_DELAY = timedelta(days=7)


class Queued(Struct, frozen=True, kw_only=True):
    """Unfinished work: why, since when, how often tried, and when next."""

    pull: str
    number: int
    reason: str
    since: datetime
    tries: int
    next_try: datetime


class SinkState(Struct, frozen=True):
    """How far a sink has taken the feed, and the token that proves it."""

    position: int
    token: str | None


class RunRecord(Struct, frozen=True, kw_only=True):
    """One run: `summary` is the JSON that the command line printed."""

    id: int
    started_at: datetime
    ended_at: datetime | None  # None: it was killed
    exit: int | None
    summary: bytes | None


def delay_of(tries: int) -> timedelta:
    """How long unfinished work rests after its n-th try: an hour, doubling up to seven days."""
    doublings = 1 << min(tries - 1, 16)
    return min(_FIRST_DELAY * doublings, _LONGEST_DELAY)


class Ledger:
    """The queue, the sinks and the runs. Writing methods belong inside a transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def queue(self, pull: str, reason: str, now: datetime) -> None:
        """Note an unfinished reading; a repeated one waits twice as long."""
        found = await self._database.one("SELECT since, tries FROM queue WHERE pull = ?", (pull,))
        since, tries = (to_sortable(now), 1) if found is None else (found[0], found[1] + 1)
        await self._database.run(
            "REPLACE INTO queue (pull, reason, since, tries, next_try) VALUES (?, ?, ?, ?, ?)",
            (pull, reason, since, tries, to_sortable(now + delay_of(tries))),
        )

    async def unqueue(self, pulls: Iterable[str]) -> None:
        """Take what was finished out of the queue."""
        await self._database.run_many(
            "DELETE FROM queue WHERE pull = ?", [(pull,) for pull in pulls]
        )

    async def due(self, now: datetime | None) -> list[str]:
        """The queued pull requests whose next try has come; all of them where `now` is None."""
        rows = await self._database.all(
            "SELECT pull FROM queue WHERE ? IS NULL OR next_try <= ?",
            (now and to_sortable(now), now and to_sortable(now)),
        )
        return [pull for (pull,) in rows]

    async def queued(self) -> list[Queued]:
        """Everything queued, by number."""
        rows = await self._database.all(
            "SELECT q.pull, p.number, q.reason, q.since, q.tries, q.next_try"
            " FROM queue q JOIN pull p ON p.id = q.pull ORDER BY p.number"
        )
        return [
            Queued(
                pull=pull,
                number=number,
                reason=reason,
                since=from_text(since),
                tries=tries,
                next_try=from_text(next_try),
            )
            for pull, number, reason, since, tries, next_try in rows
        ]

    async def sink(self, name: str) -> SinkState:
        """Where a sink stands; a new one stands before the first change, without a token."""
        found = await self._database.one("SELECT position, token FROM sink WHERE name = ?", (name,))
        return SinkState(0, None) if found is None else SinkState(*found)

    async def move_sink(self, name: str, state: SinkState) -> None:
        """Note how far a sink is durable."""
        await self._database.run(
            "REPLACE INTO sink (name, position, token) VALUES (?, ?, ?)",
            (name, state.position, state.token),
        )

    async def begin_run(self, started_at: datetime) -> int:
        """A new run record's id."""
        await self._database.run(
            "INSERT INTO run (started_at) VALUES (?)", (to_sortable(started_at),)
        )
        return await self._database.last_id()

    async def end_run(self, run: int, ended_at: datetime, status: int, summary: bytes) -> None:
        """Complete a run record."""
        await self._database.run(
            "UPDATE run SET ended_at = ?, exit = ?, summary = ? WHERE id = ?",
            (to_sortable(ended_at), status, summary, run),
        )

    async def runs(self, limit: int) -> list[RunRecord]:
        """The newest runs, newest first."""
        rows = await self._database.all(
            "SELECT id, started_at, ended_at, exit, summary FROM run ORDER BY id DESC LIMIT ?",
            (limit,),
        )
        return [
            RunRecord(
                id=run,
                started_at=from_text(started),
                ended_at=None if ended is None else from_text(ended),
                exit=status,
                summary=summary,
            )
            for run, started, ended, status, summary in rows
        ]
