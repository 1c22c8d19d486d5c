"""A shelf in memory: where a wave keeps what it reads when nothing may be written."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from msgspec.structs import replace

from syncer.census.known import Why
from syncer.evidence import Evidence, Snapshot
from syncer.github.answers import PageRead, Row
from syncer.reading.frontier import Item
from syncer.reading.shelf import Commit, Stored
from syncer.reading.staged import Staged, staged_page

__all__ = ["Memory"]

_Key = tuple[str, str, str]


class Memory:
    """`snapshots` holds what was read to its end, or to where it was cut, by id.

    There is no undoing: a wave that fails is not resumed from here.
    """

    def __init__(self) -> None:
        self.snapshots: dict[str, Snapshot] = {}
        self.frontier = _Frontier()
        self.pulls = _Readings()
        self.ledger = _Unfinished()
        self.conversations = _Records(self.snapshots)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[None, None]:
        """One task writes here, and what it wrote is seen by nobody else."""
        yield


class _Frontier:
    def __init__(self) -> None:
        self._staged: dict[str, dict[_Key, Staged]] = {}

    async def add(self, items: Iterable[Item]) -> None:
        for item in items:
            fresh = Staged(item=item, evidence=None, pages=())
            self._staged.setdefault(item.pull, {}).setdefault(item.key, fresh)

    async def stage(self, turns: Iterable[tuple[Item, PageRead]]) -> None:
        for item, page in turns:
            one = self._staged[item.pull][item.key]
            pages = (*one.pages, staged_page(page))
            self._staged[item.pull][item.key] = replace(one, item=item, pages=pages)

    async def end(self, ended: Iterable[tuple[Item, Evidence]]) -> None:
        for item, evidence in ended:
            one = self._staged[item.pull][item.key]
            self._staged[item.pull][item.key] = replace(one, item=item, evidence=evidence)

    async def restart(self, items: Iterable[Item]) -> None:
        for item in items:
            self._staged[item.pull][item.key] = Staged(item=item, evidence=None, pages=())

    async def drop(self, pulls: Iterable[str]) -> None:
        for pull in pulls:
            self._staged.pop(pull, None)

    async def of(self, pulls: Sequence[str]) -> dict[str, list[Staged]]:
        return {pull: list(self._staged.get(pull, {}).values()) for pull in pulls}

    async def pulls(self) -> set[str]:
        return set(self._staged)


class _Readings:
    """Nothing has to be known of a pull request but its conversation: a wave asks for its row."""

    async def see(self, rows: Iterable[tuple[Row, Why]], date: datetime, walk: int) -> None:
        del rows, date, walk

    async def forget_rows(self, ids: Iterable[str]) -> None:
        del ids

    async def done(self, ids: Iterable[str]) -> None:
        del ids


class _Unfinished:
    """Nothing is tried again later: what is unfinished is not in `snapshots`, or cut there."""

    async def queue(self, pull: str, reason: str, now: datetime) -> None:
        del pull, reason, now

    async def unqueue(self, pulls: Iterable[str]) -> None:
        del pulls


class _Records:
    def __init__(self, snapshots: dict[str, Snapshot]) -> None:
        self._snapshots = snapshots

    async def stored(self, pulls: Sequence[str]) -> dict[str, Stored]:
        del pulls
        return {}  # each is read once, and nothing that it could spoil is here

    async def commit(self, commits: Sequence[tuple[Commit, Stored | None]]) -> None:
        for commit, _ in commits:
            self._snapshots[commit.snapshot.conversation.id] = commit.snapshot
