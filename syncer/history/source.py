"""The history source: repositories under a root, answered from their files alone, or live.

Every reading method is one consistent answer, as of one seal, or raises: UnknownOriginError,
NoCorpusError, ChangingError, CorpusError (a damaged root or file), LocalError. Nothing is written.
The methods read files and may wait a second: call them in a thread where that matters.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

from syncer.corpus import Window, bytes_digest, parse, place, repository_path
from syncer.errors import ConfigError
from syncer.evidence import Snapshot
from syncer.history.ask import Choose, Overview, ResolutionFilter, overview_of
from syncer.history.census import Live, LiveCensus
from syncer.history.errors import ChangingError, UnknownOriginError
from syncer.history.look import Look, names_in, steady
from syncer.history.lookup import Found, entry_of, find
from syncer.history.refresh import refreshed
from syncer.history.rows import Problem, Rows, State, problems_in, rows_in
from syncer.history.search import select
from syncer.history.selected import Selected
from syncer.history.selection import Selection
from syncer.tree import Tree

__all__ = ["Corpus", "History"]

T = TypeVar("T")
Sleep = Callable[[float], None]


class History:
    """All repositories under one root."""

    def __init__(self, root: Path, *, sleep: Sleep = time.sleep) -> None:
        self._root = root
        self._sleep = sleep

    def origins(self) -> tuple[str, ...]:
        """The folders (`owner/repo`) that hold a corpus, sorted."""
        found = (path.parent for path in self._root.glob("*/*/manifest.json"))
        return tuple(sorted(f"{folder.parent.name}/{folder.name}" for folder in found))

    def corpus(self, origin: str | None) -> Corpus:
        """The corpus of repository `origin`; None: of the only one.

        A repository answers to its folder's name, to its first and to its current name, in any
        case, and to no other. Raises UnknownOriginError before any conversation is read.
        """
        known = self.origins()
        if origin is None:
            if len(known) != 1:
                raise UnknownOriginError("name one repository", known)
            return self._open(known[0])
        try:
            repository_path(origin)
        except ConfigError as error:
            raise UnknownOriginError(str(error), known) from error
        for folder in sorted(known, key=lambda name: name.casefold() != origin.casefold()):
            corpus = self._open(folder)
            if corpus.answers_to(origin):
                return corpus
        raise UnknownOriginError(f"{origin} is not here", known)

    def _open(self, folder: str) -> Corpus:
        return Corpus(self._root / repository_path(folder), folder, sleep=self._sleep)


class Corpus:
    """One repository's corpus; `name` is that of its folder."""

    def __init__(self, path: Path, name: str, *, sleep: Sleep) -> None:
        self.name = name
        self._path = path
        self._sleep = sleep

    def answers_to(self, origin: str) -> bool:
        """Whether `origin` is a name of this repository."""
        names = names_in(self._path) or {self.name}  # nobody can say more than the folder's name
        return origin.casefold() in {name.casefold() for name in names}

    def overview(self) -> Overview:
        """What root and census tell."""
        return self._steady(overview_of)

    def select(
        self, choose: Choose, resolution: ResolutionFilter, live: LiveCensus | None = None
    ) -> Selection:
        """What was resolved in the window that `choose` makes. Raises what `choose` raises."""
        return self._steady(partial(select, choose=choose, resolution=resolution, live=live))

    async def select_live(
        self, choose: Choose, resolution: ResolutionFilter, live: Live
    ) -> tuple[Selection, LiveCensus]:
        """The same with a census taken now, and with what drifted read now, in memory.

        Where the live census proves nothing, the selection is the corpus's own.
        """
        overview = await asyncio.to_thread(self.overview)
        repository = overview.repository
        census = await live.census(repository, overview.census.as_of)
        usable = None if census.as_of is None else census
        selection = await asyncio.to_thread(self.select, choose, resolution, usable)
        read = await live.read(repository, selection.drifted)
        return refreshed(selection, read), census

    async def snapshots(
        self, selection: Selection, selected: Iterable[Selected]
    ) -> AsyncIterator[Snapshot]:
        """The conversations of `selected`, in its order, one at a time: just what was selected.

        Raises ChangingError where one no longer stands in the corpus as it was selected.
        """
        for one in selected:
            if one.is_live:
                yield selection.refreshed[one.id]
            else:
                yield await asyncio.to_thread(self._snapshot, one)

    def find(self, what: str, *, number: int | None = None) -> Found | None:
        """The conversation, and the node in it, that `what` names; None where there is none.

        `what` is a number, an address of the site, or a node id; a bare id is looked for in every
        file unless `number` tells in which.
        """
        return self._steady(partial(find, what=what, number=number))

    def rows(
        self,
        state: State | None = None,
        *,
        window: Window | None = None,
        start: int = 0,
        count: int = 100,
    ) -> Rows:
        """Some of those in `state` and resolved in `window`, by number; and how many there are."""
        return self._steady(partial(rows_in, state=state, window=window, start=start, count=count))

    def problems(self) -> tuple[Problem, ...]:
        """Everything in the corpus that is known not to be whole, ordered by number."""
        return self._steady(problems_in)

    def _snapshot(self, one: Selected) -> Snapshot:
        path = str(place(one.number, one.release))
        data = Tree(self._path).read(path)
        if data is None or bytes_digest(data) != one.sha256:
            data = self._moved(one)
        return parse(data, file=path, check_revision=False)

    def _moved(self, one: Selected) -> bytes:
        """The file that was selected, where a newer seal has moved it."""

        def moved(look: Look) -> bytes | None:
            found = entry_of(look, one.number)
            if found is None or found.entry.sha256 != one.sha256:
                return None
            return look.file(found.entry, found.release)

        if (data := self._steady(moved)) is None:
            raise ChangingError(f"pull request {one.number} was written anew while it was read")
        return data

    def _steady(self, read: Callable[[Look], T]) -> T:
        return steady(self._path, read, self._sleep)
