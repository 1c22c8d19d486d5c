"""The frontier on disk: what is still to be read, and the pages read so far.

A page and the next cursor are stored in one transaction of the caller's; so are the end of a
conversation and the removal of its pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from syncer.evidence import Connection, Evidence
from syncer.github.answers import Entry, PageRead
from syncer.reading.frontier import Item
from syncer.reading.staged import Staged, StagedPage
from syncer.records import ClosingIssue, Comment, Label, Review, Thread, ThreadComment
from syncer.store.database import Database

__all__ = ["Frontier"]


class _Body(Struct, frozen=True, rename="camel", kw_only=True):
    """A page as it is staged; `nodes` is decoded by the connection's kind."""

    total_count: int | None
    nodes: msgspec.Raw
    left_out: int
    unreadable: int
    repaired: int
    child_totals: dict[str, int | None]


_body = msgspec.json.Decoder(_Body)
_nodes: dict[Connection, msgspec.json.Decoder[Any]] = {
    Connection.COMMENTS: msgspec.json.Decoder(tuple[Comment, ...]),
    Connection.REVIEWS: msgspec.json.Decoder(tuple[Review, ...]),
    Connection.REVIEW_THREADS: msgspec.json.Decoder(tuple[Thread, ...]),
    Connection.THREAD_COMMENTS: msgspec.json.Decoder(tuple[ThreadComment, ...]),
    Connection.LABELS: msgspec.json.Decoder(tuple[Label, ...]),
    Connection.CLOSING_ISSUES: msgspec.json.Decoder(tuple[ClosingIssue, ...]),
}
_evidence = msgspec.json.Decoder(Evidence)


class Frontier:
    """Items and staged pages. Writing methods belong inside a transaction of the caller's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, items: Iterable[Item]) -> None:
        """Add items; one that is there already is left as it is."""
        await self._database.run_many(
            "INSERT OR IGNORE INTO frontier (pull, owner, name, total) VALUES (?, ?, ?, ?)",
            [(i.pull, i.owner, i.name.value, i.total) for i in items],
        )

    async def stage(self, turns: Iterable[tuple[Item, PageRead]]) -> None:
        """Store pages, each with the item as it stands after its page."""
        found = list(turns)
        await self._database.run_many(
            "INSERT INTO page (pull, owner, name, seq, body) VALUES (?, ?, ?, ?, ?)",
            [(i.pull, i.owner, i.name.value, i.pages, _encode(page)) for i, page in found],
        )
        await self._database.run_many(
            "UPDATE frontier SET total = ?, pages = ?, cursor = ?"
            " WHERE pull = ? AND owner = ? AND name = ?",
            [(i.total, i.pages, i.cursor, i.pull, i.owner, i.name.value) for i, _ in found],
        )

    async def end(self, ended: Iterable[tuple[Item, Evidence]]) -> None:
        """Note the evidence of connections whose last page is staged, or that were given up."""
        await self._database.run_many(
            "UPDATE frontier SET evidence = ? WHERE pull = ? AND owner = ? AND name = ?",
            [(msgspec.json.encode(e), i.pull, i.owner, i.name.value) for i, e in ended],
        )

    async def restart(self, items: Iterable[Item]) -> None:
        """Forget the pages of connections, which begin again with the `doubt` of their items."""
        keys = [(i.doubt, i.total, i.pull, i.owner, i.name.value) for i in items]
        await self._database.run_many(
            "UPDATE frontier SET pages = 0, cursor = NULL, evidence = NULL, doubt = ?, total = ?"
            " WHERE pull = ? AND owner = ? AND name = ?",
            keys,
        )
        await self._database.run_many(
            "DELETE FROM page WHERE pull = ? AND owner = ? AND name = ?", [key[2:] for key in keys]
        )

    async def drop(self, pulls: Iterable[str]) -> None:
        """Forget everything staged of `pulls`."""
        keys = [(pull,) for pull in pulls]
        await self._database.run_many("DELETE FROM frontier WHERE pull = ?", keys)
        await self._database.run_many("DELETE FROM page WHERE pull = ?", keys)

    async def of(self, pulls: Sequence[str]) -> dict[str, list[Staged]]:
        """Everything staged of each of `pulls`; an empty list where there is nothing."""
        marks = ", ".join("?" * len(pulls))
        pages: dict[tuple[str, str, str], list[StagedPage]] = {}
        for pull, owner, name, body in await self._database.all(
            f"SELECT pull, owner, name, body FROM page WHERE pull IN ({marks})"  # noqa: S608
            " ORDER BY pull, owner, name, seq",
            pulls,
        ):
            pages.setdefault((pull, owner, name), []).append(_decode(Connection(name), body))
        found: dict[str, list[Staged]] = {pull: [] for pull in pulls}
        for row in await self._database.all(
            "SELECT pull, owner, name, total, pages, cursor, doubt, evidence FROM frontier"  # noqa: S608
            f" WHERE pull IN ({marks}) ORDER BY pull, owner, name",
            pulls,
        ):
            found[row[0]].append(_staged(row, tuple(pages.get((row[0], row[1], row[2]), ()))))
        return found

    async def pulls(self) -> set[str]:
        """The pull requests of which something is under way."""
        return {pull for (pull,) in await self._database.all("SELECT DISTINCT pull FROM frontier")}


def _staged(row: tuple[Any, ...], pages: tuple[StagedPage, ...]) -> Staged:
    pull, owner, name, total, count, cursor, doubt, evidence = row
    item = msgspec.convert(
        {
            "pull": pull,
            "owner": owner,
            "name": name,
            "total": total,
            "pages": count,
            "cursor": cursor,
            "doubt": doubt,
            "held": sum(len(p.nodes) + p.left_out + p.unreadable for p in pages),
        },
        Item,
    )
    found = None if evidence is None else _evidence.decode(evidence)
    return Staged(item=item, evidence=found, pages=pages)


def _encode(page: PageRead) -> bytes:
    return msgspec.json.encode(
        {
            "totalCount": page.total_count,
            "nodes": page.nodes,
            "leftOut": page.left_out,
            "unreadable": page.unreadable,
            "repaired": page.repaired,
            "childTotals": page.child_totals,
        }
    )


def _decode(name: Connection, body: bytes) -> StagedPage:
    found = _body.decode(body)
    nodes: tuple[Entry, ...] = _nodes[name].decode(found.nodes)
    return StagedPage(
        total_count=found.total_count,
        nodes=nodes,
        left_out=found.left_out,
        unreadable=found.unreadable,
        repaired=found.repaired,
        child_totals=found.child_totals,
    )
