"""One question to GitHub, from its admission to a judged answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import msgspec

from queries import Document
from syncer.errors import (
    BudgetError,
    ContractError,
    SyncError,
    ThrottledError,
    TooHeavyError,
    TransientError,
)
from syncer.github.answers import Answer, BatchAnswer
from syncer.github.exchange import Exchange, Prepared
from syncer.github.governor import Governor, Lane, Outcome, Turn
from syncer.github.judge import EndedTokenError, judge
from syncer.github.marks import Marks, marks_of
from syncer.github.retry import Patience, retrying
from syncer.github.surrogates import Repairs, opened
from syncer.github.token import Credentials
from syncer.github.transport import Transport, exchange_in

__all__ = ["Asker", "Question", "Read"]

_log = logging.getLogger(__name__)

T = TypeVar("T", bound=Answer)
Read = Callable[[bytes, Marks, Repairs, datetime], T]
"""Data, its marks and repairs, the server's clock → an answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A document with its variables; `points` as planned, `nodes` as expected (0: no choice).

    A `rigid` question cannot be made smaller: too heavy is then a fault that may pass.
    """

    document: Document
    variables: Mapping[str, object]
    points: int
    nodes: int = 0
    rigid: bool = False


class Asker:
    """Asks for one repository: paced by the governor, retried with patience."""

    def __init__(
        self,
        transport: Transport,
        credentials: Credentials,
        governor: Governor,
        lane: Lane,
        *,
        patience: Patience | None = None,
    ) -> None:
        self._transport = transport
        self._credentials = credentials
        self._governor = governor
        self._lane = lane
        self._patience = patience or Patience()
        self.requests = 0
        self.points_planned = 0

    async def ask(self, question: Question, read: Read[T]) -> T:
        """What `read` makes of the answer.

        Faults that may pass are retried and limits waited for; then TransientError or BudgetError.
        Everything else is raised at once.
        """
        attempts = retrying(self._patience, sleep=self._governor.sleep, dice=self._governor.dice)
        try:
            return await attempts(self._attempt, question, read)
        except ThrottledError as exc:
            throttled = str(exc)
        raise BudgetError(
            f"{throttled}, again and again. Everything read so far is saved; run again later."
        )

    async def _attempt(self, question: Question, read: Read[T]) -> T:
        try:
            return await self._once(question, read)
        except EndedTokenError as exc:
            refusal = exc
        if not await self._credentials.renewed(refusal.serial):
            raise refusal
        _log.info("the token was renewed")
        return await self._once(question, read)

    async def _once(self, question: Question, read: Read[T]) -> T:
        turn = await self._governor.admit(self._lane, question.points, question.nodes)
        exchange: Exchange | None = None
        try:
            exchange = await self._sent(question)
            answer = _understood(exchange, read)
        except SyncError as exc:
            failure = TransientError(str(exc)) if _is_fault(question, exc) else exc
            self._failed(question, turn, exchange, failure)
        except BaseException:
            self._governor.end(turn, exchange, "other")
            raise
        else:
            self._governor.end(turn, exchange, _outcome(answer), answer.cost)
            self._told(question, exchange, f"{answer.cost} points")
            return answer
        raise failure

    async def _sent(self, question: Question) -> Exchange:
        self.requests += 1
        self.points_planned += question.points
        request = Prepared(question.document, question.variables)
        return exchange_in(await self._transport.execute(request))

    def _failed(
        self, question: Question, turn: Turn, exchange: Exchange | None, failure: SyncError
    ) -> None:
        match failure:
            case TooHeavyError():
                self._governor.end(turn, exchange, "heavy")
            case TransientError():
                self._governor.end(turn, exchange, "faulty")
            case _:
                self._governor.end(turn, exchange, "other")
        self._told(question, exchange, str(failure))
        if isinstance(failure, ThrottledError):
            self._governor.throttle(turn, failure)

    def _told(self, question: Question, exchange: Exchange | None, outcome: str) -> None:
        if exchange is None:
            _log.info("%s: %s", question.document.name, outcome)
        else:
            _log.debug(
                "%s: status %d after %.3f s: %s",
                question.document.name,
                exchange.status,
                exchange.elapsed_s,
                outcome,
            )


def _outcome(answer: Answer) -> Outcome:
    faults = answer.faults if isinstance(answer, BatchAnswer) else ()
    return "heavy" if any(fault.reason == "too_heavy" for fault in faults) else "good"


def _is_fault(question: Question, failure: SyncError) -> bool:
    return question.rigid and isinstance(failure, TooHeavyError)


def _understood(exchange: Exchange, read: Read[T]) -> T:
    envelope, repairs = opened(exchange.body)
    answer = judge(exchange, envelope)
    if isinstance(answer, SyncError):
        raise answer
    marks, date = marks_of(answer.errors or ()), exchange.date
    try:
        return read(bytes(answer.data), marks, repairs, date)
    except msgspec.ValidationError as exc:
        misfit = str(exc)  # types and a JSON path, never a value
    except msgspec.DecodeError:
        misfit = None
    if misfit is None:
        raise TransientError("the answer's text is damaged (no UTF-8)")
    raise ContractError(f"GitHub's answer has another shape than its schema: {misfit}")
