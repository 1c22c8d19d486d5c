"""The stamps of some conversations, read by the engine's own wave into memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from syncer.audit.source import AuditSource, Wordless
from syncer.census.known import Wanted
from syncer.corpus import Timeline
from syncer.reading.board import Board
from syncer.reading.ingest import Ingest
from syncer.reading.memory import Memory
from syncer.reading.wave import Wave
from syncer.repository import Shaping
from syncer.settings import Settings

__all__ = ["read_stamps"]


async def read_stamps(
    source: AuditSource,
    wanted: Sequence[Wanted],
    memory: Memory,
    *,
    settings: Settings,
    repository: str,
    date: datetime,
    on_progress: Callable[[], None],
) -> None:
    """Read `wanted`, at most a wave of them, into `memory`, without anybody's words.

    Level by level, planned, split, repeated and given up as every reading is. Raises StopError
    where that cannot go on; `memory` then holds what was read by then.
    """
    board = Board(settings.limits())
    nowhere = Timeline((), Shaping())  # nothing is placed, so no bucket matters
    wave = Wave(
        Wordless(source),
        memory,
        board,
        Ingest(board, memory, nowhere, settings.margin_s),
        settings=settings,
        repository=repository,
        date=date,
        on_progress=on_progress,
    )
    await wave.read(wanted)
