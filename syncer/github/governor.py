"""Who may ask GitHub now: one governor a token, shared by all tasks and all repositories.

Decisions are pure (`pace`, `window`, `budget`); here they meet the clock. It paces by the
monotonic clock and judges resets by the server's. Waiting is done by the one task whose turn is
next; cancelling it passes the turn on.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from syncer.errors import BudgetError, ThrottledError
from syncer.github import pace as pacing
from syncer.github.budget import Primary, ServerClock
from syncer.github.exchange import Exchange, http_date
from syncer.github.gate import Gate
from syncer.github.pace import Bounds, Pace
from syncer.github.pauses import QUIET_S, Pauses
from syncer.github.throttle import MIN_PAUSE_S, Limits, limits_of
from syncer.github.window import Use, Window

__all__ = ["Governor", "Lane", "Outcome", "Turn"]

OnPause = Callable[[float, str], None]
Outcome = Literal["good", "heavy", "faulty", "other"]

_SHORT_RESET_S = 60.0  # waited for even by those who were not told to wait
_PATIENCE_S = 900.0  # the same for a secondary limit, which nobody can plan for


@dataclass(slots=True)
class Lane:
    """One repository's use of the token. `max_points` bounds its run; None: unbounded."""

    name: str
    max_points: int | None = None
    spent: int = 0  # points billed, as far as GitHub reported them
    flying: int = 0  # planned points of the requests under way


@dataclass(slots=True, eq=False)
class Turn:
    """One admitted request, until `Governor.end`."""

    lane: Lane
    points: int
    nodes: int
    sent_at: Pace
    admitted_s: float
    uses: tuple[Use, Use] = field(repr=False)


