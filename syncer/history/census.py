"""Whether every pull request of the repository is known, as of when, and by whose word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from msgspec import Struct

from syncer.evidence import Snapshot
from syncer.github.answers import ChangeRow
from syncer.history.look import Look
from syncer.records import Instant
from syncer.repository import Repository

__all__ = [
    "CensusReport",
    "CensusStatus",
    "Drift",
    "Live",
    "LiveCensus",
    "census_of",
    "live_census_of",
]


class CensusStatus(StrEnum):
    """What a census proves for a window."""

    COMPLETE = "complete"
    STALE = "stale"  # the window reaches past it
    UNKNOWN = "unknown"  # there is none
    MISMATCH = "mismatch"  # GitHub claimed another number than is known


class CensusReport(Struct, frozen=True, kw_only=True):
    """A census of the corpus, or one taken in memory. `unread` are numbers known but never read."""

    source: Literal["corpus", "live"]
    as_of: datetime | None  # None: no walk was ever proven complete
    expected: int | None
    found: int | None
    complaint: str | None = None  # why it proves nothing, or what does not add up
    unread: tuple[int, ...] = ()

    def status(self, end: datetime) -> CensusStatus:
        """What it proves for a window that ends at `end`."""
        if self.as_of is None:
            return CensusStatus.UNKNOWN
        if self.expected is None or self.expected != self.found or self.complaint is not None:
            return CensusStatus.MISMATCH
        return CensusStatus.STALE if end > self.as_of else CensusStatus.COMPLETE


class LiveCensus(Struct, frozen=True, kw_only=True):
    """What GitHub lists as changed since a watermark, each pull request once.

    `as_of` None: the walk was not proven complete, and `complaint` says why; `rows` may still be
    of use. Every pull request that changed before `as_of` is in the corpus or in `rows`.
    """

    as_of: Instant | None
    total_count: int | None
    rows: tuple[ChangeRow, ...]
    complaint: str | None = None


class Drift(Struct, frozen=True, kw_only=True):
    """A pull request that the corpus does not hold as it is now, last changed at `updated_at`.

    `is_stored`: it has a file all the same, in the bucket of `release`.
    """

    id: str
    number: int
    updated_at: datetime
    is_stored: bool
    release: str | None = None


class Live(Protocol):
    """A client that reads in memory what the corpus does not hold yet. It writes nothing."""

    async def census(self, repository: Repository, watermark: datetime | None) -> LiveCensus:
        """What changed at or after `watermark`; None: everything. Failures are told by it."""
        ...

    async def read(
        self, repository: Repository, drifted: Sequence[Drift]
    ) -> Mapping[str, Snapshot]:
        """The conversations in `drifted`, as far as they could be read, by id."""
        ...


def census_of(look: Look) -> CensusReport:
    """The census of the corpus itself."""
    census = look.census
    if census is None:
        complaint = look.census_damage or "the corpus has no census"
        return CensusReport(
            source="corpus", as_of=None, expected=None, found=None, complaint=complaint
        )
    files = sum(leaf.count for leaf in look.root.leaves)
    return CensusReport(
        source="corpus",
        as_of=census.watermark,
        expected=census.total_count,
        found=files + len(census.unread),
        complaint=census.discrepancy,
        unread=census.unread,
    )


def live_census_of(corpus: CensusReport, live: LiveCensus, known: int | None) -> CensusReport:
    """The census of the corpus brought up to now by `live`; `known` pull requests in all.

    What the corpus knows and never read stays unread, unless `live` met it again.
    """
    met = {row.number for row in live.rows}
    return CensusReport(
        source="live",
        as_of=live.as_of,
        expected=live.total_count,
        found=known,
        unread=tuple(number for number in corpus.unread if number not in met),
    )
