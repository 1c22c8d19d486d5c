"""The simulator itself: one request in, one answer out, with every rule of GitHub between."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

from graphql import GraphQLSchema

from queries import schema as shipped_schema
from syncer.testing.github.answering import Answering, Prepared
from syncer.testing.github.clock import Clock, instant
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.fault_kinds import Cut, Fault
from syncer.testing.github.journal import Entry, Journal
from syncer.testing.github.loading import with_ids
from syncer.testing.github.mutations import Mutations
from syncer.testing.github.replies import CutError, Reply
from syncer.testing.github.requests import Asked, When
from syncer.testing.github.rules import Rule, Rules
from syncer.testing.github.server import Server
from syncer.testing.github.viewers import Viewer
from syncer.testing.github.world import World

__all__ = ["DEFAULT_TOKEN", "Simulator", "newest_stamp"]

DEFAULT_TOKEN = "simulated-token"  # noqa: S105 - it opens nothing
Latency = float | Callable[[Asked], float]


def newest_stamp(dataset: Dataset) -> datetime:
    """The last moment at which something happened in `dataset`."""
    stamps = [pull.updated_at for pull in dataset.pull_requests]
    stamps += [r.published_at for r in dataset.releases if r.published_at is not None]
    return instant(max(stamps, default="2024-01-01T00:00:00Z"))


class Simulator:
    """GitHub's GraphQL API over one data set.

    `async with` opens it on a free port of 127.0.0.1, at `url`; `respond` needs no socket. The
    clock stands still, a day after the newest stamp of the data, unless another one is given.
    `latency_s` is a number, or follows from the request; `sleep` is how it is waited for. Points
    and seconds of answering a minute, and requests at once, are refused beyond their limits, as the
    hourly points always are; `minute.peak` and `seconds.peak` tell the most that was taken.
    """

    def __init__(  # noqa: PLR0913 - settings: each has a default and is given by name
        self,
        dataset: Dataset,
        *,
        tokens: Mapping[str, Viewer] | None = None,
        clock: Clock | None = None,
        schema: GraphQLSchema | None = None,
        seed: int = 0,
        points_per_minute: int | None = None,
        seconds_per_minute: float | None = None,
        retry_after: str | None = "60",
        at_once: int = 100,
        latency_s: Latency = 0.0,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        log: Path | None = None,
        marks: Path | None = None,
        hold_at: int | None = None,
        port: int = 0,
    ) -> None:
        self.clock = clock or Clock(newest_stamp(dataset) + timedelta(days=1))
        self.world = World(with_ids(dataset))
        self.mutate = Mutations(self.world, self.clock)
        self.tokens = dict(tokens or {DEFAULT_TOKEN: Viewer()})
        self.journal = Journal(log, marks)
        self.rules = Rules(seed)
        self.requests = 0
        self._answering = Answering(
            self.world, self.clock, schema or shipped_schema(), self.tokens, retry_after
        )
        self.minute = self._answering.minute
        self.minute.limit = points_per_minute
        self.seconds = self._answering.seconds
        self.seconds.limit = seconds_per_minute
        self._at_once = at_once
        self._running = 0
        self._latency_s = latency_s
        self._sleep = sleep
        self._hold_at = hold_at
        self._plans: dict[int, list[Callable[[Mutations], object]]] = {}
        self._server = Server(self.answer, self.journal, port)

    # -- what tests look at

    @property
    def url(self) -> str:
        """The address to POST to, while the simulator is open."""
        return self._server.url

    @property
    def log(self) -> list[Entry]:
        """Every answered request, in the order of the answers."""
        return self.journal.entries

    @property
    def points(self) -> int:
        """All points that were billed."""
        return sum(entry.cost for entry in self.log)

    # -- what tests say

    def fail(
        self,
        fault: Fault,
        at: int | When | None = None,
        *,
        times: int | None = 1,
        chance: float = 1.0,
    ) -> Rule:
        """Let `fault` strike the `at`-th request, or those for which `at` holds, or any.

        It strikes `times` requests (None: for ever), each with `chance`. The rule's `hits` tells
        how many requests it really changed.
        """
        return self.rules.add(Rule(fault, _condition(at), times, chance))

    def between(self, k: int, mutation: Callable[[Mutations], object]) -> None:
        """Do `mutation` when the k-th request has been answered; 0: before the first."""
        if k == 0:
            mutation(self.mutate)
        else:
            self._plans.setdefault(k, []).append(mutation)

    def on_received(self, hook: Callable[[int], None]) -> None:
        """Call `hook` with k when the k-th request has come, before anything is done about it."""
        self.journal.on_received.append(hook)

    def on_answered(self, hook: Callable[[int], None]) -> None:
        """Call `hook` with k when the answer to the k-th request has gone out."""
        self.journal.on_answered.append(hook)

    # -- answering

    async def respond(
        self, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer to one POST, without a socket.

        Raises CutError where the connection would end before the answer does.
        """
        k, reply = await self.answer(headers, body)
        self.journal.answered(k)
        if reply.wire is not None:
            raise CutError(reply)
        return reply.status, reply.headers, reply.body

    async def answer(self, headers: Mapping[str, str], body: bytes) -> tuple[int, Reply]:
        """The number of a request and the reply to it; whoever sends that tells the journal."""
        self.requests += 1
        k = self.requests
        self.journal.received(k)
        if k == self._hold_at:
            await asyncio.Event().wait()
        self._running += 1
        crowded = self._running > self._at_once
        try:
            prepared = self._answering.prepare(k, headers, body)
            prepared.seconds = await self._wait(prepared.asked)
            # Without a pause from here on: a rule that strikes once cannot strike two at once.
            struck = self.rules.striking(prepared.asked)
            reply, entry = self._answering.reply(prepared, struck, crowded)
            self._finish(prepared, struck, entry)
        finally:
            self._running -= 1
        return k, reply

    async def _wait(self, asked: Asked) -> float:
        latency = self._latency_s
        seconds = latency(asked) if callable(latency) else latency
        seconds += self.rules.delay_s(asked)
        if seconds > 0:
            await self._sleep(seconds)
            self.seconds.charge(seconds, self.clock.now())
        return seconds

    def _finish(self, prepared: Prepared, struck: list[Rule], entry: Entry) -> None:
        for rule in struck:
            if isinstance(rule.fault, Cut):
                rule.apply()
            rule.settle()
        self.journal.add(entry)
        for mutation in self._plans.pop(prepared.asked.k, ()):
            mutation(self.mutate)

    # -- the socket

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop()
        self.journal.close()


def _condition(at: int | When | None) -> When:
    if at is None:
        return lambda _: True
    if isinstance(at, int):
        return lambda asked: asked.k == at
    return at
