"""Rate limits: points an hour per viewer, points and seconds of answering a minute."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

__all__ = ["Budget", "Minute"]

_HOUR = timedelta(hours=1)
_MINUTE = timedelta(minutes=1)


@dataclass
class Budget:
    """The primary limit of one token: a window of an hour that begins with its first request."""

    limit: int
    used: int = 0
    resets_at: datetime | None = None

    def at(self, now: datetime) -> Budget:
        """This budget, its window begun anew where the last one is over."""
        if self.resets_at is None or now >= self.resets_at:
            self.used, self.resets_at = 0, now + _HOUR
        return self

    @property
    def remaining(self) -> int:
        """Points left in the window."""
        return max(0, self.limit - self.used)

    def charge(self, points: int) -> None:
        """Take `points`; the last request of a window may overdraw it."""
        self.used += points


@dataclass
class Minute:
    """A secondary limit: points, or seconds, in any minute. None: no limit."""

    limit: float | None = None
    peak: float = 0  # the most that any minute ever held
    _taken: deque[tuple[datetime, float]] = field(default_factory=deque[tuple[datetime, float]])

    def allows(self, amount: float, now: datetime) -> bool:
        """Whether `amount` more fits into the minute that ends now."""
        self._drop(now)
        return self.limit is None or self._sum() + amount <= self.limit

    def charge(self, amount: float, now: datetime) -> None:
        """Take `amount`."""
        self._drop(now)
        self._taken.append((now, amount))
        self.peak = max(self.peak, self._sum())

    def _drop(self, now: datetime) -> None:
        while self._taken and self._taken[0][0] <= now - _MINUTE:
            self._taken.popleft()

    def _sum(self) -> float:
        return sum(amount for _, amount in self._taken)
