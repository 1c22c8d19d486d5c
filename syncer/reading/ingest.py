"""Answers into the store: a page with its cursor in one transaction, a conversation in another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from syncer.census.known import Why, is_settled
from syncer.corpus.timeline import Timeline
from syncer.evidence import Connection, Evidence, Status
from syncer.github.answers import BatchAnswer, Fault, PageRead, Row
from syncer.reading.assemble import Assembled, assemble, children, is_part, replaces
from syncer.reading.board import MAX_STARTS, Board, Reading
from syncer.reading.frontier import Item, Limits, halves
from syncer.reading.judgement import Again, cut, judge, restarted
from syncer.reading.shelf import Commit, Shelf, Stored
from syncer.reading.staged import Staged, StagedPage, staged_page
from syncer.reading.turns import (
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
from syncer.records import Thread, resolution_event

__all__ = ["Ingest"]


_TOGETHER = 100
"""Readings stored in one transaction: enough to amortise it, few enough to hold in memory."""


class _Turn:
    """What the common pages of one answer bring, to be stored in as few statements as can be."""

    def __init__(self) -> None:
        self.rows: dict[datetime, list[Row]] = {}
        self.added: list[Item] = []
        self.staged: list[tuple[Item, PageRead]] = []
        self.ended: list[tuple[Item, Evidence]] = []


class Ingest:
    """Takes the answers of one wave. What it stores is whole after every call."""

    def __init__(self, board: Board, store: Shelf, timeline: Timeline, margin_s: float) -> None:
        self._board = board
        self._store = store
        self._timeline = timeline
        self._margin_s = margin_s
        self._turn = _Turn()
        self.stored = 0  # readings that ended, in this wave
        self.lost = 0  # connections given up because no request was small enough for them

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
            await self._flush()
        await self.finish()

    async def too_heavy(self, items: Sequence[Item], limits: Limits, at: datetime) -> None:
        """Take the failure of a whole request: smaller ones instead, or the end of its one item."""
        async with self._store.transaction():
            await self._smaller(items, limits, at)
            await self._flush()
        await self.finish()

    async def unanswered(self, items: Sequence[Item], limits: Limits, at: datetime) -> None:
        """Take the failure of a request that fewer ids may cure, but no smaller page."""
        alive = [item for item in items if self._board.alive(item)]
        if len(alive) != 1:
            await self.too_heavy(alive, limits, at)
            return
        async with self._store.transaction():
            await self._lose(alive[0], "unanswered", at)
            await self._flush()
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
            await self._flush()
        await self.finish()

    async def finish(self) -> None:
        """Store every reading of which nothing is open any more."""
        while self._board.finished:
            finished, self._board.finished = self._board.finished, []
            for start in range(0, len(finished), _TOGETHER):
                chosen = [one for one in finished[start : start + _TOGETHER] if self._is_over(one)]
                async with self._store.transaction():
                    await self._settle(chosen)

    def _is_over(self, reading: Reading) -> bool:
        """Whether a reading has ended, and has not started over while it waited to be stored."""
        return not reading.open and self._board.readings.get(reading.id) is reading

    async def _flush(self) -> None:
        """Store what common pages brought, before anything that undoes or looks at it."""
        turn, self._turn = self._turn, _Turn()
        for at, rows in turn.rows.items():
            await self._store.pulls.see([(row, Why.CHANGED) for row in rows], at, 0)
        await self._store.frontier.add(turn.added)
        await self._store.frontier.stage(turn.staged)
        await self._store.frontier.end(turn.ended)

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
                self._stage(reading, after, page)
                self._board.again(after)
            case Last(after):
                self._stage(reading, after, page)
                await self._end(reading, after, page, at)
            case GiveUp(after, reason):
                self._stage(reading, after, page)
                await self._cut(reading, after, reason, at)

    def _stage(self, reading: Reading, item: Item, page: PageRead) -> None:
        self._turn.staged.append((item, page))
        if page.name is Connection.REVIEW_THREADS:
            threads = [node for node in page.nodes if isinstance(node, Thread)]
            below = children(reading.id, threads, page.child_totals)
            self._turn.added += self._board.open_children(reading, below)

    async def _end(self, reading: Reading, item: Item, page: PageRead, at: datetime) -> None:
        pages = await self._pages(item) if item.pages > 1 else (staged_page(page),)
        match judge(item, pages, page.end_cursor, at):
            case Again(again):
                await self._restart(again)
            case Evidence() as evidence:
                self._turn.ended.append((item, evidence))
                self._board.close(reading, item)

    async def _restart(self, item: Item) -> None:
        await self._flush()
        await self._store.frontier.restart([item])
        self._board.again(item)

    async def _pages(self, item: Item) -> tuple[StagedPage, ...]:
        found = await self._staged(item.pull)
        return next((one.pages for one in found if one.item.key == item.key), ())

    async def _staged(self, pull: str) -> list[Staged]:
        await self._flush()
        return (await self._store.frontier.of([pull]))[pull]

    async def _cut(self, reading: Reading, item: Item, reason: str, at: datetime) -> None:
        if item.name is Connection.PULL_REQUEST:
            await self._give_up(reading, reason, at)
            return
        evidence = cut(item, await self._pages(item), reason, at)
        self._turn.ended.append((item, evidence))
        self._board.close(reading, item)

    async def _start_over(self, reading: Reading, at: datetime) -> None:
        if reading.starts >= MAX_STARTS:
            for one in await self._staged(reading.id):
                if one.evidence is None:
                    await self._cut(reading, one.item, "mutated", at)
            return
        await self._flush()
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
        self._turn.rows.setdefault(at, []).append(row)
        reading.open.discard((item.owner, item.name))
        self._turn.added += self._board.expect(reading, row)

    async def _fault(self, item: Item, fault: Fault, at: datetime) -> bool:
        """Act on a fault; True when the item must be asked for in smaller requests."""
        reading = self._board.readings[item.pull]
        match after_fault(item, fault):
            case Retry(again):
                self._board.again(again)
            case Restart(again):
                await self._restart(again)
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
            # One goes down to its smallest before the next begins: what fails is then known soon,
            # and what does not has soon been read.
            self._board.forced.extendleft(reversed(found))
            return
        (item,) = alive
        await self._lose(item, "too_heavy", at)

    async def _lose(self, item: Item, reason: str, at: datetime) -> None:
        self.lost += 1
        await self._cut(self._board.readings[item.pull], item, reason, at)

    async def _give_up(self, reading: Reading, reason: str, at: datetime) -> None:
        """Leave a pull request of which not even the row could be read."""
        await self._flush()
        await self._store.frontier.drop([reading.id])
        await self._store.ledger.queue(reading.id, reason, at)
        await self._store.pulls.done([reading.id])
        self._board.forget(reading)

    async def _settle(self, readings: Sequence[Reading]) -> None:
        """Store finished readings, or leave a fuller stored one in place; queue what is lacking."""
        ids = [reading.id for reading in readings]
        staged = await self._store.frontier.of(ids)
        stored = await self._store.conversations.stored(ids)
        commits: list[tuple[Commit, Stored | None]] = []
        done: list[str] = []
        whole: list[str] = []
        for reading in readings:
            row, read_at = reading.row, reading.row_date
            if row is None or read_at is None:
                continue
            assembled = assemble(row, read_at, staged[reading.id])
            if _has_orphans(assembled) and not reading.doubted:
                await self._doubt(reading, staged[reading.id])
                continue
            before = stored.get(reading.id)
            if before is None or replaces(assembled.evidence, before.evidence):
                commits.append((self._commit(assembled, read_at), before))
            if is_part(assembled.evidence):
                reason = _reason(assembled.evidence)
                await self._store.ledger.queue(reading.id, reason, read_at)
            else:
                whole.append(reading.id)
            done.append(reading.id)
            self._board.forget(reading)
        await self._store.conversations.commit(commits)
        await self._store.ledger.unqueue(whole)
        await self._store.frontier.drop(done)
        await self._store.pulls.done(done)
        self.stored += len(done)

    def _commit(self, assembled: Assembled, read_at: datetime) -> Commit:
        conversation = assembled.snapshot.conversation
        event = resolution_event(conversation.state, conversation.merged_at, conversation.closed_at)
        return Commit(
            snapshot=assembled.snapshot,
            evidence=assembled.evidence,
            bucket=self._timeline.bucket(event),
            read_at=read_at,
            settled=is_settled(read_at, conversation.updated_at, self._margin_s),
        )

    async def _doubt(self, reading: Reading, staged: Iterable[Staged]) -> None:
        """Read reviews and threads a second time before the witness is believed."""
        reading.doubted = True
        involved = {Connection.REVIEWS, Connection.REVIEW_THREADS, Connection.THREAD_COMMENTS}
        again = [restarted(one.item) for one in staged if one.item.name in involved]
        await self._store.frontier.restart(again)
        self._board.reopen(reading, again)


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
