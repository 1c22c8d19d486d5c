"""The known pull requests: the newest row wins, whatever order rows come in."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.census.known import Why, by_connection
from syncer.evidence import Connection
from syncer.github.answers import ChangeRow, Row
from syncer.store import Commit, Store, open_store
from syncer.testing.samples import sample
from tests.unit.making import LATER, PULL, START, at, change, item, proof, row, totals

A_ROW = st.builds(
    lambda number, second, full, comments: (row if full else change)(
        number, at(second), counts=totals(comments=comments)
    ),
    st.integers(1, 2),
    st.integers(0, 3),
    st.booleans(),
    st.integers(0, 2),
)


async def _see(
    store: Store,
    one: ChangeRow,
    why: Why | None = Why.NEW,
    *,
    date: datetime = LATER,
    walk: int = 0,
) -> None:
    async with store.transaction():
        await store.pulls.see([(one, why)], date, walk)


async def _stored(store: Store, number: int = 1, *, settled: bool = True) -> None:
    """Keep the sample of `number` as read and finished."""
    snapshot = sample(number)
    commit = Commit(
        snapshot=snapshot,
        evidence=(proof(owner=snapshot.conversation.id),),
        bucket=None,
        read_at=LATER,
        settled=settled,
    )
    async with store.transaction():
        await store.conversations.commit([(commit, None)])
        await store.pulls.done([snapshot.conversation.id])


@settings(max_examples=25)
@given(st.lists(A_ROW, min_size=1, max_size=8))
def test_rows_in_any_order_end_with_the_newest_and_a_full_row_of_no_other(
    tmp_path_factory: pytest.TempPathFactory, rows: list[ChangeRow]
) -> None:
    asyncio.run(_play(tmp_path_factory.mktemp("store"), rows))


async def _play(folder: Path, rows: list[ChangeRow]) -> None:
    newest: dict[str, ChangeRow] = {}
    async with open_store(folder) as store:
        for one in rows:
            before = newest.get(one.id)
            if before is None or one.updated_at >= before.updated_at:
                newest[one.id] = one
            await _see(store, one)
        known = await store.pulls.known(sorted(newest))
        found = {one.id: one for one in await store.pulls.wanted(10)}
    for pull, one in newest.items():
        assert known[pull].updated_at == found[pull].updated_at == one.updated_at
        kept = found[pull].row
        stamps = [r.updated_at for r in rows if r.id == pull and isinstance(r, Row)]
        assert kept is None or kept in rows
        assert (kept is None) == (one.updated_at not in stamps)
        assert kept is None or kept.updated_at == one.updated_at


async def test_an_older_row_changes_nothing_but_that_it_was_seen(store: Store) -> None:
    await _see(store, row(1, at(5)), Why.CHANGED, walk=3)
    before = await store.pulls.wanted(5), await store.pulls.known([PULL])
    await _see(store, change(1, at(4), state="CLOSED", counts=totals(comments=9)), None, walk=4)
    assert (await store.pulls.wanted(5), await store.pulls.known([PULL])) == before
    assert await store.pulls.count_seen(4) == 1


async def test_a_newer_light_row_drops_the_full_row_of_the_stale_reading(store: Store) -> None:
    await _see(store, row(1, at(0)))
    await _see(store, change(1, at(1)), Why.CHANGED)
    (found,) = await store.pulls.wanted(5)
    assert (found.row, found.updated_at, found.why) == (None, at(1), Why.CHANGED)


async def test_an_older_full_row_never_stands_under_a_newer_stamp(store: Store) -> None:
    await _see(store, change(1, at(1)))
    await _see(store, row(1, at(0)))
    (found,) = await store.pulls.wanted(5)
    assert (found.row, found.updated_at) == (None, at(1))


async def test_a_fraction_of_a_second_is_newer_than_its_second(store: Store) -> None:
    await _see(store, change(1, at(0.4)))
    await _see(store, change(1, at(0), state="CLOSED"))
    assert (await store.pulls.known([PULL]))[PULL].updated_at == at(0.4)


async def test_a_full_row_comes_back_as_it_was_with_the_date_of_its_answer(store: Store) -> None:
    full = row(1, at(0.4), counts=totals(comments=None, labels=3), unreadable=("author",))
    await _see(store, full, date=at(77))
    (found,) = await store.pulls.wanted(5)
    assert (found.row, found.row_date) == (full, at(77))


async def test_the_ones_under_way_come_first_and_then_each_by_number(store: Store) -> None:
    for number in (30, 4, 200, 7):
        await _see(store, row(number))
    async with store.transaction():
        await store.frontier.add([item(pull="PR_200", owner="PR_200")])
    assert [one.number for one in await store.pulls.wanted(10)] == [200, 4, 7, 30]
    assert [one.number for one in await store.pulls.wanted(2)] == [200, 4]
    assert await store.pulls.count_wanted() == 4


async def test_a_reason_stands_until_the_pull_request_is_done(store: Store) -> None:
    await _see(store, row(1), Why.AUDIT)
    async with store.transaction():
        await store.pulls.want([PULL, "PR_unknown"], Why.RETRY)
    assert [one.why for one in await store.pulls.wanted(5)] == [Why.AUDIT]
    async with store.transaction():
        await store.pulls.done([PULL])
        await store.pulls.want([PULL], Why.RETRY)
    (found,) = await store.pulls.wanted(5)
    assert (found.why, found.row) == (Why.RETRY, None)


async def test_all_that_is_known_can_be_wanted_at_once(store: Store) -> None:
    await _see(store, row(1), Why.NEW)
    await _see(store, row(2), None)
    async with store.transaction():
        await store.pulls.want_all(Why.REQUESTED)
    assert [(o.number, o.why) for o in await store.pulls.wanted(5)] == [
        (1, Why.NEW),
        (2, Why.REQUESTED),
    ]
    assert await store.pulls.ids([2, 1, 99]) == {1: "PR_1", 2: "PR_2"}


async def test_what_is_known_tells_of_the_stored_record_and_of_its_evidence(store: Store) -> None:
    stored = sample(1).conversation
    await _see(store, change(1, stored.updated_at, state="MERGED"), None)
    await _stored(store)
    known = (await store.pulls.known([PULL, "PR_2"]))[PULL]
    assert (known.read, known.settled, known.state) == (stored.updated_at, True, "MERGED")
    assert known.totals == {Connection.COMMENTS: 1}
    assert set(await store.pulls.known(["PR_2"])) == set()


async def test_totals_of_a_thread_count_that_came_by_file_are_not_compared(store: Store) -> None:
    await _see(store, change(1), None)
    threads = proof(Connection.REVIEW_THREADS, total=4)
    commit = Commit(
        snapshot=sample(1),
        evidence=(proof(), replace(threads, read_at=None)),
        bucket=None,
        read_at=None,
        settled=True,
    )
    async with store.transaction():
        await store.conversations.commit([(commit, None)])
    assert (await store.pulls.known([PULL]))[PULL].totals == {Connection.COMMENTS: 1}


# Gone


async def test_what_a_full_walk_lacked_is_suspected_until_it_is_seen_again(store: Store) -> None:
    await _see(store, change(1), None, walk=1)
    await _see(store, change(2), None, walk=2)
    async with store.transaction():
        await store.pulls.suspect_unseen(2)
        await store.pulls.not_found(PULL)
        await store.pulls.suspect_unseen(2)
    (found,) = await store.pulls.vanished()
    assert (found.id, found.runs) == (PULL, 1)
    assert await store.pulls.count() == 1
    await _see(store, change(1), None)
    assert await store.pulls.vanished() == []
    assert await store.pulls.count() == 2


async def test_a_pull_request_that_is_removed_leaves_a_tombstone_and_nothing_else(
    store: Store,
) -> None:
    await _see(store, row(1))
    async with store.transaction():
        await store.frontier.add([item()])
        await store.ledger.queue(PULL, "reason", LATER)
        await store.pulls.remove(PULL, at(9))
    assert await store.pulls.known([PULL]) == {}
    assert (await store.frontier.of([PULL]))[PULL] == []
    assert await store.ledger.due(at(10**6)) == []
    (stone,) = await store.tombstones.every()
    assert (stone.id, stone.kind, stone.number, stone.gone_at) == (PULL, "pullRequest", 1, at(9))


async def test_unread_is_what_is_known_and_not_stored_and_behind_what_is_stored_and_wanted(
    store: Store,
) -> None:
    for number in (1, 2, 3):
        await _see(store, change(number, sample(number).conversation.updated_at), None)
    await _stored(store, 1)
    await _stored(store, 2)
    assert (await store.pulls.unread(), await store.pulls.behind()) == ((3,), ())
    await _see(store, change(2, LATER), Why.CHANGED)
    assert (await store.pulls.unread(), await store.pulls.behind()) == ((3,), (2,))


async def test_what_is_known_tells_what_the_newest_row_claims(store: Store) -> None:
    await _see(store, row(1, counts=totals(comments=4)))
    await _see(store, change(1, counts=totals(comments=1, labels=None)))
    await _see(store, change(1, at(-1), counts=totals(comments=9)))
    known = (await store.pulls.known([PULL]))[PULL]
    assert known.claims == by_connection(totals(comments=1, labels=None))


# What was read too soon


@pytest.mark.parametrize(
    ("settled", "queued", "before", "expected"),
    [
        pytest.param(False, False, LATER, [1], id="no walk will meet it again"),
        pytest.param(False, False, START, [], id="the next walk meets it"),
        pytest.param(True, False, LATER, [], id="settled"),
        pytest.param(False, True, LATER, [], id="waits in the queue"),
    ],
)
async def test_what_was_read_too_soon_is_wanted_where_no_walk_will_meet_it_again(
    settled: bool, queued: bool, before: datetime, expected: list[int], store: Store
) -> None:
    await _see(store, change(1, at(1)), None)
    snapshot = sample(1)
    late = replace(snapshot, conversation=replace(snapshot.conversation, updated_at=at(1)))
    commit = Commit(snapshot=late, evidence=(proof(),), bucket=None, read_at=at(2), settled=settled)
    async with store.transaction():
        await store.conversations.commit([(commit, None)])
        if queued:
            await store.ledger.queue(PULL, "cut", LATER)
        await store.pulls.want_unsettled(before)
    assert [(one.number) for one in await store.pulls.wanted(5)] == expected
