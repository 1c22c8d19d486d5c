"""A sink that nobody here has heard of: it writes down the options that it was given."""

from __future__ import annotations

import json

from syncer.sink import Applied, Batch, Destination


class Kept:
    def __init__(self, destination: Destination) -> None:
        self._destination = destination

    async def open(self) -> str | None:
        return None

    async def apply(self, batch: Batch) -> Applied:
        return Applied(written=len(batch.changes))

    async def flush(self) -> str:
        path = self._destination.folder / "kept.json"
        path.write_text(json.dumps(self._destination.options))
        return "kept"

    async def close(self) -> None:
        return None


def open_sink(destination: Destination) -> Kept:
    return Kept(destination)
