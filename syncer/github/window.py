"""How much was used within the last minute. Pure: time comes in as an argument."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf

__all__ = ["Use", "Window"]


@dataclass(slots=True)
class Use:
    """One request's share. It counts from its admission until `span_s` after its answer."""

    amount: float
    until: float = inf


class Window:
    """Amounts whose sum over any `span_s` seconds is to stay within a limit.

    The other side counts a request at some instant between its sending and its answer. A use
    therefore counts from the sending until `span_s` after the answer: whatever instant it was,
    no span of the server's holds more than ours did.
    """

    def __init__(self, span_s: float = 60.0) -> None:
        self._span_s = span_s
        self._ended: deque[Use] = deque()  # in the order of `until`
        self._ended_sum = 0.0
        self._flying = 0.0

    def begin(self, amount: float) -> Use:
        """Count `amount` from now on."""
        self._flying += amount
        return Use(amount)

    def end(self, use: Use, amount: float, now: float) -> None:
        """The answer to `use` came at `now`, and it was `amount` in truth."""
        self._flying -= use.amount
        use.amount, use.until = amount, now + self._span_s
        self._ended.append(use)
        self._ended_sum += amount

    def used(self, now: float) -> float:
        """The sum of all that counts at `now`."""
        while self._ended and self._ended[0].until <= now:
            self._ended_sum -= self._ended.popleft().amount
        if not self._ended:
            self._ended_sum = 0.0  # no dust of rounding outlives the uses themselves
        return self._ended_sum + max(self._flying, 0.0)

    def wait_s(self, amount: float, limit: float, now: float) -> float | None:
        """Seconds until `amount` more stays within `limit`; 0.0 at once.

        None: not before a request now under way has ended. An amount above the limit goes when
        nothing else counts, for it would never go otherwise.
        """
        excess = self.used(now) + amount - limit
        if excess <= 0 or (not self._ended and self._flying <= 0):
            return 0.0
        for use in self._ended:
            excess -= use.amount
            if excess <= 0:
                return use.until - now
        return self._ended[-1].until - now if self._ended and self._flying <= 0 else None
