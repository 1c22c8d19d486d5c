"""The store of one repository: one SQLite file, one writer, everything a run must not lose.

Nothing outside this package holds SQL. Reads are free at any time; writing methods of the parts
run inside `Store.transaction`, so that what belongs together is stored together or not at all.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from syncer.errors import LocalError
from syncer.store.conversations import Commit, Conversations, Stored, snapshot_digest
from syncer.store.database import Database, NewerStoreError, open_database, open_readonly
from syncer.store.frontier import Frontier
from syncer.store.ledger import Ledger, Queued, RunRecord, SinkState
from syncer.store.lock import hold
from syncer.store.meta import Discrepancy, Key, Meta
from syncer.store.pulls import Pulls, Vanished
from syncer.store.survey import Kept, Labelled, Survey
from syncer.store.tombstones import Tombstone, Tombstones

__all__ = [
    "STATE_FILE",
    "STATE_FOLDER",
    "Commit",
    "Discrepancy",
    "Kept",
    "Key",
    "Labelled",
    "NewerStoreError",
    "Queued",
    "RunRecord",
    "SinkState",
    "Store",
    "Stored",
    "Tombstone",
    "Vanished",
    "hold_folder",
    "open_store",
    "read_store",
    "snapshot_digest",
]

STATE_FOLDER = ".syncer"
STATE_FILE = "state.db"


class Store:
    """All parts over one connection."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.meta = Meta(database)
        self.pulls = Pulls(database)
        self.frontier = Frontier(database)
        self.conversations = Conversations(database)
        self.ledger = Ledger(database)
        self.tombstones = Tombstones(database)
        self.survey = Survey(database)

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """Everything inside is stored together or not at all, whatever is raised."""
        return self._database.transaction()


def hold_folder(folder: Path) -> AbstractAsyncContextManager[Path]:
    """The repository's state folder, made if need be and held for this process alone.

    Raises LockedError naming the holder, or LocalError when the folder cannot be made.
    """
    return _hold_folder(folder)


@asynccontextmanager
async def _hold_folder(folder: Path) -> AsyncGenerator[Path]:
    state = folder / STATE_FOLDER
    try:
        state.mkdir(parents=True, exist_ok=True)
        ignore = state / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", "ascii")
    except OSError as error:
        message = (
            f"cannot write below {folder}: {error.strerror}; "
            "choose another --root or mend its permissions"
        )
        raise LocalError(message) from error
    with hold(state / "lock"):
        yield state


@asynccontextmanager
async def open_store(state: Path) -> AsyncGenerator[Store]:
    """The store in a held state folder; see `open_database` for what it raises."""
    async with open_database(state / STATE_FILE) as database:
        yield Store(database)


@asynccontextmanager
async def read_store(folder: Path) -> AsyncGenerator[Store]:
    """The store of a repository's folder for reading, also beside a writer."""
    path = folder / STATE_FOLDER / STATE_FILE
    if not path.exists():
        message = f"there is no store at {path}: run `syncer sync` first"
        raise LocalError(message)
    async with open_readonly(path) as database:
        yield Store(database)
