"""What a run tells while it runs. Whoever shows it decides how; the engine only reports."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

__all__ = ["Observer", "Progress"]


class Progress(Struct, frozen=True, kw_only=True):
    """Where a run stands. `stage` is `opening`, `census`, `auditing`, `reading` or `writing`."""

    repository: str
    stage: str
    known: int = 0  # pull requests known so far
    left: int = 0  # of those, still to be read
    note: str | None = None  # something that a person should hear once


Observer = Callable[[Progress], None]
