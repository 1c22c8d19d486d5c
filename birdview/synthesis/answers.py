"""A model's answers, taken apart: the shape of the whole is required, each part stands alone."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec
from msgspec import Struct

__all__ = ["AnswerError", "Item", "Sentence", "read_map", "read_part", "read_reduce"]


T = TypeVar("T", bound=Struct)


class Item(Struct, frozen=True):
    """One finding that joins claims."""

    category: str
    summary: str
    claims: list[str]


class Sentence(Struct, frozen=True):
    """One sentence of the narrative."""

    text: str
    claims: list[str]


class AnswerError(Exception):
    """An answer cannot be used. The message is ours and holds nothing of the answer."""


class _Map(Struct):
    claims: list[msgspec.Raw]


class _Reduce(Struct):
    items: list[msgspec.Raw]
    narrative: list[msgspec.Raw] = []


_map = msgspec.json.Decoder(_Map)
_reduce = msgspec.json.Decoder(_Reduce)
_FENCE = re.compile(r"\s*```[a-zA-Z]*\s*\n(?P<inside>.*)\n\s*```\s*", re.DOTALL)


def read_map(answer: str) -> list[msgspec.Raw]:
    """The claims of an answer, none of them looked at yet. Raises AnswerError."""
    try:
        return _map.decode(_bare(answer)).claims
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        raise AnswerError("it was not a JSON object with the list `claims`") from None


def read_reduce(answer: str) -> tuple[list[msgspec.Raw], list[msgspec.Raw]]:
    """Items and sentences of an answer, none of them looked at yet. Raises AnswerError."""
    try:
        found = _reduce.decode(_bare(answer))
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        raise AnswerError("it was not a JSON object with `items` and `narrative`") from None
    return found.items, found.narrative


def read_part(raw: msgspec.Raw, kind: type[T]) -> T | None:
    """One item or sentence; None if it has not that shape."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None


def _bare(answer: str) -> bytes:
    # Many models put a fence around JSON whatever they are told.
    fenced = _FENCE.fullmatch(answer)
    return (fenced["inside"] if fenced else answer).encode()
