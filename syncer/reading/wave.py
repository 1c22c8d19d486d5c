"""One wave: plan a request, send it, take its answer, until nothing of the wave is left to read.

This task alone plans and stores; the others only wait for the network. A request is sent when it
is full, or when nothing under way could fill it further (`syncer.reading.frontier` says why).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime

from syncer.census.known import Wanted
from syncer.errors import (
    AskError,
    BudgetError,
    CursorRefusedError,
    StopError,
    SyncError,
    TooHeavyError,
    TransientError,
    sole,
)
from syncer.github.answers import BatchAnswer
from syncer.reading.board import Board
from syncer.reading.frontier import Item, Limits, chain, expected, is_full, parts, width
from syncer.reading.ingest import Ingest
from syncer.reading.shelf import Shelf
from syncer.settings import Settings
from syncer.source import Reader

__all__ = ["Wave"]

_PATIENCE = 8
"""Requests that fail in a row before something trivial is asked, to tell trouble from outage."""

_MOST_LOST = 25
"""Connections given up one after the other, with nothing read between, after which a run ends."""

_Outcome = BatchAnswer | SyncError


class Wave:
    """Reads wanted pull requests to the end, or to where they cannot be read further.

    `date` is the server's clock at the newest answer so far.
    """

    def __init__(
        self,
        source: Reader,
        store: Shelf,
        board: Board,
        ingest: Ingest,
        *,
        settings: Settings,
        repository: str,
        date: datetime,
        on_progress: Callable[[], None],
    ) -> None:
        self._source = source
        self._store = store
        self._board = board
        self._ingest = ingest
        self._settings = settings
        self._repository = repository
        self._on_progress = on_progress
        self._flying: dict[asyncio.Task[_Outcome], list[Item]] = {}
        self._failures = 0
        self._borne = 0  # connections lost before the newest page or row that came
        self._date = date

    async def read(self, wanted: Iterable[Wanted]) -> None:
        """Read `wanted`.

        Raises StopError when the run cannot go on; what was stored by then is whole.
        """
        await self._begin(wanted)
        await self._ingest.finish()
        try:
            async with asyncio.TaskGroup() as group:
                while self._send(group):
                    await self._receive()
        except BaseExceptionGroup as error:
            raise sole(error) from error

    async def _receive(self) -> None:
        """Take every answer that is there, those that carry pages before one that ends the run."""
        done, _ = await asyncio.wait(self._flying, return_when=asyncio.FIRST_COMPLETED)
        answers = [(self._flying.pop(task), task.result()) for task in done]
        for items, outcome in sorted(answers, key=lambda one: isinstance(one[1], StopError)):
            await self._take(items, outcome)
        self._on_progress()

    async def _begin(self, wanted: Iterable[Wanted]) -> None:
        under_way = await self._store.frontier.pulls()
        lacking: list[Item] = []
        for one in wanted:
            staged = await self._store.frontier.of([one.id]) if one.id in under_way else {}
            lacking += self._board.begin(one, staged.get(one.id, ()))
        async with self._store.transaction():
            await self._store.frontier.add(lacking)

    def _send(self, group: asyncio.TaskGroup) -> bool:
        """Send every request that is due; False when nothing is under way and nothing is left."""
        limits = self._limits()
        while items := self._next(limits):
            task = group.create_task(self._ask(items, limits))
            self._flying[task] = items
        return bool(self._flying)

    def _next(self, limits: Limits) -> list[Item]:
        if len(self._flying) >= min(self._settings.concurrency, self._source.concurrency):
            return []
        if self._board.forced:
            return self._forced(limits)
        if len(self._flying) >= self._width(limits):
            return []
        items = self._board.ready.take(limits)
        if self._may_send(items, limits):
            return items
        self._board.ready.add(items)
        return []

    def _forced(self, limits: Limits) -> list[Item]:
        while self._board.forced:
            items = [item for item in self._board.forced.popleft() if self._board.alive(item)]
            if items:
                return items
        return self._next(limits)

    def _may_send(self, items: list[Item], limits: Limits) -> bool:
        if not items or not self._flying:
            return bool(items)
        flying = sum(expected(item, limits) for sent in self._flying.values() for item in sent)
        nodes = sum(expected(item, limits) for item in items)
        return is_full(items, limits) and flying + nodes <= self._settings.nodes_in_flight

    def _width(self, limits: Limits) -> int:
        flying = (item for sent in self._flying.values() for item in sent)
        deepest = max((chain(item, limits) - 1 for item in flying), default=0)
        ready = self._board.ready
        concurrency = min(self._settings.concurrency, self._source.concurrency)
        return width(len(ready), ready.nodes, max(deepest, ready.deepest()), limits, concurrency)

    async def _ask(self, items: list[Item], limits: Limits) -> _Outcome:
        try:
            nodes = sum(expected(item, limits) for item in items)
            return await self._source.batch(parts(items, limits), nodes=nodes)
        except SyncError as error:
            return error  # judged by the task that owns the store

    async def _take(self, items: list[Item], outcome: _Outcome) -> None:
        limits = self._limits()
        if isinstance(outcome, BatchAnswer):
            self._date = outcome.date
            if outcome.pages or outcome.rows:
                self._failures, self._borne = 0, self._ingest.lost
            else:
                await self._fail()
            await self._ingest.answer(items, outcome, limits)
            self._give_in("it answers without what was asked for")
            return
        if isinstance(outcome, StopError):
            raise outcome
        await self._fail()
        match outcome:
            case CursorRefusedError():
                await self._ingest.cursor_refused(items, self._date)
            case TooHeavyError():
                await self._ingest.too_heavy(items, limits, self._date)
            case TransientError():
                await self._ingest.unanswered(items, limits, self._date)
            case _:
                raise outcome
        self._give_in(str(outcome))

    def _give_in(self, why: str) -> None:
        """End a run whose every request fails however small it is: each attempt costs points."""
        lost = self._ingest.lost - self._borne
        if lost >= _MOST_LOST:
            message = (
                f"GitHub failed on each of {lost} connections in a row ({why}); "
                "everything read so far is saved, run again to continue"
            )
            raise BudgetError(message)

    async def _fail(self) -> None:
        """Count a failed request; after several in a row, see whether GitHub answers at all."""
        self._failures += 1
        if self._failures < _PATIENCE:
            return
        self._failures = 0
        try:
            await self._source.changes(self._repository, 1, None)
        except AskError as error:
            message = (
                f"GitHub did not answer {_PATIENCE} requests in a row ({error}); "
                "everything read so far is saved, run again to continue"
            )
            raise BudgetError(message) from error

    def _limits(self) -> Limits:
        return self._settings.limits(self._source.nodes_limit)
