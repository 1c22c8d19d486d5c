"""One writer per repository: an advisory lock that names its holder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from syncer.errors import LocalError, LockedError
from syncer.records import Instant

__all__ = ["hold"]


class _Holder(msgspec.Struct, frozen=True):
    pid: int
    host: str
    since: Instant


@contextmanager
def hold(path: Path) -> Generator[None]:
    """Hold the lock file `path` for this process. Raises LockedError naming who has it.

    The operating system frees the lock when the process ends, however it ends; the file stays.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        message = f"cannot open the lock file {path.name}: {error.strerror}"
        raise LocalError(message) from error
    try:
        _acquire(descriptor)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # an empty file says at a glance that nobody is here
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _acquire(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        message = (
            f"another run holds this repository: {_holder(descriptor)}; wait for it or stop it"
        )
        raise LockedError(message) from None
    except OSError as error:
        message = f"this file system cannot hold a lock: {error.strerror}; choose another --root"
        raise LocalError(message) from error
    holder = _Holder(os.getpid(), socket.gethostname(), datetime.now(UTC).replace(microsecond=0))
    with contextlib.suppress(OSError):  # a full disk: the lock holds without its name
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(holder), 0)


def _holder(descriptor: int) -> str:
    try:
        holder = msgspec.json.decode(os.pread(descriptor, 4096, 0), type=_Holder)
    except (msgspec.DecodeError, RecursionError):
        return "its holder did not leave a name"
    return f"process {holder.pid} on {holder.host}, since {holder.since.isoformat()}"
