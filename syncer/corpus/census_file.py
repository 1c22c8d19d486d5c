"""`census.json`: how fresh a corpus is, beside the seal and not under it.

It changes with every run, so it stands apart from the root, which changes with content alone.
"""

from __future__ import annotations

from msgspec import Struct

from syncer.corpus.manifest import SCHEMA
from syncer.records import Instant
from syncer.repository import Census

__all__ = ["CENSUS", "CensusFile", "census_file_of"]

CENSUS = "census.json"


class CensusFile(Struct, frozen=True, rename="camel", kw_only=True):
    """`syncer.repository.Census` with the identity of the repository it is about."""

    schema: int = SCHEMA
    repository_id: str
    watermark: Instant | None
    total_count: int | None
    found: int
    discrepancy: str | None
    unread: tuple[int, ...]
    behind: tuple[int, ...]

    def census(self) -> Census:
        """The census without what only the file needs."""
        return Census(
            watermark=self.watermark,
            total_count=self.total_count,
            found=self.found,
            discrepancy=self.discrepancy,
            unread=self.unread,
            behind=self.behind,
        )


def census_file_of(repository_id: str, census: Census) -> CensusFile:
    """What `census.json` says; the numbers sorted, so that equal knowledge gives equal bytes."""
    return CensusFile(
        repository_id=repository_id,
        watermark=census.watermark,
        total_count=census.total_count,
        found=census.found,
        discrepancy=census.discrepancy,
        unread=tuple(sorted(census.unread)),
        behind=tuple(sorted(census.behind)),
    )
