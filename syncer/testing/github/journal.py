"""The log of requests: in memory, as JSON lines, and as marks that another process can wait for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

__all__ = ["Entry", "Journal"]


class Entry(Struct, frozen=True, rename="camel", kw_only=True):
    """One answered request. `cost` is what was billed for it; `status` 0: no answer was sent."""

    k: int
    time: str
    operation: str
    kinds: dict[str, int]
    ids: int
    connections: int
    nodes: int  # those in the answer
    cost: int
    seconds: float  # for how long the answer was held by latency and faults
    status: int
    bytes: int


Hook = Callable[[int], None]


class Journal:
    """Keeps every entry, and tells who listens when a request came and when its answer went."""

    def __init__(self, path: Path | None = None, marks: Path | None = None) -> None:
        self.entries: list[Entry] = []
        self.on_received: list[Hook] = []
        self.on_answered: list[Hook] = []
        self._file: IO[bytes] | None = None if path is None else path.open("ab", buffering=0)
        self._marks = marks

    def received(self, k: int) -> None:
        """The k-th request has arrived, and nothing was done about it yet."""
        self._tell("received", self.on_received, k)

    def answered(self, k: int) -> None:
        """The answer to the k-th request has been handed to the network."""
        self._tell("answered", self.on_answered, k)

    def add(self, entry: Entry) -> None:
        """Keep `entry`."""
        self.entries.append(entry)
        if self._file is not None:
            self._file.write(msgspec.json.encode(entry) + b"\n")

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _tell(self, word: str, hooks: list[Hook], k: int) -> None:
        if self._marks is not None:
            (self._marks / f"{word}-{k}").touch()
        for hook in hooks:
            hook(k)
