# ruff: noqa: D102  the name of a test is its sentence
"""What every sink must do, as tests that any sink can run (docs/writing-a-sink.md).

    class TestMySink(SinkConformance):
        def sink(self, folder): return open_sink(Destination(folder=folder))
        def stored(self, folder): return {number: ... for each conversation kept}

Plain pytest is enough: the tests run their own event loops and need nothing but `tmp_path`.
"""

from __future__ import annotations

import asyncio
import random
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from syncer.errors import SinkError
from syncer.sink import Applied, Batch, Sink
from syncer.testing.feed import Bookmark, Feed, deliver, release
from syncer.testing.samples import HOSTILE_TEXT, sample

__all__ = ["SinkConformance"]

_RELEASE = release("v1.0", datetime(2025, 6, 1, tzinfo=UTC))


class SinkConformance(ABC):
    """Subclass it under a name that begins with `Test`, and give at least the first two methods.

    The others suit a sink that keeps all it has below `folder`; replace them for any other.
    """

    @abstractmethod
    def sink(self, folder: Path) -> Sink:
        """A new, unopened sink on the destination that `folder` stands for."""

    @abstractmethod
    def stored(self, folder: Path) -> Mapping[int, object]:
        """What the destination holds now, by number; equal values for equal content and place."""

    def text(self, folder: Path) -> Mapping[int, tuple[str, str]] | None:
        """Title and body as kept, by number; None for a sink that keeps no text."""
        del folder
        return None

    def broken_sink(self, folder: Path) -> Sink:
        """A sink whose destination cannot be written to."""
        obstacle = folder.parent / "obstacle"
        obstacle.write_bytes(b"a file where a folder belongs")
        return self.sink(obstacle / folder.name)

    def wipe(self, folder: Path) -> None:
        """Lose everything at the destination."""
        shutil.rmtree(folder)

    def save(self, folder: Path, copy: Path) -> None:
        """Make a backup of the destination."""
        shutil.copytree(folder, copy)

    def restore(self, copy: Path, folder: Path) -> None:
        """Bring a backup back."""
        self.wipe(folder)
        shutil.copytree(copy, folder)

    # ------------------------------------------------------------------------------- tokens

    def test_an_empty_destination_has_no_token(self, tmp_path: Path) -> None:
        assert asyncio.run(_token(self.sink(tmp_path / "repo"))) is None

    def test_open_gives_the_token_of_the_last_flush(self, tmp_path: Path) -> None:
        feed, folder = _feed(3), tmp_path / "repo"
        mark = self._run(feed, folder)
        assert asyncio.run(_token(self.sink(folder))) == mark.token
        assert asyncio.run(_token(self.sink(folder))) == mark.token

    def test_other_content_has_another_token(self, tmp_path: Path) -> None:
        feed, folder = _feed(3), tmp_path / "repo"
        before = self._run(feed, folder)
        feed.put(sample(2, revised=1))
        assert self._run(feed, folder, before).token != before.token

    def test_a_lost_destination_loses_its_token(self, tmp_path: Path) -> None:
        feed, folder = _feed(3), tmp_path / "repo"
        mark = self._run(feed, folder)
        self.wipe(folder)
        assert asyncio.run(_token(self.sink(folder))) is None
        self._run(feed, folder, mark)
        self._assert_fresh(feed, folder, tmp_path)

    def test_a_restored_backup_is_known_by_its_token(self, tmp_path: Path) -> None:
        feed, folder = _feed(3), tmp_path / "repo"
        old = self._run(feed, folder)
        self.save(folder, tmp_path / "backup")
        feed.put(sample(4))
        feed.remove(1)
        new = self._run(feed, folder, old)
        self.restore(tmp_path / "backup", folder)
        assert asyncio.run(_token(self.sink(folder))) == old.token
        self._run(feed, folder, new)
        self._assert_fresh(feed, folder, tmp_path)

    # ------------------------------------------------------------------------------ content

    def test_what_was_put_is_stored(self, tmp_path: Path) -> None:
        feed, folder = _feed(5), tmp_path / "repo"
        self._run(feed, folder)
        assert set(self.stored(folder)) == feed.numbers()

    def test_hostile_text_is_stored_as_it_is(self, tmp_path: Path) -> None:
        feed, folder = Feed(), tmp_path / "repo"
        wanted = {n: (text, text) for n, text in enumerate(HOSTILE_TEXT, start=1)}
        for number, (title, body) in wanted.items():
            feed.put(sample(number, title=title, body=body))
        self._run(feed, folder)
        kept = self.text(folder)
        assert set(self.stored(folder)) == set(wanted)
        assert kept is None or dict(kept) == wanted

    def test_the_newer_of_two_changes_wins(self, tmp_path: Path) -> None:
        feed, folder = _feed(3), tmp_path / "repo"
        mark = self._run(feed, folder)
        before = dict(self.stored(folder))
        for revised in (2, 1, 3):
            feed.put(sample(2, revised=revised))
            mark = self._run(feed, folder, mark)
        assert self.stored(folder)[2] != before[2]
        self._assert_fresh(feed, folder, tmp_path)

    def test_a_moved_conversation_is_there_once(self, tmp_path: Path) -> None:
        feed, folder = _feed(3), tmp_path / "repo"
        mark = self._run(feed, folder)
        feed.released(_RELEASE)
        for bucket in ("v1.0", None, "v1.0"):
            feed.move(2, bucket)
            mark = self._run(feed, folder, mark)
            assert set(self.stored(folder)) == feed.numbers()
        self._assert_fresh(feed, folder, tmp_path)

    def test_a_gone_conversation_is_removed_and_may_come_back(self, tmp_path: Path) -> None:
        feed, folder = _feed(3), tmp_path / "repo"
        mark = self._run(feed, folder)
        feed.remove(2)
        mark = self._run(feed, folder, mark)
        assert set(self.stored(folder)) == {1, 3}
        feed.put(sample(2))
        self._run(feed, folder, mark)
        self._assert_fresh(feed, folder, tmp_path)

    # -------------------------------------------------------------------- twice equals once

    def test_a_batch_applied_twice_changes_nothing_the_second_time(self, tmp_path: Path) -> None:
        feed, folder = _feed(4), tmp_path / "repo"
        batch = Batch(facts=feed.facts, changes=tuple(feed.changes(0)), replay=True)
        first, again, later = asyncio.run(_applied(self.sink(folder), batch))
        assert first.written == 4
        assert again == Applied()
        assert later == Applied()
        self._assert_fresh(feed, folder, tmp_path)

    def test_a_replay_onto_the_same_content_is_no_write(self, tmp_path: Path) -> None:
        feed, folder = _feed(4), tmp_path / "repo"
        mark = self._run(feed, folder)
        again, applied = asyncio.run(deliver(feed, self.sink(folder), Bookmark()))
        assert applied == Applied()
        assert again == mark

    def test_an_empty_batch_changes_nothing(self, tmp_path: Path) -> None:
        feed, folder = _feed(3), tmp_path / "repo"
        mark = self._run(feed, folder)
        before = dict(self.stored(folder))
        again, applied = asyncio.run(deliver(feed, self.sink(folder), mark))
        assert (again.token, applied, self.stored(folder)) == (mark.token, Applied(), before)

    def test_a_repository_without_pull_requests_has_a_token(self, tmp_path: Path) -> None:
        feed, folder = Feed(), tmp_path / "repo"
        mark = self._run(feed, folder)
        assert asyncio.run(_token(self.sink(folder))) == mark.token
        assert not self.stored(folder)

    # ------------------------------------------------------------------- stops and failures

    def test_what_was_not_flushed_is_made_good_by_the_next_run(self, tmp_path: Path) -> None:
        feed, folder = _feed(4), tmp_path / "repo"
        mark = self._run(feed, folder)
        feed.released(_RELEASE)
        feed.put(sample(2, revised=1))
        feed.put(sample(5))
        feed.move(3, "v1.0")
        feed.remove(4)
        asyncio.run(deliver(feed, self.sink(folder), mark, flush=False))
        feed.move(3, None)
        feed.remove(5)
        self._run(feed, folder, mark)
        self._assert_fresh(feed, folder, tmp_path)

    def test_a_replay_leaves_nothing_of_another_history(self, tmp_path: Path) -> None:
        folder = tmp_path / "repo"
        self._run(_feed(6), folder)
        other = Feed()
        other.put(sample(2, body="Of another history."))
        self._run(other, folder)
        assert set(self.stored(folder)) == {2}
        self._assert_fresh(other, folder, tmp_path)

    def test_any_history_with_stops_ends_as_a_fresh_copy(self, tmp_path: Path) -> None:
        for seed in range(8):
            dice, folder = random.Random(seed), tmp_path / f"seed-{seed}"
            feed, mark = Feed(), Bookmark()
            feed.released(_RELEASE)
            for revised in range(12):
                _change_something(feed, dice, revised)
                if dice.random() < 0.4:
                    stopped = dice.random() < 0.4
                    run = deliver(feed, self.sink(folder), mark, flush=not stopped)
                    mark, _ = asyncio.run(run)
            self._run(feed, folder, mark)
            self._assert_fresh(feed, folder, tmp_path / f"fresh-{seed}")

    def test_closing_twice_is_safe(self, tmp_path: Path) -> None:
        asyncio.run(_close_twice(self.sink(tmp_path / "repo")))

    def test_a_destination_that_fails_raises_our_own_error(self, tmp_path: Path) -> None:
        failed = asyncio.run(_failure(self.broken_sink(tmp_path / "repo")))
        assert failed, "a sink that can store nothing must raise SinkError with a message"

    # ------------------------------------------------------------------------------ helpers

    def _run(self, feed: Feed, folder: Path, mark: Bookmark | None = None) -> Bookmark:
        mark, _ = asyncio.run(deliver(feed, self.sink(folder), mark or Bookmark()))
        return mark

    def _assert_fresh(self, feed: Feed, folder: Path, beside: Path) -> None:
        fresh = beside / "fresh" / folder.name
        self._run(feed, fresh)
        assert dict(self.stored(folder)) == dict(self.stored(fresh))
        assert set(self.stored(folder)) == feed.numbers()


