"""A run of the real engine, through the real client and wire, against the simulator."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from sinks.corpus import open_sink
from syncer.engine import Again
from syncer.github.access import Endpoint
from syncer.github.client import GitHub
from syncer.github.governor import Governor
from syncer.github.pace import Bounds
from syncer.github.token import Credentials, Token
from syncer.progress import Progress
from syncer.report import Summary
from syncer.session import sync
from syncer.settings import Settings
from syncer.sink import Factory
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator

__all__ = ["CORPUS", "NEVER_COMPARED", "UNHURRIED", "Hurry", "content", "run", "tree"]

CORPUS: Mapping[str, Factory] = {"corpus": open_sink}
NEVER_COMPARED = frozenset({"census.json"})
"""What tells of times of reading, and so differs between equal corpora."""

UNHURRIED = Bounds(points_per_minute=1e9, seconds_per_minute=1e9)
"""No pacing: what a test asks within a second may be what a job asks within an hour."""


class Hurry:
    """Time that passes only by sleeping, for the governor, the retries and the server alike."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._now += seconds
        self._simulator.clock.advance(seconds)
        await asyncio.sleep(0)

    def governor(self, *, wait: bool = True, bounds: Bounds = UNHURRIED) -> Governor:
        return Governor(bounds, wait=wait, clock=self.monotonic, sleep=self.sleep, dice=lambda: 0.5)


async def run(
    simulator: Simulator,
    root: Path,
    *,
    settings: Settings | None = None,
    token: str = DEFAULT_TOKEN,
    sinks: Mapping[str, Factory] | None = None,
    requested: Sequence[int] = (),
    notes: list[str] | None = None,
    governor: Governor | None = None,
    hurry: Hurry | None = None,
    credentials: Credentials | None = None,
    max_points: int | None = None,
) -> Summary:
    """One `syncer sync` of the simulator's only repository."""

    def observe(progress: Progress) -> None:
        if notes is not None and progress.note:
            notes.append(progress.note)

    name = simulator.world.repository.name_with_owner
    client = GitHub(
        credentials or Credentials(Token(token)),
        governor or (hurry.governor() if hurry else Governor(UNHURRIED)),
        name=name,
        endpoint=Endpoint(url=simulator.url),
        max_points=max_points,
    )
    async with client:
        return await sync(
            client,
            name,
            root,
            sinks=CORPUS if sinks is None else sinks,
            settings=settings or Settings(),
            observer=observe,
            monotonic=time.monotonic,
            again=Again(numbers=tuple(requested)),
        )


def tree(folder: Path) -> dict[str, str]:
    """Path and SHA-256 of every file below `folder` that belongs to the corpus."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and ".syncer" not in path.parts and path.name not in NEVER_COMPARED:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def content(folder: Path) -> dict[str, bytes]:
    """Path and bytes of every Markdown file below `folder`."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*.md"))}
