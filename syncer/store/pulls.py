"""The known pull requests: the newest row of each, and which of them must be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from syncer.census.known import Known, Wanted, Why, by_connection
from syncer.evidence import FIRST_LEVEL, Connection
from syncer.github.answers import ChangeRow, Row, Totals
from syncer.stamps import from_text, to_sortable
from syncer.store.database import Database

__all__ = ["Pulls", "Vanished"]

_row = msgspec.json.Decoder(Row)
_claims = msgspec.json.Decoder(Totals)
_FIRST_LEVEL = ", ".join(f"'{name}'" for name in FIRST_LEVEL)


class Vanished(Struct, frozen=True):
    """A pull request that a complete full walk lacked; in `runs` runs its id was not found."""

    id: str
    number: int
    runs: int


class Pulls:
    """Census rows. Writing methods belong inside a transaction of the caller's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def known(self, ids: Sequence[str]) -> dict[str, Known]:
        """What is known of each of `ids`; unknown ones are absent."""
        marks = ", ".join("?" * len(ids))
        totals = await self._totals(marks, ids)
        rows = await self._database.all(
            "SELECT p.id, p.updated_at, p.wanted, c.updated_at, p.state, c.settled,"  # noqa: S608
            " p.totals, p.id IN (SELECT pull FROM queue)"
            " FROM pull p LEFT JOIN conversation c ON c.pull = p.id"
            f" WHERE p.id IN ({marks})",
            ids,
        )
        return {
            pull: Known(
                updated_at=from_text(updated_at),
                wanted=None if wanted is None else Why(wanted),
                read=None if read is None else from_text(read),
                state=state,
                settled=bool(settled),
                queued=bool(queued),
                totals=totals.get(pull, {}),
                claims=by_connection(_claims.decode(claims)),
            )
            for pull, updated_at, wanted, read, state, settled, claims, queued in rows
        }

    async def _totals(self, marks: str, ids: Sequence[str]) -> dict[str, dict[Connection, int]]:
        """Totals with the reader's own drafts counted; evidence that came by file lacks those."""
        found: dict[str, dict[Connection, int]] = {}
        rows = await self._database.all(
            "SELECT pull, name, total_count FROM evidence"  # noqa: S608
            f" WHERE pull IN ({marks}) AND name IN ({_FIRST_LEVEL}) AND total_count IS NOT NULL"
            " AND (read_at IS NOT NULL OR name <> 'reviewThreads')",
            ids,
        )
        for pull, name, total in rows:
            found.setdefault(pull, {})[Connection(name)] = total
        return found

    async def see(
        self, rows: Iterable[tuple[ChangeRow, Why | None]], date: datetime, walk: int
    ) -> None:
        """Take census rows read at `date`, each with why it must be read.

        An older row than the one known changes nothing but that it was seen by full walk `walk`
        (0: not by one). A row newer than a reading under way ends that reading.
        """
        found = list(rows)
        await self._database.run_many(
            "INSERT INTO pull (id, number, updated_at, state, totals, wanted, row, row_date, seen)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET"
            "  row = CASE WHEN excluded.row IS NOT NULL AND excluded.updated_at >= updated_at"
            "   THEN excluded.row WHEN excluded.updated_at > updated_at THEN NULL ELSE row END,"
            "  row_date = CASE WHEN excluded.row IS NOT NULL AND excluded.updated_at >= updated_at"
            "   THEN excluded.row_date ELSE row_date END,"
            "  state = CASE WHEN excluded.updated_at >= updated_at"
            "   THEN excluded.state ELSE state END,"
            "  totals = CASE WHEN excluded.updated_at >= updated_at"
            "   THEN excluded.totals ELSE totals END,"
            "  number = excluded.number,"
            "  wanted = CASE WHEN excluded.updated_at >= updated_at"
            "   THEN excluded.wanted ELSE wanted END,"
            "  seen = max(seen, excluded.seen),"
            "  vanished = 0,"
            "  updated_at = max(updated_at, excluded.updated_at)",
            [_values(row, reason, date, walk) for row, reason in found],
        )

    async def wanted(self, limit: int) -> list[Wanted]:
        """Up to `limit` pull requests to be read, those under way first, then by number."""
        rows = await self._database.all(
            "SELECT id, number, updated_at, wanted, row, row_date FROM pull"
            " WHERE wanted IS NOT NULL"
            " ORDER BY id IN (SELECT pull FROM frontier) DESC, number LIMIT ?",
            (limit,),
        )
        return [
            Wanted(
                pull,
                number,
                from_text(updated_at),
                Why(reason),
                None if row is None else _row.decode(row),
                None if row_date is None else from_text(row_date),
            )
            for pull, number, updated_at, reason, row, row_date in rows
        ]

    async def want(self, ids: Iterable[str], reason: Why) -> None:
        """Have `ids` read, unless they already are to be."""
        await self._database.run_many(
            "UPDATE pull SET wanted = ? WHERE id = ? AND wanted IS NULL",
            [(reason.value, pull) for pull in ids],
        )

    async def forget_rows(self, ids: Iterable[str]) -> None:
        """Drop the full rows of `ids`, so that a fresh one is asked for."""
        await self._database.run_many(
            "UPDATE pull SET row = NULL WHERE id = ?", [(pull,) for pull in ids]
        )

    async def done(self, ids: Iterable[str]) -> None:
        """Mark `ids` as read."""
        await self._database.run_many(
            "UPDATE pull SET wanted = NULL, row = NULL WHERE id = ?", [(pull,) for pull in ids]
        )

    async def ids(self, numbers: Sequence[int]) -> dict[int, str]:
        """The ids of the known ones among `numbers`."""
        marks = ", ".join("?" * len(numbers))
        rows = await self._database.all(
            f"SELECT number, id FROM pull WHERE number IN ({marks})",  # noqa: S608
            numbers,
        )
        return dict(rows)

    async def want_all(self, reason: Why) -> None:
        """Have every known pull request read again."""
        await self._database.run("UPDATE pull SET wanted = ? WHERE wanted IS NULL", (reason.value,))

    async def want_unsettled(self, watermark: datetime) -> None:
        """Have read again what was read too soon after its last change, and lies below `watermark`.

        No walk meets it there; a run that went on after a kill may have stored it. What is queued
        waits for its own time.
        """
        await self._database.run(
            "UPDATE pull SET wanted = ? WHERE wanted IS NULL AND id IN"
            " (SELECT pull FROM conversation WHERE settled = 0 AND updated_at < ?)"
            " AND id NOT IN (SELECT pull FROM queue)",
            (Why.UNSETTLED.value, to_sortable(watermark)),
        )

    async def count(self) -> int:
        """How many distinct pull requests are known and not vanished."""
        return await self._count("SELECT count(*) FROM pull WHERE vanished = 0")

    async def count_told(self) -> int:
        """How many the census tells of: known and not vanished, or stored and not yet removed."""
        return await self._count(
            "SELECT count(*) FROM pull WHERE vanished = 0 OR id IN (SELECT pull FROM conversation)"
        )

    async def count_seen(self, walk: int) -> int:
        """How many distinct pull requests full walk `walk` met."""
        return await self._count("SELECT count(*) FROM pull WHERE seen = ?", (walk,))

    async def count_wanted(self) -> int:
        """How many pull requests are to be read."""
        return await self._count("SELECT count(*) FROM pull WHERE wanted IS NOT NULL")

    async def _count(self, sql: str, values: Sequence[object] = ()) -> int:
        found = await self._database.one(sql, values)
        return 0 if found is None else int(found[0])

    async def suspect_unseen(self, walk: int) -> None:
        """Mark what complete full walk `walk` did not meet as possibly vanished."""
        await self._database.run(
            "UPDATE pull SET vanished = 1 WHERE seen < ? AND vanished = 0", (walk,)
        )

    async def want_unseen(self, walk: int, reason: Why) -> None:
        """Have read by its id what full walk `walk` did not meet though it may be there."""
        await self._database.run(
            "UPDATE pull SET wanted = ? WHERE seen < ? AND vanished = 0 AND wanted IS NULL",
            (reason.value, walk),
        )

    async def suspect(self, ids: Iterable[str]) -> None:
        """Mark what another complete walk did not meet as possibly vanished."""
        await self._database.run_many(
            "UPDATE pull SET vanished = 1 WHERE id = ? AND vanished = 0",
            [(pull,) for pull in ids],
        )

    async def vanished(self) -> list[Vanished]:
        """The possibly vanished, by number."""
        rows = await self._database.all(
            "SELECT id, number, vanished - 1 FROM pull WHERE vanished > 0 ORDER BY number"
        )
        return [Vanished(*row) for row in rows]

    async def not_found(self, pull: str) -> None:
        """Count one run in which the id of a possibly vanished pull request was not found."""
        await self._database.run("UPDATE pull SET vanished = vanished + 1 WHERE id = ?", (pull,))

    async def found_again(self, pull: str) -> None:
        """Take back a suspicion: the pull request answered to its id."""
        await self._database.run("UPDATE pull SET vanished = 0 WHERE id = ?", (pull,))

    async def remove(self, pull: str, gone_at: datetime) -> None:
        """Forget a pull request, leaving a tombstone without any of its words."""
        await self._database.run(
            "REPLACE INTO tombstone (id, kind, number, gone_at)"
            " SELECT id, 'pullRequest', number, ? FROM pull WHERE id = ?",
            (to_sortable(gone_at), pull),
        )
        for table in ("frontier", "page", "queue"):
            await self._database.run(f"DELETE FROM {table} WHERE pull = ?", (pull,))  # noqa: S608
        await self._database.run("DELETE FROM pull WHERE id = ?", (pull,))

    async def behind(self) -> tuple[int, ...]:
        """Numbers stored, of which a newer state is known and not yet read.

        A whole that waits in the queue is one, whatever its stamps: its last reading did not end.
        """
        rows = await self._database.all(
            "SELECT p.number FROM pull p JOIN conversation c ON c.pull = p.id"
            " WHERE (p.wanted IS NOT NULL"
            "   OR p.id IN (SELECT pull FROM queue) AND (p.updated_at <> c.updated_at"
            "    OR NOT EXISTS (SELECT 1 FROM evidence e"
            "     WHERE e.pull = p.id AND e.status IN ('cut', 'unknown'))))"
            "  AND p.vanished = 0 ORDER BY p.number"
        )
        return tuple(number for (number,) in rows)

    async def unread(self) -> tuple[int, ...]:
        """Numbers known of which nothing is stored."""
        rows = await self._database.all(
            "SELECT number FROM pull WHERE vanished = 0"
            " AND id NOT IN (SELECT pull FROM conversation) ORDER BY number"
        )
        return tuple(number for (number,) in rows)


def _values(row: ChangeRow, reason: Why | None, date: datetime, walk: int) -> tuple[object, ...]:
    full = isinstance(row, Row) and reason is not None
    return (
        row.id,
        row.number,
        to_sortable(row.updated_at),
        row.state,
        msgspec.json.encode(row.totals),
        None if reason is None else reason.value,
        msgspec.json.encode(row) if full else None,
        to_sortable(date) if full else None,
        walk,
    )
