"""The search for a selection: root, then the leaves that meet the window, then the files chosen."""

from __future__ import annotations

from datetime import datetime

from syncer.census.known import by_connection
from syncer.corpus import (
    LeafEntry,
    LeafRef,
    Window,
    block_of,
)
from syncer.evidence import Connection
from syncer.github.answers import ChangeRow
from syncer.history.ask import Choose, Overview, ResolutionFilter, meets, overview_of
from syncer.history.census import CensusReport, Drift, LiveCensus, live_census_of
from syncer.history.heads import head_of
from syncer.history.look import Look
from syncer.history.selected import Selected, selected_of
from syncer.history.selection import Selection, ordered
from syncer.records import resolution_event

__all__ = ["select"]


def select(
    look: Look, choose: Choose, resolution: ResolutionFilter, live: LiveCensus | None = None
) -> Selection:
    """The selection at the time of `look`. Raises what `choose` raises.

    With `live`, what has drifted is listed, and selected only as far as the corpus holds it.
    """
    overview = overview_of(look)
    if live is not None:
        # How many are known is counted on the way; the window needs only the time.
        census = live_census_of(overview.census, live, known=None)
        overview = Overview(look.root, census, overview.behind)
    search = _Search(look, overview, choose(overview), resolution, live)
    return search.run()


class _Search:
    def __init__(
        self,
        look: Look,
        overview: Overview,
        window: Window,
        resolution: ResolutionFilter,
        live: LiveCensus | None,
    ) -> None:
        self._look = look
        self._overview = overview
        self._window = window
        self._resolution = resolution
        self._live = live
        self._rows = {row.number: row for row in live.rows} if live is not None else {}
        self._behind = set(overview.behind)
        self._blocks = {block_of(number) for number in self._behind | self._rows.keys()}
        self._met: set[int] = set()  # numbers with a row or behind that have an entry
        self._selected: list[Selected] = []
        self._drifted: list[Drift] = []
        self._doubtful: set[int] = set()
        self._lost: list[str] = []

    def run(self) -> Selection:
        for leaf in self._overview.leaves:
            in_reach = meets(leaf, self._window)
            if in_reach or leaf.path.split("/")[-2] in self._blocks:
                self._leaf(leaf, in_reach=in_reach)
        self._unmet()
        return Selection(
            overview=self._overview,
            census=self._census(),
            window=self._window,
            resolution=self._resolution,
            selected=ordered(self._selected),
            doubtful=tuple(sorted(self._doubtful)),
            lost=tuple(self._lost),
            drifted=tuple(self._drifted),
        )

    def _leaf(self, leaf: LeafRef, *, in_reach: bool) -> None:
        entries = self._look.entries(leaf)
        if in_reach and leaf.path in self._look.misfits:
            self._lost.append(leaf.path)
        for entry in entries:
            row = self._rows.get(entry.number)
            if row is not None or entry.number in self._behind:
                self._met.add(entry.number)
            if row is not None and _differs(row, entry):
                self._changed(entry, leaf.release, row)
            elif entry.number in self._behind:
                self._fell_behind(entry, leaf.release)
            else:
                self._take(entry, leaf.release, is_behind=False)

    def _changed(self, entry: LeafEntry, release: str | None, row: ChangeRow) -> None:
        """GitHub shows another state of the pull request than the file: its word decides."""
        if self._has(row):
            self._drift(entry, release, row.updated_at)
            self._take(entry, release, is_behind=True)

    def _fell_behind(self, entry: LeafEntry, release: str | None) -> None:
        self._take(entry, release, is_behind=True)
        # What was not merged can be resolved, or resolved anew, after the file was read.
        if entry.state != "MERGED" and (
            self._window.end > entry.updated_at or self._holds(entry.resolved_at)
        ):
            self._doubtful.add(entry.number)
        if self._live is not None and (
            entry.number in self._doubtful or self._holds(entry.resolved_at)
        ):
            self._drift(entry, release, entry.updated_at)

    def _take(self, entry: LeafEntry, release: str | None, *, is_behind: bool) -> None:
        resolved_at = entry.resolved_at
        if resolved_at is None or resolved_at not in self._window:
            return
        data = self._look.file(entry, release)
        found = selected_of(
            entry,
            None if data is None else head_of(data),
            self._overview.repository,
            resolved_at=resolved_at,
            release=release,
            is_behind=is_behind,
        )
        if self._resolution.admits(found.resolution):
            self._selected.append(found)

    def _unmet(self) -> None:
        """What was met by a live census, or is known to be behind, and has no entry."""
        for row in self._rows.values():
            if row.number not in self._met and self._has(row):
                found = Drift(
                    id=row.id, number=row.number, updated_at=row.updated_at, is_stored=False
                )
                self._drifted.append(found)
        self._doubtful |= self._behind - self._met

    def _drift(self, entry: LeafEntry, release: str | None, updated_at: datetime) -> None:
        self._drifted.append(
            Drift(
                id=entry.id,
                number=entry.number,
                updated_at=updated_at,
                is_stored=True,
                release=release,
            )
        )

    def _has(self, row: ChangeRow) -> bool:
        return self._holds(resolution_event(row.state, row.merged_at, row.closed_at))

    def _holds(self, resolved_at: datetime | None) -> bool:
        return resolved_at is not None and resolved_at in self._window

    def _census(self) -> CensusReport:
        corpus = overview_of(self._look).census
        if self._live is None:
            return corpus
        new = self._rows.keys() - self._met - set(corpus.unread)
        files = sum(leaf.count for leaf in self._overview.leaves)
        return live_census_of(corpus, self._live, known=files + len(corpus.unread) + len(new))


def _differs(row: ChangeRow, entry: LeafEntry) -> bool:
    """Whether `row` tells of something that the file of `entry` does not have.

    A row older than the file comes from a replica that lags: it says nothing new.
    """
    if row.updated_at < entry.updated_at:
        return False
    return (
        row.updated_at != entry.updated_at or row.state != entry.state or _counts_differ(row, entry)
    )


def _counts_differ(row: ChangeRow, entry: LeafEntry) -> bool:
    # Totals of threads hold the drafts of whoever asks, so they prove nothing here.
    claimed = by_connection(row.totals)
    held = {Connection.COMMENTS: entry.counts.comments, Connection.REVIEWS: entry.counts.reviews}
    known = {one.connection for one in entry.incomplete}
    return any(
        claimed.get(name, count) != count for name, count in held.items() if name not in known
    )
