"""Reduce: kept claims are joined and ordered until they fit, and told in a few sentences.

Nothing is believed here either: an item or a sentence counts only if every claim that it names is
one of those that were handed over. What it rests on is their evidence, already checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from msgspec import Struct

from birdview.synthesis.answers import Item, Sentence, read_part, read_reduce
from birdview.synthesis.asking import Answered, Questioner
from birdview.synthesis.claims import (
    MAX_EVIDENCE,
    MAX_SUMMARY,
    Category,
    Claim,
    Evidence,
    one_line,
)
from birdview.synthesis.fragments import size_of
from birdview.synthesis.limits import Limits
from birdview.synthesis.prompts import QUOTES_SHOWN, ask_reduce, numbered

__all__ = ["Reduced", "Told", "plain_narrative", "reduce_claims"]

MAX_SENTENCE = 1200  # characters


class Told(Struct, frozen=True):
    """One sentence of the narrative and what it rests on; never without evidence."""

    text: str
    evidence: tuple[Evidence, ...]


class Reduced(Struct, frozen=True, kw_only=True):
    """Findings, the heaviest of each category first, and the narrative.

    `failed` questions had no usable answer: their claims stand as they were. `left_out` findings
    were more than a category may show; `dropped` items and sentences rested on nothing.
    """

    findings: tuple[Claim, ...]
    narrative: tuple[Told, ...]
    failed: int
    left_out: int
    dropped: int


class _Round(Struct, frozen=True):
    claims: tuple[Claim, ...]
    narrative: tuple[Told, ...]
    failed: bool
    dropped: int


async def reduce_claims(claims: Sequence[Claim], questioner: Questioner, limits: Limits) -> Reduced:
    """Join `claims` group by group until one question holds them all, then tell them.

    Ends whatever the model does: where a round brings too little, or an answer cannot be used, the
    claims go on as they are, cut to what may be shown.
    """
    held, failed, dropped = tuple(claims), 0, 0
    groups = _groups(held, limits.reduce_bytes)
    while len(groups) > 1:
        rounds = await _all(groups, questioner, limits)
        failed += sum(one.failed for one in rounds)
        dropped += sum(one.dropped for one in rounds)
        before, held = len(held), tuple(claim for one in rounds for claim in one.claims)
        groups = _groups(held, limits.reduce_bytes)
        if len(held) > before * 3 // 4:
            break
    if len(groups) > 1 or not held:
        return _cut(held, (), failed, dropped, limits)
    last = await _one(groups[0], questioner, limits)
    return _cut(last.claims, last.narrative, failed + last.failed, dropped + last.dropped, limits)


def plain_narrative(findings: Sequence[Claim], sentences: int = 8) -> tuple[Told, ...]:
    """A narrative without a model: the first findings of each category in turn."""
    columns = [[f for f in findings if f.category is category] for category in Category]
    rows = max(map(len, columns), default=0)
    picked = [column[row] for row in range(rows) for column in columns if row < len(column)]
    return tuple(Told(claim.summary, claim.evidence) for claim in picked[:sentences])


def _groups(claims: Sequence[Claim], limit: int) -> list[tuple[Claim, ...]]:
    groups: list[tuple[Claim, ...]] = []
    held: list[Claim] = []
    size = 0
    for claim in claims:
        weight = 100 + size_of(claim.summary) + _quotes_size(claim)
        if held and size + weight > limit:
            groups.append(tuple(held))
            held, size = [], 0
        held.append(claim)
        size += weight
    return [*groups, tuple(held)] if held else groups


def _quotes_size(claim: Claim) -> int:
    return sum(60 + size_of(piece.quote) for piece in claim.evidence[:QUOTES_SHOWN])


async def _all(
    groups: Sequence[tuple[Claim, ...]], questioner: Questioner, limits: Limits
) -> list[_Round]:
    gate = asyncio.Semaphore(limits.parallel)

    async def gated(group: tuple[Claim, ...]) -> _Round:
        async with gate:
            return await _one(group, questioner, limits, leaving=1)

    async with asyncio.TaskGroup() as tasks:
        waiting = [tasks.create_task(gated(group)) for group in groups]
    return [task.result() for task in waiting]


async def _one(
    group: tuple[Claim, ...], questioner: Questioner, limits: Limits, leaving: int = 0
) -> _Round:
    handed = numbered(group)
    known = {one.id: one.claim for one in handed}
    prompt = ask_reduce(
        handed, most=limits.items * len(Category), max_answer_tokens=limits.max_answer_tokens
    )
    answer = await questioner.ask(prompt, read_reduce, leaving=leaving)
    if not isinstance(answer, Answered):
        return _Round(group, (), failed=True, dropped=0)
    raw_items, raw_sentences = answer.value
    items = [_joined(read_part(raw, Item), known) for raw in raw_items]
    sentences = [_told(read_part(raw, Sentence), known) for raw in raw_sentences]
    joined = tuple(item for item in items if item is not None)
    narrative = tuple(sentence for sentence in sentences if sentence is not None)
    lost = items.count(None) + sentences.count(None)
    # A model that lets everything fall has not answered the question.
    return _Round(joined or group, narrative, failed=not joined, dropped=lost)


def _joined(item: Item | None, known: Mapping[str, Claim]) -> Claim | None:
    if item is None or item.category not in {category.value for category in Category}:
        return None
    evidence = _evidence(item.claims, known)
    summary = one_line(item.summary)
    if not evidence or not summary or len(item.summary) > MAX_SUMMARY:
        return None
    return Claim(summary, Category(item.category), evidence[:MAX_EVIDENCE])


def _told(sentence: Sentence | None, known: Mapping[str, Claim]) -> Told | None:
    if sentence is None:
        return None
    evidence = _evidence(sentence.claims, known)
    text = one_line(sentence.text)
    if not evidence or not text or len(sentence.text) > MAX_SENTENCE:
        return None
    return Told(text, evidence)


def _evidence(ids: Sequence[str], known: Mapping[str, Claim]) -> tuple[Evidence, ...]:
    if not all(id in known for id in ids):
        return ()
    return tuple(dict.fromkeys(piece for id in ids for piece in known[id].evidence))


def _cut(
    claims: Sequence[Claim],
    narrative: tuple[Told, ...],
    failed: int,
    dropped: int,
    limits: Limits,
) -> Reduced:
    shown = [
        claim
        for category in Category
        for claim in [claim for claim in claims if claim.category is category][: limits.items]
    ]
    return Reduced(
        findings=tuple(shown),
        narrative=narrative or plain_narrative(shown),
        failed=failed,
        left_out=len(claims) - len(shown),
        dropped=dropped,
    )
