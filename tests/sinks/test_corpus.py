"""The corpus sink: the conformance suite, and what is particular to a tree of files."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from sinks.corpus import CorpusSink, open_sink
from sinks.faults import FaultyFileSystem
from sinks.files import FileSystem, Folder
from syncer.corpus.parse import parse
from syncer.corpus.sealing import decode_leaf, decode_root, encode_leaf
from syncer.errors import ConfigError, SinkError
from syncer.sink import Applied, Batch, Change, ChangeKind, Destination, Sink
from syncer.testing.conformance import SinkConformance
from syncer.testing.feed import Bookmark, Feed, deliver, release
from syncer.testing.samples import sample

V1 = release("v1.0", datetime(2025, 6, 1, tzinfo=UTC))


def tree(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


class TestCorpus(SinkConformance):
    def sink(self, folder: Path) -> Sink:
        return CorpusSink(Folder(folder, FileSystem()))

    def stored(self, folder: Path) -> dict[int, object]:
        found: dict[int, object] = {}
        for name, data in tree(folder).items():
            if name.endswith(".md"):
                number = parse(data, file=name).conversation.number
                assert number not in found, "a number with two files"
                found[number] = (name, data)
        return found

    def text(self, folder: Path) -> dict[int, tuple[str, str]]:
        files = [data for name, data in tree(folder).items() if name.endswith(".md")]
        conversations = [parse(data).conversation for data in files]
        return {c.number: (c.title, c.body) for c in conversations}


class Corpus:
    """A folder, its feed and the engine's bookmark."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.feed = Feed()
        self.feed.released(V1)
        self.mark = Bookmark()
        self.applied = Applied()
        self.steps: list[str] = []
        self.notes: list[str] = []
        for number in (1, 2, 1001):
            self.feed.put(sample(number))
        self.feed.put(sample(3), "v1.0")
        self.sync()

    def sink(self, system: FileSystem | None = None) -> CorpusSink:
        return CorpusSink(Folder(self.folder, system or FaultyFileSystem()))

    def sync(self) -> None:
        system = FaultyFileSystem()
        sink = self.sink(system)
        self.mark, self.applied = asyncio.run(deliver(self.feed, sink, self.mark))
        self.steps, self.notes = system.steps, sink.notes

    def take(self, *changes: Change, replay: bool = False) -> Applied:
        """Hand over changes that no feed would make."""

        async def scenario() -> Applied:
            sink = self.sink()
            await sink.open()
            applied = await sink.apply(Batch(facts=self.feed.facts, changes=changes, replay=replay))
            await sink.flush()
            await sink.close()
            return applied

        return asyncio.run(scenario())

    def token(self) -> str | None:
        return asyncio.run(self.sink().open())

    def fresh(self) -> dict[str, bytes]:
        beside = self.folder.parent / "fresh" / "repo"
        shutil.rmtree(beside, ignore_errors=True)
        sink = CorpusSink(Folder(beside, FaultyFileSystem()))
        asyncio.run(deliver(self.feed, sink, Bookmark()))
        return tree(beside)

    def newest(self, number: int) -> Change:
        return next(c for c in self.feed.changes(0) if c.number == number)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path / "octo" / "demo")


def test_it_takes_no_options(tmp_path: Path) -> None:
    assert isinstance(open_sink(Destination(folder=tmp_path)), Sink)
    with pytest.raises(ConfigError, match="no option 'depth'"):
        open_sink(Destination(folder=tmp_path, options={"depth": "2"}))


def test_the_tree_has_the_places_that_readers_know(corpus: Corpus) -> None:
    assert sorted(tree(corpus.folder)) == [
        ".gitattributes",
        "archive/pulls/v1.0/0000000/manifest.json",
        "archive/pulls/v1.0/0000000/pr-3.md",
        "census.json",
        "manifest.json",
        "pulls/0000000/manifest.json",
        "pulls/0000000/pr-1.md",
        "pulls/0000000/pr-2.md",
        "pulls/0001000/manifest.json",
        "pulls/0001000/pr-1001.md",
    ]
    assert tree(corpus.folder)[".gitattributes"] == b"* -text\n"


def test_the_token_is_the_digest_of_the_root(corpus: Corpus) -> None:
    root = decode_root((corpus.folder / "manifest.json").read_bytes())
    assert corpus.token() == corpus.mark.token == root.digest


# ------------------------------------------------------------------------------ what is written


def test_a_run_that_changes_nothing_writes_nothing(corpus: Corpus) -> None:
    corpus.sync()
    assert corpus.steps == []


