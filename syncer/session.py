"""One repository from its name to its summary: find its folder, hold it, open its store, run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Protocol

import msgspec

from syncer.adoption import adopt, repository_in
from syncer.census.enumeration import describe
from syncer.corpus import CorpusError, repository_path
from syncer.engine import Again, Engine
from syncer.errors import AskError, BudgetError, DamagedError, SinkError
from syncer.evidence import Status
from syncer.github.answers import Opening
from syncer.progress import Observer, Progress
from syncer.report import (
    Connections,
    Conversations,
    Problem,
    Summary,
    exit_of,
    problems_of,
)
from syncer.settings import Settings
from syncer.sink import Destination, Factory, Sink
from syncer.source import Source
from syncer.store import (
    STATE_FILE,
    STATE_FOLDER,
    Discrepancy,
    NewerStoreError,
    Store,
    hold_folder,
    meta,
    open_store,
)

__all__ = [
    "Metered",
    "folder_of",
    "held_store",
    "opened",
    "record_end",
    "sinks_at",
    "summarised",
    "sync",
]


class Metered(Source, Protocol):
    """A source that counts what it was asked."""

    @property
    def requests(self) -> int:
        """Requests sent, repeated ones included."""
        ...

    @property
    def points(self) -> int:
        """Points billed, by GitHub's own word."""
        ...

    @property
    def points_planned(self) -> int:
        """Points that our billing model expected for the same requests."""
        ...


async def sync(
    source: Metered,
    name: str,
    root: Path,
    *,
    sinks: Mapping[str, Factory],
    settings: Settings,
    observer: Observer,
    monotonic: Callable[[], float],
    again: Again | None = None,
) -> Summary:
    """Bring the folder of repository `name` (`owner/name`) below `root` up to date.

    Every way to end is a Summary with its exit status, except StopErrors before or beside the
    reading (lock, disk, credentials, damage), which are raised.
    """
    started = monotonic()
    repository_path(name)  # refuses what is no repository's name before anything is asked
    opening = await opened(source, name)
    folder = folder_of(root, opening)
    async with held_store(folder, opening.name, observer) as store:
        run = await store.ledger.begin_run(opening.date)
        engine = Engine(
            source, store, sinks_at(folder, sinks), settings=settings, observer=observer
        )
        await engine.run(opening, again)
        duration_s = monotonic() - started
        summary = await summarised(source, store, engine, opening.name, duration_s)
        await record_end(store, run, opening, summary)
    return summary


@asynccontextmanager
async def held_store(folder: Path, name: str, observer: Observer) -> AsyncGenerator[Store]:
    """The store of a repository's folder, held for this process alone.

    Damaged, it is set aside; missing, it is rebuilt from the corpus where there is one.
    """
    async with hold_folder(folder) as state, _store(state, observer) as store:
        await _adopt(folder, store, observer, name)
        yield store


def sinks_at(folder: Path, sinks: Mapping[str, Factory]) -> dict[str, Sink]:
    """A sink of each factory for a repository's folder."""
    return {sink: factory(Destination(folder=folder)) for sink, factory in sinks.items()}


async def record_end(store: Store, run: int, opening: Opening, summary: Summary) -> None:
    """Complete the record of a run that began at its opening."""
    async with store.transaction():
        await store.ledger.end_run(
            run,
            opening.date + timedelta(seconds=summary.duration_s),
            summary.exit,
            msgspec.json.encode(summary),
        )


def folder_of(root: Path, opening: Opening) -> Path:
    """The folder of a repository below `root`: that of its name, or of the name it had before.

    A repository is known by its id; after a rename the folder keeps its first name.
    """
    path = root / repository_path(opening.name)
    if path.exists() or not root.is_dir():
        return path
    for folder in sorted(root.glob("*/*")):
        if repository_in(folder) == opening.repository_id:
            return folder
    return path


async def opened(source: Source, name: str) -> Opening:
    """The first answer of a run. Raises BudgetError where GitHub cannot be asked."""
    owner, _, repository = name.partition("/")
    try:
        return await source.opening(owner, repository)
    except AskError as error:
        message = f"GitHub could not be asked for {name} ({error}); nothing was changed, run again"
        raise BudgetError(message) from error


