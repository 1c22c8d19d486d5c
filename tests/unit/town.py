"""A repository in memory that changes between any two pages, behind the door the engine knows.

Its clock moves as told and its stamps, like GitHub's, are as coarse as told. A cursor is a value
predicate on the sort key, as GitHub's are: a row that jumps over it is not returned by that walk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec.structs import replace

from syncer.evidence import Connection
from syncer.github.answers import (
    BatchAnswer,
    ChangeRow,
    Fault,
    Listing,
    Opening,
    Part,
    Row,
)
from syncer.repository import Release
from tests.unit.making import at, batch, row, totals

R = TypeVar("R", bound=ChangeRow)
Hook = Callable[["Town"], None]


class Town:
    """`before` is called ahead of every page of pull requests with the number of pages so far."""

    def __init__(
        self, rows: Iterable[Row] = (), *, now: float = 10_000.0, resolution: float = 1.0
    ) -> None:
        self.resolution = resolution
        self.rows = {one.id: one for one in rows}
        self.now = now
        self.hidden = 0  # rows that are counted and never listed
        self.blank: set[str] = set()  # rows that are listed as null
        self.releases_pages: list[Listing[Release]] = []
        self.hooks: dict[int, Hook] = {}
        self.pages = 0
        self.opens_with = 100  # rows on the opening page
        self.asked: list[str] = []
        self.touched: set[str] = set()

    concurrency = 8
    nodes_limit = 2000

    @property
    def date(self) -> datetime:
        return at(self.now // self.resolution * self.resolution)

    # What happens in town

    def touch(self, number: int, *, wait: float = 0.0, comments: int | None = None) -> None:
        """A change of one pull request, seen in its stamp."""
        self.now += wait
        one = self.rows[f"PR_{number}"]
        counts = one.totals if comments is None else totals(comments=comments)
        self.rows[one.id] = replace(one, updated_at=self.date, totals=counts)
        self.touched.add(one.id)

    def whisper(self, number: int, comments: int) -> None:
        """A change that does not show in any stamp."""
        one = self.rows[f"PR_{number}"]
        self.rows[one.id] = replace(one, totals=totals(comments=comments))

    def open(self, number: int) -> None:
        self.rows[f"PR_{number}"] = replace(
            row(number, self.date), created_at=self.date, updated_at=self.date
        )
        self.touched.add(f"PR_{number}")

    def delete(self, number: int) -> None:
        self.rows.pop(f"PR_{number}", None)

    # What the door tells

    async def opening(self, owner: str = "o", name: str = "r") -> Opening:
        changes = self.newest(self.opens_with, None)
        releases = self.releases_pages[0] if self.releases_pages else self._releases()
        return Opening(
            date=self.date,
            cost=1,
            repository_id="R_1",
            name=f"{owner}/{name}",
            web_url="https://example.test",
            releases=releases,
            changes=changes,
        )

    async def releases(self, repository: str, after: str | None) -> Listing[Release]:
        self.asked.append("releases")
        assert len(self.asked) < 1000, "an endless listing"
        return self.releases_pages[min(int(after or 0), len(self.releases_pages) - 1)]

    async def changes(self, repository: str, first: int, after: str | None) -> Listing[ChangeRow]:
        self.asked.append("changes")
        return self.newest(first, after)

    async def census(self, repository: str, first: int, after: str | None) -> Listing[Row]:
        self.asked.append("census")
        return self.oldest(first, after)

    def oldest(self, first: int, after: str | None) -> Listing[Row]:
        """A page by creation, as `census` gives it."""
        self._turn()
        order = sorted(self.rows.values(), key=lambda r: (r.created_at, r.id))
        return self._page([(_key(r.created_at, r), r) for r in order], first, after)

    async def batch(self, parts: Sequence[Part], *, nodes: int | None = None) -> BatchAnswer:
        """Rows only: these tests end before the first connection."""
        self.asked.append("batch")
        (part,) = parts
        assert part.name is Connection.PULL_REQUEST
        found = [self.rows[pull] for pull in part.ids if pull in self.rows]
        faults = [
            Fault(owner=pull, name=part.name, reason="not_found")
            for pull in part.ids
            if pull not in self.rows
        ]
        return batch(rows=found, faults=faults, date=self.date)

    def newest(self, first: int, after: str | None) -> Listing[ChangeRow]:
        """A page by the newest change, as `changes` and the opening give it."""
        self._turn()
        order = sorted(self.rows.values(), key=lambda r: (r.updated_at, r.id), reverse=True)
        found = self._page([(_key(r.updated_at, r), r) for r in order], first, after, down=True)
        light = tuple(_light(one) for one in found.items)
        return Listing[ChangeRow](
            date=found.date,
            cost=1,
            items=light,
            total_count=found.total_count,
            has_next_page=found.has_next_page,
            end_cursor=found.end_cursor,
            unreadable=found.unreadable,
        )

    def _turn(self) -> None:
        if (hook := self.hooks.get(self.pages)) is not None:
            hook(self)
        self.pages += 1

    def _page(
        self,
        order: list[tuple[tuple[str, str], R]],
        first: int,
        after: str | None,
        *,
        down: bool = False,
    ) -> Listing[R]:
        if after is not None:
            mark: tuple[str, str] = tuple(json.loads(after))
            order = [one for one in order if (one[0] < mark if down else one[0] > mark)]
        chosen = order[:first]
        items = tuple(one for _, one in chosen if one.id not in self.blank)
        return Listing(
            date=self.date,
            cost=1,
            items=items,
            total_count=len(self.rows) + self.hidden,
            has_next_page=len(order) > first,
            end_cursor=json.dumps(chosen[-1][0]) if chosen else None,
            unreadable=len(chosen) - len(items),
        )

    def _releases(self) -> Listing[Release]:
        return Listing[Release](
            date=self.date, cost=1, items=(), total_count=0, has_next_page=False, end_cursor=None
        )


def _key(stamp: datetime, one: ChangeRow) -> tuple[str, str]:
    return (stamp.isoformat(timespec="microseconds"), one.id)


def _light(one: Row) -> ChangeRow:
    return ChangeRow(
        id=one.id,
        number=one.number,
        state=one.state,
        created_at=one.created_at,
        updated_at=one.updated_at,
        closed_at=one.closed_at,
        merged_at=one.merged_at,
        totals=one.totals,
    )
