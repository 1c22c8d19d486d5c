"""One pass: look at rows and stamps, compare, and have read again what differs.

What differs is stored as wanted as soon as it is found, so that whatever happens afterwards the
next run reads it. Nothing is stored while nothing differs.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime

from syncer.audit.compare import Difference, differences, lacks, sight
from syncer.audit.labels import mislabelled, names_of
from syncer.audit.plan import Depth, Scope
from syncer.audit.reading import read_stamps
from syncer.audit.report import Found, found_in
from syncer.audit.rows import Sheet, by_ids, walk
from syncer.audit.source import AuditSource
from syncer.census.known import Known, Wanted, Why
from syncer.errors import AskError
from syncer.evidence import Connection, Snapshot
from syncer.github.answers import ChangeRow, Fault, StampedRow
from syncer.progress import Observer, Progress
from syncer.reading.memory import Memory
from syncer.report import Problem
from syncer.repository import Repository
from syncer.settings import Settings
from syncer.store import Kept, Store

__all__ = ["Auditor"]

_CHUNK = 100


class Auditor:
    """One pass over `scope`. `problems` names what could not be compared."""

    def __init__(
        self,
        source: AuditSource,
        store: Store,
        scope: Scope,
        *,
        settings: Settings,
        observer: Observer,
    ) -> None:
        self._source = source
        self._store = store
        self._scope = scope
        self._settings = settings
        self._observer = observer
        self._targets: list[Wanted] = []
        self.finished = False
        self.looked_at = 0
        self.found: list[Found] = []
        self.problems: list[Problem] = []
        self.mark = scope.mark

    async def run(self, repository: Repository) -> None:
        """Look at everything in scope. What a fault leaves unlooked at is a problem, and named.

        Raises StopError where GitHub cannot be asked any further; `mark` tells how far it came.
        """
        await self._labels(repository.id)
        await self._rows(repository)
        await self._stamps(repository)
        self.finished = True

    # -- the repository's labels

    async def _labels(self, repository: str) -> None:
        try:
            names = await names_of(self._source, repository)
        except AskError as error:
            self._unaudited(None, "labels", str(error))
            return
        found = mislabelled(await self._store.survey.labelled(), names)
        for (_, number), count in found.items():
            self._differs(number, [Difference(connection=Connection.LABELS, changed=count)])
        await self._want([pull for pull, _ in found])

    # -- rows

    async def _rows(self, repository: Repository) -> None:
        seen: set[str] = set()
        last: Sheet | None = None
        unreadable = 0
        try:
            async with aclosing(self._sheets(repository.id)) as sheets:
                async for sheet in sheets:
                    await self._sheet(sheet)
                    seen |= {row.id for row in sheet.rows}
                    unreadable += sheet.unreadable
                    last = sheet
                    self._tell(repository, len(self._scope.pulls) - len(seen))
        except AskError as error:
            self._unaudited(None, "pullRequests", str(error))
            return
        if self._scope.plan.is_whole and last is not None:
            await self._missing(seen, last.claimed, unreadable)

    def _sheets(self, repository: str) -> AsyncGenerator[Sheet, None]:
        if self._scope.plan.is_whole:
            return walk(self._source, repository, self._settings.page)
        ids = [pull for pull, _ in self._scope.pulls]
        return by_ids(self._source, ids, self._settings.ids)

    async def _sheet(self, sheet: Sheet) -> None:
        ids = [row.id for row in sheet.rows]
        known = await self._store.pulls.known(ids)
        kept = await self._store.survey.kept(ids)
        noted: list[tuple[ChangeRow, Why | None]] = []
        for row in sheet.rows:
            why = self._row(row, sheet.date, known.get(row.id), kept.get(row.id))
            if why is not None:
                noted.append((_light(row), why))
        self._faults(sheet.faults)
        # What an earlier run had read of these may be older than a change that nobody announced.
        begun = [pull for pull, one in known.items() if one.wanted is not None]
        if noted or begun:
            newer = [row.id for row, why in noted if why is Why.CHANGED]
            async with self._store.transaction():
                await self._store.frontier.drop([*newer, *begun])
                await self._store.pulls.forget_rows(begun)
                await self._store.pulls.see(noted, sheet.date, 0)

    def _row(
        self, row: StampedRow, date: datetime, known: Known | None, kept: Kept | None
    ) -> Why | None:
        """Why a row's pull request must be read, or None: then its stamps may still tell."""
        self.looked_at += 1
        if known is None:
            self._differs(row.number, [Difference(connection=Connection.PULL_REQUEST, added=1)])
            return Why.NEW
        if known.wanted is not None or kept is None or _rests(row, known):
            return None  # it is to be read anyway, now or when its time in the queue comes
        found = sight(row, known, kept.snapshot, kept.read_at)
        if found.difference is not None:
            self._differs(row.number, [found.difference])
        elif self._scope.plan.depth is Depth.STAMPS or found.doubtful:
            self._targets.append(Wanted(row.id, row.number, row.updated_at, Why.AUDIT, row, date))
        return found.why

    def _faults(self, faults: Sequence[Fault]) -> None:
        numbers = dict(self._scope.pulls)
        for fault in faults:
            number = numbers.get(fault.owner, 0)
            if fault.reason == "not_found":
                self._gone(number)
            else:
                self._unaudited(number, Connection.PULL_REQUEST.value, fault.reason)

    async def _missing(self, seen: set[str], claimed: int | None, unreadable: int) -> None:
        """Suspect what a whole walk lacked; a walk whose count does not add up suspects nothing."""
        if unreadable or claimed != len(seen):
            words = f"GitHub claims {claimed} pull requests, the audit met {len(seen)}"
            self._unaudited(None, "pullRequests", f"{words}: none is taken for gone")
            return
        missing = [(pull, number) for pull, number in self._scope.pulls if pull not in seen]
        for _, number in missing:
            self._gone(number)
        if missing:
            async with self._store.transaction():
                await self._store.pulls.suspect([pull for pull, _ in missing])

    # -- stamps

    async def _stamps(self, repository: Repository) -> None:
        mark = self._scope.mark
        left = [one for one in self._targets if not mark.has(one.number)]
        left.sort(key=lambda one: one.number)
        self._targets = []
        while left:
            chunk, left = left[: self._settings.wave], left[self._settings.wave :]
            await self._wave(repository, chunk, len(left))

    async def _wave(self, repository: Repository, chunk: Sequence[Wanted], after: int) -> None:
        memory = Memory()

        def tell() -> None:
            self._tell(repository, after + len(chunk) - len(memory.snapshots))

        try:
            await read_stamps(
                self._source,
                chunk,
                memory,
                settings=self._settings,
                repository=repository.id,
                date=max(one.row_date for one in chunk if one.row_date is not None),
                on_progress=tell,
            )
        finally:
            await self._compare(memory)
            done = [one.number for one in chunk if one.id in memory.snapshots]
            self.mark = self.mark.with_done(done)
        # Whatever changed under the reader until it was given up is read by the engine instead.
        lost = [one for one in chunk if one.id not in memory.snapshots]
        for one in lost:
            self._differs(one.number, [Difference(connection=Connection.PULL_REQUEST, changed=1)])
        await self._want([one.id for one in lost])
        self.mark = self.mark.past(chunk[-1].number)

    async def _compare(self, memory: Memory) -> None:
        snapshots = list(memory.snapshots.items())
        for start in range(0, len(snapshots), _CHUNK):
            chosen = dict(snapshots[start : start + _CHUNK])
            kept = await self._store.survey.kept(list(chosen))
            await self._want(
                [
                    pull
                    for pull, seen in chosen.items()
                    if pull in kept and self._differ(seen, kept[pull].snapshot)
                ]
            )

    def _differ(self, seen: Snapshot, stored: Snapshot) -> bool:
        number = stored.conversation.number
        if found := differences(seen, stored):
            self._differs(number, found)
            return True
        for connection, reason in lacks(seen, stored):
            self._unaudited(number, connection.value, reason)
        return False

    # -- what comes of it

    def _differs(self, number: int, found: Sequence[Difference]) -> None:
        self.found += [found_in(number, one) for one in found]

    def _gone(self, number: int) -> None:
        self._differs(number, [Difference(connection=Connection.PULL_REQUEST, gone=1)])

    def _unaudited(self, number: int | None, connection: str, reason: str) -> None:
        self.problems.append(
            Problem(number=number, connection=connection, status="unaudited", reason=reason)
        )

    async def _want(self, pulls: Sequence[str]) -> None:
        if pulls:
            async with self._store.transaction():
                await self._store.pulls.want(pulls, Why.AUDIT)

    def _tell(self, repository: Repository, left: int) -> None:
        self._observer(
            Progress(
                repository=repository.name,
                stage="auditing",
                known=len(self._scope.pulls),
                left=max(0, left),
            )
        )


def _rests(row: StampedRow, known: Known) -> bool:
    """Whether the stored record is known to be behind, and nothing newer than that is told."""
    return known.queued and known.updated_at != known.read and row.updated_at <= known.updated_at


def _light(row: StampedRow) -> ChangeRow:
    """What may be stored of a row without words: it must never pass for a whole one."""
    return ChangeRow(
        id=row.id,
        number=row.number,
        state=row.state,
        created_at=row.created_at,
        updated_at=row.updated_at,
        closed_at=row.closed_at,
        merged_at=row.merged_at,
        totals=row.totals,
    )
