"""A live client over the engine's own walk and reader, in memory: nothing it does is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from msgspec.structs import replace

from syncer.census.known import Wanted, Why
from syncer.census.walk import Moving, Walk, advance, incremental_walk
from syncer.corpus import Timeline
from syncer.errors import SyncError, TooHeavyError
from syncer.evidence import Snapshot
from syncer.github.answers import ChangeRow, Listing, Opening
from syncer.history.census import Drift, LiveCensus
from syncer.reading.board import Board
from syncer.reading.ingest import Ingest
from syncer.reading.memory import Memory
from syncer.reading.wave import Wave
from syncer.repository import Repository, Shaping
from syncer.settings import Settings
from syncer.source import Source

__all__ = ["LiveClient"]


class LiveClient:
    """Answers for one GitHub; `settings` size its requests as they size the engine's."""

    def __init__(self, source: Source, settings: Settings | None = None) -> None:
        self._source = source
        self._settings = settings or Settings()

    async def census(self, repository: Repository, watermark: datetime | None) -> LiveCensus:
        """What changed at or after `watermark`, proven by the engine's walk.

        `as_of` lies the engine's margin before the walk's first answer, for stamps may lag. Nothing
        is raised for what GitHub does: the census then proves nothing, and says why.
        """
        owner, _, name = repository.current_name.partition("/")
        rows: dict[str, ChangeRow] = {}
        try:
            opening = await self._source.opening(owner, name)
            if opening.repository_id != repository.id:
                return _unproven(f"{repository.current_name} is another repository today")
            return await self._walk(opening, watermark, rows)
        except SyncError as error:
            return _unproven(str(error), rows.values())

    async def read(
        self, repository: Repository, drifted: Iterable[Drift]
    ) -> Mapping[str, Snapshot]:
        """The conversations in `drifted`, read by the engine's wave as far as GitHub let them."""
        wanted = [
            Wanted(one.id, one.number, one.updated_at, Why.CHANGED, None, None) for one in drifted
        ]
        memory = Memory()
        for start in range(0, len(wanted), self._settings.wave):
            wave = self._wave(memory, repository, wanted[start].updated_at)
            try:
                await wave.read(wanted[start : start + self._settings.wave])
            except SyncError:
                break  # what is missing stays as the corpus has it, and is named
        return memory.snapshots

    async def _walk(
        self, opening: Opening, watermark: datetime | None, rows: dict[str, ChangeRow]
    ) -> LiveCensus:
        walk = incremental_walk(0, opening.date, watermark or opening.date)
        walk = replace(walk, bound=watermark)  # None: down to the last page
        page: Listing[ChangeRow] = opening.changes
        while True:
            for row in page.items:
                _keep_newer(rows, row)
            if page.unreadable:
                return _unproven(f"{page.unreadable} rows could not be read", rows.values())
            step = advance(walk, page)
            if not isinstance(step, Walk):
                break
            walk = step
            page = await self._page(opening.repository_id, walk)
        if isinstance(step, Moving):
            return _unproven("pull requests kept changing while they were listed", rows.values())
        return LiveCensus(
            as_of=opening.date - timedelta(seconds=self._settings.margin_s),
            total_count=step.total_count,
            rows=tuple(rows.values()),
        )

    async def _page(self, repository: str, walk: Walk) -> Listing[ChangeRow]:
        size = self._settings.page
        while True:
            try:
                return await self._source.changes(repository, size, walk.cursor)
            except TooHeavyError:
                if size <= 1:
                    raise
                size //= 2

    def _wave(self, memory: Memory, repository: Repository, date: datetime) -> Wave:
        board = Board(self._settings.limits())
        nowhere = Timeline((), Shaping())  # nothing is placed, so no bucket matters
        return Wave(
            self._source,
            memory,
            board,
            Ingest(board, memory, nowhere, self._settings.margin_s),
            settings=self._settings,
            repository=repository.id,
            date=date,
            on_progress=lambda: None,
        )


def _unproven(complaint: str, rows: Iterable[ChangeRow] = ()) -> LiveCensus:
    return LiveCensus(as_of=None, total_count=None, rows=tuple(rows), complaint=complaint)


def _keep_newer(rows: dict[str, ChangeRow], row: ChangeRow) -> None:
    known = rows.get(row.id)
    if known is None or known.updated_at <= row.updated_at:
        rows[row.id] = row
