"""What one synthesis may spend: calls, tokens and seconds.

Running out is an outcome with a name, not a fault.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

__all__ = ["Budget", "Clock", "Ledger"]

Clock = Callable[[], float]
"""Seconds on a clock that never goes back."""


class Budget(Struct, frozen=True, kw_only=True):
    """The most that one synthesis may spend. Tokens are estimated, questions and answers alike."""

    calls: int = 200
    tokens: int = 2_000_000
    seconds: float = 600.0


class Ledger:
    """What is left of a budget. The time begins to run when the ledger is opened."""

    def __init__(self, budget: Budget, clock: Clock) -> None:
        self._calls = budget.calls
        self._keeps = budget.calls > 1
        self._tokens = budget.tokens
        self._clock = clock
        self._ends = clock() + budget.seconds
        self.ran_out = False

    @property
    def seconds_left(self) -> float:
        """Never below zero."""
        return max(self._ends - self._clock(), 0.0)

    def take(self, tokens: int, *, leaving: int = 0) -> bool:
        """Set aside one call of at most `tokens`, or refuse and remember that the budget ran out.

        `leaving` calls are kept back for what must come later, unless there is only one in all.
        """
        if (
            self._calls <= (leaving if self._keeps else 0)
            or self._tokens < tokens
            or self.seconds_left <= 0
        ):
            self.ran_out = True
            return False
        self._calls -= 1
        self._tokens -= tokens
        return True

    def give_back(self, tokens: int) -> None:
        """Return what a call did not use of what was set aside for it."""
        self._tokens += max(tokens, 0)
