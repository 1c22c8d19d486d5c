"""The pull requests that were resolved in a window, and how far it is proven that these are all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from syncer.canonical import digest_of
from syncer.corpus import Window
from syncer.evidence import Snapshot
from syncer.history.ask import Overview, ResolutionFilter
from syncer.history.census import CensusReport, CensusStatus, Drift
from syncer.history.selected import Selected
from syncer.stamps import to_text

__all__ = ["Selection", "ordered"]


class Selection(Struct, frozen=True, kw_only=True):
    """The answer to one question, ordered by (resolution event, number).

    `doubtful` are numbers of which it is not known whether they belong to it, because what is held
    of them is behind; `lost` are leaves that meet the window and are damaged. `drifted` is what a
    live client should read again (empty without one), `refreshed` what it read, by id.
    """

    overview: Overview
    census: CensusReport
    window: Window
    resolution: ResolutionFilter
    selected: tuple[Selected, ...]
    doubtful: tuple[int, ...]
    lost: tuple[str, ...]
    drifted: tuple[Drift, ...] = ()
    refreshed: Mapping[str, Snapshot] = {}

    @property
    def is_whole(self) -> bool:
        """Whether it is known that no other pull request belongs to it, and that all of it does."""
        proven = self.census.status(self.window.end) is CensusStatus.COMPLETE
        return proven and not (self.census.unread or self.doubtful or self.lost)

    @property
    def digest(self) -> str:
        """SHA-256, as 64 hex digits, over the question and every (number, revision, evidence).

        It depends on nothing else: not on when, where and by whom it was asked.
        """
        start = self.window.start
        return digest_of(
            {
                "repository": self.overview.repository.id,
                "window": [None if start is None else to_text(start), to_text(self.window.end)],
                "resolution": self.resolution,
                "selected": [[s.number, s.revision, s.evidence_status()] for s in self.selected],
            }
        )


def ordered(selected: Iterable[Selected]) -> tuple[Selected, ...]:
    """`selected` by (resolution event, number)."""
    return tuple(sorted(selected, key=lambda one: (one.resolved_at, one.number)))
