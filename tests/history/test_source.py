"""Which repository answers, and that answering leaves no trace."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from syncer.history import History, UnknownOriginError
from tests.history.corpora import (
    ALL,
    DAY,
    START,
    Writer,
    merged,
    never,
    numbers,
    opened,
    select,
    tree,
    within,
)


async def two(root: Path) -> History:
    await Writer(root, name="octo/one").write(merged(1, START))
    await Writer(root, name="octo/two").write(merged(2, START))
    return History(root, sleep=never)


async def test_the_only_repository_needs_no_name(tmp_path: Path) -> None:
    await Writer(tmp_path).write(merged(1, START))

    assert History(tmp_path).corpus(None).name == "octo/demo"


async def test_of_several_one_must_be_named(tmp_path: Path) -> None:
    source = await two(tmp_path)

    with pytest.raises(UnknownOriginError, match="octo/one, octo/two") as refusal:
        source.corpus(None)
    assert refusal.value.known == ("octo/one", "octo/two")


@pytest.mark.parametrize("origin", ["octo/three", "octo", "../octo/one", "octo/one/..", "", "*/*"])
async def test_an_unknown_name_is_refused_and_never_answered_from_another(
    origin: str, tmp_path: Path
) -> None:
    source = await two(tmp_path)

    with pytest.raises(UnknownOriginError):
        source.corpus(origin)


async def test_names_are_compared_as_the_site_compares_them(tmp_path: Path) -> None:
    source = await two(tmp_path)

    assert source.corpus("OCTO/Two").name == "octo/two"


async def test_a_renamed_repository_answers_to_both_names(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.known_as(current_name="new/name")
    await writer.write(merged(1, START))

    for name in ("octo/demo", "new/name"):
        assert History(tmp_path).corpus(name).name == "octo/demo"


async def test_a_folder_does_not_answer_for_a_repository_that_it_does_not_hold(
    tmp_path: Path,
) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, START))
    (tmp_path / "octo" / "other").mkdir()
    writer.folder.rename(tmp_path / "octo" / "other" / "x")
    (tmp_path / "octo" / "other" / "x").rename(tmp_path / "octo" / "wrong")

    with pytest.raises(UnknownOriginError):
        History(tmp_path).corpus("octo/wrong")


async def test_an_empty_root_has_nothing_to_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownOriginError, match="repositories here: none"):
        History(tmp_path).corpus(None)


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "os.chown", "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree",
    "shutil.move", "shutil.copyfile", "tempfile.mkstemp", "tempfile.mkdtemp", "sqlite3.connect",
    "socket.connect", "socket.getaddrinfo", "subprocess.Popen",
}  # fmt: skip
_seen: list[tuple[str, tuple[object, ...]]] | None = None
_hooked: list[bool] = []


def _hook(event: str, args: tuple[object, ...]) -> None:
    if _seen is None:
        return
    if event == "open":
        _, mode, flags = args
        writes = isinstance(mode, str) and set(mode) & set("wax+")
        if writes or (isinstance(flags, int) and flags & _WRITING):
            _seen.append((event, args))
    elif event in _CHANGES:
        _seen.append((event, args))


@contextmanager
def watched() -> Iterator[list[tuple[str, tuple[object, ...]]]]:
    """Everything that this process does to write or to leave the machine, as it is audited."""
    global _seen  # noqa: PLW0603 - an audit hook can never be taken away again
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked.append(True)
    _seen = []
    try:
        yield _seen
    finally:
        _seen = None


def test_the_watch_sees_what_is_written(tmp_path: Path) -> None:
    with watched() as seen:
        (tmp_path / "a").write_text("x")
        (tmp_path / "a").rename(tmp_path / "b")

    assert [event for event, _ in seen] == ["open", "os.rename"]


async def test_no_sequence_of_reads_leaves_a_trace(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, START), merged(2, START + DAY), opened(3, START))
    source = History(tmp_path, sleep=lambda _: None)

    async def read_everything() -> None:
        corpus = source.corpus("octo/demo")
        corpus.overview()
        selection = select(corpus, START, START + DAY)
        assert numbers(selection) == [1]
        assert [one async for one in corpus.snapshots(selection, selection.selected)]
        corpus.rows()
        corpus.problems()
        corpus.find("IC_2")
        corpus.find("nothing")
        corpus.select(within(None, START), ALL)

    await read_everything()  # modules are loaded, and compiled, but once
    (writer.folder / "pulls" / "0000000" / "pr-2.md").write_bytes(b"damaged")
    before = tree(tmp_path)
    with watched() as seen, pytest.raises(Exception, match="damaged"):
        await read_everything()

    assert seen == []
    assert tree(tmp_path) == before
