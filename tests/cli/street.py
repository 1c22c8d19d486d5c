"""Several repositories behind one address, as on GitHub: each a simulator of its own."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Self

import msgspec
from msgspec.structs import replace

from syncer.testing.github import Clock, Shape, Simulator, generate
from syncer.testing.github.journal import Journal
from syncer.testing.github.replies import Reply
from syncer.testing.github.server import Server

__all__ = ["Street", "house"]

_START = datetime(2026, 1, 1, tzinfo=UTC)


def house(name: str, pulls: int, clock: Clock) -> Simulator:
    """A repository on the clock of its street; its node ids are those of no other name."""
    seed = sum(name.encode())
    dataset = generate(seed, pulls, Shape(name=name, releases=2))
    repository = replace(dataset.repository, database_id=70_000_000 + seed)
    return Simulator(replace(dataset, repository=repository), clock=clock)


class Street:
    """Leads every request to the repository that it names. `asked` are those, in their order."""

    def __init__(self, pulls: Mapping[str, int]) -> None:
        self.clock = Clock(_START)
        self.houses = {name: house(name, count, self.clock) for name, count in pulls.items()}
        self.asked: list[str] = []
        self._server = Server(self.answer, Journal(), 0)

    @property
    def url(self) -> str:
        return self._server.url

    async def answer(self, headers: Mapping[str, str], body: bytes) -> tuple[int, Reply]:
        name = self._named(json.loads(body)["variables"])
        self.asked.append(name)
        return await self.houses[name].answer(headers, body)

    def minutes(self) -> list[int]:
        """Points, over all repositories, of every minute that begins with a request."""
        entries = [entry for one in self.houses.values() for entry in one.log]
        timed = [(datetime.fromisoformat(entry.time), entry.cost) for entry in entries]
        span = timedelta(minutes=1)
        return [sum(c for at, c in timed if start <= at < start + span) for start, _ in timed]

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop()

    def _named(self, variables: dict[str, object]) -> str:
        if "owner" in variables:
            asked = f"{variables['owner']}/{variables['name']}"
            return asked if asked in self.houses else next(iter(self.houses))
        numbers = {n for text in _texts(variables) for n in _numbers(text)}
        return next(
            name for name, one in self.houses.items() if one.world.repository.database_id in numbers
        )


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in _texts(one)]
    return [value] if isinstance(value, str) else []


def _numbers(text: str) -> list[int]:
    """The numbers packed in a node id; none in any other text."""
    prefix, _, packed = text.partition("_")
    if not prefix.isupper():
        return []
    try:
        return msgspec.msgpack.decode(
            base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), type=list[int]
        )
    except (ValueError, msgspec.MsgspecError):
        return []
