"""Where a repository lives below the root, and what becomes of a store that cannot be used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from sinks.corpus import open_sink
from syncer.errors import BudgetError, LockedError, TransientError
from syncer.progress import Progress
from syncer.session import folder_of, held_store, opened
from syncer.sink import Destination
from syncer.store import NewerStoreError, meta
from syncer.testing.feed import Bookmark, Feed, deliver
from syncer.testing.samples import sample
from tests.unit.town import Town


async def _corpus(folder: Path, repository_id: str = "R_1") -> None:
    feed = Feed()
    feed.facts = replace(feed.facts, repository=replace(feed.facts.repository, id=repository_id))
    feed.put(sample(1))
    await deliver(feed, open_sink(Destination(folder=folder)), Bookmark())


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def observer(notes: list[str]):
    def observe(progress: Progress) -> None:
        if progress.note:
            notes.append(progress.note)

    return observe


# The folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    found = tmp_path / "octo" / "demo"
    found.mkdir(parents=True)
    return found


async def test_a_repository_nobody_has_synced_goes_under_its_own_name(tmp_path: Path) -> None:
    opening = await Town().opening("octo", "demo")
    assert folder_of(tmp_path, opening) == tmp_path / "octo" / "demo"
    assert folder_of(tmp_path / "missing", opening) == tmp_path / "missing" / "octo" / "demo"


async def test_a_renamed_repository_is_found_by_its_id_under_its_first_name(
    tmp_path: Path, home: Path
) -> None:
    await _corpus(home)
    opening = await Town().opening("octo", "renamed")
    assert folder_of(tmp_path, opening) == home


async def test_another_repository_is_not_found_in_anybodys_folder(
    tmp_path: Path, home: Path
) -> None:
    await _corpus(home, "R_other")
    opening = await Town().opening("octo", "new")
    assert folder_of(tmp_path, opening) == tmp_path / "octo" / "new"


async def test_a_damaged_corpus_beside_it_does_not_hide_a_renamed_one(
    tmp_path: Path, home: Path
) -> None:
    await _corpus(home)
    for name in ("aaa", "zzz"):
        (tmp_path / name / "x").mkdir(parents=True)
        (tmp_path / name / "x" / "manifest.json").write_text("{")
    opening = await Town().opening("octo", "renamed")
    assert folder_of(tmp_path, opening) == home


# The store


def _damaged(folder: Path, data: bytes) -> Path:
    path = folder / ".syncer" / "state.db"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


async def test_each_damaged_store_is_kept_under_a_new_name_and_said_aloud(
    home: Path, observer, notes: list[str]
) -> None:
    for n, data in enumerate((b"one", b"two"), 1):
        path = _damaged(home, data)
        async with held_store(home, "octo/demo", observer) as store:
            assert await store.pulls.count() == 0
        assert path.with_name(f"state.db.damaged-{n}").read_bytes() == data
        assert f"state.db.damaged-{n}" in notes[-1]


async def test_a_damaged_store_is_rebuilt_from_the_corpus_beside_it(
    home: Path, observer, notes: list[str]
) -> None:
    await _corpus(home)
    _damaged(home, bytes(4096))
    async with held_store(home, "octo/demo", observer) as store:
        assert await store.conversations.snapshot("PR_1") == sample(1)
    assert [note.split(":")[0].split(" from")[0] for note in notes] == [
        "the store state.db is not a SQLite file",
        "rebuilt the store",
    ]


async def test_a_damaged_corpus_is_named_and_everything_is_read_again(
    home: Path, observer, notes: list[str]
) -> None:
    await _corpus(home)
    (home / "manifest.json").write_bytes(b"{")
    async with held_store(home, "octo/demo", observer) as store:
        assert await store.conversations.count() == 0
    assert "cannot be adopted" in notes[-1]


async def test_a_store_that_knows_its_repository_is_not_adopted_over(
    home: Path, observer, notes: list[str]
) -> None:
    await _corpus(home)
    for _ in range(2):
        async with held_store(home, "octo/demo", observer) as store:
            assert await store.meta.get(meta.REPOSITORY) is not None
    assert len(notes) == 1


async def test_a_newer_store_is_neither_used_nor_set_aside(home: Path, observer) -> None:
    async with held_store(home, "octo/demo", observer):
        pass
    path = home / ".syncer" / "state.db"
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 999")
    other.close()
    before = path.read_bytes()
    with pytest.raises(NewerStoreError, match="upgrade the program"):
        async with held_store(home, "octo/demo", observer):
            pytest.fail("opened")
    assert path.read_bytes() == before
    assert not list(path.parent.glob("*damaged*"))


async def test_a_repository_is_held_by_one_run_at_a_time(home: Path, observer) -> None:
    async with held_store(home, "octo/demo", observer):
        with pytest.raises(LockedError):
            async with held_store(home, "octo/demo", observer):
                pytest.fail("held twice")


# The opening


async def test_an_opening_that_github_does_not_answer_changes_nothing_and_can_be_run_again() -> (
    None
):
    town = Town()

    async def failing(owner: str, name: str) -> None:
        raise TransientError(f"no answer for {owner} and {name}")

    town.opening = failing  # type: ignore[method-assign,assignment]
    with pytest.raises(BudgetError, match=r"no answer for octo and demo.*run again"):
        await opened(town, "octo/demo")
