"""Errors inside an answer, in the shape in which GitHub lists them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["FieldError", "Nullified"]


class FieldError(Exception):
    """One field has an error instead of a value; the answer goes on around it.

    `located` False leaves out path and locations, as GitHub sometimes does.
    """

    def __init__(
        self,
        message: str,
        *,
        type: str | None = None,
        extensions: Mapping[str, Any] | None = None,
        located: bool = True,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.type = type
        self.extensions = extensions
        self.located = located

    def payload(self, path: Sequence[str | int]) -> dict[str, Any]:
        """The entry of `errors` for the field at `path`."""
        out: dict[str, Any] = {} if self.type is None else {"type": self.type}
        if self.located:
            out["path"] = list(path)
        if self.extensions is not None:
            out["extensions"] = dict(self.extensions)
        return {**out, "message": self.message}


class Nullified(Exception):  # noqa: N818 - a signal, not a failure
    """A value that may not be null is: the nearest parent that may be becomes null."""
