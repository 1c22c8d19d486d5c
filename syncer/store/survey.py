"""What is stored, looked at from above: for an audit, which compares and counts before it asks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from syncer.evidence import Snapshot
from syncer.records import Label
from syncer.stamps import from_text, to_sortable
from syncer.store.conversations import Conversations
from syncer.store.database import Database

__all__ = ["Kept", "Labelled", "Survey", "Volume"]

_CHUNK = 500
_label = msgspec.json.Decoder(Label)


class Kept(Struct, frozen=True):
    """A stored conversation. `read_at` None: it came from a corpus, not from GitHub."""

    snapshot: Snapshot
    read_at: datetime | None


class Labelled(Struct, frozen=True):
    """A label as a record has it, and the pull request (`pull`, `number`) that it is on."""

    pull: str
    number: int
    label: str
    name: str


class Volume(Struct, frozen=True):
    """How much hangs on some pull requests: non-empty connections, and their pages."""

    connections: int
    pages: int


class Survey:
    """Reads only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._conversations = Conversations(database)

    async def pulls(self, since: datetime | None = None) -> list[tuple[str, int]]:
        """(id, number) of those known and not vanished that changed at or after `since`."""
        rows = await self._database.all(
            "SELECT id, number FROM pull WHERE vanished = 0 AND updated_at >= ? ORDER BY number",
            ("" if since is None else to_sortable(since),),
        )
        return [(pull, number) for pull, number in rows]

    async def kept(self, ids: Sequence[str]) -> dict[str, Kept]:
        """The stored conversations of `ids`, at most 500 of them; the others are absent."""
        marks = ", ".join("?" * len(ids))
        rows = await self._database.all(
            f"SELECT pull, read_at FROM conversation WHERE pull IN ({marks})",  # noqa: S608
            ids,
        )
        return {
            pull: Kept(
                await self._conversations.snapshot(pull), None if at is None else from_text(at)
            )
            for pull, at in rows
        }

    async def volume(self, ids: Sequence[str], page: int) -> Volume:
        """What is known to hang on `ids`, in pages of `page` entries."""
        connections = pages = 0
        for start in range(0, len(ids), _CHUNK):
            chosen = ids[start : start + _CHUNK]
            marks = ", ".join("?" * len(chosen))
            found = await self._database.one(
                "SELECT count(*), coalesce(sum((total_count + ? - 1) / ?), 0)"  # noqa: S608
                f" FROM evidence WHERE pull IN ({marks})"
                " AND total_count > 0 AND name <> 'pullRequest'",
                (page, page, *chosen),
            )
            if found is not None:
                connections, pages = connections + found[0], pages + found[1]
        return Volume(connections, pages)

    async def labelled(self) -> list[Labelled]:
        """Every label of every record that is not to be read again anyway."""
        rows = await self._database.all(
            # Each as JSON, for SQLite ends a text at a NUL and JSON does not.
            "SELECT p.id, p.number, l.value FROM pull p JOIN conversation c ON c.pull = p.id,"
            " json_each(CAST(c.record AS TEXT), '$.labels') l"
            " WHERE p.wanted IS NULL AND p.vanished = 0"
        )
        return [
            Labelled(pull, number, label.id, label.name)
            for pull, number, value in rows
            for label in (_label.decode(value),)
        ]

    async def backlog(self, sinks: Sequence[str]) -> bool:
        """Whether one of `sinks` has not been given the newest change."""
        found = await self._database.one("SELECT max(seq) FROM feed")
        head = 0 if found is None or found[0] is None else int(found[0])
        marks = ", ".join("?" * len(sinks))
        given = await self._database.one(
            f"SELECT count(*) FROM sink WHERE name IN ({marks}) AND position >= ?",  # noqa: S608
            (*sinks, head),
        )
        return given is None or given[0] < len(set(sinks))
