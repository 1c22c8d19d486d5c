"""One event loop a command, and the two signals that end it early with everything saved."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any

__all__ = ["SAVED", "Interruption", "run"]

SAVED = "interrupted: everything read so far is saved, run again to continue"


class Interruption:
    """Whether a signal asked the command to end; `status` is then 130 or 143."""

    def __init__(self) -> None:
        self.status: int | None = None


def run(job: Callable[[Interruption], Coroutine[Any, Any, int]]) -> int:
    """The exit status of `job`, which is cancelled at the first SIGINT or SIGTERM.

    What `job` holds open it closes as the cancellation passes. A second signal ends the process at
    once: a store survives that as it survives a power cut.
    """
    return asyncio.run(_interruptible(job))


async def _interruptible(job: Callable[[Interruption], Coroutine[Any, Any, int]]) -> int:
    interruption = Interruption()
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def stop(number: signal.Signals) -> None:
        if interruption.status is not None:
            os._exit(128 + number)
        interruption.status = 128 + number
        if task is not None:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    try:
        return await job(interruption)
    except (asyncio.CancelledError, BaseExceptionGroup):
        if interruption.status is None:
            raise
        return interruption.status
