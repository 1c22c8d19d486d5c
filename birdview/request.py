"""What may be asked of Bird View, and how it is refused: always with the field's own name. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

from msgspec import Struct

from syncer.errors import ConfigError
from syncer.history import ResolutionFilter

__all__ = [
    "ROLLING",
    "Asked",
    "Bounds",
    "Cut",
    "Options",
    "Preset",
    "Request",
    "RequestError",
    "Rolling",
    "asked_of",
    "instant",
]

Preset = Literal["daily", "3-day", "weekly", "monthly", "quarterly", "release"]

ROLLING = {
    "daily": timedelta(days=1),
    "3-day": timedelta(days=3),
    "weekly": timedelta(days=7),
    "monthly": timedelta(days=30),
    "quarterly": timedelta(days=90),
}
"""The rolling presets: so many days back from the window's end, whatever the calendar says."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


class RequestError(ConfigError):
    """A request that cannot be answered as it stands; `field` is the key to change."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.detail = message


class Request(Struct, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """One question as it comes in. Times are ISO 8601 with a zone, or a date (midnight UTC)."""

    origin: str | None = None  # owner/repo; null: the only one under the root
    resolution: str = "all_resolved"
    preset: str | None = None  # null: the bounds, or weekly without any
    window_start: str | None = None
    window_end: str | None = None
    release: str | None = None
    live: bool = False
    synthesize: bool | None = None  # null: where a model is bound
    allow_partial: bool = False


class Options(Struct, frozen=True, kw_only=True):
    """How an answer is bounded. None: not at all."""

    max_lag: timedelta = timedelta(hours=24)  # of a census by which a rolling window may end
    max_pulls: int | None = None
    max_citations: int | None = None
    max_listed: int = 200  # incomplete connections, and numbers in one degraded reason


class Bounds(Struct, frozen=True):
    """A window that was given as it is."""

    start: datetime
    end: datetime


class Rolling(Struct, frozen=True):
    """A window of a fixed length that ends where knowledge ends."""

    preset: str


class Cut(Struct, frozen=True):
    """The window of a release: from the point before to its own."""

    tag: str


class Asked(Struct, frozen=True, kw_only=True):
    """A request that is in order, as far as it can be told before anything is read."""

    window: Bounds | Rolling | Cut
    resolution: ResolutionFilter


def asked_of(request: Request) -> Asked:
    """What `request` asks for. Raises RequestError."""
    try:
        resolution = ResolutionFilter(request.resolution)
    except ValueError as error:
        raise RequestError("resolution", _one_of(ResolutionFilter)) from error
    return Asked(window=_window(request), resolution=resolution)


def instant(field: str, text: str | None) -> datetime:
    """The time that `text` stands for, in UTC. Raises RequestError naming `field`."""
    if text is None:
        raise RequestError(field, "give both windowStart and windowEnd, or neither")
    try:
        if _DATE.fullmatch(text):
            return datetime.fromisoformat(text).replace(tzinfo=UTC)
        found = datetime.fromisoformat(text)
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise RequestError(
            field, "is no time of the form 2026-03-01T00:00:00Z, and no date"
        ) from error
    raise RequestError(field, "has no zone; end it with Z or an offset, or give a date alone")


def _window(request: Request) -> Bounds | Rolling | Cut:
    if request.window_start is not None or request.window_end is not None:
        return _bounds(request)
    preset = "weekly" if request.preset is None else request.preset
    if preset == "release":
        if not request.release:
            raise RequestError("release", "name the tag whose window is wanted")
        return Cut(request.release)
    if request.release is not None:
        raise RequestError("release", "goes with preset=release only")
    if preset not in ROLLING:
        raise RequestError("preset", _one_of(get_args(Preset)))
    return Rolling(preset)


def _bounds(request: Request) -> Bounds:
    for field, other in (("preset", request.preset), ("release", request.release)):
        if other is not None:
            raise RequestError(field, "excludes windowStart and windowEnd")
    start = instant("windowStart", request.window_start)
    end = instant("windowEnd", request.window_end)
    if start >= end:
        raise RequestError("windowEnd", "must be later than windowStart; the end is exclusive")
    return Bounds(start, end)


def _one_of(names: Iterable[str]) -> str:
    return f"must be one of {', '.join(names)}"
