"""One connection: all or nothing, whatever happens; and files that are not ours stay as they are."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from syncer.errors import DamagedError, LocalError, LockedError
from syncer.store import database as module
from syncer.store.database import Database, NewerStoreError, open_database, open_readonly
from syncer.store.schema import APPLICATION_ID, MIGRATIONS, VERSION

FILES = ("state.db", "state.db-wal")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    async with open_database(path) as opened:
        await opened.run("CREATE TABLE t (n INTEGER PRIMARY KEY)")
        yield opened


async def _rows(database: Database) -> list[int]:
    return [n for (n,) in await database.all("SELECT n FROM t ORDER BY n")]


async def _insert(database: Database, *rows: int, then: type[BaseException] | None = None) -> None:
    async with database.transaction():
        await database.run("INSERT INTO t VALUES (?)", rows[:1])
        await database.run_many("INSERT INTO t VALUES (?)", [(n,) for n in rows[1:]])
        if then is not None:
            raise then


# Transactions


@pytest.mark.parametrize(
    "raised", [KeyError, KeyboardInterrupt, asyncio.CancelledError, SystemExit]
)
async def test_whatever_is_raised_inside_a_transaction_undoes_all_of_it_and_goes_on(
    raised: type[BaseException], database: Database
) -> None:
    with pytest.raises(raised):
        await _insert(database, 1, then=raised)
    assert await _rows(database) == []
    async with database.transaction():
        await database.run("INSERT INTO t VALUES (2)")
    assert await _rows(database) == [2]


@pytest.mark.parametrize("step", range(0, 40, 3))
async def test_a_task_cancelled_at_any_turn_of_the_loop_leaves_all_or_nothing(
    step: int, database: Database
) -> None:
    async def write() -> None:
        async with database.transaction():
            for n in range(4):
                await database.run("INSERT INTO t VALUES (?)", (n,))
            await database.run_many("INSERT INTO t VALUES (?)", [(9,), (10,)])

    task = asyncio.ensure_future(write())
    for _ in range(step):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert await _rows(database) in ([], [0, 1, 2, 3, 9, 10])
    async with database.transaction():
        await database.run("INSERT INTO t VALUES (77)")
    assert 77 in await _rows(database)


@pytest.mark.parametrize("stop", range(1, 8))
async def test_cancelled_while_any_statement_is_on_its_way_nothing_is_left_behind(
    stop: int, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = database._connection
    execute, count = connection.execute, 0

    async def counting(sql: str, values: object = ()) -> object:
        nonlocal count
        count += 1
        if count == stop:
            task.cancel()  # the statement still reaches the worker thread
        return await execute(sql, values)  # type: ignore[arg-type]

    async def write() -> None:
        async with database.transaction():
            for n in range(5):
                await database.run("INSERT INTO t VALUES (?)", (n,))

    task = asyncio.ensure_future(write())
    monkeypatch.setattr(connection, "execute", counting)
    await asyncio.wait([task])
    monkeypatch.undo()
    assert task.cancelled()
    assert await _rows(database) == ([] if stop <= 6 else [0, 1, 2, 3, 4])
    async with database.transaction():
        await database.run("INSERT INTO t VALUES (77)")


async def test_a_statement_that_fails_undoes_those_before_it_and_is_named_as_ours(
    database: Database,
) -> None:
    with pytest.raises(LocalError, match="UNIQUE"):
        await _insert(database, 1, 1)
    assert await _rows(database) == []


# Other connections


async def test_a_reader_is_not_held_up_by_a_writer_and_sees_only_what_is_committed(
    path: Path, database: Database
) -> None:
    async with database.transaction():
        await database.run("INSERT INTO t VALUES (1)")
        async with open_readonly(path) as reader:
            assert await _rows(reader) == []
    async with open_readonly(path) as reader:
        assert await _rows(reader) == [1]


async def test_a_writer_is_not_held_up_by_a_reader_in_the_midst_of_its_reading(
    path: Path, database: Database
) -> None:
    async with open_readonly(path) as reader:
        await reader.run("BEGIN")
        assert await _rows(reader) == []
        async with database.transaction():
            await database.run("INSERT INTO t VALUES (1)")
        assert await _rows(reader) == []
        await reader.run("ROLLBACK")
        assert await _rows(reader) == [1]


async def test_a_reader_cannot_write(path: Path, database: Database) -> None:
    async with open_readonly(path) as reader:
        with pytest.raises(LocalError, match="readonly"):
            await reader.run("INSERT INTO t VALUES (1)")


@pytest.mark.parametrize(
    "name", [b"latin-\xfc", "ü".encode(), b"a?b#c%20d&mode=rwc", b"file:x", b"two\nlines"]
)
@pytest.mark.parametrize("root", ["", "/"])  # such a root as `--root "$BASE/corpus"` is under `/`
async def test_a_store_is_opened_and_read_wherever_a_file_system_can_keep_it(
    tmp_path: Path, name: bytes, root: str
) -> None:
    folder = Path(f"{root}{tmp_path}") / os.fsdecode(name)
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system does not take such a name")
    for n in (1, 2):
        async with open_database(folder / "state.db") as opened:
            await opened.run("CREATE TABLE IF NOT EXISTS t (n)")
            await _insert(opened, n)
    async with open_readonly(folder / "state.db") as reader:
        assert await _rows(reader) == [1, 2]


async def test_a_store_is_read_where_nothing_can_be_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_database(path) as opened:
        await opened.run("CREATE TABLE t (n)")
        await _insert(opened, 1)
    before = {one.name for one in path.parent.iterdir()}
    path.parent.chmod(0o555)
    # Whoever may do everything is asked as little as a read-only disk would be.
    monkeypatch.setattr(os, "access", lambda *_: False)
    try:
        async with open_readonly(path) as reader:
            assert await _rows(reader) == [1]
            assert {one.name for one in path.parent.iterdir()} == before
    finally:
        path.parent.chmod(0o755)


async def test_what_is_only_in_the_log_is_read_also_without_the_right_to_write(
    path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _insert(database, 1)
    monkeypatch.setattr(os, "access", lambda *_: False)
    async with open_readonly(path) as reader:
        assert await _rows(reader) == [1]


async def test_a_second_writer_waits_a_bounded_time_and_says_who_is_in_the_way(
    path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BUSY_S", 0.05)
    async with open_database(path) as second:
        async with database.transaction():
            with pytest.raises(LockedError, match="another program is writing"):
                async with second.transaction():
                    pytest.fail("two writers at once")
        async with second.transaction():
            await second.run("INSERT INTO t VALUES (1)")
    assert await _rows(database) == [1]


async def test_a_second_writer_goes_on_as_soon_as_the_first_has_ended(
    path: Path, database: Database
) -> None:
    async with open_database(path) as second:
        async with database.transaction():
            await database.run("INSERT INTO t VALUES (1)")
            waiting = asyncio.ensure_future(_insert(second, 2))
            await asyncio.sleep(0)
            assert not waiting.done()
        await waiting
    assert await _rows(database) == [1, 2]


# The file


async def test_after_a_clean_end_a_copy_of_the_file_alone_is_whole(path: Path) -> None:
    async with open_database(path) as opened:
        await opened.run("CREATE TABLE t (n INTEGER)")
        await _insert(opened, 1)
    alone = Path(shutil.copy(path, path.with_name("alone.db")))
    async with open_readonly(alone) as copy:
        assert await _rows(copy) == [1]


async def test_a_fresh_file_is_migrated_from_nothing_and_carries_our_mark(path: Path) -> None:
    async with open_database(path) as opened:
        assert await opened.one("PRAGMA user_version") == (VERSION,)
        assert await opened.one("PRAGMA application_id") == (APPLICATION_ID,)
        assert await opened.one("PRAGMA journal_mode") == ("wal",)
        assert await opened.one("PRAGMA synchronous") == (1,)


async def test_each_migration_is_applied_once_and_in_order(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_database(path) as opened:
        await opened.run("INSERT INTO meta VALUES ('kept', x'31')")
    scripts = (*MIGRATIONS, "CREATE TABLE later (a);\nINSERT INTO later VALUES ('x;y');")
    monkeypatch.setattr(module, "MIGRATIONS", scripts)
    monkeypatch.setattr(module, "VERSION", len(scripts))
    for _ in range(2):
        async with open_database(path) as opened:
            assert await opened.all("SELECT a FROM later") == [("x;y",)]
            assert await opened.one("SELECT key FROM meta") == ("kept",)


async def test_a_migration_that_fails_leaves_the_older_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_database(path):
        pass
    with monkeypatch.context() as patch:
        patch.setattr(module, "MIGRATIONS", (*MIGRATIONS, "CREATE TABLE later (a);\nNONSENSE;"))
        patch.setattr(module, "VERSION", VERSION + 1)
        with pytest.raises(LocalError):
            async with open_database(path):
                pytest.fail("opened after a failed migration")
    async with open_database(path) as opened:
        assert await opened.one("PRAGMA user_version") == (VERSION,)
        assert await opened.one("SELECT name FROM sqlite_master WHERE name = 'later'") is None


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        other.execute(f"PRAGMA user_version = {VERSION + 1}")
        other.execute("CREATE TABLE later (a)")
    other.close()


def _newer_killed(path: Path) -> None:
    """What a newer program leaves that was killed: its last words stand in the log alone."""
    living = path.with_name("living")
    living.mkdir()
    other = sqlite3.connect(living / path.name)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    other.execute(f"PRAGMA user_version = {VERSION + 1}")
    other.execute("CREATE TABLE later (a)")
    other.commit()
    for name in FILES:
        shutil.copy(living / name, path.with_name(name))
    other.close()


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (url)")
        other.execute("PRAGMA user_version = 1")
    other.close()


def _foreign_unversioned(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE bookmarks (url)")
    other.close()


@pytest.mark.parametrize(
    ("make", "error"),
    [
        pytest.param(_newer, NewerStoreError, id="newer"),
        pytest.param(_newer_killed, NewerStoreError, id="newer, killed"),
        pytest.param(_foreign, DamagedError, id="foreign"),
        pytest.param(_foreign_unversioned, DamagedError, id="foreign without a version"),
        pytest.param(lambda path: path.write_bytes(b""), DamagedError, id="empty"),
        pytest.param(lambda path: path.write_bytes(bytes(8192)), DamagedError, id="zeroed"),
        pytest.param(
            lambda path: path.write_bytes(b"SQLite"), DamagedError, id="cut in the header"
        ),
        pytest.param(
            lambda path: path.write_bytes(b"SQLite format 3\x00" + b"\xa5" * 5000),
            DamagedError,
            id="garbage",
        ),
    ],
)
@pytest.mark.parametrize("open_it", [open_database, open_readonly])
async def test_a_file_that_is_not_ours_to_use_is_refused_and_left_as_it_is(
    make: Callable[[Path], object],
    error: type[DamagedError],
    open_it: Callable[[Path], object],
    path: Path,
) -> None:
    make(path)
    before = _bytes(path)
    with pytest.raises(error) as caught:
        async with open_it(path):  # type: ignore[attr-defined]
            pytest.fail("opened")
    assert type(caught.value) is error
    assert _bytes(path) == before


def _bytes(path: Path) -> dict[str, bytes]:
    found = (path.with_name(name) for name in FILES)
    return {one.name: one.read_bytes() for one in found if one.exists()}


async def test_a_file_that_cannot_be_read_is_a_local_matter(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="cannot read the store"):
        async with open_database(tmp_path):
            pytest.fail("opened a folder")


@pytest.mark.parametrize("open_it", [open_database, open_readonly])
def test_a_thread_that_could_open_nothing_ends_before_the_loop_does(
    open_it: Callable[[Path], AbstractAsyncContextManager[Database]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failures: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    before = set(threading.enumerate())

    async def fail() -> None:
        async with open_it(tmp_path / "nowhere" / "state.db"):
            pytest.fail("opened")

    for _ in range(30):
        with pytest.raises(LocalError, match="unable to open"):
            asyncio.run(fail())
        for thread in set(threading.enumerate()) - before:
            thread.join(10)
    assert failures == []


async def test_a_full_disk_is_said_to_be_one_and_undoes_the_transaction(
    database: Database,
) -> None:
    (pages,) = await database.one("PRAGMA page_count") or (0,)
    await database.run(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(LocalError, match="disk is full"):
        await _insert(database, *range(5000))
    assert await _rows(database) == []
