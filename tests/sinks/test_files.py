"""The file layer: whole files, nothing outside the folder, errors that say what to do."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path

import pytest

from sinks.faults import FaultyFileSystem
from sinks.files import FileSystem, Folder, in_thread
from syncer.corpus.unfinished import meant_by, temporary_of
from syncer.errors import SinkError


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "octo" / "demo", FileSystem())


def test_a_written_file_reads_back_to_the_byte(folder: Folder) -> None:
    data = b"one\r\ntwo\rthree\n\n\x00\xff"
    folder.write("a/b/c.md", data)
    assert folder.read("a/b/c.md") == data
    assert folder.names("a/b") == ["c.md"]


def test_what_is_not_there_is_none_and_no_error(folder: Folder) -> None:
    assert folder.read("a/b.md") is None
    assert folder.names("a") == []
    assert not folder.is_directory("a")
    folder.remove("a/b.md")
    folder.prune("a")
    folder.sync()


def test_staging_leaves_the_file_in_place_until_published(folder: Folder) -> None:
    folder.write("a.md", b"old")
    folder.stage("a.md", b"new")
    assert folder.read("a.md") == b"old"
    folder.publish("a.md")
    assert folder.read("a.md") == b"new"
    assert folder.names(".") == ["a.md"]


@pytest.mark.parametrize("step", range(3))
def test_a_write_that_stops_anywhere_leaves_the_old_file_or_the_new(
    tmp_path: Path, step: int
) -> None:
    Folder(tmp_path / "demo", FileSystem()).write("a.md", b"old bytes")
    system = FaultyFileSystem(at=step, error=OSError(errno.EIO, "Input/output error"))
    with pytest.raises(SinkError, match=r"cannot write .*a\.md: Input/output error"):
        Folder(tmp_path / "demo", system).write("a.md", b"new bytes")
    assert (tmp_path / "demo" / "a.md").read_bytes() == (
        b"new bytes" if step == 2 else b"old bytes"
    )


@pytest.mark.parametrize("name", ["../a.md", "a/../../b.md", "/etc/hostname"])
def test_nothing_outside_the_folder_is_read_or_written(folder: Folder, name: str) -> None:
    for work in (folder.read, folder.remove, folder.names, lambda n: folder.write(n, b"")):
        with pytest.raises(SinkError):
            work(name)


@pytest.mark.parametrize("link", ["octo", "octo/demo", "octo/demo/a", "octo/demo/a/b"])
def test_a_link_on_the_way_is_refused(tmp_path: Path, link: str) -> None:
    Folder(tmp_path / "octo/demo", FileSystem()).write("a/b/c.md", b"inside")
    (tmp_path / link).rename(tmp_path / "elsewhere")
    (tmp_path / link).symlink_to(tmp_path / "elsewhere")
    folder = Folder(tmp_path / "octo/demo", FileSystem())
    with pytest.raises(SinkError, match="it is a symbolic link, which is never followed"):
        folder.read("a/b/c.md")
    with pytest.raises(SinkError, match="it is a symbolic link"):
        folder.write("a/b/c.md", b"through the link")
    assert [p.read_bytes() for p in (tmp_path / "elsewhere").rglob("c.md")] == [b"inside"]


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(
    folder: Folder, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs")
    folder.write("a.md", b"ours")
    (folder.path / "a.md").unlink()
    (folder.path / "a.md").symlink_to(outside)
    (folder.path / ".b.md.tmp").symlink_to(outside)
    with pytest.raises(SinkError, match="symbolic link"):
        folder.read("a.md")
    with pytest.raises(SinkError, match="symbolic link"):
        folder.stage("b.md", b"through the link")
    folder.write("a.md", b"ours again")
    assert folder.read("a.md") == b"ours again"
    assert outside.read_bytes() == b"theirs"


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (errno.ENOSPC, "the disk is full; free some space"),
        (errno.EDQUOT, "the quota of this user is used up"),
        (errno.EACCES, "give the user who runs this write access"),
        (errno.EROFS, "the file system is read-only"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_every_error_names_the_path_within_the_root_and_the_way_out(
    tmp_path: Path, code: int, advice: str
) -> None:
    system = FaultyFileSystem(at=0, error=OSError(code, os.strerror(code)))
    folder = Folder(tmp_path / "octo" / "demo", system)
    folder.path.mkdir(parents=True)
    with pytest.raises(SinkError) as caught:
        folder.write("pr-1.md", b"")
    assert str(caught.value).startswith("cannot write octo/demo/pr-1.md: ")
    assert advice in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_a_file_where_a_folder_belongs_is_named(tmp_path: Path) -> None:
    (tmp_path / "demo").write_bytes(b"")
    with pytest.raises(SinkError, match="a file stands where a folder belongs; move it away"):
        Folder(tmp_path / "demo", FileSystem()).write("a.md", b"")


def test_damaged_files_are_kept_under_names_of_their_own(folder: Folder) -> None:
    for data in (b"first", b"second"):
        folder.write("a/manifest.json", data)
        folder.set_aside("a/manifest.json")
    assert folder.names("a") == ["manifest.json.damaged-1", "manifest.json.damaged-2"]
    assert folder.read("a/manifest.json.damaged-2") == b"second"


def test_pruning_stops_at_the_first_directory_in_use(folder: Folder) -> None:
    folder.write("a/keep.md", b"")
    folder.write("a/b/c/d.md", b"")
    folder.remove("a/b/c/d.md")
    folder.prune("a/b/c")
    assert folder.names("a") == ["keep.md"]


def test_a_temporary_name_tells_what_it_is_for() -> None:
    assert meant_by(temporary_of("a/pr-1.md").rpartition("/")[2]) == "pr-1.md"
    assert meant_by("pr-1.md") is None
    assert meant_by(".tmp") is None


async def test_a_cancelled_caller_waits_for_the_thread() -> None:
    started, ended = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    release = asyncio.Event()

    def work() -> None:
        loop.call_soon_threadsafe(started.set)
        asyncio.run_coroutine_threadsafe(release.wait(), loop).result()
        loop.call_soon_threadsafe(ended.set)

    task = asyncio.ensure_future(in_thread(work))
    await started.wait()
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
