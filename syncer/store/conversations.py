"""The stored conversations, their evidence, and the feed of their changes.

Writing methods belong inside a transaction of the caller's: a record, its evidence and its feed
entry are stored together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from syncer.canonical import canonical_bytes, decode_conversation, digest_of, revision_of
from syncer.errors import DamagedError
from syncer.evidence import (
    FIRST_LEVEL,
    Connection,
    Coverage,
    Evidence,
    Snapshot,
    Status,
    coverage_of,
)
from syncer.reading.shelf import Commit, Stored
from syncer.records import resolution_event
from syncer.sink import Change, ChangeKind
from syncer.stamps import from_text, to_sortable
from syncer.store.database import Database
from syncer.store.tombstones import Tombstones, arrived, departed

__all__ = ["Commit", "Conversations", "Stored", "snapshot_digest"]

_EVIDENCE = (
    "pull, owner, name, total_count, kept, left_out, unreadable, repaired,"
    " has_next_page, end_cursor, status, reason, read_at"
)


def snapshot_digest(snapshot: Snapshot) -> str:
    """SHA-256 over the record and its coverage: equal digests render to equal files."""
    return digest_of(
        {
            "record": snapshot.conversation,
            "connections": snapshot.connections,
            "threads": snapshot.threads,
        }
    )


_TELL = "INSERT OR REPLACE INTO feed (pull, number, kind) VALUES (?, ?, ?)"
_PUT = (
    "INSERT INTO conversation (pull, number, updated_at, resolved_at, bucket, record,"
    " revision, digest, read_at, settled, put_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)"
    " ON CONFLICT (pull) DO UPDATE SET number = excluded.number,"
    " updated_at = excluded.updated_at, resolved_at = excluded.resolved_at,"
    " bucket = excluded.bucket, record = excluded.record, revision = excluded.revision,"
    " digest = excluded.digest, read_at = excluded.read_at, settled = excluded.settled"
)


class Conversations:
    """Records with evidence, and the change feed over them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tombstones = Tombstones(database)

    async def stored(self, pulls: Sequence[str]) -> dict[str, Stored]:
        """The stored side of a decision about each of `pulls`; those not stored are absent."""
        marks = ", ".join("?" * len(pulls))
        rows = await self._database.all(
            f"SELECT pull, digest, bucket FROM conversation WHERE pull IN ({marks})",  # noqa: S608
            pulls,
        )
        evidence = await self._evidence([row[0] for row in rows])
        return {
            pull: Stored(digest=digest, bucket=bucket, evidence=tuple(evidence.get(pull, ())))
            for pull, digest, bucket in rows
        }

    async def commit(self, commits: Sequence[tuple[Commit, Stored | None]]) -> None:
        """Store conversations, each over what is stored of it, and tell the feed what changed."""
        told: list[tuple[str, int, str]] = []
        digests: list[str] = []
        for commit, stored in commits:
            conversation = commit.snapshot.conversation
            digest = snapshot_digest(commit.snapshot)
            digests.append(digest)
            if stored is None or stored.digest != digest:
                told.append((conversation.id, conversation.number, ChangeKind.PUT.value))
                if stored is not None and commit.read_at is not None:
                    await self._bury(commit.snapshot, commit.read_at)
            elif stored.bucket != commit.bucket:
                told.append((conversation.id, conversation.number, ChangeKind.MOVE.value))
        chosen = [commit for commit, _ in commits]
        await self._database.run_many(_TELL, told)
        await self._database.run_many(_PUT, map(_conversation_values, chosen, digests))
        await self._database.run_many(
            "UPDATE conversation SET put_seq = (SELECT seq FROM feed WHERE feed.pull = ?)"
            " WHERE pull = ?",
            [(pull, pull) for pull, _, kind in told if kind == ChangeKind.PUT],
        )
        await self._replace_evidence(chosen)

    async def _bury(self, snapshot: Snapshot, at: datetime) -> None:
        """Tombstones for what the stored record held and `snapshot` proves to be gone."""
        conversation = snapshot.conversation
        found = await self._database.one(
            "SELECT record FROM conversation WHERE pull = ?", (conversation.id,)
        )
        if found is None:
            return
        old = decode_conversation(found[0])
        await self._tombstones.bury(conversation.number, departed(old, snapshot), at)
        await self._tombstones.unbury(arrived(old, conversation))

    async def _replace_evidence(self, commits: Sequence[Commit]) -> None:
        await self._database.run_many(
            "DELETE FROM evidence WHERE pull = ?",
            [(commit.snapshot.conversation.id,) for commit in commits],
        )
        await self._database.run_many(
            f"INSERT INTO evidence ({_EVIDENCE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            [
                _evidence_values(commit.snapshot.conversation.id, evidence)
                for commit in commits
                for evidence in commit.evidence
            ],
        )

    async def placements(self) -> list[tuple[str, int, datetime | None, str | None]]:
        """(id, number, resolution event, bucket) of every stored conversation."""
        return [
            (pull, number, None if resolved is None else from_text(resolved), bucket)
            for pull, number, resolved, bucket in await self._database.all(
                "SELECT pull, number, resolved_at, bucket FROM conversation ORDER BY number"
            )
        ]

    async def move(self, pull: str, number: int, bucket: str | None) -> None:
        """Put a stored conversation into another bucket."""
        await self._database.run(
            "UPDATE conversation SET bucket = ? WHERE pull = ?", (bucket, pull)
        )
        await self._feed(pull, number, ChangeKind.MOVE)

    async def remove(self, pull: str, number: int) -> None:
        """Forget a conversation and tell the sinks that it is gone."""
        for table in ("conversation", "evidence"):
            await self._database.run(f"DELETE FROM {table} WHERE pull = ?", (pull,))  # noqa: S608
        await self._feed(pull, number, ChangeKind.GONE)

    async def count(self) -> int:
        """How many conversations are stored."""
        found = await self._database.one("SELECT count(*) FROM conversation")
        return 0 if found is None else int(found[0])

    async def by_status(self) -> dict[Status, int]:
        """How many connections are in each status."""
        rows = await self._database.all("SELECT status, count(*) FROM evidence GROUP BY status")
        return {Status(status): count for status, count in rows}

    async def unfinished(self) -> list[tuple[int, Evidence]]:
        """Every connection of which something must be told, with the number of its pull request."""
        rows = await self._database.all(
            f"SELECT c.number, e.* FROM (SELECT {_EVIDENCE} FROM evidence"  # noqa: S608
            " WHERE status <> 'exhausted' OR name = 'pullRequest') e"
            " JOIN conversation c ON c.pull = e.pull"
            " ORDER BY c.number, e.name, e.owner"
        )
        return [(row[0], _to_evidence(row[1:])) for row in rows]

    async def head(self) -> int:
        """The position of the newest change; 0 before the first."""
        found = await self._database.one("SELECT max(seq) FROM feed")
        return 0 if found is None or found[0] is None else int(found[0])

    async def after(self, position: int, limit: int, since: int | None = None) -> list[Change]:
        """Up to `limit` newest changes behind `position`, in feed order.

        `since` is where the reader stood before it began to read on, by default `position`: words
        put later than that it has not seen, though their place in the feed may lie behind it.
        """
        seen = position if since is None else since
        rows = await self._database.all(
            "SELECT f.seq, f.kind, f.pull, f.number, c.bucket, c.revision, c.record, c.put_seq"
            " FROM feed f LEFT JOIN conversation c ON c.pull = f.pull"
            " WHERE f.seq > ? ORDER BY f.seq LIMIT ?",
            (position, limit),
        )
        evidence = await self._evidence([row[2] for row in rows])
        return [_to_change(row, seen, evidence.get(row[2], ())) for row in rows]

    async def records(self) -> Sequence[str]:
        """The ids of all stored conversations, by number."""
        rows = await self._database.all("SELECT pull FROM conversation ORDER BY number")
        return [pull for (pull,) in rows]

    async def snapshot(self, pull: str) -> Snapshot:
        """One stored conversation with its coverage. Raises KeyError when there is none."""
        found = await self._database.one("SELECT record FROM conversation WHERE pull = ?", (pull,))
        if found is None:
            raise KeyError(pull)
        connections, threads = _coverages((await self._evidence([pull])).get(pull, ()))
        return Snapshot(
            conversation=decode_conversation(found[0]), connections=connections, threads=threads
        )

    async def _feed(self, pull: str, number: int, kind: ChangeKind) -> None:
        await self._database.run(_TELL, (pull, number, kind.value))

    async def _evidence(self, pulls: Sequence[str]) -> Mapping[str, list[Evidence]]:
        found: dict[str, list[Evidence]] = {}
        for start in range(0, len(pulls), 500):
            chosen = pulls[start : start + 500]
            marks = ", ".join("?" * len(chosen))
            rows = await self._database.all(
                f"SELECT {_EVIDENCE} FROM evidence WHERE pull IN ({marks})",  # noqa: S608
                chosen,
            )
            for row in rows:
                found.setdefault(row[0], []).append(_to_evidence(row))
        return found


