"""Questions to a model: the instructions are ours, from versioned files; the data is framed.

A file is never changed once it was released: a new wording is a new version beside the old one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files
from string import Template

from msgspec import Struct
from msgspec.structs import replace

from birdview.synthesis.claims import Claim
from birdview.synthesis.fragments import Batch, estimate_tokens, size_of
from birdview.synthesis.framing import frame_batch, frame_items

__all__ = [
    "PROMPT_VERSION",
    "QUOTES_SHOWN",
    "Generate",
    "Numbered",
    "Prompt",
    "Task",
    "ask_map",
    "ask_reduce",
    "ask_repair",
    "numbered",
]

PROMPT_VERSION = 1
QUOTES_SHOWN = 3
"""Of each claim, when claims are brought together. A joined claim keeps all of its evidence, but
would never fit into a question with all of its quotes."""


class Task(StrEnum):
    """What a prompt asks for."""

    MAP = "map"
    REDUCE = "reduce"


class Numbered(Struct, frozen=True):
    """A kept claim under the id by which a reducing answer names it."""

    id: str
    claim: Claim


class Prompt(Struct, frozen=True, kw_only=True):
    """One question. `instructions` are ours alone, `data` is people's text between borders.

    `batch` and `claims` are the same data before it was framed, for a binding that reads no prose.
    The answer is the JSON that the instructions ask for.
    """

    task: Task
    instructions: str
    data: str
    max_answer_tokens: int
    batch: Batch | None = None  # only with MAP
    claims: tuple[Numbered, ...] = ()  # only with REDUCE

    @property
    def tokens(self) -> int:
        """About how many tokens the question takes."""
        return estimate_tokens(size_of(self.instructions) + size_of(self.data))


Generate = Callable[[Prompt], Awaitable[str]]
"""A model: given a prompt, its answer as text. May raise anything; that costs the one answer."""


def ask_map(batch: Batch, *, most: int, max_answer_tokens: int) -> Prompt:
    """The question for the claims, at most `most`, that `batch` supports."""
    border, data = frame_batch(batch)
    return Prompt(
        task=Task.MAP,
        instructions=_text("map").substitute(border=border, most=most),
        data=data,
        max_answer_tokens=max_answer_tokens,
        batch=batch,
    )


def ask_reduce(claims: Sequence[Numbered], *, most: int, max_answer_tokens: int) -> Prompt:
    """The question for at most `most` items, and a narrative, that rest on `claims`."""
    border, data = frame_items([_shown(one) for one in claims])
    return Prompt(
        task=Task.REDUCE,
        instructions=_text("reduce").substitute(border=border, most=most),
        data=data,
        max_answer_tokens=max_answer_tokens,
        claims=tuple(claims),
    )


def ask_repair(prompt: Prompt, problem: str) -> Prompt:
    """The same question again, saying what was wrong with the answer to it.

    `problem` is our own wording and never part of the answer.
    """
    note = _text("repair").substitute(problem=problem)
    return replace(prompt, instructions=f"{prompt.instructions}\n{note}")


def numbered(claims: Sequence[Claim]) -> tuple[Numbered, ...]:
    """`claims` with the ids k1, k2 and so on."""
    return tuple(Numbered(f"k{n}", claim) for n, claim in enumerate(claims, 1))


def _shown(one: Numbered) -> dict[str, object]:
    claim = one.claim
    return {
        "id": one.id,
        "category": claim.category.value,
        "summary": claim.summary,
        "evidence": [{"pull": e.number, "quote": e.quote} for e in claim.evidence[:QUOTES_SHOWN]],
        "moreEvidence": max(len(claim.evidence) - QUOTES_SHOWN, 0),
    }


@cache
def _text(name: str) -> Template:
    path = files("birdview") / "prompts" / f"{name}.v{PROMPT_VERSION}.md"
    return Template(path.read_text("utf-8"))