def test_a_newer_watermark_writes_the_census_alone(corpus: Corpus) -> None:
    root = (corpus.folder / "manifest.json").read_bytes()
    facts = corpus.feed.facts
    later = replace(facts.census, watermark=datetime(2026, 2, 1, tzinfo=UTC))
    corpus.feed.facts = replace(facts, census=later)
    corpus.sync()
    assert [step for step in corpus.steps if step.startswith("rename")] == ["rename census.json"]
    assert (corpus.folder / "manifest.json").read_bytes() == root


def test_a_new_release_without_moves_writes_the_root_alone(corpus: Corpus) -> None:
    corpus.feed.released(V1, release("v2.0", datetime(2026, 6, 1, tzinfo=UTC)))
    corpus.sync()
    assert [step for step in corpus.steps if step.startswith("rename")] == ["rename manifest.json"]
    assert tree(corpus.folder) == corpus.fresh()


def test_only_the_leaves_that_change_are_written(corpus: Corpus) -> None:
    corpus.feed.put(sample(1001, revised=1))
    corpus.sync()
    renamed = [step for step in corpus.steps if step.startswith("rename")]
    # The marker, the file, its leaf and the root; the feed's census says what it said.
    assert renamed == [
        "rename .sealing",
        "rename pr-1001.md",
        "rename manifest.json",
        "rename manifest.json",
    ]


def test_a_change_of_evidence_alone_changes_the_file(corpus: Corpus) -> None:
    whole = sample(2)
    corpus.feed.put(replace(whole, threads={}))
    corpus.sync()
    assert corpus.applied == Applied(written=1)
    leaf = decode_leaf((corpus.folder / "pulls/0000000/manifest.json").read_bytes())
    assert [bool(entry.incomplete) for entry in leaf.entries] == [False, True]


# --------------------------------------------------------------------------------------- moves


def move(corpus: Corpus, number: int, **other: bytes) -> Change:
    corpus.feed.move(number, "v1.0")
    change = replace(corpus.newest(number), kind=ChangeKind.MOVE)
    return replace(change, **other)


def test_a_move_renames_the_file_and_never_decodes_the_record(corpus: Corpus) -> None:
    before = (corpus.folder / "pulls/0000000/pr-1.md").read_bytes()
    unreadable = move(corpus, 1, record=b"not to be looked at")
    assert corpus.take(unreadable) == Applied(moved=1)
    assert (corpus.folder / "archive/pulls/v1.0/0000000/pr-1.md").read_bytes() == before
    assert tree(corpus.folder) == corpus.fresh()


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"altered")])
def test_a_move_of_a_file_that_is_not_what_it_was_is_rendered(
    corpus: Corpus, damage: Callable[[Path], object]
) -> None:
    change = move(corpus, 1)

    async def scenario() -> None:
        sink = corpus.sink()
        await sink.open()
        damage(corpus.folder / "pulls/0000000/pr-1.md")
        batch = Batch(facts=corpus.feed.facts, changes=(change,))
        assert await sink.apply(batch) == Applied(written=1)
        await sink.flush()
        await sink.close()

    asyncio.run(scenario())
    assert tree(corpus.folder) == corpus.fresh()


def test_a_move_of_other_content_than_the_file_has_is_rendered(corpus: Corpus) -> None:
    corpus.feed.put(sample(1, revised=1))
    assert corpus.take(move(corpus, 1)) == Applied(written=1)
    assert tree(corpus.folder) == corpus.fresh()


def test_a_put_with_the_same_bytes_in_another_bucket_is_a_move(corpus: Corpus) -> None:
    corpus.feed.put(sample(1), "v1.0")
    corpus.sync()
    assert corpus.applied == Applied(moved=1)
    assert tree(corpus.folder) == corpus.fresh()


def test_back_and_forth_within_one_flush_leaves_the_file_where_it_was(corpus: Corpus) -> None:
    corpus.feed.move(1, "v1.0")
    away = replace(corpus.newest(1), kind=ChangeKind.MOVE)
    corpus.feed.move(1, None)
    back = replace(corpus.newest(1), kind=ChangeKind.MOVE)
    assert corpus.take(away, back) == Applied(moved=1)
    assert tree(corpus.folder) == corpus.fresh()


