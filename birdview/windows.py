"""One explicit half-open window for every kind of request, by one path. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import assert_never

from msgspec import UNSET, Struct, UnsetType

from birdview.envelope import WindowShown
from birdview.request import ROLLING, Bounds, Cut, RequestError, Rolling
from syncer.corpus import Timeline, UnknownReleaseError, Window
from syncer.repository import Shaping

__all__ = ["Resolved", "resolve", "unread"]


class Resolved(Struct, frozen=True, kw_only=True):
    """The window, and by what name it was asked for."""

    window: Window
    preset: str | None = None
    release: str | UnsetType = UNSET
    previous_release: str | UnsetType | None = UNSET  # None: the release is the first

    def shown(self) -> WindowShown:
        """The window as an answer shows it."""
        return WindowShown(
            window_start_iso=self.window.start,
            window_end_iso=self.window.end,
            preset=self.preset,
            release=self.release,
            previous_release=self.previous_release,
        )


def resolve(
    asked: Bounds | Rolling | Cut,
    timeline: Timeline,
    as_of: datetime | None,
    now: datetime,
    max_lag: timedelta,
) -> Resolved:
    """The window that `asked` means at `now`, with a census of `as_of`.

    Raises RequestError for a release that is no release point.
    """
    match asked:
        case Bounds(start, end):
            return Resolved(window=Window(start, end))
        case Rolling(preset):
            end = _end(as_of, now, max_lag)
            return Resolved(window=Window(end - ROLLING[preset], end), preset=preset)
        case Cut(tag):
            return _cut(tag, timeline)
        case _:
            assert_never(asked)


def unread(asked: Bounds | Rolling | Cut, now: datetime, max_lag: timedelta) -> WindowShown:
    """What can be said of the window where no corpus could be read: nothing of a release's."""
    if isinstance(asked, Cut):
        return WindowShown(
            window_start_iso=None, window_end_iso=None, preset="release", release=asked.tag
        )
    return resolve(asked, Timeline((), Shaping()), None, now, max_lag).shown()


def _end(as_of: datetime | None, now: datetime, max_lag: timedelta) -> datetime:
    """Where knowledge ends, if that is recent enough; else now, and the answer will say `stale`."""
    if as_of is not None and now - as_of <= max_lag:
        return as_of
    return now.astimezone(UTC).replace(microsecond=0)  # GitHub's stamps are whole seconds


def _cut(tag: str, timeline: Timeline) -> Resolved:
    try:
        window, previous = timeline.window(tag), timeline.previous(tag)
    except UnknownReleaseError as error:
        raise RequestError("release", str(error)) from error
    return Resolved(window=window, preset="release", release=tag, previous_release=previous)
