"""Where a conversation's file stands: a pure function of its number and its release's tag.

All paths are relative to the repository's folder. Docs: docs/corpus-format.md, "Places".
"""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath

from msgspec import Struct

from syncer.errors import ConfigError

__all__ = [
    "BLOCK_SIZE",
    "MANIFEST",
    "Placed",
    "block_of",
    "folder_of",
    "leaf_directory",
    "place",
    "placed",
    "placed_leaf",
    "repository_path",
]

BLOCK_SIZE = 1000
"""How many numbers share a directory, and so how many entries a leaf can have at most."""

MANIFEST = "manifest.json"

_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_NOT_PLAIN = re.compile(r"[^a-z0-9._-]")
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file: reserved with any extension too.
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
_FOLDER = r"(?:[a-z0-9][a-z0-9._-]{0,79}|[a-z0-9._-]{0,60}~[0-9a-f]{12})"
_LEAF = re.compile(rf"(?:pulls|archive/pulls/(?P<folder>{_FOLDER}))/(?P<block>[0-9]{{7,}})")
_FILE = re.compile(r"pr-(?P<number>[1-9][0-9]*)\.md")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")


class Placed(Struct, frozen=True):
    """A place taken apart. `folder` is None in the active tier; the root maps it to a tag."""

    folder: str | None
    block: str


def block_of(number: int) -> str:
    """The block that holds `number`: `0012000` holds 12000 to 12999."""
    return f"{number - number % BLOCK_SIZE:07d}"


def folder_of(tag: str) -> str:
    """The folder of the release `tag`: one path component, the same on every system.

    Two tags never share a folder, not even where case is ignored: a tag stands for itself only if
    it is lower-case already, and `~` occurs in no plain name.
    """
    if _PLAIN.fullmatch(tag) and ".." not in tag and not tag.endswith(".") and not _device(tag):
        return tag
    stem = _NOT_PLAIN.sub("-", tag[:60].lower())[:60].lstrip("-.")
    if _device(stem):
        stem = stem.replace(".", "-")  # `nul.x~…` would still be the device
    return f"{stem}~{hashlib.sha256(tag.encode()).hexdigest()[:12]}"


def leaf_directory(number: int, release: str | None) -> PurePosixPath:
    """The directory of pull request `number`; `release` is its bucket's tag, None while active."""
    tier = PurePosixPath("pulls")
    if release is not None:
        tier = "archive" / tier / folder_of(release)
    return tier / block_of(number)


def place(number: int, release: str | None) -> PurePosixPath:
    """The path of the file of pull request `number`, which must be positive (else ValueError)."""
    if number < 1:
        raise ValueError(f"{number} is not the number of a pull request")
    return leaf_directory(number, release) / f"pr-{number}.md"


def placed_leaf(path: PurePosixPath | str) -> Placed | None:
    """The directory of files at `path` taken apart; None for all that `place` cannot give."""
    if (found := _LEAF.fullmatch(str(path))) is None or int(found["block"]) % BLOCK_SIZE:
        return None
    folder, block = found["folder"], found["block"]
    if block != block_of(int(block)) or (folder is not None and not _possible(folder)):
        return None
    return Placed(folder, block)


def placed(path: PurePosixPath | str) -> tuple[int, Placed] | None:
    """The number and place of the conversation's file at `path`; None for any other path."""
    directory, _, name = str(path).rpartition("/")
    if (found := _FILE.fullmatch(name)) is None or (leaf := placed_leaf(directory)) is None:
        return None
    number = int(found["number"])
    return (number, leaf) if leaf.block == block_of(number) else None


def repository_path(name: str) -> PurePosixPath:
    """The folder of repository `owner/name` below the root. Raises ConfigError for other text."""
    parts = name.split("/")
    if not _REPOSITORY.fullmatch(name) or any(part.strip(".") == "" for part in parts):
        raise ConfigError(f"{name!r} is not a repository: write OWNER/REPO")
    return PurePosixPath(*parts)


def _device(name: str) -> bool:
    return _DEVICE.fullmatch(name) is not None


def _possible(folder: str) -> bool:
    return "~" in folder or folder_of(folder) == folder
