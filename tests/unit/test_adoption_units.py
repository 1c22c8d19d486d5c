"""What a corpus that came without its store proves is taken over; what it does not is read again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from sinks.corpus import open_sink
from syncer.adoption import CORPUS_SINK, Adopted, adopt, read_root
from syncer.census.known import Why
from syncer.corpus import CorpusError
from syncer.errors import LocalError
from syncer.evidence import Connection, Coverage, Snapshot, Status
from syncer.repository import Census
from syncer.sink import Destination
from syncer.store import Store, meta, open_store
from syncer.testing.feed import Bookmark, Feed, deliver
from syncer.testing.samples import sample
from tests.unit.making import LATER, covered


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "octo" / "demo"
    found.mkdir(parents=True)
    return found


async def _write(
    folder: Path,
    *snapshots: Snapshot,
    watermark: datetime | None = LATER,
    total: int | None = None,
    unread: tuple[int, ...] = (),
    behind: tuple[int, ...] = (),
) -> None:
    """A corpus of `snapshots`, sealed with what the census is said to know."""
    feed = Feed()
    for snapshot in snapshots:
        feed.put(snapshot)
    census = Census(
        watermark=watermark,
        total_count=len(snapshots) if total is None else total,
        found=len(snapshots) + len(unread),
        unread=unread,
        behind=behind,
    )
    feed.facts = replace(feed.facts, census=census)
    await deliver(feed, open_sink(Destination(folder=folder)), Bookmark())


async def _wanted(store: Store) -> dict[int, Why]:
    return {one.number: one.why for one in await store.pulls.wanted(100)}


def _with(snapshot: Snapshot, name: Connection, coverage: Coverage | None) -> Snapshot:
    """`snapshot` with another proof of one connection, or none."""
    connections = {key: one for key, one in snapshot.connections.items() if key is not name}
    return replace(
        snapshot, connections=connections if coverage is None else {**connections, name: coverage}
    )


async def test_where_there_is_no_corpus_there_is_nothing_to_adopt(
    folder: Path, store: Store
) -> None:
    assert await adopt(folder, store) is None
    assert await store.meta.get(meta.REPOSITORY) is None


async def test_a_whole_corpus_is_taken_over_word_for_word_and_nothing_is_read_again(
    folder: Path, store: Store
) -> None:
    await _write(folder, sample(1), sample(2001))
    assert await adopt(folder, store) == Adopted(files=2, damaged=())
    for number in (1, 2001):
        assert await store.conversations.snapshot(f"PR_{number}") == sample(number)
    assert await _wanted(store) == {}
    assert await store.meta.get(meta.WATERMARK) == LATER
    assert await store.meta.get(meta.TOTAL) == 2
    root = read_root(folder)
    assert root is not None
    assert await store.meta.get(meta.REPOSITORY) == root.repository
    bookmark = await store.ledger.sink(CORPUS_SINK)
    assert (bookmark.position, bookmark.token) == (await store.conversations.head(), root.digest)


async def test_adopting_twice_is_adopting_once(folder: Path, store: Store) -> None:
    await _write(folder, sample(1), sample(2))
    await adopt(folder, store)
    head = await store.conversations.head()
    assert await adopt(folder, store) == Adopted(files=2, damaged=())
    assert await store.conversations.head() == head


@pytest.mark.parametrize("status", [Status.CUT, Status.UNKNOWN])
async def test_what_was_not_read_to_its_end_is_tried_again_at_once(
    status: Status, folder: Path, store: Store
) -> None:
    part = _with(sample(1), Connection.COMMENTS, covered(status, total=9, more=True, reason="why"))
    short = _with(sample(2), Connection.COMMENTS, covered(Status.SHORT, total=2, reason="why"))
    await _write(folder, part, short, sample(3))
    await adopt(folder, store)
    assert await _wanted(store) == {1: Why.RETRY}


async def test_what_a_file_says_nothing_of_is_unknown_and_is_read(
    folder: Path, store: Store
) -> None:
    mute = replace(_with(sample(1), Connection.REVIEWS, None), threads={})
    await _write(folder, mute, sample(2))
    await adopt(folder, store)
    told = [(number, e.name, e.status) for number, e in await store.conversations.unfinished()]
    assert told == [
        (1, Connection.THREAD_COMMENTS, Status.UNKNOWN),
        (1, Connection.REVIEWS, Status.UNKNOWN),
    ]
    assert await _wanted(store) == {1: Why.RETRY}


async def test_what_the_census_knows_to_be_behind_is_read(folder: Path, store: Store) -> None:
    await _write(folder, sample(1), sample(2), behind=(2,))
    await adopt(folder, store)
    assert await _wanted(store) == {2: Why.CHANGED}
    assert await store.pulls.behind() == (2,)


async def test_a_number_without_a_file_is_found_by_a_full_walk_only(
    folder: Path, store: Store
) -> None:
    await _write(folder, sample(1), total=2, unread=(2,))
    await adopt(folder, store)
    assert await store.meta.get(meta.WATERMARK) is None


@pytest.mark.parametrize("total", [0, 3])
async def test_a_corpus_that_is_not_all_that_was_claimed_has_no_watermark(
    total: int, folder: Path, store: Store
) -> None:
    await _write(folder, sample(1), sample(2), total=total)
    await adopt(folder, store)
    assert await store.meta.get(meta.WATERMARK) is None


@pytest.mark.parametrize("census", ["missing", "cut", "another repository's"])
async def test_without_a_census_of_its_own_nothing_is_settled_and_no_watermark_known(
    census: str, folder: Path, store: Store
) -> None:
    await _write(folder, sample(1))
    path = folder / "census.json"
    text = path.read_text()
    path.unlink()
    if census == "cut":
        path.write_text(text[:20])
    if census == "another repository's":
        path.write_text(text.replace("R_1", "R_2"))
    assert await adopt(folder, store) == Adopted(files=1, damaged=())
    assert await store.meta.get(meta.WATERMARK) is None
    assert (await store.pulls.known(["PR_1"]))["PR_1"].settled is False


async def test_a_record_younger_than_the_watermark_is_not_settled(
    folder: Path, store: Store
) -> None:
    stamp = sample(2).conversation.updated_at
    await _write(folder, sample(2), sample(1), watermark=stamp)
    await adopt(folder, store)
    known = await store.pulls.known(["PR_1", "PR_2"])
    assert {pull: one.settled for pull, one in known.items()} == {"PR_1": True, "PR_2": False}


@pytest.mark.parametrize("damage", ["missing", "altered", "no grammar of ours"])
async def test_a_file_that_is_not_what_its_manifest_says_is_known_and_read_again(
    damage: str, folder: Path, store: Store
) -> None:
    await _write(folder, sample(1), sample(2))
    path = folder / "pulls" / "0000000" / "pr-2.md"
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes() + b"x" if damage == "altered" else b"")
    found = await adopt(folder, store)
    assert found == Adopted(files=1, damaged=(path.relative_to(folder).as_posix(),))
    assert await _wanted(store) == {2: Why.NEW}
    assert await store.pulls.unread() == (2,)
    assert await store.meta.get(meta.WATERMARK) is None
    assert (await store.ledger.sink(CORPUS_SINK)).token is None


async def test_a_leaf_that_is_not_what_the_root_says_is_named_and_its_files_are_not_believed(
    folder: Path, store: Store
) -> None:
    await _write(folder, sample(1), sample(2001))
    leaf = folder / "pulls" / "0002000" / "manifest.json"
    leaf.write_bytes(leaf.read_bytes() + b"\n")
    found = await adopt(folder, store)
    assert found == Adopted(files=1, damaged=("pulls/0002000/manifest.json",))
    assert await store.meta.get(meta.WATERMARK) is None


@pytest.mark.parametrize("data", [b"", b"{", b'{"schema": 1}', b"\xff"])
async def test_a_root_that_cannot_be_read_is_damage_and_leaves_the_store_empty(
    data: bytes, folder: Path, store: Store
) -> None:
    await _write(folder, sample(1))
    (folder / "manifest.json").write_bytes(data)
    with pytest.raises(CorpusError):
        await adopt(folder, store)
    assert await store.conversations.count() == 0
    assert await store.meta.get(meta.REPOSITORY) is None


async def test_a_root_that_may_not_be_read_is_a_local_matter(folder: Path) -> None:
    (folder / "manifest.json").mkdir()
    with pytest.raises(LocalError, match=r"cannot read manifest\.json"):
        read_root(folder)
