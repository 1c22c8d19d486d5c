# ruff: noqa: D102  the steps are described where they are done in earnest
"""A file system that fails or stops at a chosen step, for tests of whatever writes files."""

from __future__ import annotations

from pathlib import Path

from sinks._system import FileSystem

__all__ = ["FaultyFileSystem", "Stopped"]


class Stopped(BaseException):
    """Stands for the end of the process: nothing catches it, nothing is tidied up after it."""


class FaultyFileSystem(FileSystem):
    """Performs `FileSystem`'s steps until the one numbered `at` (from 0), where it raises `error`.

    A write that fails leaves half its bytes behind. Every later step fails as well, until `at` is
    moved on. `steps` are the names of those tried, so that a test can find out how many there are.
    """

    def __init__(self, at: int | None = None, error: BaseException | None = None) -> None:
        self.at = at
        self.steps: list[str] = []
        self._error = Stopped() if error is None else error

    def make_directory(self, path: Path) -> None:
        self._step("make_directory", path)
        super().make_directory(path)

    def write(self, path: Path, data: bytes, *, durable: bool) -> None:
        try:
            self._step("write", path)
        except BaseException:
            super().write(path, data[: len(data) // 2], durable=False)
            raise
        super().write(path, data, durable=durable)

    def rename(self, source: Path, target: Path) -> None:
        self._step("rename", target)
        super().rename(source, target)

    def remove(self, path: Path) -> None:
        self._step("remove", path)
        super().remove(path)

    def remove_directory(self, path: Path) -> None:
        self._step("remove_directory", path)
        super().remove_directory(path)

    def sync_directory(self, path: Path) -> None:
        self._step("sync_directory", path)

    def sync(self, path: Path) -> None:
        self._step("sync", path)

    def _step(self, name: str, path: Path) -> None:
        self.steps.append(f"{name} {path.name}")
        if self.at is not None and len(self.steps) > self.at:
            raise self._error
