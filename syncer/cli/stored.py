"""Every stored conversation as an exported line, one in memory at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from pathlib import Path

from msgspec import Struct

from syncer.adoption import read_root
from syncer.cli.places import has_store
from syncer.corpus import CorpusError, LeafRef, Root, bytes_digest, decode_leaf, parse, place
from syncer.errors import LocalError
from syncer.export import export_line
from syncer.store import Store, meta, read_store

__all__ = ["conversations"]


class _File(Struct, frozen=True):
    number: int
    path: Path
    sha256: str


async def conversations(folder: Path) -> AsyncGenerator[bytes, None]:
    """Lines by number, from the store of `folder`, or from its corpus where there is none.

    Raises LocalError where there is neither, DamagedError for what is not as its digest says.
    Used under `aclosing`.
    """
    if has_store(folder):
        async with read_store(folder) as store:
            async for line in _from_store(store, folder):
                yield line
    else:
        for line in _from_corpus(folder):
            yield line


async def _from_store(store: Store, folder: Path) -> AsyncIterator[bytes]:
    repository = await store.meta.get(meta.REPOSITORY)
    if repository is None:
        raise LocalError(f"the store in {folder} holds nothing yet: run `syncer sync`")
    for pull in await store.conversations.records():
        try:
            snapshot = await store.conversations.snapshot(pull)
        except KeyError:
            continue  # a run beside us has just removed it
        yield export_line(snapshot, repository)


def _from_corpus(folder: Path) -> Iterator[bytes]:
    root = read_root(folder)
    if root is None:
        raise LocalError(f"there is neither a store nor a manifest in {folder}")
    for file in _files(folder, root):
        data = file.path.read_bytes()
        if bytes_digest(data) != file.sha256:
            raise CorpusError(
                "the file is not what its manifest says; `syncer verify` tells of every such file",
                file=str(file.path),
            )
        yield export_line(parse(data), root.repository)


def _files(folder: Path, root: Root) -> list[_File]:
    found = [file for leaf in root.leaves for file in _listed(folder, leaf)]
    return sorted(found, key=lambda file: file.number)


def _listed(folder: Path, leaf: LeafRef) -> Iterator[_File]:
    data = (folder / leaf.path).read_bytes()
    if bytes_digest(data) != leaf.digest:
        raise CorpusError("the manifest is not what the root says", file=leaf.path)
    for entry in decode_leaf(data, file=leaf.path).entries:
        yield _File(entry.number, folder / place(entry.number, leaf.release), entry.sha256)
