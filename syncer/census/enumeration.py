"""Enumerating a repository: its releases and its pull requests, with the proof of completeness.

What a listing says is stored page by page together with the walk's place, so that a killed walk
goes on where it stood. A listing that fails, or looks empty, removes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec import Struct

from syncer.census.known import Why, voids, why
from syncer.census.walk import Closed, Moving, Walk, advance, full_walk, incremental_walk
from syncer.errors import AskError, CursorRefusedError, TooHeavyError, TransientError
from syncer.evidence import Connection
from syncer.github.answers import Answer, ChangeRow, Listing, Opening, Part
from syncer.repository import Release
from syncer.settings import Settings
from syncer.source import Source
from syncer.store import Discrepancy, Store, meta

__all__ = ["Enumeration", "Trouble", "describe"]

A = TypeVar("A", bound=Answer)
T = TypeVar("T")
_ONE_DAY = timedelta(days=1)
_MAX_EMPTY = 3
"""Pages in a row without a row, or a new release, after which a listing counts as endless."""
_MAX_FULL_WALKS = 3
"""Full walks a run makes for the sake of a count before it calls the repository moving."""


class Trouble(Struct, frozen=True):
    """Why the enumeration of `connection` (`releases`, `pullRequests`) proves less than all."""

    connection: str
    reason: str


class Enumeration:
    """One run's census over one repository."""

    def __init__(self, source: Source, store: Store, settings: Settings, opening: Opening) -> None:
        self._source = source
        self._store = store
        self._settings = settings
        self._opening = opening
        self._id = opening.repository_id
        self._page = settings.page
        self._full_walks = 0
        self.date = opening.date  # the server's clock at the newest answer
        self.troubles: list[Trouble] = []

    async def releases(self) -> tuple[Release, ...]:
        """All releases, read to the end, or the stored ones where that fails (and is named)."""
        page = self._opening.releases
        found = {release.id: release for release in page.items}
        unreadable = page.unreadable
        empty = 0
        try:
            while page.has_next_page:
                known = len(found)
                page = self._dated(await self._source.releases(self._id, _moved(page)))
                found |= {release.id: release for release in page.items}
                unreadable += page.unreadable
                empty = 0 if len(found) > known else empty + 1
                _refuse_endless(endless=empty > _MAX_EMPTY)
        except AskError as error:
            return await self._stored_releases(str(error))
        if unreadable or len(found) != page.total_count:
            return await self._stored_releases(f"claimed {page.total_count}, read {len(found)}")
        releases = tuple(sorted(found.values(), key=lambda release: release.id))
        async with self._store.transaction():
            await self._store.meta.put(meta.RELEASES, releases)
        return releases

    async def _stored_releases(self, reason: str) -> tuple[Release, ...]:
        self.troubles.append(Trouble("releases", reason))
        return await self._store.meta.get(meta.RELEASES) or ()

    async def pull_requests(self) -> None:
        """Walk to the end; the watermark moves when the walk is closed.

        Everything the walk met is known to the store by then, and wanted where it changed.
        """
        try:
            closed = await self._walked()
            if closed is not None and (since := await self._since_then()) is not None:
                closed = await self._walk(since)
            if closed is not None:
                await self._check_vanished()
        except AskError as error:
            self.troubles.append(Trouble("pullRequests", str(error)))

    async def _walked(self) -> Closed | None:
        """A walk to its end; from its first page again where its cursor is refused once."""
        try:
            return await self._walk(await self._under_way())
        except CursorRefusedError:
            await self._give_up_walk()
        try:
            return await self._walk(await self._under_way())
        except CursorRefusedError:
            await self._give_up_walk()
            raise

    async def _since_then(self) -> Walk | None:
        """After a walk that an earlier run began: one over what changed since; None after our own.

        The first page of it came with the opening.
        """
        watermark = await self._store.meta.get(meta.WATERMARK)
        if watermark is None or self._date_of(watermark) >= self._opening.date:
            return None
        walk_id = await self._store.meta.get(meta.WALKS) or 0
        return incremental_walk(walk_id, self._opening.date, watermark)

    def _date_of(self, watermark: datetime) -> datetime:
        """The first answer of the walk that set `watermark`."""
        return watermark + timedelta(seconds=self._settings.margin_s)

    async def _give_up_walk(self) -> None:
        """Let the next walk begin anew; the watermark stays where it was."""
        async with self._store.transaction():
            await self._store.meta.put(meta.WALK, None)

    async def _under_way(self) -> Walk:
        """The walk that a killed run left, or a new one."""
        found = await self._store.meta.get(meta.WALK)
        if found is not None and not (self._settings.full and found.kind == "incremental"):
            return found
        watermark = await self._store.meta.get(meta.WATERMARK)
        if watermark is None or self._settings.full:
            return await self._full()
        walk_id = await self._store.meta.get(meta.WALKS) or 0
        return incremental_walk(walk_id, self._opening.date, watermark)

    async def _full(self) -> Walk:
        self._full_walks += 1
        walk_id = (await self._store.meta.get(meta.WALKS) or 0) + 1
        return full_walk(walk_id, self.date)

    async def _walk(self, walk: Walk) -> Closed | None:
        """Follow `walk` and, where its count does not add up, a full one; None: nothing proven.

        A difference that a full walk meets again is believed, named, and left alone for a day.
        """
        end = await self._follow(walk)
        if isinstance(end, Moving):
            self.troubles.append(Trouble("pullRequests", "moving"))
            await self._give_up_walk()
            return None
        missing = await self._missing(walk, end)
        if not missing:
            await self._close(walk, end, None)
            return end
        known = end.total_count - missing
        found = await self._store.meta.get(meta.DISCREPANCY)
        if found is not None and found.claimed - found.known == missing:
            at = self.date if walk.kind == "full" else found.confirmed_at
            if at is not None and self.date - at < _ONE_DAY:
                await self._close(walk, end, Discrepancy(end.total_count, known, at))
                return end
        return await self._walk_again(Discrepancy(end.total_count, known, None))

    async def _walk_again(self, unconfirmed: Discrepancy) -> Closed | None:
        if self._full_walks >= _MAX_FULL_WALKS:
            self.troubles.append(Trouble("pullRequests", "moving"))
            await self._give_up_walk()
            return None
        async with self._store.transaction():
            await self._store.meta.put(meta.DISCREPANCY, unconfirmed)
        return await self._walk(await self._full())

    async def _missing(self, walk: Walk, end: Closed) -> int:
        """How many more rows GitHub claims than could be read; negative where it claims fewer."""
        if walk.kind == "full":
            return end.total_count - await self._store.pulls.count_seen(walk.id)
        missing = end.total_count - await self._store.pulls.count()
        # A known row that came as null may have changed, however well the count adds up.
        return max(missing, end.unreadable) if end.unreadable else missing

    async def _close(self, walk: Walk, end: Closed, discrepancy: Discrepancy | None) -> None:
        watermark = walk.first_date - timedelta(seconds=self._settings.margin_s)
        async with self._store.transaction():
            if walk.kind == "full" and discrepancy is None:
                await self._store.pulls.suspect_unseen(walk.id)
            elif walk.kind == "full":
                await self._store.pulls.want_unseen(walk.id, Why.TOTALS)
            await self._store.meta.put(meta.WATERMARK, watermark)
            await self._store.meta.put(meta.TOTAL, end.total_count)
            await self._store.meta.put(meta.DISCREPANCY, discrepancy)
            await self._store.meta.put(meta.WALK, None)

    async def _follow(self, walk: Walk) -> Closed | Moving:
        empty = 0
        while True:
            page = await self._listing(walk)
            empty = 0 if page.items else empty + 1
            too_many = walk.pages > page.total_count + _MAX_EMPTY
            _refuse_endless(endless=empty > _MAX_EMPTY or too_many)
            step = advance(walk, page)
            following = step if isinstance(step, Walk) else walk
            await self._see(page, walk, following)
            if not isinstance(step, Walk):
                return step
            walk = step

    async def _listing(self, walk: Walk) -> Listing[ChangeRow]:
        fresh = walk.kind == "incremental" and walk.passes == 1 and walk.pages == 0
        if fresh and walk.cursor is None and walk.first_date == self._opening.date:
            return self._opening.changes
        while True:
            try:
                return self._dated(_checked(await self._ask(walk), walk.cursor))
            except TooHeavyError:
                if self._page <= 1:
                    raise
                self._page //= 2

    async def _ask(self, walk: Walk) -> Listing[ChangeRow]:
        if walk.kind == "incremental":
            return await self._source.changes(self._id, self._page, walk.cursor)
        page = await self._source.census(self._id, self._page, walk.cursor)
        return Listing[ChangeRow](
            date=page.date,
            cost=page.cost,
            items=page.items,
            total_count=page.total_count,
            has_next_page=page.has_next_page,
            end_cursor=page.end_cursor,
            unreadable=page.unreadable,
        )

    async def _see(self, page: Listing[ChangeRow], walk: Walk, following: Walk) -> None:
        async with self._store.transaction():
            await self._take(page.items, page.date, walk.id if walk.kind == "full" else 0)
            await self._store.meta.put(meta.WALK, following)
            if walk.kind == "full":
                await self._store.meta.put(meta.WALKS, walk.id)

    async def _take(self, found: Sequence[ChangeRow], date: datetime, seen: int) -> None:
        known = await self._store.pulls.known([row.id for row in found])
        void = [row.id for row in found if row.id in known and voids(row, known[row.id])]
        await self._store.frontier.drop(void)
        await self._store.pulls.forget_rows(void)
        rows = [(row, why(row, known.get(row.id))) for row in found]
        await self._store.pulls.see(rows, date, seen)

    async def _check_vanished(self) -> None:
        """Ask for what a full walk lacked by its id; remove what was not found in two runs."""
        vanished = await self._store.pulls.vanished()
        for start in range(0, len(vanished), self._settings.ids):
            chosen = vanished[start : start + self._settings.ids]
            part = Part(name=Connection.PULL_REQUEST, ids=tuple(one.id for one in chosen))
            answer = self._dated(await self._source.batch([part]))
            gone = {fault.owner for fault in answer.faults if fault.reason == "not_found"}
            there = {row.id for row in answer.rows}
            async with self._store.transaction():
                await self._take(answer.rows, answer.date, 0)
                for one in chosen:
                    await self._judge_vanished(one.id, one.number, one.runs, gone, there)
            if there:
                reason = f"{len(there)} that a walk did not list answer to their ids"
                self.troubles.append(Trouble("pullRequests", reason))

    async def _judge_vanished(
        self, pull: str, number: int, runs: int, gone: set[str], there: set[str]
    ) -> None:
        if pull in there:
            await self._store.pulls.found_again(pull)
        elif pull in gone and runs >= 1:
            await self._store.conversations.remove(pull, number)
            await self._store.pulls.remove(pull, self.date)
        elif pull in gone:
            await self._store.pulls.not_found(pull)

    def _dated(self, answer: A) -> A:
        self.date = max(self.date, answer.date)
        return answer


def _moved(page: Listing[Release]) -> str:
    """The cursor of the next page. Raises TransientError rather than read one page for ever."""
    if not page.end_cursor:
        message = "a listing promised another page but gave no cursor"
        raise TransientError(message)
    return page.end_cursor


def _refuse_endless(*, endless: bool) -> None:
    if endless:
        message = "a listing promises pages without end"
        raise TransientError(message)


def _checked(page: Listing[T], cursor: str | None) -> Listing[T]:
    if page.has_next_page and page.end_cursor in (None, "", cursor):
        message = "a listing's cursor did not advance"
        raise TransientError(message)
    return page


def describe(discrepancy: Discrepancy | None) -> str | None:
    """A confirmed discrepancy in words, or None."""
    if discrepancy is None or discrepancy.confirmed_at is None:
        return None
    return f"GitHub claims {discrepancy.claimed} pull requests, {discrepancy.known} were found"
