"""A store rebuilt from a corpus, without the network: for a checkout that came by git.

What the files prove is taken over as it stands; what they do not is read again by the next run.
Nothing counts until all of it is stored: an adoption that was killed begins again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from pathlib import Path, PurePosixPath

from msgspec import Struct

from syncer.census.known import Why
from syncer.corpus import (
    CENSUS,
    MANIFEST,
    CensusFile,
    CorpusError,
    LeafEntry,
    LeafRef,
    Root,
    bytes_digest,
    decode_census,
    decode_leaf,
    decode_root,
    parse,
    place,
)
from syncer.errors import LocalError
from syncer.evidence import UNKNOWN, Connection, Coverage, Evidence, Snapshot
from syncer.github.answers import ChangeRow, Totals
from syncer.reading.assemble import is_part
from syncer.store import Commit, SinkState, Store, meta

__all__ = ["CORPUS_SINK", "Adopted", "adopt", "read_root", "repository_in"]

CORPUS_SINK = "corpus"
"""The sink whose destination is the corpus itself."""

_CHUNK = 200


class Adopted(Struct, frozen=True, kw_only=True):
    """How many files were taken over, and which could not be and will be read again."""

    files: int
    damaged: tuple[str, ...]


def read_root(folder: Path) -> Root | None:
    """The corpus's root manifest; None where there is none.

    Raises CorpusError when it is damaged, LocalError when it cannot be read.
    """
    data = _read(folder / MANIFEST)
    return None if data is None else decode_root(data, file=MANIFEST)


def repository_in(folder: Path) -> str | None:
    """The id of the repository whose corpus is in `folder`; None where nothing tells.

    The census tells it as well, for a torn manifest must not hide to whom a folder belongs.
    """
    for name, identity in ((MANIFEST, _id_by_root), (CENSUS, _id_by_census)):
        with suppress(CorpusError, LocalError):
            if (data := _read(folder / name)) is not None:
                return identity(data)
    return None


def _id_by_root(data: bytes) -> str:
    return decode_root(data, file=MANIFEST).repository.id


def _id_by_census(data: bytes) -> str:
    return decode_census(data, file=CENSUS).repository_id


async def adopt(folder: Path, store: Store) -> Adopted | None:
    """Fill an empty store from the corpus at `folder`; None where there is no corpus."""
    root = read_root(folder)
    if root is None:
        return None
    census = _census(folder, root)
    damaged: list[str] = []
    files = 0
    found = _found(folder, root, damaged)
    while chunk := list(islice(found, _CHUNK)):
        async with store.transaction():
            await _take(store, chunk, census)
        files += sum(one.snapshot is not None for one in chunk)
    await _seal(store, root, census, files=files, damaged=damaged)
    return Adopted(files=files, damaged=tuple(damaged))


class _File(Struct, frozen=True):
    entry: LeafEntry
    release: str | None
    snapshot: Snapshot | None  # None: the file is missing or damaged


def _found(folder: Path, root: Root, damaged: list[str]) -> Iterator[_File]:
    for leaf in root.leaves:
        for entry in _entries(folder, leaf, damaged):
            path = place(entry.number, leaf.release)
            snapshot = _snapshot(folder, path, entry)
            if snapshot is None:
                damaged.append(str(path))
            yield _File(entry, leaf.release, snapshot)


def _entries(folder: Path, leaf: LeafRef, damaged: list[str]) -> Iterable[LeafEntry]:
    data = _read(folder / leaf.path)
    if data is not None and bytes_digest(data) == leaf.digest:
        return decode_leaf(data, file=leaf.path).entries
    damaged.append(leaf.path)
    return ()


def _snapshot(folder: Path, path: PurePosixPath, entry: LeafEntry) -> Snapshot | None:
    data = _read(folder / path)
    if data is None or bytes_digest(data) != entry.sha256:
        return None
    try:
        return parse(data)
    except CorpusError:
        return None


def _census(folder: Path, root: Root) -> CensusFile | None:
    data = _read(folder / CENSUS)
    if data is None:
        return None
    try:
        census = decode_census(data, file=CENSUS)
    except CorpusError:
        return None
    return census if census.repository_id == root.repository.id else None


async def _take(store: Store, files: Sequence[_File], census: CensusFile | None) -> None:
    for one in files:
        await store.pulls.see([(_row(one.entry), _why(one, census))], one.entry.updated_at, 0)
    stored = await store.conversations.stored([one.entry.id for one in files])
    await store.conversations.commit(
        [
            (_commit(one.snapshot, one, census), stored.get(one.entry.id))
            for one in files
            if one.snapshot is not None
        ]
    )


def _commit(snapshot: Snapshot, one: _File, census: CensusFile | None) -> Commit:
    watermark = None if census is None else census.watermark
    return Commit(
        snapshot=snapshot,
        evidence=tuple(_evidence(snapshot)),
        bucket=one.release,
        read_at=None,
        settled=watermark is not None and one.entry.updated_at < watermark,
    )


def _why(one: _File, census: CensusFile | None) -> Why | None:
    if one.snapshot is None:
        return Why.NEW
    if census is not None and one.entry.number in census.behind:
        return Why.CHANGED
    # The queue did not come with the corpus: what it held is tried at once.
    return Why.RETRY if is_part(_evidence(one.snapshot)) else None


def _row(entry: LeafEntry) -> ChangeRow:
    unknown = Totals(
        comments=None, reviews=None, review_threads=None, labels=None, closing_issues=None
    )
    return ChangeRow(
        id=entry.id,
        number=entry.number,
        state=entry.state,
        created_at=entry.updated_at,
        updated_at=entry.updated_at,
        closed_at=entry.resolved_at,
        merged_at=None,
        totals=unknown,
    )


def _evidence(snapshot: Snapshot) -> Iterator[Evidence]:
    """What the file proves; what it says nothing of is unknown."""
    conversation = snapshot.conversation
    for name, coverage in snapshot.judged().items():
        if name is not Connection.THREAD_COMMENTS:  # those of all threads as one
            yield _from_coverage(conversation.id, name, coverage)
    for thread in conversation.review_threads:
        coverage = snapshot.threads.get(thread.id, UNKNOWN)
        yield _from_coverage(thread.id, Connection.THREAD_COMMENTS, coverage)


def _from_coverage(owner: str, name: Connection, coverage: Coverage) -> Evidence:
    return Evidence(
        owner=owner,
        name=name,
        total_count=coverage.total_count,
        kept=coverage.kept,
        repaired=coverage.repaired,
        has_next_page=coverage.has_next_page,
        status=coverage.status,
        reason=coverage.reason,
    )


async def _seal(
    store: Store, root: Root, census: CensusFile | None, *, files: int, damaged: list[str]
) -> None:
    head = await store.conversations.head()
    async with store.transaction():
        await store.meta.put(meta.RELEASES, tuple(one.release() for one in root.releases))
        await store.meta.put(meta.SHAPING, root.shaping)
        await store.meta.put(meta.WATERMARK, _watermark(census, files, damaged))
        await store.meta.put(meta.TOTAL, None if census is None else census.total_count)
        if not damaged:
            await store.ledger.move_sink(CORPUS_SINK, SinkState(head, root.digest))
        await store.meta.put(meta.REPOSITORY, root.repository)


def _watermark(census: CensusFile | None, files: int, damaged: list[str]) -> datetime | None:
    """The corpus's watermark, where its files are all that GitHub claimed when it was set.

    A number that is listed but has no file has no id here either: only a full walk finds it.
    """
    if census is None or census.unread or damaged or files != census.total_count:
        return None
    return census.watermark


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"cannot read {path.name}: {error.strerror}; mend its permissions or move it away"
        raise LocalError(message) from error
