"""Whether one request is sent again. The verdict is pure; tenacity obeys it.

Waiting for a limit and retrying a fault have budgets of their own: a full quota is no fault.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from msgspec import Struct
from tenacity import AsyncRetrying, RetryCallState

from syncer.errors import ThrottledError, TransientError

__all__ = ["Again", "GiveUp", "Patience", "Verdict", "retrying", "verdict"]


class Patience(Struct, frozen=True, kw_only=True):
    """How often one request is sent again: after faults, and after being throttled."""

    faults: int = 4
    throttles: int = 12
    base_s: float = 1.0
    longest_s: float = 30.0


class Again(Struct, frozen=True):
    """The same request, after `delay_s` (the governor's pause comes on top)."""

    delay_s: float


class GiveUp(Struct, frozen=True):
    """The failure is the caller's. `because` says whether trying longer could have helped."""

    because: Literal["final", "faults", "throttles"]


Verdict = Again | GiveUp


def verdict(
    failure: BaseException | None,
    faults: int,
    throttles: int,
    patience: Patience,
    dice: Callable[[], float],
) -> Verdict:
    """What follows a failure, after so many of each kind including this one.

    Delays double, with half of each drawn by `dice` so that tasks do not return in step.
    """
    match failure:
        case ThrottledError():
            return GiveUp("throttles") if throttles > patience.throttles else Again(0.0)
        case TransientError():
            if faults > patience.faults:
                return GiveUp("faults")
            delay_s = min(patience.base_s * 2 ** (faults - 1), patience.longest_s)
            return Again(delay_s * (1 + dice()) / 2)
        case _:
            return GiveUp("final")


def retrying(
    patience: Patience,
    *,
    sleep: Callable[[float], Awaitable[None]],
    dice: Callable[[], float],
) -> AsyncRetrying:
    """Attempts at one request; the last failure is raised as it was."""
    obedience = _Obedience(patience, dice)
    return AsyncRetrying(sleep=sleep, retry=obedience.retry, wait=obedience.wait, reraise=True)


class _Obedience:
    """tenacity asks twice about each outcome; the verdict is found once."""

    def __init__(self, patience: Patience, dice: Callable[[], float]) -> None:
        self._patience, self._dice = patience, dice
        self._faults = self._throttles = 0
        self._verdict: Verdict = GiveUp("final")

    def retry(self, state: RetryCallState) -> bool:
        failure = state.outcome.exception() if state.outcome else None
        self._faults += isinstance(failure, TransientError)
        self._throttles += isinstance(failure, ThrottledError)
        self._verdict = verdict(failure, self._faults, self._throttles, self._patience, self._dice)
        return isinstance(self._verdict, Again)

    def wait(self, _: RetryCallState) -> float:
        return self._verdict.delay_s if isinstance(self._verdict, Again) else 0.0
