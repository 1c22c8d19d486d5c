"""A corpus's folder, for reading only: files, names, and what must not be followed."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from syncer.errors import LocalError

__all__ = ["Tree"]

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class Tree:
    """Reads below `path` by relative names with `/`. No symbolic link below it is followed.

    `links` gathers the links that were met. Raises LocalError for what is there but unreadable.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.links: set[str] = set()
        self._plain: set[str] = set()

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None when there is none, or a link stands in its way."""
        with _named(name):
            return None if self._linked(name) else _bytes_of(f"{self._path}/{name}")

    def names(self, directory: str) -> list[str]:
        """The names in a directory, sorted; none when there is no such directory."""
        with _named(directory or "."):
            return [] if self._linked(directory) else _names_in(self._path / directory)

    def is_directory(self, name: str) -> bool:
        """Whether a directory, not a link to one, stands there."""
        with _named(name):
            return not self._linked(name) and (self._path / name).is_dir()

    def directories(self, parent: str) -> list[str]:
        """The relative names of the directories in a directory, sorted."""
        found = [f"{parent}/{name}" if parent else name for name in self.names(parent)]
        return [name for name in found if self.is_directory(name)]

    def _linked(self, name: str) -> bool:
        if not name or name in self._plain:
            return False
        parent = name.rpartition("/")[0]
        if self._linked(parent):
            return True
        self._plain.add(parent)  # directories hold many files, and are looked at once
        if not os.path.islink(f"{self._path}/{name}"):  # noqa: PTH114 - a path object costs more
            return False
        self.links.add(name)
        return True


def _bytes_of(path: str) -> bytes | None:
    try:
        file = os.open(path, _FLAGS)
        try:
            return b"".join(_chunks(file))
        finally:
            os.close(file)
    except _ABSENT:
        return None


def _chunks(file: int) -> Generator[bytes]:
    # Of many small files, half the time would go into a file object for each.
    size = os.fstat(file).st_size + 1
    while chunk := os.read(file, size):
        yield chunk


def _names_in(path: Path) -> list[str]:
    try:
        return sorted(item.name for item in path.iterdir())
    except _ABSENT:
        return []


@contextmanager
def _named(name: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise LocalError(
            f"cannot read {name}: {error.strerror}; give the user who runs this read access"
        ) from error
