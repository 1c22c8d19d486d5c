"""How fresh and how whole a corpus is, and its rows as a listing."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from syncer.corpus import Counts, Window
from syncer.history import CensusReport, Corpus, Overview, Problem, Row, Rows, State
from syncer.records import Actor, Instant

__all__ = ["IncompletePull", "PullList", "PullRow", "SyncStatus", "listing", "standing"]


class IncompletePull(Struct, frozen=True, rename="camel", kw_only=True):
    """Why a pull request is not proven whole: `unread`, `behind`, or a connection's status."""

    number: int
    status: str
    connection: str | None  # null: the pull request as a whole
    reason: str | None


class SyncStatus(Struct, frozen=True, rename="camel", kw_only=True):
    """One corpus. `complete`: the census adds up, and nothing is known to be missing as of it."""

    origin: str
    complete: bool
    as_of: Instant | None  # null: no census was ever proven
    lag_s: float | None
    expected: int | None
    found: int | None
    complaint: str | None  # why the census proves nothing, or what of it does not add up
    active: int
    archived: int
    releases: int
    latest_release: str | None
    incomplete: tuple[IncompletePull, ...]
    incomplete_total: int  # more than are listed, where the list was bounded
    corpus_digest: str


class PullRow(Struct, frozen=True, rename="camel", kw_only=True):
    """One pull request of the corpus, open ones included."""

    number: int
    url: str
    title: str | None  # null: its file is damaged
    author: Actor | None  # null: the account was deleted, or the file is damaged
    state: str
    resolved_at: Instant | None  # null: open
    updated_at: Instant
    release: str | None  # null: not in a release yet
    revision: str
    counts: Counts
    complete: bool


class PullList(Struct, frozen=True, rename="camel", kw_only=True):
    """Some of the rows, by number. `total` null: a damaged manifest hides how many there are.

    `unread` are numbers that are known to exist and were never read, whatever their state.
    """

    origin: str
    total: int | None
    start: int
    rows: tuple[PullRow, ...]
    unread: tuple[int, ...]


def standing(corpus: Corpus, now: datetime, *, most: int | None = None) -> SyncStatus:
    """How the corpus stands at `now`, with at most `most` of what is incomplete listed."""
    overview = corpus.overview()
    problems = corpus.problems()
    return _status(overview, overview.census, problems, now, most)


def listing(
    corpus: Corpus,
    state: State | None = None,
    *,
    window: Window | None = None,
    start: int = 0,
    count: int = 100,
) -> PullList:
    """Rows from `start` on, `count` of them; with `window`, only of those resolved in it."""
    found: Rows = corpus.rows(state, window=window, start=start, count=count)
    return PullList(
        origin=corpus.name,
        total=found.total,
        start=start,
        rows=tuple(_row(row) for row in found.rows),
        unread=found.unread,
    )


def _status(
    overview: Overview,
    census: CensusReport,
    problems: Iterable[Problem],
    now: datetime,
    most: int | None,
) -> SyncStatus:
    found = [_incomplete(problem) for problem in problems]
    as_of = census.as_of
    proven = as_of is not None and census.status(as_of) == "complete"
    points = overview.timeline.points
    return SyncStatus(
        origin=overview.repository.name,
        complete=proven and not found,
        as_of=as_of,
        lag_s=None if as_of is None else (now - as_of).total_seconds(),
        expected=census.expected,
        found=census.found,
        complaint=census.complaint,
        active=overview.count("pulls"),
        archived=overview.count("archive"),
        releases=len(points),
        latest_release=points[-1].tag if points else None,
        incomplete=tuple(found[:most]),
        incomplete_total=len(found),
        corpus_digest=overview.digest,
    )


def _incomplete(problem: Problem) -> IncompletePull:
    return IncompletePull(
        number=problem.number,
        status=problem.status,
        connection=problem.connection,
        reason=problem.reason,
    )


def _row(row: Row) -> PullRow:
    return PullRow(
        number=row.number,
        url=row.url,
        title=row.title,
        author=row.author,
        state=row.state.value,
        resolved_at=row.resolved_at,
        updated_at=row.updated_at,
        release=row.release,
        revision=row.revision,
        counts=row.counts,
        complete=row.is_complete,
    )
