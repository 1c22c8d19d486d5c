r"""Answers that hold a lone surrogate escape (`\ud83d` without its other half).

msgspec refuses them with the words that it has for a cut body; the standard reader takes them. So
a refused body is read a second time: what both refuse was cut, what only msgspec refuses is
mended, and every mended place is remembered so that the evidence can say so.
"""

from __future__ import annotations

import json
import re
from typing import NoReturn

import msgspec
from msgspec import Struct

from syncer.github import wire

__all__ = ["UNTOUCHED", "Path", "Repairs", "opened"]

Path = tuple[str | int, ...]

_Json = str | int | float | None | list["_Json"] | dict[str, "_Json"]
_LONE = re.compile("[\ud800-\udfff]")


class Repairs(Struct, frozen=True):
    """Where lone surrogates became U+FFFD: the path below `data`, one entry a surrogate."""

    paths: tuple[Path, ...] = ()

    def under(self, *path: str | int) -> int:
        """How many were repaired at `path` or below."""
        return sum(found[: len(path)] == path for found in self.paths)


UNTOUCHED = Repairs()


def opened(body: bytes) -> tuple[wire.Envelope | None, Repairs]:
    """The answer with `data` still packed, and what was mended in it.

    The answer is None when `body` is cut, or no JSON object of GraphQL's form.
    """
    try:
        return wire.envelope.decode(body), UNTOUCHED
    except msgspec.ValidationError:
        return None, UNTOUCHED
    except (msgspec.DecodeError, RecursionError):
        pass
    mended, repairs = _mended(body)
    try:
        return wire.envelope.decode(mended), repairs
    except (msgspec.DecodeError, RecursionError):
        return None, UNTOUCHED


def _mended(body: bytes) -> tuple[bytes, Repairs]:
    """`body` without lone surrogates; as it is where the standard reader refuses it as well."""
    paths: list[Path] = []
    try:
        value = json.loads(body.decode(), parse_constant=_refuse_constant)
        clean = msgspec.json.encode(_clean(value, (), paths))
    except (ValueError, RecursionError):
        return body, UNTOUCHED
    return clean, Repairs(tuple(path[1:] for path in paths if path[:1] == ("data",)))


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError  # NaN and its like are no JSON


def _clean(value: _Json, path: Path, repaired: list[Path]) -> _Json:
    if isinstance(value, str):
        clean, count = _LONE.subn("\N{REPLACEMENT CHARACTER}", value)
        repaired.extend([path] * count)
        return clean
    if isinstance(value, dict):
        return {key: _clean(item, (*path, key), repaired) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item, (*path, index), repaired) for index, item in enumerate(value)]
    return value
