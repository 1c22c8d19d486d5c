"""A folder that a sink may write to: nothing leaves it, no symbolic link is followed.

Paths are relative, with `/`. A file appears whole or not at all: it is written beside its place
and renamed. Foreign errors stop here and become SinkError with a way out.
"""

from __future__ import annotations

import asyncio
import errno
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TypeVar

from sinks._system import FileSystem
from syncer.corpus.unfinished import temporary_of
from syncer.errors import SinkError

__all__ = ["FileSystem", "Folder", "in_thread"]

Result = TypeVar("Result")

_ADVICE = {
    errno.ENOSPC: "the disk is full; free some space and run again",
    errno.EDQUOT: "the quota of this user is used up; free some space and run again",
    errno.EACCES: "permission denied; give the user who runs this write access and run again",
    errno.EPERM: "not permitted; give the user who runs this write access and run again",
    errno.EROFS: "the file system is read-only; mount it for writing or choose another --root",
    errno.ENOTDIR: "a file stands where a folder belongs; move it away and run again",
    errno.EEXIST: "a file stands where a folder belongs; move it away and run again",
    errno.EISDIR: "a folder stands where a file belongs; move it away and run again",
    errno.ELOOP: "it is a symbolic link, which is never followed; replace it by what it points to",
    errno.ENAMETOOLONG: "the path is too long for this file system; choose a shorter --root",
}


class Folder:
    """Reads and atomic writes below one folder, `<root>/<owner>/<repo>`.

    Every method raises SinkError, naming the path within the folder, when the disk does not do as
    it should.
    """

    def __init__(self, path: Path, system: FileSystem) -> None:
        self.path = path
        self._system = system
        self._plain: set[str] = set()  # directories that are there and no links

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None when there is none."""
        with self._reported("read", name):
            path = self._safe(name)
            try:
                descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            except FileNotFoundError:
                return None
            with os.fdopen(descriptor, "rb") as file:
                return file.read()

    def exists(self, name: str) -> bool:
        """Whether a file of that name stands there."""
        with self._reported("read", name):
            try:
                return stat.S_ISREG(self._safe(name).lstat().st_mode)
            except FileNotFoundError:
                return False

    def names(self, name: str) -> list[str]:
        """The names in a directory, sorted; none when there is no directory."""
        with self._reported("read", name):
            path = self._safe(name)
            try:
                return sorted(item.name for item in path.iterdir())
            except FileNotFoundError:
                return []

    def is_directory(self, name: str) -> bool:
        """Whether a directory, not a link to one, stands there."""
        with self._reported("read", name):
            try:
                return stat.S_ISDIR(self._safe(name).lstat().st_mode)
            except FileNotFoundError:
                return False

    def stage(self, name: str, data: bytes) -> None:
        """Write the next content of `name` beside it; `publish` puts it in place."""
        with self._reported("write", name):
            self._prepare(name)
            self._system.write(self._safe(temporary_of(name)), data, durable=False)

    def publish(self, name: str) -> None:
        """Put what was staged in the place of `name`, in one step."""
        with self._reported("write", name):
            self._system.rename(self._safe(temporary_of(name)), self._safe(name))

    def write(self, name: str, data: bytes) -> None:
        """Replace a file; its bytes and its name are durable on return."""
        with self._reported("write", name):
            self._prepare(name)
            temporary, place = self._safe(temporary_of(name)), self._safe(name)
            self._system.write(temporary, data, durable=True)
            self._system.rename(temporary, place)
            self._system.sync_directory(place.parent)

    def move(self, source: str, target: str) -> None:
        """Rename a file to a place in another directory, which is made if need be."""
        with self._reported("move", source):
            self._prepare(target)
            self._system.rename(self._safe(source), self._safe(target))

    def remove(self, name: str) -> None:
        """Remove a file; no harm if it is gone already."""
        with self._reported("remove", name):
            path = self._safe(name)
            if path.exists() or path.is_symlink():
                self._system.remove(path)

    def prune(self, name: str) -> None:
        """Remove the directory `name` if it is empty, and then each parent that became so."""
        place = PurePosixPath(name)
        while place.name and self.is_directory(str(place)) and not self.names(str(place)):
            with self._reported("remove", str(place)):
                self._plain.clear()
                self._system.remove_directory(self._safe(str(place)))
            place = place.parent

    def sync(self) -> None:
        """Make everything written so far durable, file names included."""
        with self._reported("write", "."):
            if self._safe(".").is_dir():
                self._system.sync(self.path)

    def set_aside(self, name: str) -> str:
        """Keep a damaged file under a new name, which is returned."""
        taken = set(self.names(str(PurePosixPath(name).parent)))
        base = PurePosixPath(name)
        number = 1
        while f"{base.name}.damaged-{number}" in taken:
            number += 1
        aside = str(base.with_name(f"{base.name}.damaged-{number}"))
        self.move(name, aside)
        return aside

    def _prepare(self, name: str) -> None:
        directory = name.rpartition("/")[0]
        if directory in self._plain:
            return
        self.path.mkdir(parents=True, exist_ok=True)
        missing = self._safe(name).parent
        wanted: list[Path] = []
        while not missing.is_dir():
            wanted.append(missing)
            missing = missing.parent
        for path in reversed(wanted):
            self._system.make_directory(path)

    def _safe(self, name: str) -> Path:
        if name.startswith("/") or ".." in name.split("/"):
            raise OSError(errno.EPERM, "outside the folder", name)
        directory = name.rpartition("/")[0]
        if directory not in self._plain:
            self._refuse_links(directory)
        return Path(f"{self.path}/{name}")

    def _refuse_links(self, directory: str) -> None:
        # The folder is <root>/<owner>/<repo>: two names of ours, then those of the tree.
        place = self.path
        for path in (place.parent, place):
            _refuse_link(path)
        for part in directory.split("/"):
            place /= part
            _refuse_link(place)
        if place.is_dir():
            self._plain.add(directory)

    @contextmanager
    def _reported(self, verb: str, name: str) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise SinkError(f"cannot {verb} {self._shown(name)}: {_advice(error)}") from error

    def _shown(self, name: str) -> str:
        return "/".join(part for part in (*self.path.parts[-2:], name) if part not in {"/", "."})


async def in_thread(work: Callable[[], Result]) -> Result:
    """Run `work` off the loop. A cancelled caller is let go only when the files are at rest."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise OSError(errno.ELOOP, "symbolic link", str(path))


def _advice(error: OSError) -> str:
    return _ADVICE.get(error.errno or 0, error.strerror or type(error).__name__)
