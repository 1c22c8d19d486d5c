"""The primary budget and the server's clock, as the answers tell them. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct

from syncer.github.throttle import MARGIN_S, MIN_PAUSE_S, Limits

__all__ = ["Primary", "ServerClock"]


_DUST_S = 0.01  # a wait that ended on time is over, whatever the last digits say


class ServerClock(Struct, frozen=True):
    """The server's time at one instant of the monotonic clock; local clocks may be hours off."""

    date: datetime
    seen_s: float

    def at(self, now_s: float) -> datetime:
        """The server's time when the monotonic clock shows `now_s`."""
        return self.date + timedelta(seconds=now_s - self.seen_s)


class Primary(Struct, frozen=True):
    """What is left of the hour's points; `limits` None: untracked, or the hour is over."""

    limits: Limits | None = None

    def told(self, limits: Limits | None) -> Primary:
        """After an answer. Answers overtake each other: within one hour the lowest counts."""
        mine = self.limits
        if limits is None or mine is None or limits.resets_at > mine.resets_at:
            return Primary(limits if limits is not None else mine)
        if limits.resets_at < mine.resets_at:
            return self
        return Primary(min(mine, limits, key=lambda one: one.remaining))

    def short_s(self, points: int, reserve: int, now: datetime) -> float | None:
        """Seconds until there are `points` more than `reserve`; None: there are, or nobody knows.

        Never negative, and never so short that asking again becomes a busy loop.
        """
        if self.limits is None or self.limits.remaining - points >= reserve:
            return None
        wait_s = (self.limits.resets_at - now).total_seconds() + MARGIN_S
        return None if wait_s <= _DUST_S else max(wait_s, MIN_PAUSE_S)
