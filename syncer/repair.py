"""Mending a corpus without asking GitHub: from the store, and the store from the corpus.

Everything in place becomes what the store holds. What the store cannot write again is never thrown
away: a file of a pull request that it does not know, or one newer than its record, is kept under
another name, unless the pull request was proven to be gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from msgspec import Struct

from syncer.adoption import CORPUS_SINK
from syncer.corpus import CorpusError, parse, placed
from syncer.errors import LocalError, SinkError
from syncer.progress import Progress
from syncer.rebuild import write_anew
from syncer.session import held_store
from syncer.sink import Applied, Destination, Factory
from syncer.store import STATE_FILE, STATE_FOLDER, Store, meta
from syncer.tree import Tree

__all__ = ["Keeping", "Repaired", "repair"]

_CHUNK = 500


@runtime_checkable
class Keeping(Protocol):
    """A sink that can keep one of its files under another name, before it is opened."""

    async def set_aside(self, name: str) -> str:
        """Keep the file `name`; returns its new name. Raises SinkError."""
        ...


class Repaired(Struct, frozen=True, kw_only=True):
    """What a repair changed, the files it kept under other names, and what it met."""

    applied: Applied
    kept: tuple[str, ...]
    notes: tuple[str, ...]


async def repair(folder: Path, *, corpus: Factory) -> Repaired:
    """Make the corpus at `folder`, written by the sink `corpus`, what its store holds.

    A damaged store is set aside first and rebuilt from the files that prove themselves; the others
    are read again by the next run. A second repair changes nothing. Raises LockedError, SinkError,
    and LocalError where there is no store, or where neither store nor corpus can be read.
    """
    if not (folder / STATE_FOLDER / STATE_FILE).exists():
        message = (
            f"there is no store in {folder} to write from: run `syncer sync`, which takes over "
            "what the files prove and reads the rest again"
        )
        raise LocalError(message)
    notes: list[str] = []
    name = f"{folder.parent.name}/{folder.name}"
    async with held_store(folder, name, _hearing(notes)) as store:
        if await store.meta.get(meta.REPOSITORY) is None:
            message = f"neither store nor root in {folder} can be read: run `syncer sync`"
            raise LocalError(message)
        sink = corpus(Destination(folder=folder))
        kept: list[str] = []
        for path in await _irreplaceable(folder, store):
            if not isinstance(sink, Keeping):
                message = f"{path} holds what the store does not: move it away, and repair again"
                raise SinkError(message)
            kept.append(await sink.set_aside(path))
            notes.append(f"{path} holds what the store does not; it is kept as {kept[-1]}")
        done = await write_anew(store, {CORPUS_SINK: sink})
    if CORPUS_SINK in done.failures:
        raise SinkError(done.failures[CORPUS_SINK])
    return Repaired(
        applied=done.applied[CORPUS_SINK], kept=tuple(kept), notes=(*notes, *done.notes)
    )


def _hearing(notes: list[str]) -> Callable[[Progress], None]:
    def hear(progress: Progress) -> None:
        if progress.note is not None:
            notes.append(progress.note)

    return hear


async def _irreplaceable(folder: Path, store: Store) -> list[str]:
    """The files in places of the corpus that the store could not write again as they are."""
    stored = await _stamps(store)
    buried = {one.number for one in await store.tombstones.every() if one.kind == "pullRequest"}
    tree = Tree(folder)
    found: list[str] = []
    for path, number in _files(tree):
        if number not in stored and number in buried:
            continue
        if number not in stored or _is_newer(tree.read(path), number, stored[number]):
            found.append(path)
    return found


async def _stamps(store: Store) -> dict[int, datetime]:
    """By number, `updatedAt` of every stored record."""
    placements = [(pull, number) for pull, number, _, _ in await store.conversations.placements()]
    found: dict[int, datetime] = {}
    for start in range(0, len(placements), _CHUNK):
        chunk: Sequence[tuple[str, int]] = placements[start : start + _CHUNK]
        known = await store.pulls.known([pull for pull, _ in chunk])
        for pull, number in chunk:
            stamp = known[pull].read if pull in known else None
            if stamp is not None:
                found[number] = stamp
    return found


def _files(tree: Tree) -> Iterator[tuple[str, int]]:
    """Path and number of every file in a place of the corpus, listed or not."""
    for parent in ("pulls", *tree.directories("archive/pulls")):
        for block in tree.directories(parent):
            for name in tree.names(block):
                path = f"{block}/{name}"
                if (found := placed(path)) is not None:
                    yield path, found[0]


def _is_newer(data: bytes | None, number: int, stored: datetime) -> bool:
    """Whether a file is sound, of that number, and of a later state than the stored record."""
    if data is None:
        return False
    try:
        conversation = parse(data).conversation
    except CorpusError:
        return False
    return conversation.number == number and conversation.updated_at > stored
