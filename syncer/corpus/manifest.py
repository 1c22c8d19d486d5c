"""The structs of the seal: what `manifest.json` says, in a leaf and in the root.

A leaf lists the files of one directory; the root lists the leaves with their digests, and holds
one digest over itself. Docs: docs/manifest-schema.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Literal

import msgspec
from msgspec import Struct

from syncer.canonical import digest_of, revision_of
from syncer.corpus.front import GRAMMAR
from syncer.corpus.names import MANIFEST, folder_of
from syncer.evidence import Connection, Snapshot, Status
from syncer.records import Instant, resolution_event
from syncer.repository import Facts, Release, Repository, Shaping

__all__ = [
    "SCHEMA",
    "Counts",
    "Incomplete",
    "Leaf",
    "LeafEntry",
    "LeafRef",
    "Root",
    "RootRelease",
    "bytes_digest",
    "leaf_entry",
    "leaf_ref",
    "root_digest",
    "root_of",
]

SCHEMA = 1
"""The version of manifests and census that this package writes, and the only one it reads."""


class Counts(Struct, frozen=True, rename="camel", kw_only=True):
    """How many entries of each kind the file holds."""

    comments: int
    reviews: int
    review_threads: int
    review_thread_comments: int
    labels: int
    closing_issues: int


class Incomplete(Struct, frozen=True, rename="camel", kw_only=True):
    """One connection that is not proven whole. Totals are net of drafts."""

    connection: Connection
    total_count: int | None  # None: not known
    kept: int
    status: Status
    reason: str | None


class LeafEntry(Struct, frozen=True, rename="camel", kw_only=True):
    """One file: which pull request, when it was resolved, and what its bytes must be."""

    number: int
    id: str
    state: str
    resolved_at: Instant | None  # None: open
    updated_at: Instant
    revision: str
    sha256: str
    bytes: int
    counts: Counts
    incomplete: tuple[Incomplete, ...]


class Leaf(Struct, frozen=True, rename="camel", kw_only=True):
    """The files of one directory, sorted by number; at most a block of them."""

    schema: int = SCHEMA
    entries: tuple[LeafEntry, ...]


class LeafRef(Struct, frozen=True, rename="camel", kw_only=True):
    """A leaf as the root knows it.

    `count` files, `incomplete` of them with an entry of that name; the earliest and the latest
    resolution event, both inclusive, None when all are open; `digest` of the leaf's bytes.
    """

    path: str  # of the leaf's own file, relative to the repository's folder
    kind: Literal["pulls", "archive"]
    release: str | None  # the bucket's tag; None for `pulls`
    count: int
    incomplete: int
    resolved_from: Instant | None
    resolved_to: Instant | None
    digest: str


class RootRelease(Struct, frozen=True, rename="camel", kw_only=True):
    """A published release, with the folder that its tag has in the archive."""

    id: str
    tag_name: str
    published_at: Instant
    is_prerelease: bool
    folder: str

    def release(self) -> Release:
        """The release as GitHub lists it."""
        return Release(
            id=self.id,
            tag_name=self.tag_name,
            published_at=self.published_at,
            is_draft=False,
            is_prerelease=self.is_prerelease,
        )


class Root(Struct, frozen=True, rename="camel", kw_only=True):
    """The seal of a corpus. Releases are ordered by (publishedAt, id), leaves by path."""

    schema: int = SCHEMA
    grammar: int = GRAMMAR
    repository: Repository
    releases: tuple[RootRelease, ...]
    shaping: Shaping
    leaves: tuple[LeafRef, ...]
    digest: str


def bytes_digest(data: bytes) -> str:
    """SHA-256 of `data` as 64 hex digits: `sha256` of an entry, `digest` of a leaf."""
    return hashlib.sha256(data).hexdigest()


def leaf_entry(snapshot: Snapshot, data: bytes, *, revision: str | None = None) -> LeafEntry:
    """The entry for `snapshot`'s file `data`. `revision` spares computing a known one again."""
    conversation = snapshot.conversation
    return LeafEntry(
        number=conversation.number,
        id=conversation.id,
        state=conversation.state,
        resolved_at=resolution_event(
            conversation.state, conversation.merged_at, conversation.closed_at
        ),
        updated_at=conversation.updated_at,
        revision=revision or revision_of(conversation),
        sha256=bytes_digest(data),
        bytes=len(data),
        counts=_counts(snapshot),
        incomplete=_incomplete(snapshot),
    )


def leaf_ref(directory: PurePosixPath, release: str | None, leaf: Leaf, data: bytes) -> LeafRef:
    """How the root names the leaf `data` that stands in `directory`."""
    resolved = [entry.resolved_at for entry in leaf.entries if entry.resolved_at is not None]
    return LeafRef(
        path=str(directory / MANIFEST),
        kind="pulls" if release is None else "archive",
        release=release,
        count=len(leaf.entries),
        incomplete=sum(1 for entry in leaf.entries if entry.incomplete),
        resolved_from=min(resolved, default=None),
        resolved_to=max(resolved, default=None),
        digest=bytes_digest(data),
    )


def root_of(facts: Facts, leaves: Iterable[LeafRef]) -> Root:
    """The root over `leaves`, its digest included.

    Drafts are left out of the releases: who may see them depends on the viewer.
    """
    unsealed = Root(
        repository=facts.repository,
        releases=_published(facts.releases),
        shaping=facts.shaping,
        leaves=tuple(sorted(leaves, key=lambda leaf: leaf.path)),
        digest="",
    )
    return msgspec.structs.replace(unsealed, digest=root_digest(unsealed))


def root_digest(root: Root) -> str:
    """SHA-256 over the canonical bytes of `root` without its `digest`."""
    fields: dict[str, object] = msgspec.to_builtins(root)
    del fields["digest"]
    return digest_of(fields)


def _published(releases: Iterable[Release]) -> tuple[RootRelease, ...]:
    found = [
        RootRelease(
            id=release.id,
            tag_name=release.tag_name,
            published_at=release.published_at,
            is_prerelease=release.is_prerelease,
            folder=folder_of(release.tag_name),
        )
        for release in releases
        if release.published_at is not None and not release.is_draft
    ]
    return tuple(sorted(found, key=lambda release: (release.published_at, release.id)))


def _counts(snapshot: Snapshot) -> Counts:
    conversation = snapshot.conversation
    return Counts(
        comments=len(conversation.comments),
        reviews=len(conversation.reviews),
        review_threads=len(conversation.review_threads),
        review_thread_comments=sum(len(t.comments) for t in conversation.review_threads),
        labels=len(conversation.labels),
        closing_issues=len(conversation.closing_issues),
    )


def _incomplete(snapshot: Snapshot) -> tuple[Incomplete, ...]:
    return tuple(
        Incomplete(
            connection=name,
            total_count=coverage.total_count,
            kept=coverage.kept,
            status=coverage.status,
            reason=coverage.reason,
        )
        for name, coverage in snapshot.judged().items()
        if coverage.status is not Status.EXHAUSTED
    )
