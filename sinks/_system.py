"""The steps by which bytes reach a disk, one method each.

A sink is handed one of these, so that a test can make any single step fail or stop; what runs in
earnest is `FileSystem` itself.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

__all__ = ["FileSystem"]

_TEMPORARY = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)


class FileSystem:
    """Every change a sink can make to a disk. Methods raise OSError as the system does."""

    def make_directory(self, path: Path) -> None:
        """Make one directory; no harm if it is there."""
        path.mkdir(exist_ok=True)

    def write(self, path: Path, data: bytes, *, durable: bool) -> None:
        """Write a whole file, never through a symbolic link; `durable` returns after fsync."""
        with os.fdopen(os.open(path, _TEMPORARY, 0o644), "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())

    def rename(self, source: Path, target: Path) -> None:
        """Put `source` in the place of `target` in one step."""
        source.replace(target)

    def remove(self, path: Path) -> None:
        """Remove one file."""
        path.unlink()

    def remove_directory(self, path: Path) -> None:
        """Remove one empty directory."""
        path.rmdir()

    def sync_directory(self, path: Path) -> None:
        """Make the names in one directory durable."""
        with _opened(path) as descriptor:
            os.fsync(descriptor)

    def sync(self, path: Path) -> None:
        """Make all that was written to the file system of `path` durable."""
        with _opened(path) as descriptor:
            _sync_file_system(descriptor)


class _opened:  # noqa: N801  a context manager that reads as a verb
    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> int:
        self._descriptor = os.open(self._path, _DIRECTORY)
        return self._descriptor

    def __exit__(self, *exc: object) -> None:
        os.close(self._descriptor)


def _sync_file_system(descriptor: int) -> None:
    # sync(2) waits for every disk of the machine, syncfs(2) for ours alone; only Linux has it.
    if sys.platform == "linux":
        if ctypes.CDLL(None, use_errno=True).syncfs(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    elif hasattr(os, "sync"):
        os.sync()
