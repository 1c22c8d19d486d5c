from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.errors import (
    BudgetError,
    ContractError,
    CursorRefusedError,
    RefusedError,
    ThrottledError,
    TooHeavyError,
    TransientError,
    UndefinedFieldError,
)
from syncer.github.retry import Again, GiveUp, Patience, retrying, verdict

PATIENCE = Patience(faults=4, throttles=6, base_s=1.0, longest_s=5.0)


def throttled() -> ThrottledError:
    return ThrottledError("slow down", wait_s=1.0, primary=False)


@pytest.mark.parametrize(
    "failure",
    [
        TooHeavyError("x"),
        CursorRefusedError("x"),
        UndefinedFieldError("A", "b"),
        RefusedError("x"),
        ContractError("x"),
        BudgetError("x"),
        KeyboardInterrupt(),
        None,
    ],
    ids=lambda failure: type(failure).__name__,
)
def test_only_what_may_pass_is_sent_again(failure):
    assert verdict(failure, 0, 0, PATIENCE, lambda: 0.0) == GiveUp("final")


@pytest.mark.parametrize(
    ("faults", "delay_s"), [(1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0)], ids=["1", "2", "3", "capped"]
)
def test_delays_double_up_to_the_longest(faults, delay_s):
    assert verdict(TransientError("x"), faults, 0, PATIENCE, lambda: 1.0) == Again(delay_s)


@given(st.integers(1, 4), st.floats(0, 1))
def test_half_of_a_delay_is_drawn(faults, dice):
    full = verdict(TransientError("x"), faults, 0, PATIENCE, lambda: 1.0)
    drawn = verdict(TransientError("x"), faults, 0, PATIENCE, lambda: dice)

    assert isinstance(full, Again)
    assert isinstance(drawn, Again)
    assert full.delay_s / 2 <= drawn.delay_s <= full.delay_s


@given(st.integers(0, 50))
def test_waiting_and_retrying_do_not_use_up_each_other(many):
    assert isinstance(verdict(TransientError("x"), 1, many, PATIENCE, lambda: 0.0), Again)
    assert isinstance(verdict(throttled(), many, 1, PATIENCE, lambda: 0.0), Again)


def test_each_budget_ends():
    assert verdict(TransientError("x"), 5, 0, PATIENCE, lambda: 0.0) == GiveUp("faults")
    assert verdict(throttled(), 0, 7, PATIENCE, lambda: 0.0) == GiveUp("throttles")


class Attempts:
    """Raises one failure after the other, then returns."""

    def __init__(self, *failures: Exception) -> None:
        self._failures = list(failures)
        self.made = 0
        self.slept: list[float] = []

    async def once(self) -> str:
        self.made += 1
        if self._failures:
            raise self._failures.pop(0)
        return "answer"

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def run(self) -> str:
        return await retrying(PATIENCE, sleep=self.sleep, dice=lambda: 1.0)(self.once)


async def test_tenacity_obeys_the_verdicts():
    attempts = Attempts(TransientError("a"), throttled(), TransientError("b"))

    assert await attempts.run() == "answer"
    assert attempts.made == 4
    assert attempts.slept == [1.0, 0.0, 2.0]


async def test_the_last_failure_is_raised_as_it_was():
    last = TransientError("the fifth")
    attempts = Attempts(*(TransientError("x") for _ in range(4)), last)

    with pytest.raises(TransientError) as caught:
        await attempts.run()

    assert caught.value is last
    assert attempts.made == 5


async def test_a_final_failure_is_raised_at_once():
    attempts = Attempts(TooHeavyError("x"))

    with pytest.raises(TooHeavyError):
        await attempts.run()

    assert (attempts.made, attempts.slept) == (1, [])
