"""What a whole reading proves to be gone is noted, without a word of it; nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from msgspec.structs import replace

from syncer.evidence import Connection, Snapshot, Status
from syncer.records import Conversation
from syncer.store import Commit, open_store
from syncer.store.tombstones import arrived, departed
from tests.strategies import snapshots

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def ids(of: Conversation) -> set[str]:
    said = [comment for thread in of.review_threads for comment in thread.comments]
    return {one.id for one in (*of.comments, *of.reviews, *of.review_threads, *said)}


def emptied(of: Snapshot) -> Snapshot:
    """The same conversation once everything on it is gone, and proven so."""
    bare = replace(of.conversation, comments=(), reviews=(), review_threads=())
    proof = {
        name: replace(one, status=Status.EXHAUSTED, kept=0, total_count=0)
        for name, one in of.connections.items()
    }
    return replace(of, conversation=bare, connections=proof, threads={})


@given(snapshots())
def test_what_is_still_there_has_not_departed(snapshot: Snapshot) -> None:
    assert departed(snapshot.conversation, snapshot) == {}
    assert arrived(snapshot.conversation, snapshot.conversation) == []


@given(snapshots())
def test_everything_departs_from_a_conversation_proven_empty_and_arrives_the_other_way(
    snapshot: Snapshot,
) -> None:
    empty = emptied(snapshot)
    proven = {name for name, one in empty.connections.items() if one.status is Status.EXHAUSTED}

    gone = departed(snapshot.conversation, empty)

    if {Connection.COMMENTS, Connection.REVIEWS, Connection.REVIEW_THREADS} <= proven:
        assert gone.keys() == ids(snapshot.conversation)
    assert set(arrived(empty.conversation, snapshot.conversation)) == ids(snapshot.conversation)


@given(snapshots())
def test_a_list_that_was_not_read_whole_proves_nothing_gone(snapshot: Snapshot) -> None:
    empty = emptied(snapshot)
    for status in (Status.CUT, Status.SHORT, Status.UNKNOWN):
        doubtful = {n: replace(one, status=status) for n, one in empty.connections.items()}

        assert departed(snapshot.conversation, replace(empty, connections=doubtful)) == {}


@pytest.fixture
def snapshot() -> Snapshot:
    """A conversation with something of each kind."""
    from tests.audit.test_compare import STORED

    return STORED


async def test_a_commit_leaves_tombstones_and_takes_back_those_of_what_returns(
    snapshot: Snapshot, tmp_path: Path
) -> None:
    def commit(of: Snapshot, at: datetime | None) -> Commit:
        return Commit(snapshot=of, evidence=(), bucket=None, read_at=at, settled=True)

    pull = snapshot.conversation.id
    async with open_store(tmp_path) as store:

        async def put(of: Snapshot, at: datetime) -> set[tuple[str, str, int, datetime]]:
            async with store.transaction():
                stored = (await store.conversations.stored([pull])).get(pull)
                await store.conversations.commit([(commit(of, at), stored)])
            found = await store.tombstones.every()
            return {(one.id, one.kind, one.number, one.gone_at) for one in found}

        later = NOW + timedelta(hours=1)
        assert await put(snapshot, NOW) == set()
        assert await put(emptied(snapshot), later) == {
            ("i", "comment", 7, later),
            ("r1", "review", 7, later),
            ("t1", "reviewThread", 7, later),
            ("c1", "reviewThreadComment", 7, later),
        }
        assert await put(snapshot, later) == set()
