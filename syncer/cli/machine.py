"""What a run needs of this machine: Python, libraries, sinks, a root that takes files."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Iterator
from enum import StrEnum
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires, version
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from syncer.cli.places import Place
from syncer.cli.sinks import GROUP
from syncer.errors import StopError
from syncer.store import STATE_FOLDER, read_store

__all__ = ["Check", "Grade", "fail", "folders", "installation", "ok", "stored", "warn"]

_PROJECT = "pr-syncer"
_NEEDED_PYTHON = (3, 11)
_LITTLE_SPACE = 1024**3


class Grade(StrEnum):
    """Whether a run would be well served."""

    OK = "ok"
    WARN = "warn"  # a run works, or a part of it does
    FAIL = "fail"  # no run works


class Check(Struct, frozen=True, kw_only=True):
    """One thing looked at; where it is not well, `message` says what to do."""

    check: str
    grade: Grade
    message: str


def ok(check: str, message: str) -> Check:
    """All is well."""
    return Check(check=check, grade=Grade.OK, message=message)


def warn(check: str, message: str) -> Check:
    """Worth knowing."""
    return Check(check=check, grade=Grade.WARN, message=message)


def fail(check: str, message: str) -> Check:
    """In the way of every run."""
    return Check(check=check, grade=Grade.FAIL, message=message)


def installation() -> Iterator[Check]:
    """Python, the libraries, and the sinks."""
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _NEEDED_PYTHON:
        yield fail("python", f"Python {found} is too old: 3.11 or newer is needed")
    else:
        yield ok("python", f"Python {found}")
    yield from _libraries()
    for point in entry_points(group=GROUP):
        yield _sink(point)


def _libraries() -> Iterator[Check]:
    try:
        needed = [line for line in requires(_PROJECT) or () if "extra ==" not in line]
    except PackageNotFoundError:
        yield warn("libraries", f"{_PROJECT} is not installed, so no sink is found: install it")
        return
    names = sorted({_name(line) for line in needed})
    missing = [name for name in names if not _is_there(name)]
    if missing:
        yield fail("libraries", f"not installed: {', '.join(missing)}; install {_PROJECT} again")
    else:
        yield ok("libraries", ", ".join(f"{name} {version(name)}" for name in names))


def _name(requirement: str) -> str:
    end = next((i for i, c in enumerate(requirement) if not (c.isalnum() or c in "-_.")), None)
    return requirement[:end]


def _is_there(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _sink(point: EntryPoint) -> Check:
    try:
        point.load()
    except Exception as error:  # noqa: BLE001  a stranger's module may raise whatever it likes
        return warn(
            "sinks", f"{point.name} cannot be loaded: {type(error).__name__} in {point.value}"
        )
    return ok("sinks", f"{point.name} ({point.value})")


def folders(root: Path) -> Iterator[Check]:
    """Whether the root takes files, tells upper from lower case, and has room."""
    if not root.is_dir():
        yield warn("root", f"there is no folder {root} yet; `sync` makes it")
        return
    try:
        with TemporaryDirectory(prefix=".syncer-doctor-", dir=root) as name:
            ignores_case = _ignores_case(Path(name))
    except OSError as error:
        yield fail("root", f"{root} takes no files ({error.strerror}): mend its permissions")
        return
    yield ok("root", f"{root.resolve()} takes files")
    if ignores_case:
        yield warn("case", "upper and lower case are one here: repositories must differ by more")
    else:
        yield ok("case", "upper and lower case are told apart")
    free = shutil.disk_usage(root).free
    words = f"{free / 1024**3:.1f} GiB free"
    yield ok("space", words) if free > _LITTLE_SPACE else warn("space", f"{words}: make room")


def _ignores_case(folder: Path) -> bool:
    (folder / "case").touch()
    return (folder / "CASE").exists()


async def stored(place: Place) -> list[Check]:
    """Whether a repository's store can be read by this program, and whether a run holds it."""
    found: list[Check] = []
    try:
        async with read_store(place.folder):
            found.append(ok("store", f"{place.name} can be read"))
    except StopError as error:
        found.append(warn("store", f"{place.name}: {error}"))
    if holder := _holder(place.folder / STATE_FOLDER / "lock"):
        found.append(warn("lock", f"{place.name} is held by {holder}: wait for it, or stop it"))
    else:
        found.append(ok("lock", f"{place.name} is free"))
    return found


def _holder(path: Path) -> str | None:
    """Who wrote the lock file, if that process may still be there.

    The lock itself is not tried: that would turn away a run which begins at this moment.
    """
    try:
        left = msgspec.json.decode(path.read_bytes(), type=_Holder)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
    if left.host == socket.gethostname() and not _is_running(left.pid):
        return None
    return f"process {left.pid} on {left.host} since {left.since}"


class _Holder(Struct, frozen=True):
    pid: int
    host: str
    since: str


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
