"""Why a corpus could not answer. None of these says anything about a single pull request."""

from __future__ import annotations

from collections.abc import Sequence

from syncer.errors import ConfigError, DamagedError, LocalError

__all__ = ["ChangingError", "NoCorpusError", "UnknownOriginError"]


class UnknownOriginError(ConfigError):
    """The repository asked for is not under the root, or none was named and there is not just one.

    `known` are the names that would be answered.
    """

    def __init__(self, message: str, known: Sequence[str]) -> None:
        listed = ", ".join(known) or "none"
        super().__init__(f"{message}; repositories here: {listed}")
        self.known = tuple(known)


class NoCorpusError(LocalError):
    """The repository's folder has no root manifest."""


class ChangingError(DamagedError):
    """The corpus was written anew each time it was read."""
