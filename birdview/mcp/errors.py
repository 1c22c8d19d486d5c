"""What a tool says when it cannot answer: which argument is wrong, and what to do about it.

A failing tool answers; it does not break the protocol. The one who called is often a model, and
can only act on what it is told in words.
"""

from __future__ import annotations

import re

import msgspec

from birdview.request import RequestError
from syncer.corpus import CorpusError
from syncer.errors import SyncError
from syncer.history import ChangingError, NoCorpusError

__all__ = ["UNEXPECTED", "ToolError", "refusal_of"]

UNEXPECTED = "unexpected"
"""The code of a fault that is ours."""

_AT = re.compile(r"(?P<what>.*?) - at `\$\.?(?P<path>[^`]*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>[^`]*)`")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]*)`")


class ToolError(Exception):
    """A call that cannot be answered. `field` is the argument to change; None: it is not that."""

    def __init__(self, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message if field is None else f"{field}: {message}")
        self.code = code
        self.field = field
        self.detail = message


def refusal_of(error: Exception) -> ToolError:
    """`error` as what the caller is told. Only our own messages are passed on."""
    match error:
        case ToolError():
            return error
        case RequestError():
            return ToolError("bad_argument", error.detail, error.field)
        case msgspec.ValidationError():
            return _misfit(str(error))
        case ChangingError():
            return ToolError("corpus_changing", "the corpus is being written; call again shortly")
        case NoCorpusError():
            return ToolError("no_corpus", "there is no corpus here; run `syncer sync` first")
        case CorpusError():
            return ToolError("corpus_damaged", f"{error}; run `syncer verify`, then `syncer sync`")
        case SyncError():
            return ToolError("unreadable", str(error))
        case _:  # its words may be anybody's
            return ToolError(UNEXPECTED, f"the call failed with {type(error).__name__}")


def _misfit(message: str) -> ToolError:
    if unknown := _UNKNOWN.match(message):
        return ToolError("bad_argument", "there is no such argument; leave it out", unknown["name"])
    if missing := _MISSING.match(message):
        return ToolError("bad_argument", "is required", missing["name"])
    if found := _AT.match(message):
        return ToolError("bad_argument", found["what"], found["path"] or None)
    return ToolError("bad_argument", message)
