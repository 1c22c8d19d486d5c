"""What a selection is asked for, and the overview by which a window is chosen. Pure."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cached_property

from syncer.corpus import LeafRef, Root, Timeline, Window
from syncer.history.census import CensusReport, census_of
from syncer.history.look import Look
from syncer.history.selected import Resolution
from syncer.repository import Repository

__all__ = ["Choose", "Overview", "ResolutionFilter", "meets", "overview_of"]


class ResolutionFilter(StrEnum):
    """Which resolved pull requests are asked for."""

    MERGED = "merged"
    CLOSED_UNMERGED = "closed_unmerged"
    ALL_RESOLVED = "all_resolved"

    def admits(self, resolution: Resolution) -> bool:
        """Whether a pull request that was resolved so is among them."""
        return self is ResolutionFilter.ALL_RESOLVED or self.value == resolution.value


class Overview:
    """One corpus as its root and its census tell, without opening a leaf."""

    def __init__(self, root: Root, census: CensusReport, behind: tuple[int, ...]) -> None:
        self.repository: Repository = root.repository
        self.digest: str = root.digest
        self.leaves: tuple[LeafRef, ...] = root.leaves
        self.census = census
        self.behind = behind
        self._root = root

    @cached_property
    def timeline(self) -> Timeline:
        """The release points, by which the corpus is placed as well."""
        releases = (release.release() for release in self._root.releases)
        return Timeline(releases, self._root.shaping)

    def count(self, kind: str) -> int:
        """How many conversations stand in the tier `kind` (`pulls` or `archive`)."""
        return sum(leaf.count for leaf in self.leaves if leaf.kind == kind)


Choose = Callable[[Overview], Window]
"""Makes the one window of a request; what it raises ends the selection."""


def overview_of(look: Look) -> Overview:
    """The overview at the time of `look`."""
    behind = () if look.census is None else look.census.behind
    return Overview(look.root, census_of(look), behind)


def meets(leaf: LeafRef, window: Window) -> bool:
    """Whether something in `leaf` can have been resolved in `window`."""
    if leaf.resolved_from is None or leaf.resolved_to is None:
        return False
    return leaf.resolved_from < window.end and (
        window.start is None or window.start <= leaf.resolved_to
    )
