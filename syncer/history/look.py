"""One look at a corpus that may be written at the same time, and the rule by which looks repeat.

A root is replaced last, so whatever fits the root that was read is of one moment. What does not
fit may be damage, or a newer seal in the making: the root is read again. Another root: all over
again, three times. The same root a second later: it is damage.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from syncer.corpus import (
    CENSUS,
    MANIFEST,
    CensusFile,
    CorpusError,
    Leaf,
    LeafEntry,
    LeafRef,
    Root,
    block_of,
    bytes_digest,
    decode_census,
    decode_root,
    leaf_directory,
)
from syncer.errors import LocalError
from syncer.history.errors import ChangingError, NoCorpusError
from syncer.repository import Repository
from syncer.tree import Tree

__all__ = ["SETTLING_S", "Look", "names_in", "steady"]

T = TypeVar("T")

SETTLING_S = 1.0
"""How long a root must stay the same before what does not fit it counts as damage."""

_MAX_CHANGES = 3


# The digest of these bytes was compared: their one form need not be compared once more.
_leaf = msgspec.json.Decoder(Leaf)


class _Named(Struct):
    repository: Repository


_named = msgspec.json.Decoder(_Named)


def names_in(path: Path) -> set[str]:
    """The names that the root says its repository has; none where it cannot be read.

    It is not checked here: whoever goes on to read takes a look.
    """
    try:
        repository = _named.decode(Tree(path).read(MANIFEST) or b"").repository
    except (LocalError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return set()
    return {repository.name, repository.current_name}


class Look:
    """The root and census as they stood, and what was found not to fit them.

    Raises NoCorpusError where there is no root, CorpusError where it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._folder = Tree(path)
        data = self._folder.read(MANIFEST)
        if data is None:
            raise NoCorpusError(f"there is no corpus at {path}: run `syncer sync` first")
        self.root: Root = decode_root(data, file=MANIFEST)
        self.census: CensusFile | None = None
        self.census_damage: str | None = None
        self.misfits: set[str] = set()
        self._read_census()

    def entries(self, leaf: LeafRef) -> tuple[LeafEntry, ...]:
        """What `leaf` lists; nothing, and a misfit, where it is not what the root says."""
        data = self._folder.read(leaf.path)
        if data is None or bytes_digest(data) != leaf.digest:
            self.misfits.add(leaf.path)
            return ()
        try:
            found = _leaf.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self.misfits.add(leaf.path)
            return ()
        return found.entries

    def file(self, entry: LeafEntry, release: str | None) -> bytes | None:
        """The file of `entry`; None, and a misfit, where it is not what the leaf says."""
        path = f"{_directory(block_of(entry.number), release)}/pr-{entry.number}.md"
        data = self._folder.read(path)
        if data is None or bytes_digest(data) != entry.sha256:
            self.misfits.add(path)
            return None
        return data

    def _read_census(self) -> None:
        data = self._folder.read(CENSUS)
        if data is None:
            return
        try:
            found = decode_census(data, file=CENSUS)
        except CorpusError as error:
            self.census_damage = str(error)
            self.misfits.add(CENSUS)
            return
        if found.repository_id != self.root.repository.id:
            self.census_damage = f"{CENSUS} is about another repository"
            return
        self.census = found
        files = sum(leaf.count for leaf in self.root.leaves)
        if files + len(found.unread) != found.found:
            # Of another moment than the root, for it is written after it; or really wrong.
            self.misfits.add(CENSUS)


@lru_cache(maxsize=256)
def _directory(block: str, release: str | None) -> str:
    return str(leaf_directory(int(block), release))


def steady(path: Path, read: Callable[[Look], T], sleep: Callable[[float], None]) -> T:
    """What `read` makes of one look in which everything fitted, or of a corpus that is damaged so.

    Raises ChangingError after three changes, and what `Look` and `read` raise.
    """
    changes = 0
    doubted: str | None = None  # the root that something did not fit
    while True:
        look = _looked(path, sleep)
        digest = look.root.digest
        changes += doubted is not None and digest != doubted
        if changes > _MAX_CHANGES:
            raise ChangingError(
                "the corpus changed each time it was read: ask again when the sync is done"
            )
        try:
            found = read(look)
        except CorpusError:
            if digest == doubted:
                raise
        else:
            if not look.misfits or digest == doubted:
                return found
        doubted = digest
        if _looked(path, sleep).root.digest == digest:
            sleep(SETTLING_S)


def _looked(path: Path, sleep: Callable[[float], None]) -> Look:
    try:
        return Look(path)
    except CorpusError:
        sleep(SETTLING_S)  # our root is renamed into place; a checkout may write it in steps
        return Look(path)