class Governor:
    """Admits requests so that no limit is exceeded, as far as anybody can know.

    `reserve` points of the hour are left to others. With `wait` it waits for the reset when they
    are used up; without, BudgetError ends the run, and a pause of up to a minute is borne.
    `on_pause` hears of every pause: seconds, and why. `sleep` and `dice` serve retries as well.
    """

    def __init__(
        self,
        bounds: Bounds | None = None,
        *,
        reserve: int = 0,
        wait: bool = False,
        on_pause: OnPause | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        dice: Callable[[], float] = random.random,
    ) -> None:
        self._bounds = bounds or Bounds()
        self._pace = pacing.at_start(self._bounds)
        self._reserve = reserve
        self._wait = wait
        self._on_pause = on_pause
        self._clock = clock
        self.sleep, self.dice = sleep, dice
        self._gate = Gate()
        self._freed = asyncio.Event()
        self._points, self._seconds = Window(), Window()
        self._flying: set[Turn] = set()
        self._latency_s = 1.0
        self._primary = Primary()
        self._server: ServerClock | None = None
        self._changed_s = self._clock()
        self._pauses = Pauses(until_s=self._changed_s, refused_s=self._changed_s)

    @property
    def concurrency(self) -> int:
        """Requests that may be under way at once, as things stand."""
        return self._pace.concurrency

    @property
    def nodes_limit(self) -> int:
        """Expected nodes that a batch should not exceed, as things stand."""
        return self._pace.nodes

    @property
    def limits(self) -> Limits | None:
        """The primary budget as last told; None where the server tracks none."""
        return self._primary.limits

    @property
    def server_date(self) -> datetime | None:
        """The server's clock now, reckoned from its last answer; None before the first."""
        return self._server_time(self._clock(), 0.0)

    @property
    def paused_s(self) -> float:
        """Seconds for which everybody is still paused."""
        return max(0.0, self._pauses.until_s - self._clock())

    async def admit(self, lane: Lane, points: int, nodes: int = 0) -> Turn:
        """Wait until a request of `points` may be sent. `end` must follow, whatever happens.

        `nodes` is its expected size; 0 where size cannot be chosen. Raises BudgetError.
        """
        async with self._gate.passing(lane.name):
            await self._clear_way(lane, points)
            now = self._clock()
            uses = self._points.begin(points), self._seconds.begin(self._latency_s)
            turn = Turn(lane, points, nodes, self._pace, now, uses)
            lane.flying += points
            self._flying.add(turn)
            return turn

    def end(
        self,
        turn: Turn,
        exchange: Exchange | None,
        outcome: Outcome,
        billed: int | None = None,
    ) -> None:
        """The request of `turn` is over; calling this twice counts once.

        `exchange` None: no answer came. `billed` None: nobody told the price.
        """
        if turn not in self._flying:
            return
        self._flying.remove(turn)
        now, lane = self._clock(), turn.lane
        lane.flying -= turn.points
        lane.spent += billed or 0
        elapsed_s = now - turn.admitted_s if exchange is None else exchange.elapsed_s
        self._points.end(turn.uses[0], billed or turn.points, now)
        self._seconds.end(turn.uses[1], elapsed_s, now)
        if exchange is not None:
            self._heed(exchange, now)
        self._pace = self._adapted(turn, outcome, elapsed_s)
        self._freed.set()

    def throttle(self, turn: Turn, error: ThrottledError) -> None:
        """Pause everybody, as `error` says. Raises BudgetError where that is too long to wait."""
        now = self._clock()
        self._pauses = self._pauses.refused(turn.admitted_s, now)
        wait_s = self._pauses.length_s(error, self.dice())
        self._changed_s = max(self._changed_s, now + wait_s)
        if not error.primary:
            self._pace = pacing.refused(
                self._pace, turn.sent_at, self._points.used(now), self._seconds.used(now)
            )
        self._stop_or_pause(wait_s, str(error), primary=error.primary, now=now)

    def _stop_or_pause(self, wait_s: float, why: str, *, primary: bool, now: float) -> None:
        if not self._wait and wait_s > (_SHORT_RESET_S if primary else _PATIENCE_S):
            raise BudgetError(
                f"{why}. Everything read so far is saved; run again later, or with --wait.",
                resets_at=self._server_time(now, wait_s),
            )
        longer_s = now + wait_s - max(self._pauses.until_s, now)
        self._pauses = self._pauses.extended(now + wait_s)
        # Requests that were under way are refused a little later: that is the same pause.
        if self._on_pause is not None and longer_s >= MIN_PAUSE_S:
            self._on_pause(wait_s, why)

    async def _clear_way(self, lane: Lane, points: int) -> None:
        while (wait_s := self._obstacle_s(lane, points)) != 0.0:
            if wait_s is None:
                self._freed.clear()
                await self._freed.wait()
            else:
                await self.sleep(wait_s)

    def _obstacle_s(self, lane: Lane, points: int) -> float | None:
        """Seconds to wait; 0.0: the way is clear; None: until a request under way has ended."""
        now = self._clock()
        self._recover(now)
        if (paused_s := self._pauses.until_s - now) > 0:
            return paused_s
        self._refuse_over_budget(lane, points)
        if self._primary_is_short(points, now):
            return None if self._flying else max(0.0, self._pauses.until_s - now)
        if len(self._flying) >= self._pace.concurrency or self._is_daring(points, now):
            return None
        by_points = self._points.wait_s(points, self._pace.points_per_minute, now)
        by_seconds = self._seconds.wait_s(self._latency_s, self._pace.seconds_per_minute, now)
        if by_points is None or by_seconds is None:
            return None
        return max(by_points, by_seconds)

    def _is_daring(self, points: int, now: float) -> bool:
        # Beyond what was proven one request tries alone: if it is refused, it is one that is.
        used = self._points.used(now) + points
        return bool(self._flying) and used > self._pace.proven_points

    def _refuse_over_budget(self, lane: Lane, points: int) -> None:
        limit = lane.max_points
        if limit is not None and lane.spent + lane.flying + points > limit:
            raise BudgetError(
                f"the run's own budget of {limit} points is used up. Everything read so far is "
                "saved; run again to continue."
            )

    def _primary_is_short(self, points: int, now: float) -> bool:
        if self._server is None:
            return False
        needed = points + sum(turn.points for turn in self._flying)
        wait_s = self._primary.short_s(needed, self._reserve, self._server.at(now))
        if wait_s is None:
            return False
        if not self._flying:
            kept = f" but the reserve of {self._reserve}" if self._reserve else ""
            why = f"the hour's points are used up{kept}: wait {wait_s:.0f} s for the reset"
            self._stop_or_pause(wait_s, why, primary=True, now=now)
        return True

    def _recover(self, now: float) -> None:
        while now - self._changed_s >= QUIET_S:
            self._changed_s += QUIET_S
            self._pace = pacing.quiet_minute(self._pace, self._bounds)

    def _heed(self, exchange: Exchange, now: float) -> None:
        # Up at once and down slowly: what is under way is reckoned with as no shorter than it is.
        eased_s = self._latency_s + 0.2 * (exchange.elapsed_s - self._latency_s)
        self._latency_s = max(exchange.elapsed_s, eased_s)
        self._primary = self._primary.told(limits_of(exchange))
        if (date := http_date(exchange.headers.get("date", ""))) is not None:
            self._server = ServerClock(date, now)

    def _server_time(self, now: float, wait_s: float) -> datetime | None:
        if self._server is None:
            return None
        return self._server.at(now) + timedelta(seconds=wait_s)

    def _adapted(self, turn: Turn, outcome: Outcome, elapsed_s: float) -> Pace:
        match outcome:
            case "good":
                return pacing.answered(self._pace, self._bounds, turn.nodes, elapsed_s)
            case "heavy" if turn.nodes:
                return pacing.too_heavy(self._pace, turn.nodes)
            case "faulty":
                return pacing.faltered(self._pace, turn.sent_at)
            case "heavy" | "other":
                return self._pace
