"""Answers into the store: a page with its cursor in one transaction, a conversation in another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from syncer.assemble import Assembled, assemble, children, is_part, replaces
from syncer.board import MAX_STARTS, Board, Reading
from syncer.census import Why, is_settled
from syncer.corpus.timeline import Timeline
from syncer.evidence import Connection, Evidence, Status
from syncer.frontier import Item, Limits, halves
from syncer.github.answers import BatchAnswer, Fault, PageRead, Row
from syncer.judgement import Again, cut, judge, restarted
from syncer.records import Thread, resolution_event
from syncer.shelf import Commit, Shelf
from syncer.staged import Staged, StagedPage, staged_page
from syncer.turns import (
    GiveUp,
    Last,
    Missing,
    Next,
    Restart,
    Retry,
    Smaller,
    StartOver,
    after_fault,
    after_page,
)

__all__ = ["Ingest"]


class Ingest:
    """Takes the answers of one wave. What it stores is whole after every call."""

    def __init__(self, board: Board, store: Shelf, timeline: Timeline, margin_s: float) -> None:
        self._board = board
        self._store = store
        self._timeline = timeline
        self._margin_s = margin_s
        self.stored = 0  # readings that ended, in this wave

    async def answer(self, items: Iterable[Item], answer: BatchAnswer, limits: Limits) -> None:
        """Take a whole answer, then store every conversation that it completes."""
        by_key = {(item.owner, item.name): item for item in items if self._board.alive(item)}
        async with self._store.transaction():
            for row in answer.rows:
                await self._row(by_key.get((row.id, Connection.PULL_REQUEST)), row, answer.date)
            for page in answer.pages:
                await self._page(by_key.get((page.owner, page.name)), page, answer.date)
            heavy = [
                item
                for fault in answer.faults
                if (item := by_key.get((fault.owner, fault.name)))
                and self._board.alive(item)
                and await self._fault(item, fault, answer.date)
            ]
            await self._smaller(heavy, limits, answer.date)
        await self.finish()

    async def too_heavy(self, items: Sequence[Item], limits: Limits, at: datetime) -> None:
        """Take the failure of a whole request: smaller ones instead, or the end of its one item."""
        async with self._store.transaction():
            await self._smaller(items, limits, at)
        await self.finish()

    async def cursor_refused(self, items: Sequence[Item], at: datetime) -> None:
        """Take a refusal of nobody knows whose cursor: each item asks alone, or restarts."""
        alive = [item for item in items if self._board.alive(item)]
        if len(alive) > 1:
            self._board.forced.extend([item] for item in alive)
            return
        fault = [Fault(owner=i.owner, name=i.name, reason="cursor_refused") for i in alive]
        async with self._store.transaction():
            for item, one in zip(alive, fault, strict=True):
                await self._fault(item, one, at)
        await self.finish()

    async def finish(self) -> None:
        """Store every reading of which nothing is open any more."""
        while self._board.finished:
            finished, self._board.finished = self._board.finished, []
            async with self._store.transaction():
                for reading in finished:
                    row, date = reading.row, reading.row_date
                    if reading.open or row is None or date is None:
                        continue  # it started over while it waited here
                    if self._board.readings.get(reading.id) is reading:
                        await self._assemble(reading, row, date)

    def _reading(self, item: Item | None) -> Reading | None:
        """The reading that an item belongs to; None when it has started over meanwhile."""
        if item is None or not self._board.alive(item):
            return None
        return self._board.readings[item.pull]

    async def _page(self, item: Item | None, page: PageRead, at: datetime) -> None:
        reading = self._reading(item)
        if item is None or reading is None or reading.row is None:
            return
        match after_page(item, page, reading.row.updated_at):
            case StartOver():
                await self._start_over(reading, at)
            case Next(after):
                await self._stage(reading, after, page)
                self._board.again(after)
            case Last(after):
                await self._stage(reading, after, page)
                await self._end(reading, after, page, at)
            case GiveUp(after, reason):
                await self._stage(reading, after, page)
                await self._cut(reading, after, reason, at)

    async def _stage(self, reading: Reading, item: Item, page: PageRead) -> None:
        await self._store.frontier.stage([(item, page)])
        if page.name is Connection.REVIEW_THREADS:
            threads = [node for node in page.nodes if isinstance(node, Thread)]
            below = children(reading.id, threads, page.child_totals)
            await self._store.frontier.add(self._board.open_children(reading, below))

    async def _end(self, reading: Reading, item: Item, page: PageRead, at: datetime) -> None:
        pages = await self._pages(item) if item.pages > 1 else (staged_page(page),)
        match judge(item, pages, page.end_cursor, at):
            case Again(again):
                await self._store.frontier.restart([again])
                self._board.again(again)
            case Evidence() as evidence:
                await self._store.frontier.end([(item, evidence)])
                self._board.close(reading, item)

    async def _pages(self, item: Item) -> tuple[StagedPage, ...]:
        found = await self._store.frontier.of(item.pull)
        return next((one.pages for one in found if one.item.key == item.key), ())

    async def _cut(self, reading: Reading, item: Item, reason: str, at: datetime) -> None:
        if item.name is Connection.PULL_REQUEST:
            await self._give_up(reading, reason, at)
            return
        evidence = cut(item, await self._pages(item), reason, at)
        await self._store.frontier.end([(item, evidence)])
        self._board.close(reading, item)

    async def _start_over(self, reading: Reading, at: datetime) -> None:
        if reading.starts >= MAX_STARTS:
            for one in await self._store.frontier.of(reading.id):
                if one.evidence is None:
                    await self._cut(reading, one.item, "mutated", at)
            return
        await self._store.frontier.drop([reading.id])
        await self._store.pulls.forget_rows([reading.id])
        self._board.start_over(reading)

    async def _row(self, item: Item | None, row: Row, at: datetime) -> None:
        reading = self._reading(item)
        if item is None or reading is None:
            return
        if row.updated_at < reading.known:  # a replica that lags behind what was seen already
            fault = Fault(owner=row.id, name=item.name, reason="stale", transient=True)
            await self._fault(item, fault, at)
            return
        reading.known, reading.row, reading.row_date = row.updated_at, row, at
        await self._store.pulls.see([(row, Why.CHANGED)], at, 0)
        reading.open.discard((item.owner, item.name))
        items = self._board.expect(reading, row)
        await self._store.frontier.add(items)

    async def _fault(self, item: Item, fault: Fault, at: datetime) -> bool:
        """Act on a fault; True when the item must be asked for in smaller requests."""
        reading = self._board.readings[item.pull]
        match after_fault(item, fault):
            case Retry(again):
                self._board.again(again)
            case Restart(again):
                await self._store.frontier.restart([again])
                self._board.again(again)
            case StartOver():
                await self._start_over(reading, at)
            case Missing():
                await self._give_up(reading, "not_found", at)
            case GiveUp(_, reason):
                await self._cut(reading, item, reason, at)
            case Smaller():
                return True
        return False

    async def _smaller(self, items: Sequence[Item], limits: Limits, at: datetime) -> None:
        alive = [item for item in items if self._board.alive(item)]
        if not alive:
            return
        found = halves(alive, limits)
        if found is not None:
            self._board.forced.extend(found)
            return
        (item,) = alive
        await self._cut(self._board.readings[item.pull], item, "too_heavy", at)

    async def _give_up(self, reading: Reading, reason: str, at: datetime) -> None:
        """Leave a pull request of which not even the row could be read."""
        await self._store.frontier.drop([reading.id])
        await self._store.ledger.queue(reading.id, reason, at)
        await self._store.pulls.done([reading.id])
        self._board.forget(reading)

    async def _assemble(self, reading: Reading, row: Row, row_date: datetime) -> None:
        staged = await self._store.frontier.of(reading.id)
        assembled = assemble(row, row_date, staged)
        if _has_orphans(assembled) and not reading.doubted:
            await self._doubt(reading, staged)
            return
        await self._settle(reading, assembled, row_date)
        self._board.forget(reading)
        self.stored += 1

    async def _doubt(self, reading: Reading, staged: Iterable[Staged]) -> None:
        """Read reviews and threads a second time before the witness is believed."""
        reading.doubted = True
        involved = {Connection.REVIEWS, Connection.REVIEW_THREADS, Connection.THREAD_COMMENTS}
        again = [restarted(one.item) for one in staged if one.item.name in involved]
        await self._store.frontier.restart(again)
        self._board.reopen(reading, again)

    async def _settle(self, reading: Reading, assembled: Assembled, read_at: datetime) -> None:
        """Store a finished reading, or leave a fuller stored one in place and queue the rest."""
        stored = await self._store.conversations.stored(reading.id)
        if stored is None or replaces(assembled.evidence, stored.evidence):
            conversation = assembled.snapshot.conversation
            event = resolution_event(
                conversation.state, conversation.merged_at, conversation.closed_at
            )
            commit = Commit(
                snapshot=assembled.snapshot,
                evidence=assembled.evidence,
                bucket=self._timeline.bucket(event),
                read_at=read_at,
                settled=is_settled(read_at, conversation.updated_at, self._margin_s),
            )
            await self._store.conversations.commit(commit, stored)
        if is_part(assembled.evidence):
            await self._store.ledger.queue(reading.id, _reason(assembled.evidence), read_at)
        else:
            await self._store.ledger.unqueue([reading.id])
        await self._store.frontier.drop([reading.id])
        await self._store.pulls.done([reading.id])


def _has_orphans(assembled: Assembled) -> bool:
    return any((one.reason or "").startswith("orphan") for one in assembled.evidence)


def _reason(evidence: Iterable[Evidence]) -> str:
    return next(
        (
            f"{one.name}: {one.reason or one.status}"
            for one in evidence
            if one.status in (Status.CUT, Status.UNKNOWN)
        ),
        "",
    )
