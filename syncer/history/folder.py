"""The bytes of one repository's folder: opened for reading only, and no link is followed."""

from __future__ import annotations

import os
from pathlib import Path

from syncer.errors import LocalError

__all__ = ["Folder"]

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_ABSENT = (FileNotFoundError, NotADirectoryError)


class Folder:
    """Reads below `path`, by names relative to it whose form the caller has checked."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._plain: set[str] = {""}  # directories known to be no links

    def read(self, name: str) -> bytes | None:
        """The bytes of file `name`; None where there is none, or a link stands in its way.

        Raises LocalError where it is there but cannot be read.
        """
        if not self._is_plain(name.rpartition("/")[0]):
            return None
        try:
            return _bytes_of(f"{self._path}/{name}")
        except _ABSENT:
            return None
        except OSError as error:
            if os.path.islink(f"{self._path}/{name}"):  # noqa: PTH114
                return None
            raise LocalError(
                f"cannot read {name}: {error.strerror}; mend its permissions or sync it again"
            ) from error

    def _is_plain(self, directory: str) -> bool:
        if directory in self._plain:
            return True
        parent = directory.rpartition("/")[0]
        if not self._is_plain(parent) or os.path.islink(f"{self._path}/{directory}"):  # noqa: PTH114
            return False
        self._plain.add(directory)
        return True


def _bytes_of(path: str) -> bytes:
    # Of a window's many small files, half the time would go into a file object for each.
    file = os.open(path, _FLAGS)
    try:
        size = os.fstat(file).st_size
        chunks = [os.read(file, size + 1)]
        while chunks[-1] and sum(map(len, chunks)) <= size:
            chunks.append(os.read(file, size + 1))
        return b"".join(chunks)
    finally:
        os.close(file)
