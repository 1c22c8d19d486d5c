"""Checking one repository's corpus, against itself and against its store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from syncer.adoption import CORPUS_SINK
from syncer.cli.places import has_store
from syncer.errors import LocalError, LockedError
from syncer.findings import Report
from syncer.sink import ChangeKind
from syncer.store import Store, hold_folder, read_store
from syncer.verify import Expected, verify

__all__ = ["Note", "Progress", "check"]

Note = Callable[[str], None]
Progress = Callable[[int], None]

_CHUNK = 500


async def check(folder: Path, note: Note, progress: Progress | None = None) -> Report:
    """The report on the corpus at `folder`, compared with its store where there is one.

    No run may be at work meanwhile. Raises LockedError naming the one that is, LocalError and
    DamagedError (of the store). `note` hears of what could not be looked at; `progress` of how many
    files were gone through, in another thread: raising there ends the check.
    """
    if not has_store(folder):
        return await asyncio.to_thread(verify, folder, progress=progress)
    async with _standing_still(folder, note), read_store(folder) as store:
        expected = await _expected(store, note)
        return await asyncio.to_thread(verify, folder, expected=expected, progress=progress)


@asynccontextmanager
async def _standing_still(folder: Path, note: Note) -> AsyncGenerator[None, None]:
    """The repository held, or, where nothing may be written to it, left as it is."""
    try:
        holding = hold_folder(folder)
        await holding.__aenter__()
    except LockedError:
        raise
    except LocalError as error:
        note(f"{error}; checked as it stands")
        yield
        return
    try:
        yield
    finally:
        await holding.__aexit__(None, None, None)


async def _expected(store: Store, note: Note) -> dict[int, Expected] | None:
    """What the corpus should hold by the store; None while it lags behind the store anyway."""
    head = await store.conversations.head()
    if (await store.ledger.sink(CORPUS_SINK)).position != head:
        note("the store holds changes that the corpus has not been given; not compared with it")
        return None
    expected: dict[int, Expected] = {}
    position = 0
    while changes := await store.conversations.after(position, _CHUNK):
        for change in changes:
            if change.kind is not ChangeKind.GONE:
                expected[change.number] = Expected(release=change.release, revision=change.revision)
        position = changes[-1].seq
    return expected
