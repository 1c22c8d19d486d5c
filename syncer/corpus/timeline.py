"""One rule for release buckets and release windows, read from one array from either side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct

from syncer.corpus.errors import UnknownReleaseError
from syncer.repository import Release, Shaping

__all__ = ["Point", "Timeline", "Window"]


class Point(Struct, frozen=True):
    """A release point: a published release on the time line."""

    tag: str
    at: datetime


class Window(Struct, frozen=True):
    """The half-open stretch `[start, end)` of time; start None: from the repository's beginning."""

    start: datetime | None
    end: datetime

    def __contains__(self, stamp: datetime) -> bool:
        return (self.start is None or self.start <= stamp) and stamp < self.end


class Timeline:
    """The release points of a repository, ordered by (publishedAt, id).

    Drafts are no points; prereleases are by `shaping`. Of releases that share a stamp the first
    holds what was resolved before it, and the windows of the others are empty.
    """

    def __init__(self, releases: Iterable[Release], shaping: Shaping) -> None:
        self._releases = tuple(releases)
        self.points = tuple(_points(self._releases, shaping))
        self._stamps = [point.at for point in self.points]
        self._index = {point.tag: index for index, point in enumerate(self.points)}

    def bucket(self, resolved_at: datetime | None) -> str | None:
        """The tag of the first point strictly later than `resolved_at`.

        None for an open pull request (None), and for one resolved at or after the newest point.
        """
        if resolved_at is None:
            return None
        index = bisect_right(self._stamps, resolved_at)
        return self.points[index].tag if index < len(self.points) else None

    def window(self, tag: str) -> Window:
        """`[previous point, this point)`: exactly the stamps whose bucket is `tag`.

        Raises UnknownReleaseError for a tag that is no release point.
        """
        index = self._index.get(tag)
        if index is None:
            raise UnknownReleaseError(tag, self._why_not(tag))
        return Window(self._stamps[index - 1] if index else None, self._stamps[index])

    def previous(self, tag: str) -> str | None:
        """The tag of the point before `tag`, or None for the first. Raises as `window` does."""
        self.window(tag)
        index = self._index[tag]
        return self.points[index - 1].tag if index else None

    def _why_not(self, tag: str) -> str:
        named = [release for release in self._releases if release.tag_name == tag]
        if not named:
            return "is not known"
        if all(_draft(release) for release in named):
            return "is a draft, not a release point"
        return "is a prerelease, and prereleases are no release points by the settings"


def _points(releases: Iterable[Release], shaping: Shaping) -> Iterator[Point]:
    stamped = [
        (release.published_at, release.id, release.tag_name)
        for release in releases
        if release.published_at is not None
        and not release.is_draft
        and (shaping.prereleases or not release.is_prerelease)
    ]
    seen: set[str] = set()
    for at, _, tag in sorted(stamped):
        if tag not in seen:  # a tag is one folder, so it can be one point only: the earliest
            seen.add(tag)
            yield Point(tag, at)


def _draft(release: Release) -> bool:
    return release.is_draft or release.published_at is None
