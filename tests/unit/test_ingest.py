"""Answers into a store, played by hand: every order of answers ends in a whole conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from syncer.corpus.timeline import Timeline
from syncer.evidence import Connection, Status
from syncer.github.answers import BatchAnswer, Fault, PageRead, Row
from syncer.reading.board import Board
from syncer.reading.frontier import Item, Limits
from syncer.reading.ingest import Ingest
from syncer.repository import Shaping
from syncer.store import Store, open_store
from tests.unit.making import (
    LATER,
    PULL,
    batch,
    page,
    review,
    row,
    thread,
    thread_comment,
    totals,
    wanted,
)

LIMITS = Limits()
THREADS = Connection.REVIEW_THREADS
BELOW = Connection.THREAD_COMMENTS


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


class Desk:
    """One wave without a network: `ask` gives what would be asked next, `tell` takes an answer."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.board = Board(LIMITS)
        self.ingest = Ingest(self.board, store, Timeline((), Shaping()), 60.0)

    async def begin(self, *rows: Row) -> None:
        async with self.store.transaction():
            for full in rows:
                one = wanted(full)
                await self.store.pulls.see([(full, one.why)], LATER, 1)
                staged = (await self.store.frontier.of([full.id]))[full.id]
                await self.store.frontier.add(self.board.begin(one, staged))
        await self.ingest.finish()

    def ask(self) -> list[Item]:
        if self.board.forced:
            return self.board.forced.popleft()
        return self.board.ready.take(LIMITS)

    async def tell(self, items: Iterable[Item], answer: BatchAnswer) -> None:
        await self.ingest.answer(items, answer, LIMITS)

    async def pages(self, *pages: PageRead) -> list[Item]:
        """Answer what is due with those of `pages` that it asks for, in the order given."""
        items = self.ask()
        asked = {(one.owner, one.name) for one in items}
        assert {(one.owner, one.name) for one in pages} == asked
        await self.tell(items, batch(pages=pages))
        return items

    async def statuses(self) -> dict[tuple[str, Connection], tuple[Status, str | None]]:
        stored = (await self.store.conversations.stored([PULL])).get(PULL)
        assert stored is not None
        return {(e.owner, e.name): (e.status, e.reason) for e in stored.evidence}


async def test_threads_that_are_read_twice_have_their_comments_read_once(store: Store) -> None:
    desk = Desk(store)
    await desk.begin(row(counts=totals(threads=2)))
    threads = page([thread()], THREADS, total=2, unreadable=1, children={"PRRT_1": 1})
    below = page([thread_comment()], BELOW, owner="PRRT_1")

    await desk.pages(threads)
    await desk.pages(below, threads)

    assert desk.ask() == []
    found = await desk.statuses()
    assert found[PULL, THREADS] == (Status.SHORT, "unreadable: 1")
    assert found["PRRT_1", BELOW] == (Status.EXHAUSTED, None)


@pytest.mark.parametrize("order", ["threads first", "comments first"])
async def test_a_witness_that_fails_twice_is_believed(order: str, store: Store) -> None:
    desk = Desk(store)
    await desk.begin(row(counts=totals(reviews=1, threads=1)))
    reviews = page([review()], Connection.REVIEWS, children={"PRR_1": 2})
    threads = page([thread()], THREADS, children={"PRRT_1": 1})
    below = page([thread_comment()], BELOW, owner="PRRT_1")

    await desk.pages(reviews, threads)
    await desk.pages(below)
    again = [reviews, threads, below] if order == "threads first" else [below, reviews, threads]
    await desk.pages(*again)

    assert desk.ask() == []
    assert (await desk.statuses())[PULL, THREADS] == (Status.SHORT, "orphan comments: 1")


async def test_a_heavy_part_of_a_pull_request_that_is_not_found_is_forgotten_with_it(
    store: Store,
) -> None:
    desk = Desk(store)
    await desk.begin(row(counts=totals(comments=1, labels=1)))
    items = desk.ask()
    faults = [
        Fault(owner=PULL, name=Connection.COMMENTS, reason="too_heavy"),
        Fault(owner=PULL, name=Connection.LABELS, reason="not_found"),
    ]

    await desk.tell(items, batch(faults=faults))

    assert desk.ask() == []
    assert [one.reason for one in await store.ledger.queued()] == ["not_found"]