def test_hostile_tags_stay_below_the_root_and_never_share_a_folder(corpus: Corpus) -> None:
    tags = [
        "feature/1.0",
        "../../outside",
        "/abs",
        "v1..2",
        "a\\b",
        "v 1 beta",
        "1.2",
        "v1.2",
        "V1.2",
    ]
    points = [release(tag, datetime(2025, 6, n, tzinfo=UTC)) for n, tag in enumerate(tags, start=1)]
    corpus.feed.released(V1, *points)
    for number, tag in enumerate(tags, start=10):
        corpus.feed.put(sample(number), tag)
    corpus.sync()
    files = corpus.folder.parents[1].rglob("*.md")
    assert all(path.is_relative_to(corpus.folder) for path in files)
    root = decode_root((corpus.folder / "manifest.json").read_bytes())
    folders = {item.tag_name: item.folder for item in root.releases}
    assert len(set(folders.values())) == len(folders) == len(tags) + 1
    assert all((corpus.folder / "archive/pulls" / folders[tag]).is_dir() for tag in tags)


@pytest.mark.parametrize("seed", range(12))
def test_any_changes_of_one_conversation_within_one_flush_leave_the_last_alone(
    corpus: Corpus, seed: int
) -> None:
    dice = random.Random(seed)
    changes: list[Change] = []
    for _ in range(dice.randrange(2, 7)):
        bucket = dice.choice([None, "v1.0"])
        if dice.random() < 0.5 and 1 in corpus.feed.numbers():
            corpus.feed.move(1, bucket)
            changes.append(replace(corpus.newest(1), kind=ChangeKind.MOVE))
        elif dice.random() < 0.3:
            corpus.feed.remove(1)
            changes.append(corpus.newest(1))
        else:
            corpus.feed.put(sample(1, revised=dice.randrange(2)), bucket)
            changes.append(corpus.newest(1))
    corpus.take(*changes)
    assert tree(corpus.folder) == corpus.fresh()


