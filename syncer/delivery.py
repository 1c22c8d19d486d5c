"""The change feed into the sinks, each from its own position. One that fails stops nobody else."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import TypeVar

from syncer.errors import SinkError
from syncer.repository import Facts
from syncer.sink import Applied, Batch, Sink
from syncer.store import SinkState, Store

__all__ = ["Delivery"]

T = TypeVar("T")
_BATCH = 200
"""Changes handed over at once: enough to amortise a call, few enough to hold in memory."""


class Delivery:
    """Opens the sinks, brings them up to date as often as told, and closes them."""

    def __init__(self, store: Store, sinks: Mapping[str, Sink]) -> None:
        self._store = store
        self._sinks = dict(sinks)
        self._states: dict[str, SinkState] = {}
        self._replay: set[str] = set()
        self.applied: dict[str, Applied] = {name: Applied() for name in sinks}
        self.failures: dict[str, SinkError] = {}

    async def open(self) -> list[str]:
        """Open every sink; one whose token is not the stored one starts from the beginning.

        Returns what the sinks have to tell of what they found.
        """
        for name, sink in self._sinks.items():
            try:
                token = await _asked(sink.open())
            except SinkError as error:
                self.failures[name] = error
                continue
            state = await self._store.ledger.sink(name)
            if token != state.token or token is None:
                state = SinkState(0, token)
                self._replay.add(name)
            self._states[name] = state
        return [note for sink in self._sinks.values() for note in getattr(sink, "notes", ())]

    async def deliver(self, facts: Facts) -> None:
        """Bring every sink that still works to the end of the feed, and make it durable there."""
        for name, sink in self._sinks.items():
            if name in self.failures:
                continue
            try:
                await self._deliver(name, sink, facts)
            except SinkError as error:
                self.failures[name] = error

    async def close(self) -> None:
        """Close every sink; a failure to close is the failure of that sink."""
        for name, sink in self._sinks.items():
            try:
                await _asked(sink.close())
            except SinkError as error:
                self.failures.setdefault(name, error)

    async def _deliver(self, name: str, sink: Sink, facts: Facts) -> None:
        position = since = self._states[name].position
        replay = name in self._replay
        while changes := await self._store.conversations.after(position, _BATCH, since):
            batch = Batch(facts=facts, changes=tuple(changes), replay=replay)
            self.applied[name] += await _asked(sink.apply(batch))
            position = changes[-1].seq
        await _asked(sink.apply(Batch(facts=facts, replay=replay)))
        token = await _asked(sink.flush())
        self._states[name] = SinkState(position, token)
        self._replay.discard(name)
        async with self._store.transaction():
            await self._store.ledger.move_sink(name, self._states[name])


async def _asked(answer: Awaitable[T]) -> T:
    """What a sink answers; whatever else than SinkError it raises becomes one.

    A sink may be a stranger's: a mistake in it stops neither the reading nor the other sinks.
    """
    try:
        return await answer
    except SinkError:
        raise
    except Exception as error:
        message = f"{type(error).__name__} in the sink itself: report it to whoever wrote the sink"
        raise SinkError(message) from error
