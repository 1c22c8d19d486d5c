"""Records with their evidence, and a feed that tells each sink all it has missed and no more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

import pytest
from msgspec.structs import replace

from syncer.canonical import canonical_bytes, revision_of
from syncer.errors import DamagedError
from syncer.evidence import Connection, Evidence, Snapshot, Status, coverage_of
from syncer.sink import Change, ChangeKind
from syncer.store import Commit, Store
from syncer.testing.samples import HOSTILE_TEXT, sample
from tests.unit.making import LATER, at, change, proof

PUT, MOVE, GONE = ChangeKind.PUT, ChangeKind.MOVE, ChangeKind.GONE


def _evidence(snapshot: Snapshot) -> tuple[Evidence, ...]:
    """Evidence whose coverage is that of `snapshot`."""
    pull = snapshot.conversation.id
    whole = {(pull, name): one for name, one in snapshot.connections.items()} | {
        (thread, Connection.THREAD_COMMENTS): one for thread, one in snapshot.threads.items()
    }
    return tuple(
        replace(
            proof(name, one.status, owner=owner, total=one.total_count, kept=one.kept),
            reason=one.reason,
            repaired=one.repaired,
            has_next_page=one.has_next_page,
        )
        for (owner, name), one in whole.items()
    )


async def _commit(store: Store, snapshot: Snapshot, *, bucket: str | None = "v1") -> None:
    commit = Commit(
        snapshot=snapshot,
        evidence=_evidence(snapshot),
        bucket=bucket,
        read_at=LATER,
        settled=True,
    )
    pull = snapshot.conversation.id
    async with store.transaction():
        stored = (await store.conversations.stored([pull])).get(pull)
        await store.conversations.commit([(commit, stored)])


async def _move(store: Store, number: int, bucket: str | None) -> None:
    async with store.transaction():
        await store.conversations.move(f"PR_{number}", number, bucket)


async def _remove(store: Store, number: int) -> None:
    async with store.transaction():
        await store.conversations.remove(f"PR_{number}", number)


async def _feed(store: Store, position: int = 0, limit: int = 100) -> list[tuple[int, ChangeKind]]:
    changes = await store.conversations.after(position, limit)
    return [(one.number, one.kind) for one in changes]


# The feed


async def test_the_feed_holds_the_newest_change_of_each_conversation_in_order(
    store: Store,
) -> None:
    for number in (3, 1, 2):
        await _commit(store, sample(number))
    await _commit(store, sample(3, revised=1))
    assert await _feed(store) == [(1, PUT), (2, PUT), (3, PUT)]
    changes = await store.conversations.after(0, 100)
    assert [one.seq for one in changes] == sorted({one.seq for one in changes})
    assert await store.conversations.head() == changes[-1].seq


async def test_what_did_not_change_is_not_told_again(store: Store) -> None:
    await _commit(store, sample(1))
    head = await store.conversations.head()
    await _commit(store, sample(1))
    assert await store.conversations.head() == head


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(
            lambda s: replace(s, conversation=replace(s.conversation, body="!")), id="words"
        ),
        pytest.param(
            lambda s: replace(s, conversation=replace(s.conversation, updated_at=LATER)),
            id="touched",
        ),
        pytest.param(
            lambda s: replace(s, conversation=replace(s.conversation, author_association="X")),
            id="as read",
        ),
        pytest.param(lambda s: replace(s, connections={}), id="proof of a connection"),
        pytest.param(
            lambda s: replace(s, threads={k: replace(v, kept=0) for k, v in s.threads.items()}),
            id="proof of a thread",
        ),
    ],
)
async def test_other_words_or_another_proof_are_told(other, store: Store) -> None:
    await _commit(store, sample(1))
    head = await store.conversations.head()
    await _commit(store, other(sample(1)))
    assert await _feed(store, head) == [(1, PUT)]


async def test_other_times_and_cursors_of_the_same_reading_are_not_told(store: Store) -> None:
    await _commit(store, sample(1))
    head = await store.conversations.head()
    evidence = tuple(
        replace(one, read_at=at(99_999), end_cursor="other") for one in _evidence(sample(1))
    )
    commit = Commit(
        snapshot=sample(1), evidence=evidence, bucket="v1", read_at=at(99_999), settled=False
    )
    async with store.transaction():
        stored = await store.conversations.stored(["PR_1"])
        await store.conversations.commit([(commit, stored["PR_1"])])
    assert await store.conversations.head() == head
    found = (await store.conversations.stored(["PR_1"]))["PR_1"].evidence
    assert {one.end_cursor for one in found} == {"other"}


async def test_a_move_is_a_move_to_a_sink_that_has_the_words_and_a_put_to_any_other(
    store: Store,
) -> None:
    await _commit(store, sample(1))
    put = await store.conversations.head()
    await _move(store, 1, "v2")
    assert await _feed(store, put) == [(1, MOVE)]
    assert await _feed(store, put - 1) == [(1, PUT)]
    (moved,) = await store.conversations.after(put, 1)
    assert moved.release == "v2"
    assert moved.record == canonical_bytes(sample(1).conversation)


async def test_words_that_moved_twice_unseen_are_still_put(store: Store) -> None:
    await _commit(store, sample(1))
    before = await store.conversations.head()
    await _commit(store, sample(1, revised=1))
    await _move(store, 1, "v2")
    await _move(store, 1, None)
    assert await _feed(store, before) == [(1, PUT)]
    assert await _feed(store, before + 1) == [(1, MOVE)]


async def test_another_bucket_with_the_same_words_is_a_move(store: Store) -> None:
    await _commit(store, sample(1))
    put = await store.conversations.head()
    await _commit(store, sample(1), bucket=None)
    assert await _feed(store, put) == [(1, MOVE)]


async def test_what_is_gone_is_told_without_a_word_of_it_and_may_come_back(store: Store) -> None:
    await _commit(store, sample(1))
    put = await store.conversations.head()
    await _remove(store, 1)
    (gone,) = await store.conversations.after(0, 5)
    assert (gone.kind, gone.record, gone.revision, gone.connections) == (GONE, b"", "", {})
    assert await store.conversations.stored(["PR_1"]) == {}
    await _commit(store, sample(1))
    assert await _feed(store, put) == [(1, PUT)]
    assert await _feed(store, put + 1) == [(1, PUT)]


async def test_any_sink_from_any_position_in_any_steps_ends_with_what_is_stored(
    store: Store,
) -> None:
    script: list[Callable[[], Awaitable[None]]] = [
        lambda: _commit(store, sample(1)),
        lambda: _commit(store, sample(2)),
        lambda: _move(store, 1, "v2"),
        lambda: _commit(store, sample(2, revised=1)),
        lambda: _commit(store, sample(3)),
        lambda: _remove(store, 2),
        lambda: _move(store, 3, None),
        lambda: _commit(store, sample(1, revised=2), bucket="v3"),
        lambda: _commit(store, sample(2)),
    ]
    sinks = [_Mirror(start) for start in range(len(script))]
    for n, step in enumerate(script):
        await step()
        for sink in sinks:
            if n >= sink.start and (n + sink.start) % 2 == 0:
                await sink.follow(store, limit=1 + n % 3)
    for sink in sinks:
        await sink.follow(store, limit=2)
    for sink in sinks:
        assert sink.held == {
            1: ("v3", canonical_bytes(sample(1, revised=2).conversation)),
            2: ("v1", canonical_bytes(sample(2).conversation)),
            3: (None, canonical_bytes(sample(3).conversation)),
        }


class _Mirror:
    """A sink that knows no more than it was told, and moves only what it has."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.position = 0
        self.held: dict[int, tuple[str | None, bytes]] = {}

    async def follow(self, store: Store, *, limit: int) -> None:
        since = self.position
        while changes := await store.conversations.after(self.position, limit, since):
            assert len(changes) <= limit
            for one in changes:
                self._take(one)
            self.position = changes[-1].seq

    def _take(self, one: Change) -> None:
        if one.kind is GONE:
            self.held.pop(one.number, None)
        elif one.kind is PUT:
            self.held[one.number] = (one.release, one.record)
        else:
            _, words = self.held[one.number]
            assert words == one.record
            self.held[one.number] = (one.release, words)


