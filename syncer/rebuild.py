"""Writing every sink anew from the store, without asking GitHub."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from syncer.delivery import Delivery
from syncer.errors import LocalError
from syncer.placement import facts_of, place
from syncer.sink import Applied, Destination, Factory, Sink
from syncer.store import (
    STATE_FILE,
    STATE_FOLDER,
    SinkState,
    Store,
    hold_folder,
    meta,
    open_store,
)

__all__ = ["Rebuilt", "rebuild", "write_anew"]


class Rebuilt(Struct, frozen=True, kw_only=True):
    """By sink, what was changed there, and why it failed where it did; and what sinks found."""

    applied: dict[str, Applied]
    failures: dict[str, str]
    notes: tuple[str, ...]


async def rebuild(folder: Path, *, sinks: Mapping[str, Factory]) -> Rebuilt:
    """Bring every sink of the repository at `folder` to what its store holds, file by file.

    What is right already is not written; what is left over is removed. Placements are found again
    from the stored releases. Raises LockedError, DamagedError, or LocalError (no store, or it
    holds nothing yet).
    """
    if not (folder / STATE_FOLDER / STATE_FILE).exists():
        message = (
            f"there is no store in {folder} to write from: run `syncer sync`, which takes over "
            "what the files prove and reads the rest again"
        )
        raise LocalError(message)
    async with hold_folder(folder) as state, open_store(state) as store:
        destination = Destination(folder=folder)
        return await write_anew(store, {name: make(destination) for name, make in sinks.items()})


async def write_anew(store: Store, sinks: Mapping[str, Sink]) -> Rebuilt:
    """Hand everything in an open store to sinks that are not open yet, as `rebuild` does."""
    repository = await store.meta.get(meta.REPOSITORY)
    if repository is None:
        message = "the store holds nothing yet: run `syncer sync`"
        raise LocalError(message)
    await place(store)
    await _rewind(store, sinks)
    delivery = Delivery(store, sinks)
    try:
        notes = await delivery.open()
        await delivery.deliver(await facts_of(store, repository))
    finally:
        await delivery.close()
    failures = {name: str(error) for name, error in delivery.failures.items()}
    return Rebuilt(applied=dict(delivery.applied), failures=failures, notes=tuple(notes))


async def _rewind(store: Store, sinks: Iterable[str]) -> None:
    """Forget how far the sinks were, so that each is handed the feed from its beginning."""
    async with store.transaction():
        for name in sinks:
            await store.ledger.move_sink(name, SinkState(0, None))
