"""The pages that describe the format show files that are really of that format."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from msgspec.structs import fields

from syncer.corpus import (
    Counts,
    FrontMatter,
    Incomplete,
    LeafEntry,
    LeafRef,
    Root,
    Timeline,
    decode_census,
    decode_leaf,
    decode_root,
    leaf_directory,
    leaf_entry,
    leaf_ref,
    parse,
    render,
)
from syncer.corpus.census_file import CensusFile
from syncer.corpus.marks import CommentMark, ReviewMark, ThreadCommentMark, ThreadMark
from syncer.evidence import Coverage

STRUCTS = {
    "corpus-format.md": (
        FrontMatter,
        CommentMark,
        ReviewMark,
        ThreadCommentMark,
        ThreadMark,
        Coverage,
    ),
    "manifest-schema.md": (CensusFile, Counts, Incomplete, LeafEntry, LeafRef, Root),
}


def _block(page: Path, start: str, end: str) -> bytes:
    found = re.search(
        rf"^{start}\n(.*?)^{end}$", page.read_bytes().decode(), re.DOTALL | re.MULTILINE
    )
    assert found
    return found[1].encode()


def test_the_examples_of_the_two_pages_are_one_sealed_corpus(root):
    pages = root / "docs"
    file = _block(pages / "corpus-format.md", "`````markdown", "`````")
    leaf_bytes = _block(pages / "manifest-schema.md", "```json leaf", "```")
    top = decode_root(_block(pages / "manifest-schema.md", "```json root", "```"))
    census = decode_census(_block(pages / "manifest-schema.md", "```json census", "```"))

    found = parse(file)
    leaf = decode_leaf(leaf_bytes)
    (entry,) = leaf.entries
    line = Timeline([release.release() for release in top.releases], top.shaping)
    tag = line.bucket(entry.resolved_at)

    assert render(found, top.repository) == file
    assert leaf_entry(found, file) == entry
    assert top.leaves == (leaf_ref(leaf_directory(entry.number, tag), tag, leaf, leaf_bytes),)
    assert census.repository_id == top.repository.id


@pytest.mark.parametrize("page", STRUCTS)
def test_every_key_is_explained(root, page):
    text = (root / "docs" / page).read_text("utf-8")
    explained = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", text))))
    keys = {field.encode_name for struct in STRUCTS[page] for field in fields(struct)} - {"entries"}

    assert keys - explained == set()


def test_the_example_of_a_folder_is_right(root):
    digest = hashlib.sha256(b"feature/2.0").hexdigest()[:12]

    assert f"`feature-2.0~{digest}`" in (root / "docs" / "corpus-format.md").read_text("utf-8")
