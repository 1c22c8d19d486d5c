"""The manifests: leaves beside the files, the root over the leaves, the census beside the root."""

from __future__ import annotations

from pathlib import PurePosixPath

from sinks.files import Folder
from sinks.index import ATTRIBUTES, Index
from syncer.corpus.census_file import CENSUS, census_file_of
from syncer.corpus.errors import CorpusError
from syncer.corpus.manifest import Leaf, LeafEntry, leaf_ref, root_of
from syncer.corpus.names import MANIFEST, folder_of, placed_leaf
from syncer.corpus.sealing import decode_leaf, encode_census, encode_leaf, encode_root
from syncer.errors import ContractError, SinkError
from syncer.repository import Facts

__all__ = ["Manifests"]

_AS_BYTES = b"* -text\n"  # git must not change line ends: every digest is over bytes


class Manifests:
    """The entries of the leaves that change; they are let go at every seal."""

    def __init__(self, folder: Folder, index: Index) -> None:
        self._folder = folder
        self._index = index
        self._entries: dict[str, dict[int, LeafEntry]] = {}
        self._waiting: dict[str, bytes] = {}  # leaves to be written by the seal under way
        self._tags: dict[str, str] = {}

    def entry(self, directory: str, number: int) -> LeafEntry | None:
        """What the leaf of `directory` says of `number`."""
        return self._of(directory).get(number)

    def set(self, directory: str, release: str | None, entry: LeafEntry) -> None:
        """Let the leaf of `directory`, in the bucket of `release`, list `entry`."""
        if release is not None:
            self._tags[folder_of(release)] = release
        self._of(directory)[entry.number] = entry

    def drop(self, directory: str, number: int) -> None:
        """Let the leaf of `directory` not list `number`."""
        self._of(directory).pop(number, None)

    def prepare(self, facts: Facts) -> bool:
        """Work out the leaves that change; whether there are any."""
        self._tags |= {folder_of(item.tag_name): item.tag_name for item in facts.releases}
        for directory in sorted(self._entries.keys() | self._index.unknown):
            self._prepare_leaf(directory)
        self._entries.clear()
        self._index.unknown.clear()
        return bool(self._waiting) or not self._index.bare.isdisjoint(self._index.leaves)

    def seal(self, facts: Facts) -> str:
        """Write the leaves that were prepared, then the root over all; the root's digest."""
        for directory, data in self._waiting.items():
            self._folder.write(f"{directory}/{MANIFEST}", data)
        self._waiting.clear()
        for directory in self._index.bare:
            self._index.leaves.pop(directory, None)
        self._replace(ATTRIBUTES, _AS_BYTES)
        root = root_of(facts, self._index.leaves.values())
        data = encode_root(root)
        if data != self._index.root_bytes:
            self._folder.write(MANIFEST, data)
        self._index.root, self._index.root_bytes = root, data
        return root.digest

    def clear_out(self) -> None:
        """Remove the manifests of directories that list nothing any more, and those directories."""
        for directory in sorted(self._index.bare):
            if placed_leaf(directory) is not None:
                self._folder.remove(f"{directory}/{MANIFEST}")
            self._folder.prune(directory)
        self._index.bare.clear()

    def write_census(self, facts: Facts) -> None:
        """Say how fresh the corpus is, if that has changed."""
        census = census_file_of(facts.repository.id, facts.census)
        self._replace(CENSUS, encode_census(census))

    def _replace(self, name: str, data: bytes) -> None:
        if self._folder.read(name) != data:
            self._folder.write(name, data)

    def _prepare_leaf(self, directory: str) -> None:
        entries = self._of(directory)
        if not entries:
            self._index.bare.add(directory)
            return
        leaf = Leaf(entries=tuple(entry for _, entry in sorted(entries.items())))
        data = encode_leaf(leaf)
        ref = leaf_ref(PurePosixPath(directory), self._release(directory), leaf, data)
        standing = self._index.leaves.get(directory)
        if standing is None or standing.digest != ref.digest:
            self._waiting[directory] = data
        self._index.leaves[directory] = ref
        self._index.bare.discard(directory)

    def _release(self, directory: str) -> str | None:
        place = placed_leaf(directory)
        if place is None or place.folder is None:
            return None
        if place.folder not in self._tags:
            raise ContractError(f"{directory} holds files, but no release has that folder")
        return self._tags[place.folder]

    def _of(self, directory: str) -> dict[int, LeafEntry]:
        if directory not in self._entries:
            self._entries[directory] = self._read(directory)
        return self._entries[directory]

    def _read(self, directory: str) -> dict[int, LeafEntry]:
        if directory not in self._index.leaves and directory not in self._index.unknown:
            return {}
        name = f"{directory}/{MANIFEST}"
        try:
            leaf = decode_leaf(self._folder.read(name) or b"", file=name)
        except CorpusError as error:
            raise SinkError(f"{error}; it changed while this run was at work: run again") from error
        return {entry.number: entry for entry in leaf.entries}