# -------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize(
    "torn",
    [lambda data: data[: len(data) // 2], lambda data: data + b"junk", lambda data: b""],
    ids=["cut", "trailing junk", "empty"],
)
@pytest.mark.parametrize("name", ["manifest.json", "pulls/0000000/manifest.json"])
def test_a_torn_manifest_is_kept_aside_reported_and_written_anew(
    corpus: Corpus, name: str, torn: Callable[[bytes], bytes]
) -> None:
    path = corpus.folder / name
    damaged = torn(path.read_bytes())
    path.write_bytes(damaged)
    corpus.sync()
    aside = f"{name}.damaged-1"
    assert any(aside in note for note in corpus.notes)
    assert corpus.applied == Applied()
    found = tree(corpus.folder)
    assert found.pop(aside) == damaged
    assert found == corpus.fresh()


def lose_file(folder: Path) -> None:
    (folder / "pulls/0000000/pr-1.md").unlink()


def lose_leaf(folder: Path) -> None:
    (folder / "pulls/0001000/manifest.json").unlink()


def lose_directory(folder: Path) -> None:
    shutil.rmtree(folder / "archive")


def lose_root(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def bring_back_an_older_leaf(folder: Path) -> None:
    path = folder / "pulls/0000000/manifest.json"
    leaf = decode_leaf(path.read_bytes())
    path.write_bytes(encode_leaf(replace(leaf, entries=leaf.entries[:1])))


@pytest.mark.parametrize(
    "damage", [lose_file, lose_leaf, lose_directory, lose_root, bring_back_an_older_leaf]
)
def test_what_is_missing_voids_the_token_and_is_restored(
    corpus: Corpus, damage: Callable[[Path], None]
) -> None:
    damage(corpus.folder)
    assert corpus.token() is None
    corpus.sync()
    assert tree(corpus.folder) == corpus.fresh()


def test_a_root_by_a_newer_program_is_refused_and_left_alone(corpus: Corpus) -> None:
    path = corpus.folder / "manifest.json"
    newer = json.loads(path.read_bytes()) | {"schema": 99}
    path.write_text(json.dumps(newer))
    before = tree(corpus.folder)
    with pytest.raises(SinkError, match="schema 99, newer than ours"):
        corpus.sync()
    assert tree(corpus.folder) == before


def test_the_corpus_of_another_repository_is_refused_and_left_alone(corpus: Corpus) -> None:
    before = tree(corpus.folder)
    facts = corpus.feed.facts
    corpus.feed.facts = replace(facts, repository=replace(facts.repository, id="R_2"))
    with pytest.raises(SinkError, match="another repository, octo/demo"):
        corpus.sync()
    assert tree(corpus.folder) == before


# -------------------------------------------------------------------------------------- strays


def test_a_second_file_of_a_number_goes_with_the_next_change(corpus: Corpus) -> None:
    first = corpus.folder / "pulls/0000000/pr-1.md"
    double = corpus.folder / "archive/pulls/v0.9/0000000/pr-1.md"
    double.parent.mkdir(parents=True)
    shutil.copy(first, double)
    corpus.sync()
    assert double.exists()  # nothing has changed, so nothing is touched
    corpus.feed.put(sample(2, revised=1))
    corpus.sync()
    assert tree(corpus.folder) == corpus.fresh()
    assert not (corpus.folder / "archive/pulls/v0.9").exists()


def test_a_file_of_an_unknown_number_goes_with_a_replay_only(corpus: Corpus) -> None:
    stray = corpus.folder / "pulls/0000000/pr-77.md"
    stray.write_bytes(b"whose is it?")
    corpus.feed.put(sample(2, revised=1))
    corpus.sync()
    assert stray.read_bytes() == b"whose is it?"
    corpus.mark = Bookmark()
    corpus.sync()
    assert tree(corpus.folder) == corpus.fresh()


def test_files_of_others_are_never_touched(corpus: Corpus) -> None:
    others = {
        "README.md": b"mine",
        "pulls/notes/pr-1.md": b"mine",
        "pulls/0000000/pr-01.md": b"mine",
        "pulls/0000000/picture.png": b"mine",
        "pulls/0000001/pr-1.md": b"mine",
        "archive/pulls/v1.0/list.txt": b"mine",
        ".hidden.tmp/pr-1.md": b"mine",
        "pulls/0000000/.draft.md.tmp": b"mine",
    }
    for name, data in others.items():
        path = corpus.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    corpus.mark = Bookmark()
    for number in (1, 2, 3):
        corpus.feed.remove(number)
    corpus.sync()
    found = tree(corpus.folder)
    assert {name: found.pop(name) for name in others} == others
    assert found == corpus.fresh()


def test_nothing_is_left_of_a_repository_that_became_empty(corpus: Corpus) -> None:
    for number in sorted(corpus.feed.numbers()):
        corpus.feed.remove(number)
    corpus.sync()
    names = {path.name for path in corpus.folder.iterdir()}
    assert names == {".gitattributes", "census.json", "manifest.json"}


# --------------------------------------------------------------------------- links and threads


@pytest.mark.parametrize("linked", ["pulls", "pulls/0000000", "archive/pulls"])
def test_a_linked_directory_is_refused_and_nothing_is_written_through_it(
    corpus: Corpus, tmp_path: Path, linked: str
) -> None:
    outside = tmp_path / "outside"
    (corpus.folder / linked).rename(outside)
    (corpus.folder / linked).symlink_to(outside)
    before = tree(outside)
    for number in (1, 2, 3):
        corpus.feed.put(sample(number, revised=1), "v1.0" if number == 3 else None)
    with pytest.raises(SinkError, match="symbolic link"):
        corpus.sync()
    assert tree(outside) == before


def test_a_linked_file_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    (corpus.folder / "pulls/0000000/pr-1.md").rename(outside)
    (corpus.folder / "pulls/0000000/pr-1.md").symlink_to(outside)
    before = outside.read_bytes()
    corpus.feed.put(sample(1, revised=1))
    with pytest.raises(SinkError, match="symbolic link"):
        corpus.sync()
    assert outside.read_bytes() == before


async def test_the_loop_runs_on_while_files_are_written(tmp_path: Path) -> None:
    feed = Feed()
    for number in range(1, 200):
        feed.put(sample(number))
    work = asyncio.ensure_future(
        deliver(feed, CorpusSink(Folder(tmp_path / "repo", FaultyFileSystem())), Bookmark())
    )
    ticks = 0
    while not work.done():
        await asyncio.sleep(0)
        ticks += 1
    await work
    assert ticks > 50


async def test_cancelling_lets_go_only_when_the_files_are_at_rest(tmp_path: Path) -> None:
    feed = Feed()
    for number in range(1, 500):
        feed.put(sample(number))
    system = FaultyFileSystem()
    sink = CorpusSink(Folder(tmp_path / "repo", system))
    await sink.open()
    batch = Batch(facts=feed.facts, changes=tuple(feed.changes(0)), replay=True)
    work = asyncio.ensure_future(sink.apply(batch))
    await asyncio.wait([work], timeout=0.01)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    steps = len(system.steps)
    await sink.close()
    assert steps < 500
    assert not any("write" in step for step in system.steps[steps:])
    assert not list((tmp_path / "repo").rglob("*.tmp"))
