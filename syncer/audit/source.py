"""What an audit needs of GitHub beside what a run does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from syncer.github.answers import BatchAnswer, ChangeRow, Listing, Part, StampedRow
from syncer.records import Label
from syncer.session import Metered

__all__ = ["AuditSource", "Wordless"]


class AuditSource(Metered, Protocol):
    """Typed questions to one GitHub; `syncer.github.GitHub` is one. Errors are as for `Source`."""

    async def labels(self, repository: str, after: str | None) -> Listing[Label]:
        """A page of the repository's labels."""
        ...

    async def stamped_census(
        self, repository: str, first: int, after: str | None
    ) -> Listing[StampedRow]:
        """A page of rows by creation, without words."""
        ...

    async def stamps(self, parts: Sequence[Part], *, nodes: int | None = None) -> BatchAnswer:
        """As `batch`, without words; rows are StampedRows."""
        ...


class Wordless:
    """An AuditSource as a wave's reader: whatever the wave asks for comes without words."""

    def __init__(self, source: AuditSource) -> None:
        self._source = source

    @property
    def concurrency(self) -> int:
        """How many requests the server currently bears at once."""
        return self._source.concurrency

    @property
    def nodes_limit(self) -> int:
        """How many expected entries a request the server currently bears."""
        return self._source.nodes_limit

    async def changes(self, repository: str, first: int, after: str | None) -> Listing[ChangeRow]:
        """A page of light rows, which have no words anyway."""
        return await self._source.changes(repository, first, after)

    async def batch(self, parts: Sequence[Part], *, nodes: int | None = None) -> BatchAnswer:
        """A batch of stamps."""
        return await self._source.stamps(parts, nodes=nodes)
