"""One HTML comment on one line around an entry's machine fields.

The JSON inside has `<`, `>` and `&` escaped, so that nothing in it can end the comment.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from syncer.corpus.lines import Lines
from syncer.corpus.marks import Mark
from syncer.corpus.scalars import flow

__all__ = ["decoder_of", "encode_mark", "read_mark"]

_BEFORE, _AFTER = "<!-- ", " -->"

M = TypeVar("M", bound=Mark)


def encode_mark(mark: Mark) -> str:
    """The line of `mark`, without its end."""
    text = flow(mark).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return _BEFORE + text + _AFTER


def decoder_of(kind: type[M]) -> msgspec.json.Decoder[M]:
    """A decoder for `read_mark`, to be built once."""
    return msgspec.json.Decoder(kind)


def read_mark(lines: Lines, decoder: msgspec.json.Decoder[M]) -> M:
    """Pass the marker that must come now. Raises CorpusError."""
    return lines.value(_BEFORE, _AFTER, decoder)