def _conversation_values(commit: Commit, digest: str) -> tuple[object, ...]:
    conversation = commit.snapshot.conversation
    resolved = resolution_event(conversation.state, conversation.merged_at, conversation.closed_at)
    return (
        conversation.id,
        conversation.number,
        to_sortable(conversation.updated_at),
        None if resolved is None else to_sortable(resolved),
        commit.bucket,
        canonical_bytes(conversation),
        revision_of(conversation),
        digest,
        None if commit.read_at is None else to_sortable(commit.read_at),
        int(commit.settled),
    )


def _evidence_values(pull: str, evidence: Evidence) -> tuple[object, ...]:
    return (
        pull,
        evidence.owner,
        evidence.name.value,
        evidence.total_count,
        evidence.kept,
        evidence.left_out,
        evidence.unreadable,
        evidence.repaired,
        evidence.has_next_page,
        evidence.end_cursor,
        evidence.status.value,
        evidence.reason,
        None if evidence.read_at is None else to_sortable(evidence.read_at),
    )


def _to_evidence(row: tuple[Any, ...]) -> Evidence:
    (
        _,
        owner,
        name,
        total,
        kept,
        left_out,
        unreadable,
        repaired,
        more,
        cursor,
        status,
        reason,
        at,
    ) = row
    return Evidence(
        owner=owner,
        name=Connection(name),
        total_count=total,
        kept=kept,
        left_out=left_out,
        unreadable=unreadable,
        repaired=repaired,
        has_next_page=None if more is None else bool(more),
        end_cursor=cursor,
        status=Status(status),
        reason=reason,
        read_at=None if at is None else from_text(at),
    )


