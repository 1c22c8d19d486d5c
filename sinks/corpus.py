"""The corpus: Markdown files and the manifests that seal them (docs/corpus-format.md).

The tree is a pure function of the feed and its facts: whatever the order of batches, and wherever
a run was stopped, the bytes end the same, and what is there already is not written again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar, assert_never

from msgspec.structs import replace

from sinks.files import FileSystem, Folder, in_thread
from sinks.index import Index, scan
from sinks.manifest import Manifests
from sinks.markdown import Pages
from syncer.corpus.manifest import LeafEntry, leaf_entry
from syncer.corpus.names import leaf_directory, place
from syncer.corpus.render import render
from syncer.corpus.unfinished import SEALING
from syncer.errors import ConfigError, SinkError
from syncer.records import in_canonical_order
from syncer.repository import Facts
from syncer.sink import Applied, Batch, Change, ChangeKind, Destination, Sink

__all__ = ["CorpusSink", "open_sink"]

Result = TypeVar("Result")

_CHUNK = 32
"""How many changes are worked off before the event loop is let in again."""


def open_sink(destination: Destination) -> Sink:
    """The sink `corpus` of the entry-point group `syncer.sinks`; it takes no options."""
    if destination.options:
        raise ConfigError(f"sink corpus has no option {min(destination.options)!r}; leave it out")
    return CorpusSink(Folder(destination.folder, FileSystem()))


class CorpusSink:
    """One repository's tree. `notes` says what was found damaged and what became of it.

    Changes are staged beside their places; `flush` puts them in place, then writes the leaves,
    then the root, and only then removes what has left its place. A marker stands while it does so.
    """

    def __init__(self, folder: Folder) -> None:
        self.notes: list[str] = []
        self._folder = folder
        self._pages = Pages(folder)
        self._index = Index()
        self._manifests = Manifests(folder, self._index)
        self._facts: Facts | None = None
        self._named: set[int] = set()  # every number met since `open`
        self._replaying = False
        self._changed = False
        self._failed = False

    async def set_aside(self, name: str) -> str:
        """Keep a file under a new name, which is returned; to be called before `open`."""
        return await self._guarded(partial(self._folder.set_aside, name))

    async def open(self) -> str | None:
        """The root's digest; None unless the root and all that it lists are there."""
        return await self._guarded(self._open)

    async def apply(self, batch: Batch) -> Applied:
        """Stage what the changes alter; the tree in place stays as it is."""
        self._know(batch)
        applied = Applied()
        for start in range(0, len(batch.changes), _CHUNK):
            chunk = batch.changes[start : start + _CHUNK]
            applied += await self._guarded(partial(self._take_all, chunk, batch.facts))
        return applied

    async def flush(self) -> str:
        """Seal the tree; the root's digest. Before the first batch there is nothing to seal."""
        return await self._guarded(self._flush)

    async def close(self) -> None:
        """Take back what was staged and not sealed."""
        # A temporary file that will not go is harmless; the next run removes it.
        with suppress(SinkError):
            await in_thread(self._pages.discard)

    async def _guarded(self, work: Callable[[], Result]) -> Result:
        if self._failed:
            raise SinkError("this sink has failed before; open a new one")
        self._failed = True  # until `work` has come to its end
        result = await in_thread(work)
        self._failed = False
        return result

    def _open(self) -> str | None:
        self._index = scan(self._folder)
        self._manifests = Manifests(self._folder, self._index)
        self.notes += self._index.notes
        root = self._index.root
        return root.digest if root is not None and self._index.sound else None

    def _know(self, batch: Batch) -> None:
        root, repository = self._index.root, batch.facts.repository
        if root is not None and root.repository.id != repository.id:
            raise SinkError(
                f"this folder holds the corpus of another repository, {root.repository.name}; "
                "nothing was changed: choose another --root, or move the folder away"
            )
        self._facts = batch.facts
        self._changed |= bool(batch.changes) or batch.replay
        self._replaying |= batch.replay
        self._named |= {change.number for change in batch.changes}

    def _take_all(self, changes: tuple[Change, ...], facts: Facts) -> Applied:
        applied = Applied()
        for change in changes:
            applied += self._take(change, facts)
        return applied

    def _take(self, change: Change, facts: Facts) -> Applied:
        match change.kind:
            case ChangeKind.PUT:
                return self._put(change, facts)
            case ChangeKind.MOVE:
                return self._move(change) or self._put(change, facts)
            case ChangeKind.GONE:
                return self._remove(change.number)
            case _:
                assert_never(change.kind)

    def _put(self, change: Change, facts: Facts) -> Applied:
        found = change.snapshot()
        snapshot = replace(found, conversation=in_canonical_order(found.conversation))
        data = render(snapshot, facts.repository, revision=change.revision)
        entry = leaf_entry(snapshot, data, revision=change.revision)
        if moved := self._carry(change, entry):
            return moved
        written = self._pages.put(str(place(change.number, change.release)), data)
        self._settle(change, entry)
        return Applied(written=int(written))

    def _move(self, change: Change) -> Applied | None:
        # The entry is believed only together with the file: a missing or altered one is rendered.
        directory = self._index.where.get(change.number)
        entry = directory and self._manifests.entry(directory, change.number)
        if not entry or entry.revision != change.revision:
            return None
        if self._pages.holds(str(place(change.number, change.release)), entry.sha256):
            self._settle(change, entry)
            return Applied()
        return self._carry(change, entry)

    def _carry(self, change: Change, entry: LeafEntry) -> Applied | None:
        old = self._index.where.get(change.number)
        new = str(leaf_directory(change.number, change.release))
        if old is None or old == new:
            return None
        source, target = _file(old, change.number), _file(new, change.number)
        if self._pages.holds(target, entry.sha256):
            return None
        if not self._pages.carry(source, target, entry.sha256):
            return None
        self._settle(change, entry)
        return Applied(moved=1)

    def _settle(self, change: Change, entry: LeafEntry) -> None:
        directory = str(leaf_directory(change.number, change.release))
        for other in self._index.settle(change.number, directory):
            self._leave(other, change.number)
        self._pages.keep(_file(directory, change.number))
        self._manifests.set(directory, change.release, entry)

    def _remove(self, number: int) -> Applied:
        found = self._index.forget(number)
        for directory in found:
            self._leave(directory, number)
        return Applied(removed=int(bool(found)))

    def _leave(self, directory: str, number: int) -> None:
        self._manifests.drop(directory, number)
        self._pages.leave(_file(directory, number))

    def _flush(self) -> str:
        if self._facts is None:
            return self._index.root.digest if self._index.root is not None else ""
        if self._replaying:
            self._remove_unnamed()
        if self._changed:
            self._remove_doubles()
        changes = self._manifests.prepare(self._facts) or self._pages.pending
        if changes and not self._index.sealing:
            self._folder.write(SEALING, b"")
            self._index.sealing = True
        self._pages.publish()
        token = self._manifests.seal(self._facts)
        if self._changed:
            self._clear_out()
        self._manifests.write_census(self._facts)
        if self._index.sealing:
            self._folder.remove(SEALING)
            self._index.sealing = False
        self._changed = self._replaying = False
        return token

    def _remove_unnamed(self) -> None:
        for number in (self._index.where.keys() | self._index.extra.keys()) - self._named:
            self._remove(number)

    def _remove_doubles(self) -> None:
        for number in self._index.extra.keys() & self._index.where.keys():
            for directory in self._index.settle(number, self._index.where[number]):
                self._leave(directory, number)

    def _clear_out(self) -> None:
        self._pages.clear_out()
        for name in sorted(self._index.leftovers):
            self._folder.remove(name)
        self._index.leftovers.clear()
        self._manifests.clear_out()


def _file(directory: str, number: int) -> str:
    return f"{directory}/pr-{number}.md"
