"""A few files of a corpus that are worth opening first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from syncer.adoption import read_root
from syncer.corpus import CENSUS, MANIFEST, LeafEntry, LeafRef, decode_leaf, place

__all__ = ["Sight", "sights"]


class Sight(Struct, frozen=True, rename="camel", kw_only=True):
    """A path with a reason to open it."""

    path: str
    words: str


def sights(folder: Path) -> Iterator[Sight]:
    """The manifests, the longest conversation and review, and an open one. Raises CorpusError."""
    root = read_root(folder)
    if root is None:
        return
    yield _sight(folder / MANIFEST, "what is here, with one digest over all of it")
    yield _sight(folder / CENSUS, "how fresh it is, and what is missing")
    found = [(leaf, entry) for leaf in root.leaves for entry in _entries(folder, leaf)]
    if not found:
        return
    archived = [one for one in found if one[0].release is not None]
    leaf, entry = max(archived or found, key=lambda one: one[1].counts.comments)
    yield _file(folder, leaf, entry, f"{entry.counts.comments} comments")
    leaf, entry = max(found, key=lambda one: one[1].counts.review_thread_comments)
    counts = entry.counts
    words = f"{counts.review_thread_comments} comments in {counts.review_threads} review threads"
    yield _file(folder, leaf, entry, words)
    for leaf, entry in found:
        if leaf.release is None:
            yield _file(folder, leaf, entry, "open, or resolved after the newest release")
            return


def _entries(folder: Path, leaf: LeafRef) -> tuple[LeafEntry, ...]:
    return decode_leaf((folder / leaf.path).read_bytes(), file=leaf.path).entries


def _file(folder: Path, leaf: LeafRef, entry: LeafEntry, words: str) -> Sight:
    where = "" if leaf.release is None else f", resolved in the window that {leaf.release} closed"
    return _sight(folder / place(entry.number, leaf.release), f"{words}{where}")


def _sight(path: Path, words: str) -> Sight:
    return Sight(path=str(path), words=words)
