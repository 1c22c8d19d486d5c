"""What the engine needs of GitHub: `syncer.github.GitHub` is one, a scripted double another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from syncer.github.answers import BatchAnswer, ChangeRow, Listing, Opening, Part, Row
from syncer.repository import Release

__all__ = ["Reader", "Source"]


class Reader(Protocol):
    """What a wave asks. Every method raises AskError or StopError (syncer.errors)."""

    @property
    def concurrency(self) -> int:
        """How many requests the server currently bears at once."""
        ...

    @property
    def nodes_limit(self) -> int:
        """How many expected entries a request the server currently bears."""
        ...

    async def changes(self, repository: str, first: int, after: str | None) -> Listing[ChangeRow]:
        """A page of light rows, the newest change first."""
        ...

    async def batch(self, parts: Sequence[Part], *, nodes: int | None = None) -> BatchAnswer:
        """`nodes` is how many entries are expected, by which the server's strength is learnt."""
        ...


class Source(Reader, Protocol):
    """Typed questions to one GitHub, all that a run needs."""

    async def opening(self, owner: str, name: str) -> Opening:
        """Who `owner/name` is, its newest releases, and what changed last."""
        ...

    async def releases(self, repository: str, after: str | None) -> Listing[Release]:
        """A further page of releases."""
        ...

    async def census(self, repository: str, first: int, after: str | None) -> Listing[Row]:
        """A page of full rows by creation."""
        ...
