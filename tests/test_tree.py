"""Reading a corpus's folder: what is not there is none, links are not followed, the rest is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncer.errors import LocalError
from syncer.tree import Tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "demo/pulls/0000000").mkdir(parents=True)
    (tmp_path / "demo/pulls/0000000/pr-1.md").write_bytes(b"one\r\n")
    return tmp_path / "demo"


def test_files_names_and_directories_are_read_as_they_stand(folder: Path) -> None:
    tree = Tree(folder)
    assert tree.read("pulls/0000000/pr-1.md") == b"one\r\n"
    assert tree.names("pulls/0000000") == ["pr-1.md"]
    assert tree.directories("") == ["pulls"]
    assert tree.directories("pulls") == ["pulls/0000000"]


def test_what_is_not_there_is_none(folder: Path) -> None:
    tree = Tree(folder)
    assert tree.read("manifest.json") is None
    assert tree.read("pulls") is None
    assert tree.read("pulls/0000000/pr-1.md/deeper") is None
    assert tree.names("archive") == []
    assert not tree.is_directory("archive")


def test_a_link_is_met_and_not_followed(folder: Path, tmp_path: Path) -> None:
    (folder / "archive").symlink_to(folder / "pulls")
    (folder / "pulls/0000000/pr-2.md").symlink_to(folder / "pulls/0000000/pr-1.md")
    tree = Tree(folder)
    assert tree.read("pulls/0000000/pr-2.md") is None
    assert tree.read("archive/0000000/pr-1.md") is None
    assert tree.names("archive") == []
    assert tree.directories("") == ["pulls"]
    assert tree.links == {"archive", "pulls/0000000/pr-2.md"}


def test_what_is_there_and_cannot_be_read_is_named(folder: Path) -> None:
    with pytest.raises(LocalError, match=r"cannot read pulls/x+: .*read access"):
        Tree(folder).read("pulls/" + "x" * 300)
