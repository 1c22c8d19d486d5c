"""A run: open, enumerate, read in waves, hand over to the sinks, account for it.

Every step stores what it learnt before the next begins, so a run may end anywhere; the next one
finds in the store what is still to be done. First run, daily run and resumed run are one path.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime

from msgspec import Struct

from syncer.census.enumeration import Enumeration, Trouble
from syncer.census.known import Why
from syncer.delivery import Delivery
from syncer.errors import BudgetError, RefusedError, StopError
from syncer.evidence import Connection
from syncer.github.answers import Opening
from syncer.identity import identified
from syncer.placement import facts_of, place, timeline_of
from syncer.progress import Observer, Progress
from syncer.reading.board import Board
from syncer.reading.ingest import Ingest
from syncer.reading.wave import Wave
from syncer.repository import Repository
from syncer.settings import Settings
from syncer.sink import Sink
from syncer.source import Source
from syncer.store import Store, meta

__all__ = ["Again", "Engine"]


class Again(Struct, frozen=True, kw_only=True):
    """What is read again whatever is known of it: `numbers`, or `everything`.

    With `unfinished` the queue is tried at once, whenever its next try would have come.
    """

    numbers: tuple[int, ...] = ()
    everything: bool = False
    unfinished: bool = False


class Engine:
    """One run over one repository, on an open store."""

    def __init__(
        self,
        source: Source,
        store: Store,
        sinks: Mapping[str, Sink],
        *,
        settings: Settings,
        observer: Observer,
    ) -> None:
        self._source = source
        self._store = store
        self._settings = settings
        self._observer = observer
        self.repository: Repository | None = None
        self.delivery = Delivery(store, sinks)
        self.read = 0
        self.troubles: list[Trouble] = []
        self.stopped: StopError | None = None

    async def run(self, opening: Opening, again: Again | None = None) -> None:
        """Bring store and sinks up to date with what `opening` opened; read `again` what is asked.

        Budgets and outages end the reading early but not the delivery: `stopped` then says why.
        Raises every other StopError.
        """
        repository = await self._identify(opening)
        self.repository = repository
        async with self._delivering():
            enumeration = Enumeration(self._source, self._store, self._settings, opening)
            try:
                await self._enumerate(enumeration)
                await self._ask_again(again or Again(), enumeration.date)
                await self._read(repository, enumeration.date)
            except (BudgetError, RefusedError) as error:
                self.stopped = error
            self.troubles += enumeration.troubles
            await self._deliver(repository)

    async def _identify(self, opening: Opening) -> Repository:
        """The repository of the store, under the name it goes by today.

        Raises ConfigError when the name now belongs to another repository than the stored one.
        """
        known = await self._store.meta.get(meta.REPOSITORY)
        repository = identified(known, opening)
        if known is not None and known.current_name != opening.name:
            self._tell("opening", note=f"{known.current_name} is called {opening.name} now")
        async with self._store.transaction():
            await self._store.meta.put(meta.REPOSITORY, repository)
            if self._settings.shaping is not None:
                await self._store.meta.put(meta.SHAPING, self._settings.shaping)
        return repository

    async def _enumerate(self, enumeration: Enumeration) -> None:
        self._tell("census")
        await enumeration.releases()
        # Before anything that may fail: releases must not reach a sink ahead of the moves that
        # follow from them.
        await place(self._store)
        await enumeration.pull_requests()

    async def _ask_again(self, again: Again, date: datetime) -> None:
        """Have read again what was asked for, and what was left unfinished long enough ago."""
        pulls, numbers = self._store.pulls, again.numbers
        watermark = await self._store.meta.get(meta.WATERMARK)
        async with self._store.transaction():
            if watermark is not None:
                await pulls.want_unsettled(watermark)
            due = await self._store.ledger.due(None if again.unfinished else date)
            await pulls.want(due, Why.RETRY)
            if again.everything:
                await pulls.want_all(Why.REQUESTED)
            known = await pulls.ids(numbers)
            await pulls.want(known.values(), Why.REQUESTED)
        if missing := [number for number in numbers if number not in known]:
            listed = ", ".join(map(str, missing))
            self.troubles.append(
                Trouble(Connection.PULL_REQUEST, f"no such pull request: {listed}")
            )

    async def _read(self, repository: Repository, date: datetime) -> None:
        """Wave after wave, each sealed before the next, until nothing is wanted."""
        timeline = await timeline_of(self._store)
        while wanted := await self._store.pulls.wanted(self._settings.wave):
            board = Board(self._settings.limits())
            ingest = Ingest(board, self._store, timeline, self._settings.margin_s)
            wave = Wave(
                self._source,
                self._store,
                board,
                ingest,
                settings=self._settings,
                repository=repository.id,
                date=date,
                on_progress=await self._counter(ingest),
            )
            try:
                await wave.read(wanted)
            finally:
                self.read += ingest.stored
            await self._deliver(repository)

    async def _counter(self, ingest: Ingest) -> Callable[[], None]:
        """Tells how much is left, each time that it is called."""
        left = await self._store.pulls.count_wanted()
        known = await self._store.pulls.count()
        return lambda: self._tell("reading", known=known, left=left - ingest.stored)

    async def _deliver(self, repository: Repository) -> None:
        self._tell("writing")
        await self.delivery.deliver(await facts_of(self._store, repository))

    @asynccontextmanager
    async def _delivering(self) -> AsyncGenerator[None]:
        try:
            for note in await self.delivery.open():
                self._tell("opening", note=note)
            yield
        finally:
            await self.delivery.close()

    def _tell(self, stage: str, *, known: int = 0, left: int = 0, note: str | None = None) -> None:
        name = self.repository.name if self.repository else ""
        self._observer(Progress(repository=name, stage=stage, known=known, left=left, note=note))
