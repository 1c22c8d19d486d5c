"""The files of conversations: staged beside their places, put in place all together.

Until `publish` the tree stands as the last seal left it, so a run that is stopped while it works
costs nothing but temporary files, and a reader meets the old tree.
"""

from __future__ import annotations

from sinks.files import Folder
from syncer.corpus.manifest import bytes_digest
from syncer.corpus.unfinished import temporary_of

__all__ = ["Pages"]


class Pages:
    """What is going to change among the files, by path."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._staged: set[str] = set()
        self._moves: dict[str, str] = {}  # target: where its bytes stand now
        self._doomed: set[str] = set()

    @property
    def pending(self) -> bool:
        """Whether anything is going to change."""
        return bool(self._staged or self._moves or self._doomed)

    def put(self, place: str, data: bytes) -> bool:
        """Let `data` stand at `place`; False if it would stand there anyway."""
        if self._coming(place) == data:
            return False
        self._abandon(place)
        self._staged.add(place)  # first, so that half a file is taken back as well
        self._folder.stage(place, data)
        return True

    def carry(self, source: str, target: str, sha256: str) -> bool:
        """Let the file at `source` stand at `target`; False if it has not that digest."""
        origin = self._moves.get(source, source)
        if source in self._staged or not self._has(origin, sha256):
            return False
        self._moves.pop(source, None)
        self._abandon(target)
        if origin != target:
            self._moves[target] = origin
        return True

    def holds(self, place: str, sha256: str) -> bool:
        """Whether bytes of that digest are going to stand at `place`."""
        data = self._coming(place)
        return data is not None and bytes_digest(data) == sha256

    def keep(self, place: str) -> None:
        """Let what stands or is to stand at `place` not be removed after all."""
        self._doomed.discard(place)

    def leave(self, place: str) -> None:
        """Let nothing stand at `place`."""
        # The origin of a move may be among them: it is gone by then, and that is no harm.
        self._abandon(place)
        self._doomed.add(place)

    def publish(self) -> None:
        """Put everything in place; what is to go stays until `clear_out`."""
        if self._staged:
            self._folder.sync()
        for place in sorted(self._staged):
            self._folder.publish(place)
        for target, source in self._moves.items():
            self._folder.move(source, target)
        self._staged.clear()
        self._moves.clear()

    def clear_out(self) -> None:
        """Remove what has left its place."""
        for place in sorted(self._doomed):
            self._folder.remove(place)
        self._doomed.clear()

    def discard(self) -> None:
        """Take back everything that was not published."""
        for place in sorted(self._staged):
            self._unstage(place)
        self._moves.clear()
        self._doomed.clear()

    def _coming(self, place: str) -> bytes | None:
        if place in self._staged:
            return self._folder.read(temporary_of(place))
        return self._folder.read(self._moves.get(place, place))

    def _has(self, place: str, sha256: str) -> bool:
        data = self._folder.read(place)
        return data is not None and bytes_digest(data) == sha256

    def _abandon(self, place: str) -> None:
        if place in self._staged:
            self._unstage(place)
        if (origin := self._moves.pop(place, None)) is not None:
            self._doomed.add(origin)

    def _unstage(self, place: str) -> None:
        self._staged.discard(place)
        self._folder.remove(temporary_of(place))
        self._folder.prune(place.rpartition("/")[0])
