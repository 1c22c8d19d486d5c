"""One conversation of the corpus, by its number, its address, or a node in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from syncer.corpus import (
    CENSUS,
    CorpusError,
    Kind,
    LeafEntry,
    Target,
    block_of,
    parse,
    place,
    pull_url,
    recognise,
)
from syncer.evidence import Snapshot
from syncer.history.look import Look
from syncer.history.nodes import NodeRef, by_database_id, by_id
from syncer.repository import Repository

__all__ = ["Found", "Listed", "entries_in", "entry_of", "find"]


_LONGEST = 2000
"""Characters beyond which a text is no number, no address and no id of GitHub's."""


class Listed(Struct, frozen=True):
    """An entry with the tag of the bucket that its file stands in."""

    entry: LeafEntry
    release: str | None


class Found(Struct, frozen=True, kw_only=True):
    """A conversation, proven to be as it was sealed, and the node in it that was asked for."""

    snapshot: Snapshot
    repository: Repository
    url: str
    revision: str
    release: str | None  # its bucket's tag; None: in the active tier
    is_behind: bool  # GitHub is known to hold a newer state
    node: NodeRef


def find(look: Look, what: str, number: int | None = None) -> Found | None:
    """What `what` (a number, an address, a node id) names; None where the corpus has no such thing.

    Raises CorpusError where damage keeps that from being told.
    """
    if len(what) > _LONGEST:
        return None
    if what.isascii() and what.isdigit():
        return _whole(look, int(what))
    if (target := recognise(what)) is not None:
        return _addressed(look, target)
    if number is None:
        return _scanned(look, what)
    listed = entry_of(look, number)
    return None if listed is None else _with_node(look, listed, what)


def entry_of(look: Look, number: int) -> Listed | None:
    """The entry of pull request `number`. Raises CorpusError where a damaged leaf may hold it."""
    block = block_of(number)
    lost: list[str] = []
    for leaf in look.root.leaves:
        if PurePosixPath(leaf.path).parent.name != block:
            continue
        for entry in look.entries(leaf):
            if entry.number == number:
                return Listed(entry, leaf.release)
        if leaf.path in look.misfits:
            lost.append(leaf.path)
    if lost:
        raise CorpusError("the manifest is missing, or not what the root says", file=lost[0])
    return None


def entries_in(look: Look) -> Iterator[Listed]:
    """Every entry, leaf by leaf."""
    for leaf in look.root.leaves:
        for entry in look.entries(leaf):
            yield Listed(entry, leaf.release)


def _scanned(look: Look, node: str) -> Found | None:
    """The conversation with `node` among all; only files that hold the id's text are parsed."""
    text = node.encode(errors="replace")
    for listed in entries_in(look):
        data = look.file(listed.entry, listed.release)
        if data is None or text not in data:
            continue
        if (found := _with_node(look, listed, node)) is not None:
            return found
    if damaged := sorted(look.misfits - {CENSUS}):
        raise CorpusError(
            f"this and {len(damaged) - 1} others are damaged, and the node may be in one",
            file=damaged[0],
        )
    return None


def _whole(look: Look, number: int) -> Found | None:
    listed = entry_of(look, number)
    return None if listed is None else _with_node(look, listed, listed.entry.id)


def _addressed(look: Look, target: Target) -> Found | None:
    repository = look.root.repository
    names = {repository.name.casefold(), repository.current_name.casefold()}
    if target.web_url.casefold() != repository.web_url.casefold():
        return None
    if target.name.casefold() not in names:
        return None
    found = _whole(look, target.number)
    if found is None or target.kind is Kind.PULL or target.database_id is None:
        return found
    node = by_database_id(found.snapshot.conversation, target.kind, target.database_id)
    return None if node is None else replace(found, node=node)


def _with_node(look: Look, listed: Listed, node: str) -> Found | None:
    path = str(place(listed.entry.number, listed.release))
    data = look.file(listed.entry, listed.release)
    if data is None:
        raise CorpusError("the file is missing, or not what its manifest says", file=path)
    snapshot = parse(data, file=path, check_revision=False)
    if (found := by_id(snapshot.conversation, node)) is None:
        return None
    return Found(
        snapshot=snapshot,
        repository=look.root.repository,
        url=pull_url(look.root.repository, listed.entry.number),
        revision=listed.entry.revision,
        release=listed.release,
        is_behind=look.census is not None and listed.entry.number in look.census.behind,
        node=found,
    )