@asynccontextmanager
async def _store(state: Path, observer: Observer) -> AsyncGenerator[Store]:
    """The store; a damaged one is set aside first, so that it can be rebuilt from the corpus."""
    try:
        async with open_store(state):
            pass
    except NewerStoreError:
        raise
    except DamagedError as error:
        aside = _set_aside(state)
        note = f"{error}: kept as {STATE_FOLDER}/{aside}, rebuilding from the corpus"
        observer(Progress(repository="", stage="opening", note=note))
    async with open_store(state) as store:
        yield store


def _set_aside(state: Path) -> str:
    number = 1
    while (state / f"{STATE_FILE}.damaged-{number}").exists():
        number += 1
    for suffix in ("", "-wal", "-shm"):
        file = state / f"{STATE_FILE}{suffix}"
        if file.exists():
            file.rename(state / f"{STATE_FILE}.damaged-{number}{suffix}")
    return f"{STATE_FILE}.damaged-{number}"


async def _adopt(folder: Path, store: Store, observer: Observer, name: str) -> None:
    if await store.meta.get(meta.REPOSITORY) is not None:
        return
    try:
        adopted = await adopt(folder, store)
    except CorpusError as error:
        note = f"the corpus cannot be adopted ({error}): everything will be read again"
        observer(Progress(repository=name, stage="opening", note=note))
        return
    if adopted is not None:
        lost = f", {len(adopted.damaged)} damaged to be read again" if adopted.damaged else ""
        note = f"rebuilt the store from {adopted.files} files of the corpus{lost}"
        observer(Progress(repository=name, stage="opening", note=note))


async def summarised(
    source: Metered, store: Store, engine: Engine, name: str, duration_s: float
) -> Summary:
    """What `engine` did, and how complete the store is now."""
    problems = await _problems(store, engine)
    status = _exit(engine, problems)
    total = await store.pulls.count()
    statuses = await store.conversations.by_status()
    behind, unread = await store.pulls.behind(), await store.pulls.unread()
    incomplete = {p.number for p in problems if p.number is not None and p.status in _LACKING}
    return Summary(
        repository=engine.repository.name if engine.repository else name,
        complete=status == 0,
        conversations=Conversations(
            total=total,
            read=engine.read,
            unchanged=max(0, total - engine.read - len(behind) - len(unread)),
            incomplete=len(incomplete),
            behind=len(behind),
        ),
        connections=Connections(
            exhausted=statuses.get(Status.EXHAUSTED, 0),
            short=statuses.get(Status.SHORT, 0),
            cut=statuses.get(Status.CUT, 0),
            unknown=statuses.get(Status.UNKNOWN, 0),
        ),
        requests=source.requests,
        points=source.points,
        points_planned=source.points_planned,
        duration_s=round(duration_s, 3),
        sinks=dict(engine.delivery.applied),
        problems=tuple(problems),
        exit=status,
        message=str(engine.stopped) if engine.stopped else None,
    )


_LACKING = frozenset({Status.SHORT.value, Status.CUT.value, Status.UNKNOWN.value})


async def _problems(store: Store, engine: Engine) -> list[Problem]:
    found = [
        Problem(number=None, connection=one.connection, status="cut", reason=one.reason)
        for one in engine.troubles
    ]
    discrepancy = await store.meta.get(meta.DISCREPANCY)
    found += _census_problems(discrepancy)
    found += problems_of(await store.conversations.unfinished())
    reasons = {one.number: one.reason for one in await store.ledger.queued()}
    for status, numbers in (
        ("behind", await store.pulls.behind()),
        ("unread", await store.pulls.unread()),
    ):
        found += [
            Problem(number=n, connection="pullRequest", status=status, reason=reasons.get(n))
            for n in numbers
        ]
    found += [
        Problem(number=None, connection=f"sink:{name}", status="failed", reason=str(error))
        for name, error in engine.delivery.failures.items()
    ]
    return found


def _census_problems(discrepancy: Discrepancy | None) -> list[Problem]:
    words = describe(discrepancy)
    if words is None:
        return []
    return [Problem(number=None, connection="pullRequests", status="short", reason=words)]


def _exit(engine: Engine, problems: Sequence[Problem]) -> int:
    """The verdict of a run that ended by itself: what stopped it, a sink, or what is lacking."""
    if engine.stopped is not None:
        return engine.stopped.exit_status
    if engine.delivery.failures:
        return SinkError.exit_status
    return exit_of(problems)
