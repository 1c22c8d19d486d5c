"""A made-up change feed, and the engine's side of the contract with a sink.

What `Feed` and `deliver` do is what the engine does: the newest change of each conversation, read
from the sink's own position, or from the beginning where the token at the destination is another.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from syncer.canonical import canonical_bytes, revision_of
from syncer.evidence import Snapshot
from syncer.repository import Census, Facts, Release, Repository, Shaping
from syncer.sink import Applied, Batch, Change, ChangeKind, Sink

__all__ = ["Bookmark", "Feed", "deliver", "release"]


class Bookmark(Struct, frozen=True, kw_only=True):
    """What the engine keeps for a sink: how far it read, and the token of that flush."""

    position: int = 0
    token: str | None = None


class _Entry(Struct, frozen=True, kw_only=True):
    id: str
    number: int
    seq: int
    put_seq: int
    bucket: str | None
    snapshot: Snapshot | None  # None: gone


class Feed:
    """The conversations of one repository and the order in which they changed."""

    def __init__(self, name: str = "octo/demo") -> None:
        self._seq = 0
        self._entries: dict[str, _Entry] = {}
        self.facts = Facts(
            repository=Repository(
                id="R_1", name=name, current_name=name, web_url="https://github.example"
            ),
            releases=(),
            shaping=Shaping(),
            census=Census(watermark=None, total_count=None, found=0),
        )

    def put(self, snapshot: Snapshot, bucket: str | None = None) -> None:
        """New or other content, in the bucket of the release tag `bucket`."""
        self._seq += 1
        conversation = snapshot.conversation
        self._enter(
            _Entry(
                id=conversation.id,
                number=conversation.number,
                seq=self._seq,
                put_seq=self._seq,
                bucket=bucket,
                snapshot=snapshot,
            )
        )

    def move(self, number: int, bucket: str | None) -> None:
        """The same content in another bucket."""
        self._seq += 1
        self._enter(replace(self._entry(number), seq=self._seq, bucket=bucket))

    def remove(self, number: int) -> None:
        """Gone at the source. A conversation of which nothing was known is gone as well."""
        self._seq += 1
        self._enter(replace(self._entry(number), seq=self._seq, snapshot=None, bucket=None))

    def released(self, *releases: Release) -> None:
        """The releases as they are from now on; what moves is said by `move`."""
        self.facts = replace(self.facts, releases=releases)

    def changes(self, after: int) -> list[Change]:
        """The newest change of each conversation behind the position `after`, in order."""
        entries = sorted(self._entries.values(), key=lambda entry: entry.seq)
        return [_change(entry, after) for entry in entries if entry.seq > after]

    def numbers(self) -> set[int]:
        """The numbers that are there now."""
        return {entry.number for entry in self._entries.values() if entry.snapshot is not None}

    @property
    def position(self) -> int:
        """The position behind the newest change."""
        return self._seq

    def _entry(self, number: int) -> _Entry:
        return next(entry for entry in self._entries.values() if entry.number == number)

    def _enter(self, entry: _Entry) -> None:
        self._entries[entry.id] = entry
        found = len(self.numbers())
        census = replace(
            self.facts.census,
            watermark=datetime(2026, 1, 1, tzinfo=UTC),
            total_count=found,
            found=found,
        )
        self.facts = replace(self.facts, census=census)


async def deliver(
    feed: Feed, sink: Sink, bookmark: Bookmark, *, batch_size: int = 3, flush: bool = True
) -> tuple[Bookmark, Applied]:
    """Bring `sink` up to date and close it; the new bookmark, and how much the batches changed.

    Without `flush` the run ends as a killed one does: nothing is made durable, the bookmark stays.
    """
    token = await sink.open()
    replay = token is None or token != bookmark.token
    applied = Applied()
    for batch in _batches(feed, 0 if replay else bookmark.position, batch_size, replay=replay):
        applied += await sink.apply(batch)
    if flush:
        bookmark = Bookmark(position=feed.position, token=await sink.flush())
    await sink.close()
    return bookmark, applied


def release(tag: str, at: datetime) -> Release:
    """A published release."""
    return Release(
        id=f"RE_{tag}", tag_name=tag, published_at=at, is_draft=False, is_prerelease=False
    )


def _batches(feed: Feed, after: int, size: int, *, replay: bool) -> Iterator[Batch]:
    changes = feed.changes(after)
    # A feed with no news still brings its facts: one batch without changes.
    for start in range(0, max(len(changes), 1), size):
        part = tuple(changes[start : start + size])
        yield Batch(facts=feed.facts, changes=part, replay=replay)


def _change(entry: _Entry, after: int) -> Change:
    snapshot = entry.snapshot
    if snapshot is None:
        kind = ChangeKind.GONE
    else:
        kind = ChangeKind.PUT if entry.put_seq > after else ChangeKind.MOVE
    return Change(
        seq=entry.seq,
        kind=kind,
        id=entry.id,
        number=entry.number,
        release=entry.bucket,
        revision="" if snapshot is None else revision_of(snapshot.conversation),
        record=b"" if snapshot is None else canonical_bytes(snapshot.conversation),
        connections={} if snapshot is None else dict(snapshot.connections),
        threads={} if snapshot is None else dict(snapshot.threads),
    )