def _coverages(
    evidence: Iterable[Evidence],
) -> tuple[dict[Connection, Coverage], dict[str, Coverage]]:
    connections: dict[Connection, Coverage] = {}
    threads: dict[str, Coverage] = {}
    for one in evidence:
        if one.name is Connection.THREAD_COMMENTS:
            threads[one.owner] = coverage_of(one)
        else:
            connections[one.name] = coverage_of(one)
    ordered = (*FIRST_LEVEL, Connection.PULL_REQUEST)
    return {name: connections[name] for name in ordered if name in connections}, threads


def _to_change(row: tuple[Any, ...], seen: int, evidence: Iterable[Evidence]) -> Change:
    seq, kind, pull, number, bucket, revision, record, put_seq = row
    connections, threads = _coverages(evidence)
    found = ChangeKind(kind)
    if found is not ChangeKind.GONE and record is None:
        message = (
            f"the store's feed names pull request {number}, but there is no record of it: "
            "move the .syncer folder away, the next run rebuilds it from the corpus"
        )
        raise DamagedError(message)
    if found is ChangeKind.MOVE and put_seq > seen:
        found = ChangeKind.PUT  # the sink has not seen the words that moved
    return Change(
        seq=seq,
        kind=found,
        id=pull,
        number=number,
        release=bucket,
        revision=revision or "",
        record=record or b"",
        connections=connections,
        threads=threads,
    )
