"""What is still to be read, and how the next request is made of it. Pure.

GitHub bills a request by the connections in it, in hundredths of a point, and rounds
(docs/how-it-works.md). So a request is filled with work of every kind before it is sent, a deep
connection's next page rides along with whatever else is due, and while one connection is deeper
than all the rest together the rest is spread over its pages: that costs no time, since nothing
can be faster than the deepest chain, and saves a point a page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from syncer.evidence import Connection
from syncer.github.answers import Part

__all__ = ["Item", "Limits", "Ready", "chain", "expected", "halves", "is_full", "parts", "width"]

_LOOK_AHEAD = 50
"""How many items that do not fit are passed over in search of ones that do."""


class Item(Struct, frozen=True, kw_only=True):
    """The next page of one connection, or (`PULL_REQUEST`) the row of one pull request."""

    pull: str
    owner: str
    name: Connection
    total: int | None  # expected by the last claim; None: unknown
    pages: int = 0  # staged
    held: int = 0  # entries on staged pages
    cursor: str | None = None  # None: the first page is next
    doubt: str | None = None  # digest of a first whole reading that did not add up
    cap: int = 100  # most entries a page, halved when the server finds them too heavy
    restarts: int = 0  # of this connection, in this run
    faults: int = 0  # transient ones in a row, in this run
    idle: int = 0  # pages in a row that brought nothing new
    epoch: int = 0  # of the reading that it belongs to

    @property
    def key(self) -> tuple[str, str, Connection]:
        """What the store knows the item by."""
        return (self.pull, self.owner, self.name)


class Limits(Struct, frozen=True, kw_only=True):
    """What one request may hold: `ids` billed connections (and rows beside them), `nodes` expected.

    `page` is the largest `first`.
    """

    ids: int = 100
    nodes: int = 2000
    page: int = 100


def expected(item: Item, limits: Limits) -> int:
    """How many entries the item's next page will bring, as far as is known."""
    page = min(item.cap, limits.page)
    if item.name is Connection.PULL_REQUEST or item.total is None:
        return 1
    return max(1, min(page, item.total - item.held))


def chain(item: Item, limits: Limits) -> int:
    """How many pages of this item must still be read one after the other."""
    if item.name is Connection.PULL_REQUEST or item.total is None:
        return 1
    return max(1, -(-(item.total - item.held) // min(item.cap, limits.page)))


class Ready:
    """Items that could be asked for now, deepest chains first, then alike with alike.

    `alive` tells whether an item is still wanted; the others are dropped when they are met.
    """

    def __init__(self, limits: Limits, alive: Callable[[Item], bool]) -> None:
        self._limits = limits
        self._alive = alive
        self._heap: list[tuple[_Rank, int, Item]] = []
        self._count = 0
        self.nodes = 0

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, items: Iterable[Item]) -> None:
        """Make `items` available."""
        for item in items:
            self._count += 1
            heappush(self._heap, (_rank(item, self._limits), self._count, item))
            self.nodes += expected(item, self._limits)

    def take(self, limits: Limits) -> list[Item]:
        """Remove and return the items of the next request; give them back by `add` if not sent."""
        chosen: list[Item] = []
        passed: list[Item] = []
        billed = rows = nodes = 0
        while (
            self._heap and len(passed) < _LOOK_AHEAD and (billed < limits.ids or rows < limits.ids)
        ):
            item = self._pop()
            if not self._alive(item):
                continue
            size = expected(item, limits)
            is_row = item.name is Connection.PULL_REQUEST
            room = (rows if is_row else billed) < limits.ids
            if not room or (chosen and nodes + size > limits.nodes):
                passed.append(item)
                continue
            chosen.append(item)
            nodes += size
            rows, billed = (rows + 1, billed) if is_row else (rows, billed + 1)
        self.add(passed)
        return chosen

    def deepest(self) -> int:
        """The length of the longest chain of pages among the items; 1 when there is none."""
        return self._heap[0][0].depth if self._heap else 1

    def _pop(self) -> Item:
        item = heappop(self._heap)[2]
        self.nodes -= expected(item, self._limits)
        return item


def is_full(items: Sequence[Item], limits: Limits) -> bool:
    """Whether a request of `items` has no room for more billed work worth waiting for."""
    billed = sum(item.name is not Connection.PULL_REQUEST for item in items)
    nodes = sum(expected(item, limits) for item in items)
    return billed >= limits.ids or nodes >= limits.nodes * 9 // 10


def width(ready: int, nodes: int, deepest: int, limits: Limits, concurrency: int) -> int:
    """How many requests should be under way at once, at most `concurrency`.

    `ready` items of `nodes` expected entries are waiting, and the deepest chain still takes
    `deepest` requests one after the other.
    """
    if deepest <= 1:
        return concurrency
    requests = max(-(-ready // limits.ids), -(-nodes // limits.nodes))
    return max(1, min(concurrency, -(-requests // deepest)))


def parts(items: Sequence[Item], limits: Limits) -> list[Part]:
    """`items` as parts of one batch: first pages of a kind together, later pages by themselves."""
    found: list[Part] = []
    firsts = sorted((i for i in items if i.cursor is None), key=lambda i: (i.name, i.cap, i.owner))
    for (name, cap), group in groupby(firsts, key=lambda i: (i.name, i.cap)):
        members = list(group)
        largest = max(cap if i.total is None else i.total for i in members)
        first = max(1, min(largest, cap, limits.page))
        found.append(Part(name=name, ids=tuple(i.owner for i in members), first=first))
    for item in sorted((i for i in items if i.cursor is not None), key=lambda i: (i.name, i.owner)):
        first = min(item.cap, limits.page)
        found.append(Part(name=item.name, ids=(item.owner,), first=first, after=item.cursor))
    return found


def halves(items: Sequence[Item], limits: Limits) -> list[list[Item]] | None:
    """Smaller requests in place of one that was too heavy; None when it cannot be smaller.

    First fewer ids; with one id left, a smaller page.
    """
    if len(items) > 1:
        middle = (len(items) + 1) // 2
        return [list(items[:middle]), list(items[middle:])]
    (item,) = items
    page = min(item.cap, limits.page, max(1, item.total or item.cap))
    if item.name is Connection.PULL_REQUEST or page <= 1:
        return None
    return [[replace(item, cap=page // 2)]]


class _Rank(NamedTuple):
    """Sorts the deepest chain first, then by kind, then the largest page first."""

    negative_depth: int
    name: str
    negative_size: int
    owner: str

    @property
    def depth(self) -> int:
        return -self.negative_depth


def _rank(item: Item, limits: Limits) -> _Rank:
    depth = chain(item, limits)
    name = item.name.value if depth == 1 else ""
    return _Rank(-depth, name, -expected(item, limits), item.owner)
