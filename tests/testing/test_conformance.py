"""The suite itself: a right sink passes all of it, and every kind of wrong one fails somewhere."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from syncer.errors import SinkError
from syncer.sink import Applied, Batch, Change, ChangeKind, Sink
from syncer.testing.conformance import SinkConformance
from syncer.testing.feed import Bookmark, Feed, deliver
from syncer.testing.samples import sample

Rows = dict[int, list[str | None]]


class Tiny:
    """A right sink in one JSON file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rows.json"
        self.rows: Rows = {}
        self.version = 0
        self.named: set[int] = set()
        self.replaying = self.changed = False

    async def open(self) -> str | None:
        if not self.path.exists():
            return None
        state = json.loads(self.path.read_text("utf-8"))
        self.rows = {int(number): row for number, row in state["rows"].items()}
        self.version = state["version"]
        return self.token()

    def token(self) -> str:
        return f"{self.version}-{hash(json.dumps(self.rows, sort_keys=True))}"

    async def apply(self, batch: Batch) -> Applied:
        self.replaying |= batch.replay
        self.named |= {change.number for change in batch.changes}
        return sum(map(self.take, batch.changes), start=Applied())

    def take(self, change: Change) -> Applied:
        before = self.rows.get(change.number)
        if change.kind is ChangeKind.GONE:
            return Applied(removed=int(self.rows.pop(change.number, None) is not None))
        row = self.row(change)
        self.rows[change.number] = row
        if row == before:
            return Applied()
        return Applied(moved=1) if before and before[:3] == row[:3] else Applied(written=1)

    def row(self, change: Change) -> list[str | None]:
        pull = change.snapshot().conversation
        return [pull.title, pull.body, change.record.hex(), change.release]

    async def flush(self) -> str:
        if self.replaying:
            self.rows = {number: row for number, row in self.rows.items() if number in self.named}
        self.replaying = False
        self.write()
        return self.token()

    def write(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            state = {"version": self.version, "rows": self.rows}
            self.path.write_text(json.dumps(state), "utf-8")
        except OSError as error:
            raise SinkError("cannot write rows.json; run again") from error

    async def close(self) -> None:
        self.rows.clear()


def suite_for(make: Callable[[Path], Sink]) -> SinkConformance:
    class Suite(SinkConformance):
        def sink(self, folder: Path) -> Sink:
            return make(folder)

        def stored(self, folder: Path) -> dict[int, object]:
            path = folder / "rows.json"
            if not path.exists():
                return {}
            rows = json.loads(path.read_text("utf-8"))["rows"]
            return {int(number): row for number, row in rows.items()}

        def text(self, folder: Path) -> dict[int, tuple[str, str]]:
            stored: dict[int, Any] = self.stored(folder)
            return {number: (row[0], row[1]) for number, row in stored.items()}

    return Suite()


def methods_of(suite: SinkConformance) -> dict[str, Callable[..., None]]:
    return {
        name: method
        for name, method in inspect.getmembers(suite, inspect.ismethod)
        if name.startswith("test_")
    }


@cache
def failures(make: Callable[[Path], Sink]) -> frozenset[str]:
    """The tests that a sink fails, by whatever exception."""
    failed: set[str] = set()
    for name, method in methods_of(suite_for(make)).items():
        with TemporaryDirectory() as folder:
            try:
                method(Path(folder))
            except Exception:  # noqa: BLE001  any failure of a wrong sink will do
                failed.add(name)
    return frozenset(failed)


class ForgetsRemovals(Tiny):
    def take(self, change: Change) -> Applied:
        return Applied() if change.kind is ChangeKind.GONE else super().take(change)


class IgnoresMoves(Tiny):
    def take(self, change: Change) -> Applied:
        return Applied() if change.kind is ChangeKind.MOVE else super().take(change)


class CountsNoOps(Tiny):
    def take(self, change: Change) -> Applied:
        super().take(change)
        return Applied(written=1)


class CountsNothing(Tiny):
    def take(self, change: Change) -> Applied:
        super().take(change)
        return Applied()


class KeepsTheFirst(Tiny):
    def row(self, change: Change) -> list[str | None]:
        return self.rows.get(change.number) or super().row(change)


class KeepsLeftovers(Tiny):
    async def flush(self) -> str:
        self.replaying = False
        return await super().flush()


class HasOneToken(Tiny):
    def token(self) -> str:
        return "always"


class HasATokenOfNothing(Tiny):
    async def open(self) -> str | None:
        return await super().open() or self.token()


class HasAnotherTokenEachTime(Tiny):
    async def flush(self) -> str:
        self.version += 1
        return await super().flush()


class TellsAnotherTokenThanItKeeps(Tiny):
    async def flush(self) -> str:
        return await super().flush() + "x"


class StripsText(Tiny):
    def row(self, change: Change) -> list[str | None]:
        title, *rest = super().row(change)
        return [(title or "").strip(), *rest]


class MendsLineEnds(Tiny):
    def row(self, change: Change) -> list[str | None]:
        title, body, *rest = super().row(change)
        return [title, (body or "").replace("\r\n", "\n"), *rest]


class LeaksForeignErrors(Tiny):
    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        super().write()


class HidesErrors(Tiny):
    def write(self) -> None:
        try:
            super().write()
        except SinkError:
            return


class ClosesOnce(Tiny):
    async def close(self) -> None:
        del self.rows


class WritesNothing(Tiny):
    def write(self) -> None:
        return


class ForgetsWhatItHad(Tiny):
    async def open(self) -> str | None:
        token = await super().open()
        self.rows = {}
        return token


class CannotBeEmpty(Tiny):
    async def flush(self) -> str:
        if not self.rows:
            raise SinkError("nothing to store")
        return await super().flush()


WRONG = {
    CannotBeEmpty: "test_a_repository_without_pull_requests_has_a_token",
    ForgetsRemovals: "test_a_gone_conversation_is_removed_and_may_come_back",
    IgnoresMoves: "test_a_moved_conversation_is_there_once",
    CountsNoOps: "test_a_batch_applied_twice_changes_nothing_the_second_time",
    CountsNothing: "test_a_batch_applied_twice_changes_nothing_the_second_time",
    KeepsTheFirst: "test_the_newer_of_two_changes_wins",
    KeepsLeftovers: "test_a_replay_leaves_nothing_of_another_history",
    HasOneToken: "test_other_content_has_another_token",
    HasATokenOfNothing: "test_an_empty_destination_has_no_token",
    HasAnotherTokenEachTime: "test_an_empty_batch_changes_nothing",
    TellsAnotherTokenThanItKeeps: "test_open_gives_the_token_of_the_last_flush",
    StripsText: "test_hostile_text_is_stored_as_it_is",
    MendsLineEnds: "test_hostile_text_is_stored_as_it_is",
    LeaksForeignErrors: "test_a_destination_that_fails_raises_our_own_error",
    HidesErrors: "test_a_destination_that_fails_raises_our_own_error",
    ClosesOnce: "test_closing_twice_is_safe",
    WritesNothing: "test_what_was_put_is_stored",
    ForgetsWhatItHad: "test_a_gone_conversation_is_removed_and_may_come_back",
}


def test_a_right_sink_passes_every_test() -> None:
    assert failures(Tiny) == set()


@pytest.mark.parametrize(("wrong", "expected"), WRONG.items(), ids=[w.__name__ for w in WRONG])
def test_a_wrong_sink_fails_where_it_should(wrong: type[Tiny], expected: str) -> None:
    assert expected in failures(wrong)


def test_every_test_of_the_suite_is_failed_by_some_wrong_sink() -> None:
    caught = frozenset[str]().union(*map(failures, WRONG))
    assert set(methods_of(suite_for(Tiny))) - caught == set()


async def test_the_feed_says_put_to_whoever_lacks_the_content_and_move_to_the_rest() -> None:
    feed = Feed()
    feed.put(sample(1))
    here = feed.position
    feed.move(1, "v1.0")
    assert [change.kind for change in feed.changes(0)] == [ChangeKind.PUT]
    assert [change.kind for change in feed.changes(here)] == [ChangeKind.MOVE]
    feed.remove(1)
    assert [change.kind for change in feed.changes(here)] == [ChangeKind.GONE]
    assert [change.seq for change in feed.changes(0)] == [feed.position]


async def test_delivering_resumes_from_the_bookmark_and_replays_for_another_token(
    tmp_path: Path,
) -> None:
    seen: list[tuple[bool, list[int]]] = []

    class Listens(Tiny):
        async def apply(self, batch: Batch) -> Applied:
            seen.append((batch.replay, [change.number for change in batch.changes]))
            return await super().apply(batch)

    feed = Feed()
    feed.put(sample(1))
    mark, _ = await deliver(feed, Listens(tmp_path), Bookmark())
    feed.put(sample(2))
    mark, _ = await deliver(feed, Listens(tmp_path), mark)
    await deliver(feed, Listens(tmp_path), mark)
    await deliver(feed, Listens(tmp_path), Bookmark(position=mark.position, token="other"))
    assert seen == [(True, [1]), (False, [2]), (False, []), (True, [1, 2])]
