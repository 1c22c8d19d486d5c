"""The readings of one wave in memory: which are under way, and what could be asked for now.

The store is the truth; the board mirrors the part of it that planning needs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import replace

from syncer.census.known import Wanted
from syncer.evidence import Connection, Status
from syncer.github.answers import Row
from syncer.reading.assemble import expected_first_level
from syncer.reading.frontier import Item, Limits, Ready
from syncer.reading.staged import Staged
from syncer.reading.turns import row_item

__all__ = ["MAX_STARTS", "Board", "Reading"]

MAX_STARTS = 3
"""How often one pull request starts over in a run before it is cut as mutated."""


class Reading:
    """One pull request being read. `open` holds the connections that have not ended."""

    def __init__(self, wanted: Wanted) -> None:
        self.id = wanted.id
        self.number = wanted.number
        self.known = wanted.updated_at
        self.row: Row | None = wanted.row
        self.row_date: datetime | None = wanted.row_date
        self.open: set[tuple[str, Connection]] = set()
        self.met: set[tuple[str, Connection]] = set()  # all ever opened, since it last started over
        self.epoch = 0
        self.starts = 0
        self.doubted = False  # its witness failed once already


class Board:
    """All readings of a wave, with the items that are ready and those that must go alone."""

    def __init__(self, limits: Limits) -> None:
        self.readings: dict[str, Reading] = {}
        self.ready = Ready(limits, self.alive)
        self.forced: deque[list[Item]] = deque()
        self.finished: list[Reading] = []

    def alive(self, item: Item) -> bool:
        """Whether the item's reading still goes on and has not started over since."""
        reading = self.readings.get(item.pull)
        return (
            reading is not None
            and reading.epoch == item.epoch
            and (item.owner, item.name) in reading.open
        )

    def begin(self, wanted: Wanted, staged: Iterable[Staged]) -> list[Item]:
        """Take up a pull request where it stands; returns the items that the store lacks."""
        reading = Reading(wanted)
        self.readings[reading.id] = reading
        known = list(staged)
        if reading.row is None:
            self.ask_row(reading)
            return []
        if not known:
            return self.expect(reading, reading.row)
        reading.met.update((one.item.owner, one.item.name) for one in known)
        self._open(reading, [one.item for one in known if _is_open(one)])
        self.note_end(reading)
        return []

    def expect(self, reading: Reading, row: Row) -> list[Item]:
        """Open the first level of a reading by its row; returns its items."""
        items = [
            Item(
                pull=reading.id,
                owner=reading.id,
                name=name,
                total=total,
                epoch=reading.epoch,
            )
            for name, total in expected_first_level(row)
        ]
        self._open(reading, items)
        self.note_end(reading)
        return items

    def open_children(
        self, reading: Reading, threads: Iterable[tuple[str, int | None]]
    ) -> list[Item]:
        """Open the comments of threads met for the first time; returns their items.

        Threads that are read twice have comments that may have ended meanwhile.
        """
        items = [
            Item(
                pull=reading.id,
                owner=thread,
                name=Connection.THREAD_COMMENTS,
                total=total,
                epoch=reading.epoch,
            )
            for thread, total in threads
            if (thread, Connection.THREAD_COMMENTS) not in reading.met
        ]
        self._open(reading, items)
        return items

    def ask_row(self, reading: Reading, faults: int = 0) -> None:
        """Have the full row of a reading asked for."""
        reading.row = None
        self._open(reading, [row_item(reading.id, reading.epoch, faults)])

    def start_over(self, reading: Reading) -> None:
        """Void everything of a reading and begin with a fresh row."""
        reading.epoch += 1
        reading.starts += 1
        reading.open.clear()
        reading.met.clear()
        self.ask_row(reading)

    def close(self, reading: Reading, item: Item) -> None:
        """One connection of a reading has ended."""
        reading.open.discard((item.owner, item.name))
        self.note_end(reading)

    def note_end(self, reading: Reading) -> None:
        """Pass a reading on when nothing of it is open any more."""
        if not reading.open and reading not in self.finished:
            self.finished.append(reading)

    def again(self, item: Item) -> None:
        """Make an item ready that stays open."""
        self.ready.add([item])

    def reopen(self, reading: Reading, items: Iterable[Item]) -> None:
        """Open connections of a reading once more."""
        self._open(reading, items)

    def forget(self, reading: Reading) -> None:
        """The reading is over, one way or the other."""
        self.readings.pop(reading.id, None)

    def _open(self, reading: Reading, items: Iterable[Item]) -> None:
        found = [replace(item, epoch=reading.epoch) for item in items]
        fresh = [i for i in found if (i.owner, i.name) not in reading.open]
        reading.open.update((i.owner, i.name) for i in fresh)
        reading.met |= reading.open
        self.ready.add(fresh)


def _is_open(staged: Staged) -> bool:
    # What an earlier run gave up in the middle of a reading is worth another try in this one.
    return staged.evidence is None or staged.evidence.status is Status.CUT
