"""Standard input without a thread that waits on it.

The SDK reads it in a thread, and a thread that waits for a line cannot be stopped: after Ctrl-C or
SIGTERM the process would stay until the client sent something. Here the event loop is told when
there is something to read.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import anyio

__all__ = ["lines_of", "standard_input"]

_CHUNK = 65_536


def standard_input() -> anyio.AsyncFile[str] | None:
    """Standard input as the SDK takes it; None, for its own way, where nobody can be waited for."""
    fd = sys.stdin.fileno()
    if _never_waits(os.fstat(fd)):
        return None
    # Of an asynchronous file the SDK uses nothing but the iteration over its lines.
    return cast("anyio.AsyncFile[str]", lines_of(fd))


def _never_waits(status: os.stat_result) -> bool:
    """Whether it is a plain file or the null device, for which event loops refuse to wait."""
    return stat.S_ISREG(status.st_mode) or os.path.samestat(status, Path(os.devnull).stat())


async def lines_of(fd: int) -> AsyncIterator[str]:
    """The lines that come from `fd`, without their ends, until its other end closes."""
    held = bytearray()
    while data := await _some(fd):
        *whole, rest = data.split(b"\n")
        for line in whole:
            held += line
            yield held.decode(errors="replace")
            held.clear()
        held += rest
    if held:
        yield held.decode(errors="replace")


async def _some(fd: int) -> bytes:
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(fd, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(fd)
    return os.read(fd, _CHUNK)
