"""One question to a model, within a budget: asked, repaired once, and never more than one failure.

Whatever the model does — raise, hang, lie about its form, talk without end — costs this answer and
nothing else. Only cancellation passes through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from msgspec import Struct

from birdview.synthesis.answers import AnswerError
from birdview.synthesis.budget import Ledger
from birdview.synthesis.fragments import estimate_tokens
from birdview.synthesis.prompts import Generate, Prompt, ask_repair

__all__ = ["Answered", "Failed", "OutOfBudget", "Questioner"]

T = TypeVar("T")


class Answered(Struct, Generic[T], frozen=True):
    """The answer, read."""

    value: T


class Failed(Struct, frozen=True):
    """No usable answer; `reason` is our own word for it and holds nothing that the model said."""

    reason: str


class OutOfBudget(Struct, frozen=True):
    """The question was not asked, or not asked again."""


class Questioner:
    """Asks `generate`, one call at a time, and keeps the books."""

    def __init__(
        self, generate: Generate, ledger: Ledger, *, call_timeout_s: float, answer_chars: int
    ) -> None:
        self._generate = generate
        self._ledger = ledger
        self._call_timeout_s = call_timeout_s
        self._answer_chars = answer_chars

    @property
    def out_of_budget(self) -> bool:
        """Whether a question was refused, or given up, because the budget ran out."""
        return self._ledger.ran_out

    async def ask(
        self, prompt: Prompt, read: Callable[[str], T], *, leaving: int = 0
    ) -> Answered[T] | Failed | OutOfBudget:
        """The answer to `prompt` as `read` understands it; `read` raises AnswerError if it cannot.

        An answer that cannot be read is asked for once more. One that is too long, and a call that
        fails, are not: they would most likely be the same again. `leaving` calls of the budget are
        not touched.
        """
        first = await self._once(prompt, read, leaving)
        if not isinstance(first, AnswerError):
            return first
        second = await self._once(ask_repair(prompt, str(first)), read, leaving)
        if isinstance(second, AnswerError):
            return Failed("unreadable twice")
        return second

    async def _once(
        self, prompt: Prompt, read: Callable[[str], T], leaving: int
    ) -> Answered[T] | Failed | OutOfBudget | AnswerError:
        most = prompt.tokens + prompt.max_answer_tokens
        if not self._ledger.take(most, leaving=leaving):
            return OutOfBudget()
        answer = await self._call(prompt)
        if isinstance(answer, Failed | OutOfBudget):
            return answer
        if len(answer) > self._answer_chars:
            return Failed("answer too long")
        self._ledger.give_back(prompt.max_answer_tokens - estimate_tokens(len(answer)))
        try:
            return Answered(read(answer))
        except AnswerError as exc:
            return exc

    async def _call(self, prompt: Prompt) -> str | Failed | OutOfBudget:
        rest = self._ledger.seconds_left
        limit = asyncio.timeout(min(self._call_timeout_s, rest))
        try:
            async with limit:
                answer = cast("object", await self._generate(prompt))
        except TimeoutError:
            if limit.expired() and rest < self._call_timeout_s:
                self._ledger.ran_out = True
                return OutOfBudget()
            return Failed("timed out")
        except Exception as exc:  # noqa: BLE001 - a model may raise anything; it costs this answer
            return Failed(f"raised {type(exc).__name__}")
        # A model is foreign code: its word that this is text is checked.
        return answer if isinstance(answer, str) else Failed("not text")
