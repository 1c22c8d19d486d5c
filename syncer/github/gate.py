"""A lock that is fair between lanes: in turn over the lanes, first come first served in each."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from types import TracebackType

__all__ = ["Gate"]


class Gate:
    """One task passes at a time. `async with gate.passing(lane)` frames the passing."""

    def __init__(self) -> None:
        self._taken = False
        # Lanes with somebody waiting; the first is served next and then goes to the end.
        self._lanes: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    def passing(self, lane: str) -> _Passing:
        """The frame in which the caller is alone."""
        return _Passing(self, lane)

    async def enter(self, lane: str) -> None:
        """Wait for our turn in `lane`; `leave` must follow."""
        if not self._taken:
            self._taken = True
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lanes.setdefault(lane, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave()  # the turn came at the moment of the cancellation: pass it on
            raise

    def leave(self) -> None:
        """Let the next one pass."""
        while self._lanes:
            lane, line = self._lanes.popitem(last=False)
            while line and line[0].done():
                line.popleft()  # cancelled while waiting
            if line:
                line.popleft().set_result(None)
                if line:
                    self._lanes[lane] = line
                return
        self._taken = False


class _Passing:
    def __init__(self, gate: Gate, lane: str) -> None:
        self._gate = gate
        self._lane = lane

    async def __aenter__(self) -> None:
        await self._gate.enter(self._lane)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._gate.leave()
