"""The contract between the engine and the places it writes to.

A sink lives in the entry-point group `syncer.sinks`; the entry point names a `Factory`. The engine
keeps, per sink, a position in the change feed together with the token that `flush` returned. When
`open` returns another token (a checkout, a restored backup, a deleted folder), the engine starts
from the beginning of the feed; writing what is already there is no write.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from msgspec import Struct

from syncer.canonical import decode_conversation
from syncer.evidence import Connection, Coverage, Snapshot
from syncer.repository import Facts

__all__ = ["Applied", "Batch", "Change", "ChangeKind", "Destination", "Factory", "Sink"]


class ChangeKind(StrEnum):
    """What happened to a conversation since the sink's position."""

    PUT = "put"  # new or other content, or other evidence
    MOVE = "move"  # the same file, another bucket
    GONE = "gone"  # removed at the source, proven twice


class Change(Struct, frozen=True, kw_only=True):
    """The newest change of one conversation.

    PUT and MOVE carry the whole conversation, so that a sink which lost its copy needs nobody's
    help; a sink that still has it never decodes `record`.
    """

    seq: int
    kind: ChangeKind
    id: str
    number: int
    release: str | None  # tag of the bucket; None: open, or resolved after the newest release point
    revision: str  # "" when gone
    record: bytes  # canonical bytes; b"" when gone
    connections: dict[Connection, Coverage]
    threads: dict[str, Coverage]

    def snapshot(self) -> Snapshot:
        """The conversation with its proof; not for a change of kind GONE."""
        return Snapshot(
            conversation=decode_conversation(self.record),
            connections=self.connections,
            threads=self.threads,
        )


class Batch(Struct, frozen=True, kw_only=True):
    """Changes in feed order, with the repository's facts as of now. `changes` may be empty.

    `replay` is True when the feed is read from its beginning: what the destination holds and the
    replay does not name is left over from another history.
    """

    facts: Facts
    changes: tuple[Change, ...] = ()
    replay: bool = False


class Applied(Struct, frozen=True, kw_only=True):
    """How many conversations a batch changed at the destination; no-ops are not counted."""

    written: int = 0
    moved: int = 0
    removed: int = 0

    def __add__(self, other: Applied) -> Applied:
        return Applied(
            written=self.written + other.written,
            moved=self.moved + other.moved,
            removed=self.removed + other.removed,
        )


class Destination(Struct, frozen=True, kw_only=True):
    """Where a sink writes: `folder` is `<root>/<owner>/<repo>`, options are `--sink NAME:k=v`."""

    folder: Path
    options: dict[str, str] = {}


@runtime_checkable
class Sink(Protocol):
    """A durable, idempotent consumer of the change feed.

    Calls come one at a time, in the order open, (apply*, flush)*, close. Every method raises
    SinkError when the destination fails; what an earlier flush returned stays durable then.
    """

    async def open(self) -> str | None:
        """The token of what is durable at the destination, or None when nothing is."""
        ...

    async def apply(self, batch: Batch) -> Applied:
        """Take a batch. Applying it twice leaves the destination as applying it once."""
        ...

    async def flush(self) -> str:
        """Make everything applied durable and return the token that `open` would now return."""
        ...

    async def close(self) -> None:
        """Release everything held; safe to call twice. What was not flushed may be lost."""
        ...


class Factory(Protocol):
    """What an entry point in `syncer.sinks` names."""

    def __call__(self, destination: Destination, /) -> Sink:
        """A sink for `destination`; nothing is opened or touched yet."""
        ...
