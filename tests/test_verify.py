"""Checking a corpus: a sound one is silent, every damage has its code, and a stop is no damage."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from msgspec.structs import replace

from sinks.corpus import CorpusSink
from sinks.faults import FaultyFileSystem, Stopped
from sinks.files import Folder
from syncer.canonical import revision_of
from syncer.corpus import (
    Leaf,
    Timeline,
    bytes_digest,
    decode_census,
    decode_leaf,
    decode_root,
    encode_census,
    encode_leaf,
    encode_root,
    root_digest,
)
from syncer.evidence import Snapshot
from syncer.findings import Code, Grade, Report
from syncer.records import resolution_event
from syncer.testing.feed import Bookmark, Feed, deliver, release
from syncer.testing.samples import sample
from syncer.verify import Expected, verify

V1 = release("v1.0", datetime(2025, 1, 20, tzinfo=UTC))
V2 = release("Feature/2.0", datetime(2025, 2, 20, tzinfo=UTC))


def put(feed: Feed, snapshot: Snapshot) -> None:
    pull = snapshot.conversation
    event = resolution_event(pull.state, pull.merged_at, pull.closed_at)
    feed.put(snapshot, Timeline(feed.facts.releases, feed.facts.shaping).bucket(event))


def build(feed: Feed, folder: Path, mark: Bookmark, system: FaultyFileSystem) -> Bookmark:
    mark, _ = asyncio.run(deliver(feed, CorpusSink(Folder(folder, system)), mark))
    return mark


def first_state() -> Feed:
    feed = Feed()
    feed.released(V1)
    for number in (1, 2, 3, 999, 1001, 2001):
        put(feed, sample(number))
    return feed


def change(feed: Feed) -> None:
    feed.released(V1, V2)
    for number in (999, 1001):
        put(feed, sample(number))
    feed.remove(2001)
    feed.remove(2)
    put(feed, sample(3, revised=1))
    put(feed, sample(4))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "octo" / "demo"
    build(first_state(), place, Bookmark(), FaultyFileSystem())
    return place


def codes(report: Report) -> set[tuple[str, str]]:
    return {(finding.code.value, finding.path) for finding in report.findings}


def test_a_sound_corpus_gives_no_finding(folder: Path) -> None:
    report = verify(folder)
    assert report.findings == ()
    assert report.sound
    assert (report.files, report.leaves) == (6, 4)
    assert report.digest == decode_root((folder / "manifest.json").read_bytes()).digest


def test_a_corpus_without_a_pull_request_is_sound(tmp_path: Path) -> None:
    build(Feed(), tmp_path / "demo", Bookmark(), FaultyFileSystem())
    assert verify(tmp_path / "demo").findings == ()


def test_nothing_is_written(folder: Path) -> None:
    def state() -> dict[str, tuple[int, int]]:
        found = [(path, path.lstat()) for path in [folder, *folder.rglob("*")]]
        return {str(path): (stat.st_mtime_ns, stat.st_size) for path, stat in found}

    before = state()
    (folder / "pulls/0000000/pr-999.md").chmod(0o444)
    verify(folder)
    assert state() == before


def test_progress_counts_the_files(folder: Path) -> None:
    counts: list[int] = []
    verify(folder, progress=counts.append)
    assert counts == [1, 2, 3, 4, 5, 6]


# -------------------------------------------------------------------------------------- damage

ARCHIVED = "archive/pulls/v1.0/0000000"


def lose(name: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).unlink()


def put_bytes(name: str, data: bytes) -> Callable[[Path], object]:
    def work(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)

    return work


def edit(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def copy(source: str, target: str) -> Callable[[Path], object]:
    def work(folder: Path) -> None:
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / source, folder / target)

    return work


def link(name: str) -> Callable[[Path], object]:
    def work(folder: Path) -> None:
        outside = folder.parents[1] / "outside"
        (folder / name).rename(outside)
        (folder / name).symlink_to(outside)

    return work


def older_file(folder: Path) -> None:
    """A file that is sound in itself, but of another time than its manifest."""
    with TemporaryDirectory() as name:
        feed = first_state()
        put(feed, sample(1, revised=1))
        build(feed, Path(name) / "demo", Bookmark(), FaultyFileSystem())
        shutil.copy(Path(name) / "demo" / ARCHIVED / "pr-1.md", folder / ARCHIVED / "pr-1.md")


def reseal(folder: Path, directory: str, leaf: Leaf) -> None:
    """Make the root agree with an altered leaf, so that only its content can give it away."""
    data = encode_leaf(leaf)
    (folder / directory / "manifest.json").write_bytes(data)
    root = decode_root((folder / "manifest.json").read_bytes())
    leaves = tuple(
        replace(ref, digest=bytes_digest(data)) if ref.path.startswith(directory) else ref
        for ref in root.leaves
    )
    altered = replace(root, leaves=leaves)
    altered = replace(altered, digest=root_digest(altered))
    (folder / "manifest.json").write_bytes(encode_root(altered))


def lying_entry(folder: Path) -> None:
    leaf = decode_leaf((folder / ARCHIVED / "manifest.json").read_bytes())
    first = replace(leaf.entries[0], counts=replace(leaf.entries[0].counts, comments=7))
    reseal(folder, ARCHIVED, replace(leaf, entries=(first, *leaf.entries[1:])))


def wrong_bucket(folder: Path) -> None:
    root = decode_root((folder / "manifest.json").read_bytes())
    early = tuple(
        replace(item, published_at=datetime(2025, 1, 1, 2, 0, 30, tzinfo=UTC))
        for item in root.releases
    )
    altered = replace(root, releases=early)
    altered = replace(altered, digest=root_digest(altered))
    (folder / "manifest.json").write_bytes(encode_root(altered))


def wrong_summary(folder: Path) -> None:
    root = decode_root((folder / "manifest.json").read_bytes())
    leaves = (replace(root.leaves[0], count=9), *root.leaves[1:])
    altered = replace(root, leaves=leaves)
    altered = replace(altered, digest=root_digest(altered))
    (folder / "manifest.json").write_bytes(encode_root(altered))


def census(**other: object) -> Callable[[Path], object]:
    def change(data: bytes) -> bytes:
        return encode_census(replace(decode_census(data), **other))

    return edit("census.json", change)


DAMAGES: list[tuple[str, Callable[[Path], object], set[tuple[str, str]]]] = [
    ("root lost", lose("manifest.json"), {("root_missing", "manifest.json")}),
    ("root torn", edit("manifest.json", lambda d: d[:99]), {("root_damaged", "manifest.json")}),
    (
        "root with trailing junk",
        edit("manifest.json", lambda d: d + b"{}"),
        {("root_damaged", "manifest.json")},
    ),
    (
        "leaf lost",
        lose("pulls/0001000/manifest.json"),
        {
            ("leaf_missing", "pulls/0001000/manifest.json"),
            ("file_unlisted", "pulls/0001000/pr-1001.md"),
            ("census_mismatch", "census.json"),
        },
    ),
    (
        "leaf torn",
        edit("pulls/0001000/manifest.json", lambda d: d[:-9]),
        {
            ("leaf_damaged", "pulls/0001000/manifest.json"),
            ("file_unlisted", "pulls/0001000/pr-1001.md"),
            ("census_mismatch", "census.json"),
        },
    ),
    (
        "summary of a leaf",
        wrong_summary,
        {("leaf_summary_wrong", f"{ARCHIVED}/manifest.json")},
    ),
    ("file lost", lose(f"{ARCHIVED}/pr-1.md"), {("file_missing", f"{ARCHIVED}/pr-1.md")}),
    (
        "file altered",
        edit(f"{ARCHIVED}/pr-1.md", lambda d: d.replace(b"Because.", b"Because!", 1)),
        {("file_damaged", f"{ARCHIVED}/pr-1.md")},
    ),
    (
        "line ends altered",
        edit(f"{ARCHIVED}/pr-1.md", lambda d: d.replace(b"\n", b"\r\n")),
        {("file_damaged", f"{ARCHIVED}/pr-1.md")},
    ),
    (
        "file empty",
        put_bytes(f"{ARCHIVED}/pr-1.md", b""),
        {("file_damaged", f"{ARCHIVED}/pr-1.md")},
    ),
    ("file of another time", older_file, {("file_differs", f"{ARCHIVED}/pr-1.md")}),
    (
        "files swapped",
        copy(f"{ARCHIVED}/pr-2.md", f"{ARCHIVED}/pr-1.md"),
        {("file_damaged", f"{ARCHIVED}/pr-1.md")},
    ),
    ("entry lies", lying_entry, {("entry_wrong", f"{ARCHIVED}/pr-1.md")}),
    (
        "double",
        copy(f"{ARCHIVED}/pr-1.md", "pulls/0000000/pr-1.md"),
        {("double", "pulls/0000000/pr-1.md"), ("file_unlisted", "pulls/0000000/pr-1.md")},
    ),
    (
        "orphan",
        put_bytes("pulls/0000000/pr-77.md", b"whose?"),
        {
            ("file_unlisted", "pulls/0000000/pr-77.md"),
            ("file_damaged", "pulls/0000000/pr-77.md"),
        },
    ),
    (
        "linked file",
        link(f"{ARCHIVED}/pr-1.md"),
        {("link", f"{ARCHIVED}/pr-1.md"), ("file_missing", f"{ARCHIVED}/pr-1.md")},
    ),
    ("attributes lost", lose(".gitattributes"), {("attributes_wrong", ".gitattributes")}),
    ("census lost", lose("census.json"), {("census_missing", "census.json")}),
    ("census torn", edit("census.json", lambda d: d[:20]), {("census_damaged", "census.json")}),
    ("census counts", census(found=7), {("census_mismatch", "census.json")}),
    ("census of another", census(repository_id="R_2"), {("census_mismatch", "census.json")}),
    ("unread with a file", census(unread=(1,)), {("census_mismatch", "census.json")}),
    ("behind without a file", census(behind=(9,)), {("census_mismatch", "census.json")}),
]


@pytest.mark.parametrize(("damage", "found"), [d[1:] for d in DAMAGES], ids=[d[0] for d in DAMAGES])
def test_every_damage_is_named_with_its_place(
    folder: Path, damage: Callable[[Path], object], found: set[tuple[str, str]]
) -> None:
    damage(folder)
    report = verify(folder)
    assert codes(report) == found
    assert report.damaged
    assert all(finding.advice for finding in report.findings)


MENDABLE = [damage for damage in DAMAGES if damage[0] != "linked file"]


@pytest.mark.parametrize("damage", [d[1] for d in MENDABLE], ids=[d[0] for d in MENDABLE])
def test_a_replay_mends_all_but_links_and_the_run_after_it_writes_nothing(
    folder: Path, damage: Callable[[Path], object]
) -> None:
    damage(folder)
    feed, system = first_state(), FaultyFileSystem()
    mark = build(feed, folder, Bookmark(), FaultyFileSystem())
    report = verify(folder)
    assert report.sound
    assert {finding.code for finding in report.findings} <= {Code.SET_ASIDE}
    build(feed, folder, mark, system)
    assert system.steps == []


def test_a_file_in_a_bucket_that_the_releases_do_not_give_is_named(folder: Path) -> None:
    wrong_bucket(folder)
    report = verify(folder)
    wrong = [f for f in report.findings if f.code is Code.BUCKET_WRONG]
    assert [finding.number for finding in wrong] == [2, 3]
    assert {f.code for f in report.findings} == {Code.BUCKET_WRONG}


def test_no_finding_repeats_what_people_wrote(folder: Path) -> None:
    path = folder / ARCHIVED / "pr-1.md"
    path.write_bytes(path.read_bytes().replace(b"Because.", b"MALLORY\n## Comments\nMALLORY"))
    report = verify(folder)
    assert report.damaged
    assert "MALLORY" not in "".join(f.detail + f.advice for f in report.findings)


# ---------------------------------------------------------------------- leftovers and strangers


def test_what_a_stopped_run_leaves_is_unfinished_and_what_was_kept_aside_a_note(
    folder: Path,
) -> None:
    put_bytes("pulls/0000000/.pr-5.md.tmp", b"half")(folder)
    put_bytes(".manifest.json.tmp", b"half")(folder)
    put_bytes("manifest.json.damaged-1", b"torn")(folder)
    put_bytes("pulls/0000000/pr-999.md.damaged-1", b"in no manifest")(folder)
    (folder / "archive/pulls/v0.9/0000000").mkdir(parents=True)
    report = verify(folder)
    assert codes(report) == {
        ("temporary", "pulls/0000000/.pr-5.md.tmp"),
        ("temporary", ".manifest.json.tmp"),
        ("set_aside", "manifest.json.damaged-1"),
        ("set_aside", "pulls/0000000/pr-999.md.damaged-1"),
        ("empty_directory", "archive/pulls/v0.9/0000000"),
    }
    assert {f.grade for f in report.findings} == {Grade.UNFINISHED, Grade.NOTE}
    assert not report.damaged
    assert not report.sound


def test_files_of_others_are_none_of_its_business(folder: Path) -> None:
    for name in ("README.md", "pulls/notes/pr-1.md", "pulls/0000000/pr-01.md", ".x.tmp"):
        put_bytes(name, b"mine")(folder)
    (folder / "pulls/elsewhere").symlink_to(folder.parent)
    (folder / ".syncer").mkdir()
    assert verify(folder).findings == ()


def test_a_folder_where_nothing_was_sealed_yet_is_unfinished(tmp_path: Path) -> None:
    report = verify(tmp_path / "nowhere")
    assert codes(report) == {("root_missing", "manifest.json")}
    assert not report.damaged
    assert not report.sound


# ---------------------------------------------------------------------------------------- stops


def stops() -> tuple[int, int]:
    """How many steps the very first run has, and how many the one after it."""
    with TemporaryDirectory() as name:
        feed, first, second = first_state(), FaultyFileSystem(), FaultyFileSystem()
        mark = build(feed, Path(name) / "demo", Bookmark(), first)
        change(feed)
        build(feed, Path(name) / "demo", mark, second)
        return len(first.steps), len(second.steps)


FIRST, SECOND = stops()


@pytest.mark.parametrize("step", range(SECOND))
def test_a_stop_at_any_write_step_is_explained_and_mended_by_the_next_run(
    tmp_path: Path, step: int
) -> None:
    feed, folder = first_state(), tmp_path / "demo"
    mark = build(feed, folder, Bookmark(), FaultyFileSystem())
    change(feed)
    with pytest.raises(Stopped):
        build(feed, folder, mark, FaultyFileSystem(at=step))
    explained = verify(folder)
    assert [f for f in explained.findings if f.grade is not Grade.UNFINISHED] == []
    build(feed, folder, mark, FaultyFileSystem())
    assert verify(folder).findings == ()


@pytest.mark.parametrize("step", range(FIRST))
def test_a_stop_of_the_very_first_run_is_no_damage(tmp_path: Path, step: int) -> None:
    feed, folder = first_state(), tmp_path / "demo"
    with pytest.raises(Stopped):
        build(feed, folder, Bookmark(), FaultyFileSystem(at=step))
    assert not verify(folder).damaged


# ---------------------------------------------------------------------------------------- store


def store() -> dict[int, Expected]:
    return {
        number: Expected(None if number > 900 else "v1.0", revision_of(sample(number).conversation))
        for number in (1, 2, 3, 999, 1001, 2001)
    }


def test_a_corpus_that_is_what_the_store_holds_gives_no_finding(folder: Path) -> None:
    assert verify(folder, expected=store()).findings == ()


def test_every_difference_from_the_store_is_named(folder: Path) -> None:
    expected = store()
    expected[5] = Expected(None, "0" * 64)
    expected[2] = Expected("v1.0", "0" * 64)
    expected[3] = Expected(None, expected[3].revision)
    del expected[999]
    found = {(f.code, f.number) for f in verify(folder, expected=expected).findings}
    assert found == {
        (Code.CORPUS_LACKS, 5),
        (Code.STORE_DIFFERS, 2),
        (Code.STORE_DIFFERS, 3),
        (Code.STORE_LACKS, 999),
    }