def _feed(count: int) -> Feed:
    feed = Feed()
    for number in range(1, count + 1):
        feed.put(sample(number))
    return feed


def _change_something(feed: Feed, dice: random.Random, revised: int) -> None:
    known = sorted(feed.numbers())
    bucket = dice.choice((None, "v1.0"))
    if not known or dice.random() < 0.6:
        # Numbers on both sides of a block's edge.
        feed.put(sample(dice.choice((1, 2, 3, 999, 1000, 1001)), revised=revised), bucket)
    elif dice.random() < 0.6:
        feed.move(dice.choice(known), bucket)
    else:
        feed.remove(dice.choice(known))


async def _token(sink: Sink) -> str | None:
    token = await sink.open()
    await sink.close()
    return token


async def _applied(sink: Sink, batch: Batch) -> tuple[Applied, Applied, Applied]:
    await sink.open()
    first, again = await sink.apply(batch), await sink.apply(batch)
    await sink.flush()
    later = await sink.apply(batch)
    await sink.flush()
    await sink.close()
    return first, again, later


async def _close_twice(sink: Sink) -> None:
    await sink.open()
    await sink.close()
    await sink.close()


async def _failure(sink: Sink) -> str:
    try:
        await deliver(_feed(1), sink, Bookmark())
    except SinkError as error:
        return str(error)
    return ""
