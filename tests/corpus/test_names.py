"""Every tag has one folder of its own, and no path leaves the repository's folder."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from syncer.corpus import (
    block_of,
    folder_of,
    leaf_directory,
    place,
    placed,
    placed_leaf,
    repository_path,
)
from syncer.errors import ConfigError
from tests.strategies import hostile_text

# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}

TAGS = {
    "v1.2": "v1.2",
    "1.2": "1.2",
    "feature/1.0": "feature-1.0~766121440f2c",
    "../../outside": "outside~",
    "/abs": "abs~",
    "v1..2": "v1..2~",
    "a\\b": "a-b~",
    "v 1 beta": "v-1-beta~",
    "V1.2": "v1.2~",
    "v1.": "v1.~",
    "": "~e3b0c44298fc",
    "con": "con~",
    "NUL.txt": "nul-txt~",
    "com1.x": "com1-x~",
    "console": "console",
    "v" * 80: "v" * 80,
    "v" * 81: "v" * 60 + "~",
    ".hidden": "hidden~",
    "-rf": "rf~",
    "größe": "gr--e~",
    "İ" * 60: "i-" * 30 + "~",
    "Better docs for everyone": "better-docs-for-everyone~",
    "a~b": "a-b~",
    "a\x00b\n": "a-b-~",
}

tags = (
    st.sampled_from(list(TAGS))
    | hostile_text(3)
    | st.from_regex(r"[vV]?[0-9.]{1,5}(-rc~?[0-9])?", fullmatch=True)
)


@pytest.mark.parametrize(("tag", "folder"), TAGS.items(), ids=ascii)
def test_a_tag_gives_the_folder_that_the_rule_says(tag, folder):
    found = folder_of(tag)

    assert found.startswith(folder)
    assert found == folder or re.fullmatch(
        re.escape(folder.partition("~")[0]) + "~[0-9a-f]{12}", found
    )


@given(tags, tags)
@example("v1", "V1")
@example("v1 ", "v1\t")
@example("con.a", "con-a")
def test_two_tags_never_share_a_folder_even_where_case_is_ignored(one, other):
    assert (folder_of(one).casefold() == folder_of(other).casefold()) == (one == other)


@given(tags)
def test_a_folder_is_one_plain_component_on_every_system(tag):
    folder = folder_of(tag)

    assert re.fullmatch(r"[a-z0-9._~-]{1,80}", folder)
    assert folder not in {".", ".."}
    assert not folder.startswith((".", "-"))
    assert not folder.endswith(".")
    assert folder.split(".")[0] not in DEVICES


@given(st.integers(1, 30_000_000), st.none() | tags)
def test_every_place_is_inside_and_read_back(number, release):
    path = place(number, release)
    found = placed(path)

    assert not path.is_absolute()
    assert ".." not in path.parts
    assert path.parts[0] == ("pulls" if release is None else "archive")
    assert path.parent == leaf_directory(number, release)
    assert found is not None
    assert found[0] == number
    assert found[1].folder == (None if release is None else folder_of(release))
    assert found[1] == placed_leaf(path.parent)


def test_places_have_the_documented_form():
    assert place(12_345, None) == PurePosixPath("pulls/0012000/pr-12345.md")
    assert place(7, "v1.0") == PurePosixPath("archive/pulls/v1.0/0000000/pr-7.md")
    assert [block_of(n) for n in (1, 999, 1000, 12_999, 12_345_678)] == [
        "0000000",
        "0000000",
        "0001000",
        "0012000",
        "12345000",
    ]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "manifest.json",
        "/pulls/0000000/pr-1.md",
        "../pulls/0000000/pr-1.md",
        "pulls/../pulls/0000000/pr-1.md",
        "pulls/0000000/pr-1000.md",
        "pulls/0000000/pr-01.md",
        "pulls/0000000/pr-0.md",
        "pulls/0000000/PR-1.md",
        "pulls/0000000/pr-1.md\n",
        "pulls/0000000/pr-1.md.tmp",
        "pulls/0000000/pr-٣.md",
        "pulls/0000001/pr-1.md",
        "pulls/00000000/pr-1.md",
        "pulls/0/pr-1.md",
        "pulls/pr-1.md",
        "archive/pulls/0000000/pr-1.md",
        "archive/pulls/V1/0000000/pr-1.md",
        "archive/pulls/con/0000000/pr-1.md",
        "archive/pulls/v1..2/0000000/pr-1.md",
        "archive/pulls/../0000000/pr-1.md",
        "archive/pulls/a/b/0000000/pr-1.md",
    ],
)
def test_any_other_path_is_no_place(path):
    assert placed(path) is None


@pytest.mark.parametrize("number", [0, -1])
def test_only_positive_numbers_have_a_place(number):
    with pytest.raises(ValueError, match=str(number)):
        place(number, None)


def test_a_repository_has_the_folder_of_its_own_spelling():
    assert repository_path("Octo/Repo.x") == PurePosixPath("Octo/Repo.x")


@pytest.mark.parametrize(
    "name",
    ["", "octo", "octo/", "/repo", "a/b/c", "../b", "a/..", "a/.", "a\\b/c", "a/b\n", "a/b c"],
)
def test_any_other_name_of_a_repository_is_refused(name):
    with pytest.raises(ConfigError, match="OWNER/REPO"):
        repository_path(name)
