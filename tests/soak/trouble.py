"""What befalls a run: faults of every kind, and an end at any request, transaction or file step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from random import Random
from typing import TypeVar

from sinks.corpus import CorpusSink
from sinks.faults import FaultyFileSystem, Stopped
from sinks.files import Folder
from syncer.sink import Destination, Sink
from syncer.store.database import Database
from syncer.testing.github import faults
from syncer.testing.github.requests import When, asks, from_request, operation
from syncer.testing.github.simulator import Simulator
from tests.engine.harness import CORPUS

__all__ = ["Trouble"]

T = TypeVar("T")

_KINDS = (
    "PullRequest.comments",
    "PullRequest.reviews",
    "PullRequest.reviewThreads",
    "PullRequest.labels",
    "PullRequestReviewThread.comments",
    "Repository.pullRequests",
    "Repository.releases",
)
_NOT_HERE = {"lone surrogate"}
"""Other words than GitHub holds, under the same stamps: nobody can ever find that out."""

_FAULTS = {name: make for name, make in faults.CATALOGUE.items() if name not in _NOT_HERE}
_WHEN: Mapping[str, When] = {
    "at the opening": operation("Opening"),
    "at a listing": operation("Census", "Changes", "Releases", "StampedCensus"),
    "at a batch": operation("Batch"),
}


class Trouble:
    """The trouble of one round; `words` says what it is, so that a failure can be understood."""

    def __init__(self, simulator: Simulator, dice: Random) -> None:
        self._simulator = simulator
        self._dice = dice
        self._step: int | None = None  # of the transactions
        self._request: int | None = None
        self.sinks = dict(CORPUS)
        self.words: list[str] = []

    def draw(self) -> None:
        """Choose what will happen: often nothing, else faults, an end, or both."""
        if self._dice.random() < 0.6:
            for _ in range(self._dice.randint(1, 2)):
                self._fault()
        if self._dice.random() < 0.4:
            self._end()

    async def befall(self, run: Callable[[], Awaitable[T]]) -> T | None:
        """What `run` returns, or None where it was stopped half-way."""
        async with self._stepping():
            task = asyncio.ensure_future(run())
            self._cancel_at_request(task)
            try:
                return await task
            except asyncio.CancelledError:
                return None
            except BaseException as error:
                if _is_stop(error):
                    return None
                raise
            finally:
                self._simulator.rules.clear()
                self._simulator.journal.on_received.clear()

    def _fault(self) -> None:
        name, kind = self._dice.choice([*_FAULTS]), self._dice.choice(_KINDS)
        where = self._dice.choice([*_WHEN, "at the kind", "from a request on", "anywhere"])
        start = self._simulator.requests + self._dice.randint(1, 8)
        known = {"at the kind": asks(kind), "from a request on": from_request(start)}
        when = _WHEN.get(where) or known.get(where)
        times = self._dice.choice((1, 1, 3, None))
        chance = self._dice.choice((1.0, 0.5))
        self._simulator.fail(_FAULTS[name](kind), when, times=times, chance=chance)
        self.words.append(f"{name} of {kind} {where} ({times or 'all'} times, {chance:.0%})")

    def _end(self) -> None:
        way = self._dice.choice(("transaction", "file step", "request"))
        step = int(self._dice.choice((4, 12, 40)) * self._dice.random())
        self.words.append(f"stopped at {way} {step}")
        match way:
            case "transaction":
                self._step = step
            case "file step":
                self.sinks = {"corpus": _on(FaultyFileSystem(at=step))}
            case _:
                self._request = self._simulator.requests + 1 + step

    def _cancel_at_request(self, task: asyncio.Future[T]) -> None:
        def cancel(k: int) -> None:
            if k == self._request:
                task.cancel()

        self._simulator.on_received(cancel)

    @asynccontextmanager
    async def _stepping(self) -> AsyncIterator[None]:
        """Every edge of a transaction counts, and from the chosen one on nothing is stored."""
        original, taken = Database.run, 0

        async def run(database: Database, sql: str, values: tuple[object, ...] = ()) -> int:
            nonlocal taken
            if sql in ("BEGIN IMMEDIATE", "COMMIT"):
                taken += 1
                if self._step is not None and taken > self._step:
                    raise Stopped
            return await original(database, sql, values)

        Database.run = run  # type: ignore[method-assign]
        try:
            yield
        finally:
            Database.run = original  # type: ignore[method-assign]


def _on(disk: FaultyFileSystem) -> Callable[[Destination], Sink]:
    return lambda destination: CorpusSink(Folder(destination.folder, disk))


def _is_stop(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return any(_is_stop(one) for one in error.exceptions)
    return isinstance(error, Stopped)