async def test_a_feed_that_names_a_record_which_is_missing_is_damage(store: Store) -> None:
    await _commit(store, sample(1))
    async with store.transaction():
        await store._database.run("DELETE FROM conversation")
    with pytest.raises(DamagedError, match="pull request 1"):
        await store.conversations.after(0, 5)


async def test_a_commit_that_is_undone_leaves_neither_record_nor_evidence_nor_change(
    store: Store,
) -> None:
    await _commit(store, sample(1))
    before = (await store.conversations.stored(["PR_1"]), await _feed(store))

    async def interrupted() -> None:
        async with store.transaction():
            commit = Commit(
                snapshot=sample(1, revised=1), evidence=(), bucket=None, read_at=None, settled=True
            )
            await store.conversations.commit([(commit, before[0]["PR_1"])])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await interrupted()
    assert (await store.conversations.stored(["PR_1"]), await _feed(store)) == before


# Records and evidence


@pytest.mark.parametrize("text", HOSTILE_TEXT, ids=range(len(HOSTILE_TEXT)))
async def test_a_conversation_comes_back_with_its_proof_to_the_byte(
    text: str, store: Store
) -> None:
    snapshot = sample(1, title=text, body=text)
    await _commit(store, snapshot)
    found = await store.conversations.snapshot("PR_1")
    assert found == snapshot
    (told,) = await store.conversations.after(0, 1)
    assert told.snapshot() == snapshot
    assert told.record == canonical_bytes(snapshot.conversation)
    assert told.revision == revision_of(snapshot.conversation)


