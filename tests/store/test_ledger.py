"""What runs leave behind: a queue that grows patient, positions, records; and single values."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.census.walk import incremental_walk
from syncer.errors import DamagedError
from syncer.repository import Release, Repository, Shaping
from syncer.store import Discrepancy, SinkState, Store, meta
from syncer.store.ledger import delay_of
from tests.unit.making import LATER, PULL, START, at, change

HOUR, WEEK = timedelta(hours=1), timedelta(days=7)


def test_unfinished_work_rests_an_hour_then_twice_as_long_up_to_seven_days() -> None:
    hours = [delay_of(tries) / HOUR for tries in range(1, 11)]
    assert hours == [1, 2, 4, 8, 16, 32, 64, 128, 168, 168]


@given(st.integers(1, 10**6))
def test_a_rest_never_shrinks_and_never_passes_a_week(tries: int) -> None:
    assert HOUR <= delay_of(tries) <= delay_of(tries + 1) <= WEEK


async def _known(store: Store, *numbers: int) -> None:
    async with store.transaction():
        await store.pulls.see([(change(number), None) for number in numbers], LATER, 0)


async def test_a_repeated_failure_waits_longer_and_keeps_since_when(store: Store) -> None:
    await _known(store, 1)
    for tries, now in enumerate((at(0), at(5000), at(20_000)), 1):
        async with store.transaction():
            await store.ledger.queue(PULL, f"reason {tries}", now)
        (found,) = await store.ledger.queued()
        assert (found.tries, found.since, found.reason) == (tries, START, f"reason {tries}")
        assert found.next_try == now + delay_of(tries)


async def test_what_is_queued_is_due_from_its_next_try_on(store: Store) -> None:
    async with store.transaction():
        await store.ledger.queue(PULL, "cut", START)
    assert await store.ledger.due(at(3599.6)) == []
    assert await store.ledger.due(at(3600)) == [PULL]
    assert await store.ledger.due(at(10**7)) == [PULL]


async def test_what_was_finished_leaves_the_queue_and_starts_afresh_when_it_fails_again(
    store: Store,
) -> None:
    await _known(store, 1)
    for _ in range(3):
        async with store.transaction():
            await store.ledger.queue(PULL, "cut", START)
    async with store.transaction():
        await store.ledger.unqueue([PULL, "PR_none"])
        assert await store.ledger.queued() == []
        await store.ledger.queue(PULL, "cut", LATER)
    (found,) = await store.ledger.queued()
    assert (found.tries, found.since) == (1, LATER)


async def test_the_queue_is_told_by_number(store: Store) -> None:
    await _known(store, 30, 4, 200)
    for number in (200, 30, 4):
        async with store.transaction():
            await store.ledger.queue(f"PR_{number}", "cut", START)
    assert [one.number for one in await store.ledger.queued()] == [4, 30, 200]


async def test_a_sink_stands_where_it_was_last_and_a_new_one_before_everything(
    store: Store,
) -> None:
    assert await store.ledger.sink("corpus") == SinkState(0, None)
    for state in (SinkState(5, "a"), SinkState(3, None)):
        async with store.transaction():
            await store.ledger.move_sink("corpus", state)
        assert await store.ledger.sink("corpus") == state
    assert await store.ledger.sink("jsonl") == SinkState(0, None)


async def test_runs_are_told_newest_first_and_a_killed_one_has_no_end(store: Store) -> None:
    first = await store.ledger.begin_run(START)
    async with store.transaction():
        await store.ledger.end_run(first, LATER, 3, b"{}")
    second = await store.ledger.begin_run(LATER)
    newest, oldest = await store.ledger.runs(5)
    assert (newest.id, newest.ended_at, newest.exit, newest.summary) == (second, None, None, None)
    assert (oldest.id, oldest.started_at, oldest.ended_at) == (first, START, LATER)
    assert (oldest.exit, oldest.summary) == (3, b"{}")
    assert await store.ledger.runs(1) == [newest]


# Single values

_REPOSITORY = Repository(id="R_1", name="o/r", current_name="o/new", web_url="https://x.test")
_RELEASE = Release(id="RE_1", tag_name="v1", published_at=None, is_draft=True, is_prerelease=False)
VALUES = [
    (meta.REPOSITORY, _REPOSITORY),
    (meta.RELEASES, (_RELEASE,)),
    (meta.RELEASES, ()),
    (meta.SHAPING, Shaping(prereleases=False)),
    (meta.WATERMARK, at(0.4)),
    (meta.TOTAL, 0),
    (meta.WALK, incremental_walk(3, LATER, at(0.4))),
    (meta.WALKS, 7),
    (meta.PLACED_BY, ""),
    (meta.DISCREPANCY, Discrepancy(5, 4, None)),
]


@pytest.mark.parametrize(("key", "value"), VALUES, ids=range(len(VALUES)))
async def test_a_value_comes_back_as_it_was_and_none_takes_it_out(key, value, store: Store) -> None:
    assert await store.meta.get(key) is None
    async with store.transaction():
        await store.meta.put(key, value)
    assert await store.meta.get(key) == value
    async with store.transaction():
        await store.meta.put(key, None)
    assert await store.meta.get(key) is None


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b'"text"', b'{"id": "R_1"}', b"\xff"],
    ids=["empty", "cut", "text", "without a field", "no text"],
)
async def test_a_value_of_another_shape_is_damage_and_named(data: bytes, store: Store) -> None:
    async with store.transaction():
        await store._database.run("INSERT INTO meta VALUES ('repository', ?)", (data,))
    with pytest.raises(DamagedError, match="repository"):
        await store.meta.get(meta.REPOSITORY)


async def test_text_that_is_no_utf_8_is_damage_as_well(store: Store) -> None:
    async with store.transaction():
        await store._database.run("INSERT INTO meta VALUES ('placedBy', ?)", (b'"\xff"',))
    with pytest.raises(DamagedError, match="placedBy"):
        await store.meta.get(meta.PLACED_BY)
