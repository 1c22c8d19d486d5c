"""One SQLite connection with one owner: opening, transactions, and sqlite's errors made ours."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import aiosqlite

from syncer.errors import DamagedError, LocalError, LockedError, SyncError
from syncer.store.schema import APPLICATION_ID, MIGRATIONS, VERSION

__all__ = ["Database", "NewerStoreError", "open_database", "open_readonly"]

_BUSY_S = 30.0
_HEADER = b"SQLite format 3\x00"


class NewerStoreError(DamagedError):
    """The store was written by a newer program; it is left as it is."""


class Database:
    """A connection that knows transactions. All statements come from the one task that owns it."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[None]:
        """Everything inside is stored together or not at all.

        Cancelling does not stop a statement already on the worker thread; its queue is first-in
        first-out, so the rollback runs after it and undoes it (aiosqlite's documented behaviour).
        """
        try:
            await self.run("BEGIN IMMEDIATE")
            yield
            await self.run("COMMIT")
        except BaseException:
            await asyncio.shield(self._connection.rollback())
            raise

    async def run(self, sql: str, values: Sequence[object] = ()) -> int:
        """Execute one statement and return how many rows it changed."""
        with _translated():
            cursor = await self._connection.execute(sql, values)
            changed = cursor.rowcount
            await cursor.close()
        return changed

    async def run_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute one statement once a row; without rows, nothing is asked of the worker thread."""
        values = list(rows)
        if not values:
            return
        with _translated():
            cursor = await self._connection.executemany(sql, values)
            await cursor.close()

    async def all(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Every row of a query."""
        with _translated():
            return [tuple(row) for row in await self._connection.execute_fetchall(sql, values)]

    async def one(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        found = await self.all(sql, values)
        return found[0] if found else None

    async def last_id(self) -> int:
        """The row id that the last INSERT of this connection got."""
        found = await self.one("SELECT last_insert_rowid()")
        return 0 if found is None else int(found[0])

    async def checkpoint(self) -> None:
        """Move the write-ahead log into the file, so that a copy of the file alone is whole."""
        await self.run("PRAGMA wal_checkpoint(TRUNCATE)")


@asynccontextmanager
async def open_database(path: Path) -> AsyncGenerator[Database]:
    """The store's file, created or migrated; checkpointed at a clean end.

    Raises NewerStoreError, DamagedError (not a whole SQLite file), LockedError (busy for longer
    than half a minute) or LocalError; the file is untouched by all of them.
    """
    if _is_there(path):
        # Closing a writer moves the log into the file, be it a file that was just refused.
        async with open_readonly(path):
            pass
    connection = await _connected(os.fspath(path))
    try:
        database = Database(connection)
        await _prepare(database)
        yield database
        await database.checkpoint()
    finally:
        await connection.close()


@asynccontextmanager
async def open_readonly(path: Path) -> AsyncGenerator[Database]:
    """The store's file for reading beside a writer, also where nothing can be written.

    Raises as `open_database` does.
    """
    _is_there(path)
    connection = await _connected(_readonly(path), uri=True)
    try:
        database = Database(connection)
        await _check_version(database)
        yield database
    finally:
        await connection.close()


async def _connected(name: str, *, uri: bool = False) -> aiosqlite.Connection:
    # When connecting fails, aiosqlite does not wait for its thread, which then speaks to a loop
    # that may have ended: a traceback on standard error. So it never fails; a stand-in is closed.
    failed: list[sqlite3.Error] = []

    def connect() -> sqlite3.Connection:
        try:
            return sqlite3.connect(name, uri=uri, timeout=_BUSY_S, isolation_level=None)
        except sqlite3.Error as error:
            failed.append(error)
            return sqlite3.connect(":memory:")

    connection = await aiosqlite.Connection(connect, iter_chunk_size=64)
    if failed:
        await connection.close()
        raise _ours(failed[0]) from failed[0]
    return connection


def _readonly(path: Path) -> str:
    # The bytes of the path, for it need not be text; absolute, for `//` begins a host in a URI.
    uri = f"file://{quote(os.fsencode(path.absolute()))}?mode=ro"
    # Reading makes a log beside the file, which a reader without that right cannot; after a clean
    # end there is none, and the file alone is whole. https://www.sqlite.org/wal.html#readonly
    log = path.with_name(f"{path.name}-wal")
    return uri if log.exists() or os.access(path.parent, os.W_OK) else f"{uri}&immutable=1"


def _is_there(path: Path) -> bool:
    """Whether there is a file. Raises DamagedError when it is not a SQLite file."""
    # SQLite takes an empty file for a new database: a zeroed store would pass for a first run.
    try:
        with path.open("rb") as file:
            head = file.read(len(_HEADER))
    except FileNotFoundError:
        return False
    except OSError as error:
        message = f"cannot read the store {path.name}: {error.strerror}"
        raise LocalError(message) from error
    if head != _HEADER:
        message = f"the store {path.name} is not a SQLite file"
        raise DamagedError(message)
    return True


async def _prepare(database: Database) -> None:
    await database.run("PRAGMA journal_mode = WAL")
    await database.run("PRAGMA synchronous = NORMAL")
    await database.run("PRAGMA cache_size = -16384")
    await _migrate(database)


async def _check_version(database: Database) -> None:
    version = await _pragma(database, "user_version")
    if version > VERSION:
        message = (
            f"the store has version {version}, this program knows {VERSION}: "
            "upgrade the program, or move the .syncer folder away to rebuild it from the corpus"
        )
        raise NewerStoreError(message)
    ours = await _pragma(database, "application_id") == APPLICATION_ID
    if not ours and await database.one("SELECT 1 FROM sqlite_master LIMIT 1") is not None:
        message = "the store is a SQLite file of another program"
        raise DamagedError(message)
    found = await database.one("PRAGMA quick_check(1)")
    if found != ("ok",):
        message = "the store fails SQLite's own check"
        raise DamagedError(message)


async def _migrate(database: Database) -> None:
    version = await _pragma(database, "user_version")
    if version == VERSION:
        return
    async with database.transaction():
        for script in MIGRATIONS[version:]:
            for statement in _statements(script):
                await database.run(statement)
        await database.run(f"PRAGMA application_id = {APPLICATION_ID}")
        await database.run(f"PRAGMA user_version = {VERSION}")


def _statements(script: str) -> Iterator[str]:
    # executescript would commit the transaction around it.
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


async def _pragma(database: Database, name: str) -> int:
    found = await database.one(f"PRAGMA {name}")
    return 0 if found is None else int(found[0])


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _ours(error) from error


def _ours(error: sqlite3.Error) -> SyncError:
    words = str(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LockedError("the store is busy: another program is writing to it")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DamagedError(f"the store is damaged ({words})")
    if code == sqlite3.SQLITE_FULL:
        return LocalError("the disk is full: free some space and run again, nothing was lost")
    return LocalError(f"the store cannot be used ({words})")