EVIDENCE = [
    proof(total=None, kept=0, status=Status.UNKNOWN, reason="null connection"),
    replace(
        proof(Connection.REVIEWS, Status.CUT, total=9, kept=3, left_out=2, reason="too_heavy"),
        unreadable=1,
        repaired=4,
        has_next_page=True,
        end_cursor="cursor",
        read_at=at(0.4),
    ),
    replace(proof(Connection.LABELS), has_next_page=None, end_cursor=None, read_at=None),
    proof(Connection.THREAD_COMMENTS, owner="PRRT_1"),
    proof(Connection.PULL_REQUEST, reason="contradiction: x"),
]


async def _with_evidence(store: Store, evidence: Iterable[Evidence]) -> None:
    commit = Commit(
        snapshot=sample(1), evidence=tuple(evidence), bucket=None, read_at=LATER, settled=True
    )
    async with store.transaction():
        await store.conversations.commit([(commit, None)])


async def test_every_field_of_evidence_comes_back(store: Store) -> None:
    await _with_evidence(store, EVIDENCE)
    found = (await store.conversations.stored(["PR_1"]))["PR_1"].evidence
    assert sorted(found, key=repr) == sorted(EVIDENCE, key=repr)
    kept = await store.conversations.snapshot("PR_1")
    assert kept.threads == {"PRRT_1": coverage_of(EVIDENCE[3])}
    assert kept.connections == {e.name: coverage_of(e) for e in EVIDENCE if e is not EVIDENCE[3]}


async def test_new_evidence_takes_the_place_of_all_the_old(store: Store) -> None:
    await _with_evidence(store, EVIDENCE)
    await _with_evidence(store, EVIDENCE[:1])
    assert (await store.conversations.stored(["PR_1"]))["PR_1"].evidence == (EVIDENCE[0],)


async def test_all_that_there_is_to_tell_is_told_and_nothing_that_is_whole(store: Store) -> None:
    await _with_evidence(store, EVIDENCE)
    told = await store.conversations.unfinished()
    assert {number for number, _ in told} == {1}
    assert {e.name for _, e in told} == {
        Connection.COMMENTS,
        Connection.REVIEWS,
        Connection.PULL_REQUEST,
    }
    assert await store.conversations.by_status() == {
        Status.UNKNOWN: 1,
        Status.CUT: 1,
        Status.EXHAUSTED: 3,
    }


async def test_a_conversation_that_is_not_there_is_a_key_error(store: Store) -> None:
    with pytest.raises(KeyError, match="PR_9"):
        await store.conversations.snapshot("PR_9")


async def test_records_and_placements_stand_by_number(store: Store) -> None:
    for number in (20, 3, 100):
        await _commit(store, sample(number))
    assert await store.conversations.count() == 3
    assert list(await store.conversations.records()) == ["PR_3", "PR_20", "PR_100"]
    assert await store.conversations.placements() == [
        (f"PR_{n}", n, sample(n).conversation.merged_at, "v1") for n in (3, 20, 100)
    ]


async def test_a_removed_pull_request_is_forgotten_by_both_of_its_tables(store: Store) -> None:
    async with store.transaction():
        await store.pulls.see([(change(1), None)], LATER, 0)
    await _commit(store, sample(1))
    async with store.transaction():
        await store.conversations.remove("PR_1", 1)
        await store.pulls.remove("PR_1", LATER)
    assert await store.pulls.unread() == ()
    assert await store.conversations.unfinished() == []
    assert await store.conversations.by_status() == {}
