"""Errors with a path: what they take away, and what they leave standing. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from syncer.errors import (
    CursorRefusedError,
    RefusedError,
    SyncError,
    TooHeavyError,
    TransientError,
)
from syncer.github import advice
from syncer.github.judge import MISSING, PERMISSION, is_cursor, is_heavy, is_single_sign_on
from syncer.github.surrogates import Path
from syncer.github.wire import GraphError

__all__ = ["Mark", "Marks", "marks_of"]


class Mark(Struct, frozen=True):
    """One error at `path`; `reason` is a Fault's, `transient` whether asking again may help."""

    path: Path
    reason: str
    transient: bool
    single_sign_on: bool = False

    def raised(self) -> SyncError:
        """The error for an answer of which nothing stands without the marked place."""
        match self.reason:
            case "too_heavy":
                return TooHeavyError("GitHub could not answer a query of this size")
            case "cursor_refused":
                return CursorRefusedError("GitHub no longer accepts a cursor")
            case "not_found":
                return RefusedError(advice.NOT_FOUND)
            case "forbidden":
                return RefusedError(
                    advice.SINGLE_SIGN_ON if self.single_sign_on else advice.FORBIDDEN
                )
            case _:
                return TransientError("GitHub answered with an error in the middle of the data")


class Marks(Struct, frozen=True):
    """The marks of one answer."""

    found: tuple[Mark, ...] = ()

    def under(self, *path: str | int) -> tuple[Mark, ...]:
        """Those at `path`, below it, or above it (they take it away as well)."""
        return tuple(
            mark
            for mark in self.found
            if all(a == b for a, b in zip(mark.path, path, strict=False))
        )


def marks_of(errors: Iterable[GraphError]) -> Marks:
    """The marks of those `errors` that have a path."""
    return Marks(tuple(_mark(error) for error in errors if error.path))


def _mark(error: GraphError) -> Mark:
    path = tuple(_step(step) for step in error.path or ())
    kinds = set(error.kinds)
    if is_heavy(error):
        return Mark(path, "too_heavy", transient=False)
    if is_cursor(error):
        return Mark(path, "cursor_refused", transient=False)
    if kinds & PERMISSION:
        return Mark(path, "forbidden", False, is_single_sign_on(error))
    if kinds & MISSING:
        return Mark(path, "not_found", transient=False)
    return Mark(path, "unreadable", transient=True)


def _step(step: str | int) -> str | int:
    # Some servers write an index as text.
    return int(step) if isinstance(step, str) and step.isascii() and step.isdigit() else step
