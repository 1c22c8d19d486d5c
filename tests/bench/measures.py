"""Seconds and bytes of this process."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path
from typing import Self

from msgspec import Struct

__all__ = ["Took", "peak_bytes"]

_STATUS = Path("/proc/self/status")


class Took(Struct, frozen=True, rename="camel", kw_only=True):
    """Seconds on the clock and on the processor, system calls included."""

    wall_s: float
    cpu_s: float

    @classmethod
    def begin(cls) -> Self:
        """The readings now, of which only the difference to `end` means anything."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        return cls(wall_s=time.perf_counter(), cpu_s=used.ru_utime + used.ru_stime)

    def end(self) -> Self:
        """What has passed since `begin`."""
        now = self.begin()
        return type(self)(
            wall_s=round(now.wall_s - self.wall_s, 3), cpu_s=round(now.cpu_s - self.cpu_s, 3)
        )


def peak_bytes() -> int:
    """The most memory that this process has held so far.

    getrusage would count what its parent held when it was started, so the kernel's own mark is
    read where there is one.
    """
    if _STATUS.exists():
        mark = next(x for x in _STATUS.read_text().splitlines() if x.startswith("VmHWM:"))
        return int(mark.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
