"""Map: every batch is asked about by itself, several at once, and its claims checked against it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from birdview.synthesis.answers import read_map
from birdview.synthesis.asking import Answered, Questioner
from birdview.synthesis.claims import Checked, Claim, Refusal, Texts, check
from birdview.synthesis.fragments import Batch
from birdview.synthesis.limits import Limits
from birdview.synthesis.prompts import ask_map

__all__ = ["Mapped", "map_batches"]


class Mapped(Struct, frozen=True, kw_only=True):
    """What the batches gave, in their order.

    `failed` of the `batches` have no usable answer, or were not asked for lack of budget; `unread`
    are the pull requests with a fragment in one of those.
    """

    claims: tuple[Claim, ...]
    batches: int
    failed: int
    unread: frozenset[int]
    dropped: Counter[Refusal]


class _Result(Struct, frozen=True):
    index: int
    batch: frozenset[int]
    checked: Checked | None  # None: no usable answer


async def map_batches(batches: Iterable[Batch], questioner: Questioner, limits: Limits) -> Mapped:
    """Ask about each batch; one that fails costs its own claims.

    Batches are drawn as they are needed, at most `limits.parallel` at a time, so that a large
    window is never framed as a whole. One call of the budget is left for bringing the claims
    together.
    """
    results: list[_Result] = []
    drawn = enumerate(batches)
    async with asyncio.TaskGroup() as group:
        for _ in range(limits.parallel):
            group.create_task(_work(drawn, questioner, limits, results))
    return _sum(sorted(results, key=lambda result: result.index))


async def _work(
    drawn: Iterator[tuple[int, Batch]],
    questioner: Questioner,
    limits: Limits,
    results: list[_Result],
) -> None:
    for index, batch in drawn:
        numbers = frozenset(pull.number for pull in batch.pulls)
        checked = None if questioner.out_of_budget else await _one(batch, questioner, limits)
        results.append(_Result(index, numbers, checked))


async def _one(batch: Batch, questioner: Questioner, limits: Limits) -> Checked | None:
    most = limits.claims_per_batch
    prompt = ask_map(batch, most=most, max_answer_tokens=limits.max_answer_tokens)
    answer = await questioner.ask(prompt, read_map, leaving=1)
    if not isinstance(answer, Answered):
        return None
    return check(answer.value, Texts(batch.fragments), at_most=most)


def _sum(results: list[_Result]) -> Mapped:
    answered = [result.checked for result in results if result.checked is not None]
    return Mapped(
        claims=tuple(claim for checked in answered for claim in checked.kept),
        batches=len(results),
        failed=len(results) - len(answered),
        unread=frozenset[int]().union(*(r.batch for r in results if r.checked is None)),
        dropped=sum((checked.reasons() for checked in answered), Counter[Refusal]()),
    )
