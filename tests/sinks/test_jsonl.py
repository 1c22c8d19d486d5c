"""JSON lines: the conformance suite, and what is particular to files of lines."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import pytest

from sinks.faults import FaultyFileSystem, Stopped
from sinks.files import FileSystem, Folder
from sinks.jsonl import JsonLinesSink, open_sink
from syncer.errors import ConfigError
from syncer.sink import Destination, Sink
from syncer.testing.conformance import SinkConformance
from syncer.testing.feed import Bookmark, Feed, deliver
from syncer.testing.samples import sample


def lines(folder: Path) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for path in sorted(folder.glob("jsonl/*.jsonl")):
        data = path.read_bytes()
        assert data.endswith(b"\n")
        for line in data[:-1].split(b"\n"):
            number = json.loads(line)["number"]
            assert number not in found
            found[number] = line
    return found


class TestJsonLines(SinkConformance):
    def sink(self, folder: Path) -> Sink:
        return JsonLinesSink(Folder(folder, FileSystem()))

    def stored(self, folder: Path) -> dict[int, bytes]:
        return lines(folder)

    def text(self, folder: Path) -> dict[int, tuple[str, str]]:
        records = [json.loads(line) for line in lines(folder).values()]
        return {record["number"]: (record["title"], record["body"]) for record in records}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "octo" / "demo"


def feed_of(*numbers: int) -> Feed:
    feed = Feed()
    for number in numbers:
        feed.put(sample(number))
    return feed


def run(
    feed: Feed, folder: Path, mark: Bookmark | None = None, at: int | None = None
) -> tuple[Bookmark, list[str], list[str]]:
    system = FaultyFileSystem(at=at)
    sink = JsonLinesSink(Folder(folder, system))
    mark, _ = asyncio.run(deliver(feed, sink, mark or Bookmark()))
    return mark, system.steps, sink.notes


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_it_takes_no_options(tmp_path: Path) -> None:
    assert isinstance(open_sink(Destination(folder=tmp_path)), Sink)
    with pytest.raises(ConfigError, match="no option 'gzip'"):
        open_sink(Destination(folder=tmp_path, options={"gzip": "yes"}))


def test_a_thousand_numbers_share_a_file_sorted_by_number(folder: Path) -> None:
    run(feed_of(1002, 3, 999, 1000, 1), folder)
    found = {
        path.name: [json.loads(line)["number"] for line in path.read_bytes().splitlines()]
        for path in folder.glob("jsonl/*.jsonl")
    }
    assert found == {"0000000.jsonl": [1, 3, 999], "0001000.jsonl": [1000, 1002]}


def test_a_run_that_changes_nothing_writes_nothing(folder: Path) -> None:
    feed = feed_of(1, 2)
    mark, *_ = run(feed, folder)
    _, steps, _ = run(feed, folder, mark)
    assert steps == []


def test_only_the_block_that_changes_is_written(folder: Path) -> None:
    feed = feed_of(1, 1001)
    mark, *_ = run(feed, folder)
    feed.put(sample(1001, revised=1))
    _, steps, _ = run(feed, folder, mark)
    renamed = [step for step in steps if step.startswith("rename")]
    assert renamed == ["rename 0001000.jsonl", "rename manifest.json"]


def test_a_move_is_no_write_for_a_line_shows_no_bucket(folder: Path) -> None:
    feed = feed_of(1, 2)
    mark, *_ = run(feed, folder)
    before = everything(folder)
    feed.move(1, "v1.0")
    run(feed, folder, mark)
    assert everything(folder) == before


@pytest.mark.parametrize("damage", [b"", b"junk\n", None])
def test_a_file_altered_by_others_voids_the_token_and_is_restored(
    folder: Path, damage: bytes | None
) -> None:
    feed = feed_of(1, 2, 1001)
    mark, *_ = run(feed, folder)
    before = everything(folder)
    path = folder / "jsonl/0000000.jsonl"
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes() + damage if damage else b"")
    assert asyncio.run(JsonLinesSink(Folder(folder, FileSystem())).open()) is None
    run(feed, folder, mark)
    assert everything(folder) == before


def test_a_torn_manifest_is_kept_aside_and_reported(folder: Path) -> None:
    feed = feed_of(1)
    mark, *_ = run(feed, folder)
    whole = everything(folder)
    (folder / "jsonl/manifest.json").write_bytes(b'{"schema":1,')
    _, _, notes = run(feed, folder, mark)
    assert notes == ["jsonl/manifest.json is damaged; it is kept as jsonl/manifest.json.damaged-1"]
    found = everything(folder)
    assert found.pop("jsonl/manifest.json.damaged-1") == b'{"schema":1,'
    assert found == whole


@pytest.mark.parametrize("step", range(14))
def test_stopping_at_any_write_step_and_running_again_ends_as_never_stopped(
    tmp_path: Path, folder: Path, step: int
) -> None:
    feed = feed_of(1, 2, 1001, 2001)
    mark, *_ = run(feed, folder)
    feed.put(sample(3))
    feed.put(sample(2, revised=1))
    feed.put(sample(3001))
    feed.remove(1001)
    with suppress(Stopped):
        run(feed, folder, mark, at=step)
    feed.remove(3001)
    run(feed, folder, mark)
    run(feed, tmp_path / "fresh")
    assert everything(folder) == everything(tmp_path / "fresh")


def test_the_stops_above_reach_every_step(folder: Path) -> None:
    feed = feed_of(1, 2, 1001, 2001)
    mark, *_ = run(feed, folder)
    feed.put(sample(3))
    feed.put(sample(2, revised=1))
    feed.put(sample(3001))
    feed.remove(1001)
    _, steps, _ = run(feed, folder, mark)
    assert len(steps) <= 14
