"""One conversation as one line of JSON, for tools that know nothing of this project.

Field names are GitHub's; lists stand in the canonical order, so equal content gives equal bytes.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncer.canonical import revision_of
from syncer.corpus.urls import pull_url
from syncer.evidence import Coverage, Snapshot, Status
from syncer.records import Thread, in_canonical_order
from syncer.repository import Repository

__all__ = ["export_line"]

_encoder = msgspec.json.Encoder()


def export_line(snapshot: Snapshot, repository: Repository) -> bytes:
    """The conversation as a JSON object and a line feed, UTF-8.

    Keys: those of the record (`id, number, …, labels[], closingIssues[], comments[], reviews[],
    reviewThreads[{…, comments[], connection}]`), then `repository`, `url`, `revision` and
    `connections`: by connection `totalCount, kept, hasNextPage, status, reason, repaired`, the
    comments of all threads as one. What has no value is null, never left out.
    """
    conversation = in_canonical_order(snapshot.conversation)
    line = {
        **_builtins(conversation),
        "reviewThreads": [_thread(item, snapshot) for item in conversation.review_threads],
        "repository": repository.name,
        "url": pull_url(repository, conversation.number),
        "revision": revision_of(conversation),
        "connections": {name.value: _coverage(c) for name, c in snapshot.judged().items()},
    }
    return _encoder.encode(line) + b"\n"


def _thread(thread: Thread, snapshot: Snapshot) -> dict[str, Any]:
    return {**_builtins(thread), "connection": _coverage(snapshot.threads.get(thread.id))}


def _coverage(coverage: Coverage | None) -> dict[str, Any]:
    if coverage is None:
        coverage = Coverage(total_count=None, kept=0, has_next_page=None, status=Status.UNKNOWN)
    return {
        "totalCount": coverage.total_count,
        "kept": coverage.kept,
        "hasNextPage": coverage.has_next_page,
        "status": coverage.status.value,
        "reason": coverage.reason,
        "repaired": coverage.repaired,
    }


def _builtins(value: msgspec.Struct) -> dict[str, Any]:
    # The same text for stamps as in the canonical bytes.
    built: dict[str, Any] = msgspec.to_builtins(value, builtin_types=())
    return built
