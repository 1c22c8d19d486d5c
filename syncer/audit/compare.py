"""What differs between a stored conversation and one just seen without its words. Pure.

Compared is what people wrote and decided, by its traces: ids, authors, stamps, states, and whatever
is short enough to be asked for as it is. Of what moves without anybody's doing, only the place and
state of threads is compared: associations, database ids and the names of forks change for whole
repositories at once, and no word changes with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from syncer.census.known import Known, Why, by_connection
from syncer.evidence import FIRST_LEVEL, Connection, Coverage, Snapshot, Status
from syncer.github.answers import Entry, StampedRow
from syncer.reading.assemble import UNREADABLE
from syncer.records import Comment, Conversation, Thread, ThreadComment

__all__ = ["Difference", "Sight", "differences", "lacks", "sight"]

_SCALARS = {
    "title": "title",
    "state": "state",
    "isDraft": "is_draft",
    "author": "author",
    "createdAt": "created_at",
    "closedAt": "closed_at",
    "mergedAt": "merged_at",
    "baseRefName": "base_ref_name",
    "headRefName": "head_ref_name",
}
"""GitHub's name → ours, for what a row tells of the pull request itself."""

_UNPROVEN = frozenset({Status.CUT, Status.UNKNOWN})


class Difference(Struct, frozen=True, kw_only=True):
    """What differs in one connection; all zero: only GitHub's count of it does."""

    connection: Connection
    added: int = 0
    changed: int = 0
    gone: int = 0


class Sight(Struct, frozen=True, kw_only=True):
    """What a row says. `why` None: nothing; `doubtful`: only the stamps of threads can tell."""

    why: Why | None = None
    difference: Difference | None = None
    doubtful: bool = False


def sight(row: StampedRow, known: Known, snapshot: Snapshot, read_at: datetime | None) -> Sight:
    """What `row` says of a stored conversation that was read at `read_at`.

    A row older than what is known comes from a replica that lags: it says nothing.
    """
    if row.updated_at < known.updated_at:
        return Sight()
    if row.updated_at != known.read or row.state != known.state:
        return Sight(why=Why.CHANGED, difference=_changed(Connection.PULL_REQUEST, 1))
    stored, claimed = snapshot.conversation, by_connection(row.totals)
    for name in FIRST_LEVEL:
        # Drafts of who is reading count in the total of threads, and in nothing else.
        if name is not Connection.REVIEW_THREADS and (found := _counts(name, claimed, known)):
            return Sight(why=Why.TOTALS, difference=found)
    fields = _fields(row, stored) + _edited(row, stored, read_at) + _at_last(row, snapshot)
    if fields:
        return Sight(why=Why.AUDIT, difference=_changed(Connection.PULL_REQUEST, fields))
    return Sight(doubtful=_may_differ(claimed, known, snapshot))


def differences(seen: Snapshot, stored: Snapshot) -> list[Difference]:
    """What differs between two readings, in the connections that both of them reached the end of.

    The words of `seen` are never looked at.
    """
    found = [_of(name, seen, stored) for name in FIRST_LEVEL]
    found.append(_of_thread_comments(seen, stored))
    if seen.conversation.updated_at > stored.conversation.updated_at:
        found.insert(0, _changed(Connection.PULL_REQUEST, 1))
    return [one for one in found if one is not None]


def lacks(seen: Snapshot, stored: Snapshot) -> list[tuple[Connection, str]]:
    """(connection, reason) of what could not be compared, though its stored side is proven."""
    found = [
        (name, _reason(seen.connections.get(name)))
        for name in FIRST_LEVEL
        if _is_unproven(seen.connections.get(name))
        and not _is_unproven(stored.connections.get(name))
    ]
    found += [
        (Connection.THREAD_COMMENTS, _reason(seen.threads[thread]))
        for thread in stored.threads.keys() & seen.threads.keys()
        if _is_unproven(seen.threads[thread]) and not _is_unproven(stored.threads[thread])
    ]
    if seen.conversation.updated_at < stored.conversation.updated_at:
        found.append((Connection.PULL_REQUEST, "answered from an older copy"))
    return sorted(set(found))


def _counts(name: Connection, claimed: Mapping[Connection, int], known: Known) -> Difference | None:
    if name not in claimed or name not in known.totals:
        return None
    more = claimed[name] - known.totals[name]
    return Difference(connection=name, added=max(0, more), gone=max(0, -more)) if more else None


