"""The server's clock: what the Date header, stamps of mutations and rate windows go by."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

__all__ = ["Clock", "instant", "stamp"]


def stamp(moment: datetime) -> str:
    """GitHub's text for `moment`: UTC, whole seconds, `Z` at the end."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def instant(text: str) -> datetime:
    """The aware moment that a stamp names."""
    return datetime.fromisoformat(text).astimezone(UTC)


class Clock:
    """A clock that can be set. It stands still unless a source of elapsed seconds is given."""

    def __init__(self, now: datetime, elapsed: Callable[[], float] | None = None) -> None:
        self._elapsed = elapsed or (lambda: 0.0)
        self.set(now)

    @classmethod
    def running(cls, now: datetime) -> Clock:
        """A clock that reads `now` and goes on from there."""
        return cls(now, time.monotonic)

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return self._base + timedelta(seconds=self._elapsed() - self._mark)

    def set(self, now: datetime) -> None:
        """Make it `now`."""
        self._base = now.astimezone(UTC)
        self._mark = self._elapsed()

    def advance(self, seconds: float) -> None:
        """Let so many seconds pass at once."""
        self._base += timedelta(seconds=seconds)

    def stamp(self) -> str:
        """The present moment as GitHub's text."""
        return stamp(self.now())

    def http_date(self) -> str:
        """The present moment as the Date header has it."""
        return format_datetime(self.now().replace(microsecond=0), usegmt=True)
