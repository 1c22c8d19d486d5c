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

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None when there is none, or a link stands in its way."""
        with _named(name):
            return None if self._linked(name) else _bytes_of(self._path / name)

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
        parts = name.split("/") if name else []
        for end in range(1, len(parts) + 1):
            part = "/".join(parts[:end])
            if (self._path / part).is_symlink():
                self.links.add(part)
                return True
        return False


def _bytes_of(path: Path) -> bytes | None:
    try:
        with open(path, "rb", opener=_open) as file:
            return file.read()
    except _ABSENT:
        return None


def _names_in(path: Path) -> list[str]:
    try:
        return sorted(item.name for item in path.iterdir())
    except _ABSENT:
        return []


def _open(path: str, _: int) -> int:
    return os.open(path, _FLAGS)


@contextmanager
def _named(name: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise LocalError(
            f"cannot read {name}: {error.strerror}; give the user who runs this read access"
        ) from error