def _may_differ(claimed: Mapping[Connection, int], known: Known, stored: Snapshot) -> bool:
    """Whether the threads may be others: their total holds the drafts of whoever is asking."""
    threads = Connection.REVIEW_THREADS
    coverage = stored.connections.get(threads)
    net = None if coverage is None else coverage.total_count
    return claimed.get(threads) != known.totals.get(threads, net)


def _fields(row: StampedRow, stored: Conversation) -> int:
    return sum(
        getattr(row, ours) != getattr(stored, ours)
        for name, ours in _SCALARS.items()
        if name not in row.unreadable
    )


def _at_last(row: StampedRow, stored: Snapshot) -> int:
    """How many fields are told now, be it as null, that could not be read when the row was."""
    proof = stored.connections.get(Connection.PULL_REQUEST)
    reason = "" if proof is None else proof.reason or ""
    if not reason.startswith(UNREADABLE):
        return 0
    names = reason.removeprefix(UNREADABLE).split(", ")
    return sum(name in _SCALARS and name not in row.unreadable for name in names)


def _edited(row: StampedRow, stored: Conversation, read_at: datetime | None) -> int:
    """1 where the description was edited after it was read.

    A record that came by file does not tell when that was, but its `updatedAt` cannot lie later.
    """
    read = stored.updated_at if read_at is None else max(read_at, stored.updated_at)
    return int(row.edited_at is not None and row.edited_at > read)


def _changed(name: Connection, count: int) -> Difference:
    return Difference(connection=name, changed=count)


def _of(name: Connection, seen: Snapshot, stored: Snapshot) -> Difference | None:
    new, old = seen.connections.get(name), stored.connections.get(name)
    if _is_unproven(new) or _is_unproven(old):
        return None
    return _between(
        name,
        _entries(name, seen.conversation),
        _entries(name, stored.conversation),
        recounted=_recounted(new, old),
    )


def _of_thread_comments(seen: Snapshot, stored: Snapshot) -> Difference | None:
    """The comments of the threads that both sides have; those of others go with their thread."""
    both = [
        thread
        for thread in seen.threads.keys() & stored.threads.keys()
        if not _is_unproven(seen.threads[thread]) and not _is_unproven(stored.threads[thread])
    ]
    return _between(
        Connection.THREAD_COMMENTS,
        _said(seen.conversation, both),
        _said(stored.conversation, both),
        recounted=any(_recounted(seen.threads[one], stored.threads[one]) for one in both),
    )


def _between(
    name: Connection, seen: Iterable[Entry], stored: Iterable[Entry], *, recounted: bool
) -> Difference | None:
    new = {entry.id: _trace(entry) for entry in seen}
    old = {entry.id: _trace(entry) for entry in stored}
    found = Difference(
        connection=name,
        added=len(new.keys() - old.keys()),
        changed=sum(new[id] != old[id] for id in new.keys() & old.keys()),
        gone=len(old.keys() - new.keys()),
    )
    differs = found.added or found.changed or found.gone or recounted
    return found if differs else None


def _trace(entry: Entry) -> Entry:
    """`entry` without its words, and without what changes for whole repositories at once."""
    match entry:
        case Thread():
            return replace(entry, comments=())
        case Comment():
            bare = replace(entry, body="", author_association="", full_database_id=None)
            return replace(bare, diff_hunk="") if isinstance(bare, ThreadComment) else bare
        case _:
            return entry


def _entries(name: Connection, of: Conversation) -> Iterable[Entry]:
    match name:
        case Connection.COMMENTS:
            return of.comments
        case Connection.REVIEWS:
            return of.reviews
        case Connection.REVIEW_THREADS:
            return of.review_threads
        case Connection.LABELS:
            return of.labels
        case _:
            return of.closing_issues


def _said(of: Conversation, threads: Iterable[str]) -> Iterator[ThreadComment]:
    chosen = set(threads)
    return (c for thread in of.review_threads if thread.id in chosen for c in thread.comments)


def _recounted(new: Coverage | None, old: Coverage | None) -> bool:
    """Whether GitHub claims another number of entries, net of drafts, or shows other gaps."""
    return (
        new is not None
        and old is not None
        and (new.total_count != old.total_count or new.status is not old.status)
    )


def _is_unproven(coverage: Coverage | None) -> bool:
    return coverage is None or coverage.status in _UNPROVEN


def _reason(coverage: Coverage | None) -> str:
    return "unknown" if coverage is None else coverage.reason or coverage.status.value
