"""From the shape of our documents to a snapshot, by the client's readers and the engine's rules."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from syncer.census.known import by_connection
from syncer.evidence import FIRST_LEVEL, Connection, Evidence, Snapshot
from syncer.github.answers import PageRead, Part, Row
from syncer.github.batches import batch_in
from syncer.github.listings import census_in, releases_in
from syncer.github.marks import Marks
from syncer.github.surrogates import UNTOUCHED
from syncer.reading.assemble import assemble
from syncer.reading.frontier import Item
from syncer.reading.judgement import cut, judge
from syncer.reading.staged import Staged, staged_page
from syncer.repository import Release
from tests.payloads.adapters import Adapted

__all__ = ["releases_of", "snapshot_of"]

_DATE = datetime(2026, 3, 1, tzinfo=UTC)


def snapshot_of(adapted: Adapted) -> Snapshot:
    """The conversation with its coverage; a connection of which no page was read is cut."""
    row = _row(adapted.row)
    staged = [_ended(row, page) for page in _pages(row, adapted)]
    read = {(one.item.owner, one.item.name) for one in staged}
    totals = by_connection(row.totals)
    unread = [name for name in FIRST_LEVEL if (row.id, name) not in read and totals.get(name) != 0]
    staged += [_never_read(row, name, totals.get(name)) for name in unread]
    return assemble(row, _DATE, staged).snapshot


def releases_of(connection: dict[str, Any]) -> tuple[Release, ...]:
    """The releases of one page."""
    data = _encoded({"node": {"releases": connection}})
    return releases_in(data, Marks(), UNTOUCHED, _DATE, None).items


def _row(node: dict[str, Any]) -> Row:
    turn = {"hasNextPage": False, "endCursor": None}
    listing = {"totalCount": 1, "pageInfo": turn, "nodes": [node]}
    data = _encoded({"node": {"pullRequests": listing}})
    (row,) = census_in(data, Marks(), UNTOUCHED, _DATE, None).items
    return row


def _pages(row: Row, adapted: Adapted) -> tuple[PageRead, ...]:
    parts = [Part(name=name, ids=(owner,), first=100) for owner, name in adapted.pages]
    stamp = adapted.row["updatedAt"]
    data = {
        f"a{index}": [_owner(row.id, owner, stamp, page)]
        for index, ((owner, _), page) in enumerate(adapted.pages.items())
    }
    answer = batch_in(_encoded(data), Marks(), UNTOUCHED, _DATE, parts)
    assert answer.faults == ()
    return answer.pages


def _owner(pull: str, owner: str, stamp: str, page: dict[str, Any]) -> dict[str, Any]:
    if owner == pull:
        return {"id": owner, "updatedAt": stamp, "connection": page}
    return {"id": owner, "pullRequest": {"id": pull, "updatedAt": stamp}, "connection": page}


def _ended(row: Row, page: PageRead) -> Staged:
    item = _item(row, page.owner, page.name, page.total_count)
    evidence = judge(item, (staged_page(page),), page.end_cursor, _DATE)
    assert isinstance(evidence, Evidence)
    return Staged(item=item, evidence=evidence, pages=(staged_page(page),))


def _never_read(row: Row, name: Connection, total: int | None) -> Staged:
    item = _item(row, row.id, name, total)
    return Staged(item=item, evidence=cut(item, (), "interrupted", _DATE), pages=())


def _item(row: Row, owner: str, name: Connection, total: int | None) -> Item:
    return Item(pull=row.id, owner=owner, name=name, total=total)


def _encoded(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
