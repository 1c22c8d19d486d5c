"""The tree is a pure function of feed and facts: stops at every write step, and any history."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from sinks.corpus import CorpusSink
from sinks.faults import FaultyFileSystem, Stopped
from sinks.files import Folder
from syncer.errors import SinkError
from syncer.sink import Batch
from syncer.testing.feed import Bookmark, Feed, deliver, release
from syncer.testing.samples import sample

RELEASES = tuple(
    release(tag, datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=40 * n))
    for n, tag in enumerate(("v1.0", "Feature/1.0", "../../outside"))
)
TAGS = [None, *(item.tag_name for item in RELEASES)]


def everything(folder: Path) -> dict[str, bytes | None]:
    """Every name below the folder: the bytes of files, None for directories."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def run(feed: Feed, folder: Path, mark: Bookmark, system: FaultyFileSystem) -> Bookmark:
    mark, _ = asyncio.run(deliver(feed, CorpusSink(Folder(folder, system)), mark))
    return mark


def fresh(feed: Feed, beside: Path) -> dict[str, bytes | None]:
    folder = beside / "fresh" / "repo"
    run(feed, folder, Bookmark(), FaultyFileSystem())
    return everything(folder)


def first_state() -> Feed:
    feed = Feed()
    feed.released(*RELEASES[:2])
    for number in (1, 2, 3, 998, 1001, 1002, 2500):
        feed.put(sample(number), "v1.0" if number % 2 else None)
    return feed


def change_everything(feed: Feed) -> None:
    """Put, rewrite, move, put elsewhere and remove; a leaf, a block and a release become empty."""
    feed.released(*RELEASES)
    feed.put(sample(4), "Feature/1.0")
    feed.put(sample(2, revised=1))
    feed.put(sample(1, revised=1), "../../outside")
    feed.move(3, "Feature/1.0")
    feed.move(1001, None)
    feed.remove(2500)
    feed.remove(998)


def change_again(feed: Feed) -> None:
    """What happened between the stop and the next run, to conversations under way then."""
    feed.released(*RELEASES[1:])
    feed.move(4, None)
    feed.put(sample(3, revised=7), "../../outside")
    feed.remove(1)
    feed.put(sample(998, revised=2), "Feature/1.0")
    feed.move(1001, "Feature/1.0")


def steps_of_one_run() -> int:
    with TemporaryDirectory() as name:
        folder, system = Path(name) / "repo", FaultyFileSystem()
        feed = first_state()
        mark = run(feed, folder, Bookmark(), FaultyFileSystem())
        change_everything(feed)
        run(feed, folder, mark, system)
        return len(system.steps)


STEPS = steps_of_one_run()


def nothing(feed: Feed) -> None:
    del feed


@pytest.mark.parametrize("later", [nothing, change_again], ids=["same feed", "feed went on"])
@pytest.mark.parametrize("step", range(STEPS))
def test_stopping_at_any_write_step_and_running_again_ends_as_never_stopped(
    tmp_path: Path, step: int, later: Callable[[Feed], None]
) -> None:
    feed, folder = first_state(), tmp_path / "repo"
    mark = run(feed, folder, Bookmark(), FaultyFileSystem())
    change_everything(feed)
    with pytest.raises(Stopped):
        run(feed, folder, mark, FaultyFileSystem(at=step))
    later(feed)
    run(feed, folder, mark, FaultyFileSystem())
    assert everything(folder) == fresh(feed, tmp_path)


@pytest.mark.parametrize("step", range(STEPS))
def test_a_full_disk_at_any_write_step_is_named_and_made_good_later(
    tmp_path: Path, step: int
) -> None:
    feed, folder = first_state(), tmp_path / "repo"
    mark = run(feed, folder, Bookmark(), FaultyFileSystem())
    change_everything(feed)
    full = FaultyFileSystem(at=step, error=OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(SinkError, match="the disk is full; free some space and run again"):
        run(feed, folder, mark, full)
    run(feed, folder, mark, FaultyFileSystem())
    assert everything(folder) == fresh(feed, tmp_path)


def test_until_the_flush_the_sealed_tree_stands_untouched(tmp_path: Path) -> None:
    feed, folder = first_state(), tmp_path / "repo"
    mark = run(feed, folder, Bookmark(), FaultyFileSystem())
    before = everything(folder)
    change_everything(feed)
    asyncio.run(deliver(feed, CorpusSink(Folder(folder, FaultyFileSystem())), mark, flush=False))
    assert everything(folder) == before


def test_the_root_is_written_after_every_leaf_and_the_census_last(tmp_path: Path) -> None:
    system = FaultyFileSystem()
    run(first_state(), tmp_path / "repo", Bookmark(), system)
    names = [step.removeprefix("rename ") for step in system.steps if step.startswith("rename")]
    assert names.pop(0) == ".sealing"
    pages = sum(1 for name in names if name.endswith(".md"))
    assert all(name.endswith(".md") for name in names[:pages])
    assert names[-2:] == ["manifest.json", "census.json"]
    assert set(names[pages:-2]) == {"manifest.json", ".gitattributes"}
    assert system.steps.count("sync repo") == 1
    assert system.steps[-1] == "remove .sealing"


Step = tuple[Any, ...]


def histories() -> SearchStrategy[list[Step]]:
    numbers = st.sampled_from([1, 2, 999, 1000, 1001])
    tags = st.sampled_from(TAGS)
    return st.lists(
        st.one_of(
            st.tuples(st.just("put"), numbers, st.integers(0, 3), tags),
            st.tuples(st.just("move"), numbers, tags),
            st.tuples(st.just("remove"), numbers),
            st.tuples(st.just("flush"), st.integers(1, 4)),
            st.tuples(st.just("stop"), st.integers(0, 40)),
        ),
        max_size=24,
    )


@given(histories())
@settings(max_examples=60)
def test_any_history_with_any_stops_ends_as_a_tree_built_at_once(history: list[Step]) -> None:
    with TemporaryDirectory() as name:
        folder, feed, mark = Path(name) / "repo", Feed(), Bookmark()
        feed.released(*RELEASES)
        for step in history:
            mark = take(step, feed, folder, mark)
        mark = run(feed, folder, mark, FaultyFileSystem())
        once = everything(folder)
        assert once == fresh(feed, Path(name))
        assert run(feed, folder, mark, FaultyFileSystem()) == mark
        assert everything(folder) == once


def take(step: Step, feed: Feed, folder: Path, mark: Bookmark) -> Bookmark:
    match step:
        case ("put", int(number), int(revised), tag):
            feed.put(sample(number, revised=revised), tag)
        case ("move", number, tag) if number in feed.numbers():
            feed.move(number, tag)
        case ("remove", number) if number in feed.numbers():
            feed.remove(number)
        case ("flush", int(size)):
            sink = CorpusSink(Folder(folder, FaultyFileSystem()))
            mark, _ = asyncio.run(deliver(feed, sink, mark, batch_size=size))
        case ("stop", int(at)):
            with suppress(Stopped):
                mark = run(feed, folder, mark, FaultyFileSystem(at=at))
    return mark


def test_a_sink_that_failed_refuses_to_go_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        feed, system = first_state(), FaultyFileSystem()
        sink = CorpusSink(Folder(tmp_path / "repo", system))
        await sink.open()
        system.at = 0
        batch = Batch(facts=feed.facts, changes=tuple(feed.changes(0)), replay=True)
        with pytest.raises(Stopped):
            await sink.apply(batch)
        system.at = None
        with pytest.raises(SinkError, match="failed before"):
            await sink.flush()
        await sink.close()

    asyncio.run(scenario())
