"""Where a repository stands by what is stored of it, without asking GitHub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from syncer.adoption import read_root
from syncer.census.enumeration import describe
from syncer.cli.places import Place, has_store
from syncer.cli.sinks import sink_names
from syncer.corpus import CENSUS, CensusFile, Root, decode_census, decode_leaf
from syncer.errors import LocalError
from syncer.evidence import Connection, Status
from syncer.records import Instant
from syncer.report import Connections, Problem, exit_of, problems_of
from syncer.store import Queued, RunRecord, Store, meta, read_store

__all__ = ["Pulls", "Run", "SinkPlace", "Standing", "Unfinished", "standing_of"]


class Pulls(Struct, frozen=True, rename="camel", kw_only=True):
    """Counts of pull requests; `unread` are known, and nothing of them is stored."""

    known: int
    stored: int
    incomplete: int
    behind: int
    unread: int


class Unfinished(Struct, frozen=True, rename="camel", kw_only=True):
    """Queued work: why, since when, how often tried, and when it is tried again."""

    number: int
    reason: str
    since: Instant
    tries: int
    next_try: Instant


class SinkPlace(Struct, frozen=True, rename="camel", kw_only=True):
    """How far a sink has taken the change feed, whose newest position is `head`."""

    position: int
    head: int


class Run(Struct, frozen=True, rename="camel", kw_only=True):
    """One run. `ended_at` None: it is under way, or it was killed."""

    started_at: Instant
    ended_at: Instant | None
    exit: int | None
    summary: msgspec.Raw | None


class Standing(Struct, frozen=True, rename="camel", kw_only=True):
    """All that `syncer status` tells of one repository.

    `source` is `store`, or `corpus` where there is no store; a corpus does not tell `connections`,
    `queued`, `sinks` and `runs`.
    """

    repository: str
    source: str | None  # None: neither could be read, see `message`
    complete: bool
    watermark: Instant | None
    total_count: int | None
    discrepancy: str | None
    conversations: Pulls
    connections: Connections | None
    behind: tuple[int, ...]
    unread: tuple[int, ...]
    queued: tuple[Unfinished, ...]
    problems: tuple[Problem, ...]
    sinks: dict[str, SinkPlace]
    runs: tuple[Run, ...]
    exit: int
    message: str | None = None


async def standing_of(place: Place, runs: int) -> Standing:
    """The standing of `place` with its newest `runs` runs. Raises StopErrors."""
    if has_store(place.folder):
        async with read_store(place.folder) as store:
            return await _by_store(place, store, runs)
    return _by_corpus(place)


async def _by_store(place: Place, store: Store, runs: int) -> Standing:
    repository = await store.meta.get(meta.REPOSITORY)
    behind, unread = await store.pulls.behind(), await store.pulls.unread()
    queued = await store.ledger.queued()
    unfinished = await store.conversations.unfinished()
    watermark = await store.meta.get(meta.WATERMARK)
    total_count = await store.meta.get(meta.TOTAL)
    difference = await store.meta.get(meta.DISCREPANCY)
    discrepancy = describe(difference)
    reasons = {one.number: one.reason for one in queued}
    told = {*behind, *unread, *(number for number, _ in unfinished)}
    problems = [
        *_census_problems(watermark, discrepancy),
        *problems_of(unfinished),
        *_numbered("behind", behind, reasons),
        *_numbered("unread", unread, reasons),
        *_numbered("queued", reasons.keys() - told, reasons),
    ]
    return Standing(
        repository=place.name if repository is None else repository.name,
        source="store",
        complete=exit_of(problems) == 0,
        watermark=watermark,
        total_count=total_count,
        discrepancy=discrepancy,
        conversations=Pulls(
            known=await store.pulls.count(),
            stored=await store.conversations.count(),
            incomplete=len({n for n, one in unfinished if one.status is not Status.EXHAUSTED}),
            behind=len(behind),
            unread=len(unread),
        ),
        connections=_connections(await store.conversations.by_status()),
        behind=behind,
        unread=unread,
        queued=tuple(map(_unfinished, queued)),
        problems=tuple(problems),
        sinks=await _sinks(store),
        runs=tuple([_run(one) for one in await store.ledger.runs(runs)]),
        exit=exit_of(problems),
    )


async def _sinks(store: Store) -> dict[str, SinkPlace]:
    head = await store.conversations.head()
    states = {name: await store.ledger.sink(name) for name in sink_names()}
    return {
        name: SinkPlace(position=state.position, head=head)
        for name, state in states.items()
        if state.token is not None
    }


def _by_corpus(place: Place) -> Standing:
    root = read_root(place.folder)
    if root is None:
        raise LocalError(f"the manifest of {place.folder} has just gone: run again")
    census = _census(place.folder)
    watermark = None if census is None else census.watermark
    behind = () if census is None else census.behind
    unread = () if census is None else census.unread
    discrepancy = None if census is None else census.discrepancy
    incomplete = sorted(_incomplete(place.folder, root), key=_number)
    problems = [
        *_census_problems(watermark, discrepancy),
        *incomplete,
        *_numbered("behind", behind, {}),
        *_numbered("unread", unread, {}),
    ]
    stored = sum(leaf.count for leaf in root.leaves)
    return Standing(
        repository=root.repository.name,
        source="corpus",
        complete=exit_of(problems) == 0,
        watermark=watermark,
        total_count=None if census is None else census.total_count,
        discrepancy=discrepancy,
        conversations=Pulls(
            known=stored + len(unread) if census is None else census.found,
            stored=stored,
            incomplete=len({one.number for one in incomplete}),
            behind=len(behind),
            unread=len(unread),
        ),
        connections=None,
        behind=behind,
        unread=unread,
        queued=(),
        problems=tuple(problems),
        sinks={},
        runs=(),
        exit=exit_of(problems),
    )


def _census(folder: Path) -> CensusFile | None:
    try:
        return decode_census((folder / CENSUS).read_bytes(), file=CENSUS)
    except FileNotFoundError:
        return None


def _incomplete(folder: Path, root: Root) -> Iterator[Problem]:
    for leaf in root.leaves:
        if not leaf.incomplete:
            continue
        for entry in decode_leaf((folder / leaf.path).read_bytes(), file=leaf.path).entries:
            for one in entry.incomplete:
                yield Problem(
                    number=entry.number,
                    connection=one.connection.value,
                    status=one.status.value,
                    reason=one.reason,
                )


def _number(problem: Problem) -> int:
    return problem.number or 0


def _census_problems(watermark: datetime | None, discrepancy: str | None) -> Iterator[Problem]:
    if watermark is None:
        reason = "no enumeration was ever proven complete"
        yield Problem(number=None, connection="pullRequests", status="unknown", reason=reason)
    if discrepancy is not None:
        yield Problem(number=None, connection="pullRequests", status="short", reason=discrepancy)


def _numbered(status: str, numbers: Iterable[int], reasons: dict[int, str]) -> Iterator[Problem]:
    for number in sorted(numbers):
        yield Problem(
            number=number,
            connection=Connection.PULL_REQUEST.value,
            status=status,
            reason=reasons.get(number),
        )


def _connections(statuses: dict[Status, int]) -> Connections:
    return Connections(
        exhausted=statuses.get(Status.EXHAUSTED, 0),
        short=statuses.get(Status.SHORT, 0),
        cut=statuses.get(Status.CUT, 0),
        unknown=statuses.get(Status.UNKNOWN, 0),
    )


def _unfinished(one: Queued) -> Unfinished:
    return Unfinished(
        number=one.number,
        reason=one.reason,
        since=one.since,
        tries=one.tries,
        next_try=one.next_try,
    )


def _run(one: RunRecord) -> Run:
    return Run(
        started_at=one.started_at,
        ended_at=one.ended_at,
        exit=one.exit,
        summary=None if one.summary is None else msgspec.Raw(one.summary),
    )
