"""The same job for several repositories: side by side, none stopped by another, told in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from syncer.cli.clients import Client, Clients
from syncer.cli.console import Console
from syncer.cli.display import Display, display_for
from syncer.cli.running import SAVED, Interruption
from syncer.cli.summary import failed, in_lines
from syncer.cli.verdict import judge
from syncer.errors import StopError
from syncer.progress import Observer, Progress
from syncer.report import Summary, worst

__all__ = ["Job", "Work"]

Job = Callable[[str, Client, Observer], Awaitable[Summary]]

_AT_ONCE = 4
"""Repositories worked on together: enough to use the token well, few enough to hold in memory."""


class Work:
    """Runs a job for each repository and prints what came of it."""

    def __init__(self, console: Console, clients: Clients, interruption: Interruption) -> None:
        self._console = console
        self._clients = clients
        self._interruption = interruption
        self._gate = asyncio.Semaphore(_AT_ONCE)
        self._done: dict[str, Summary] = {}

    async def run(self, names: Sequence[str], job: Job) -> int:
        """The exit status over all `names`, each printed as soon as those before it are done."""
        once = list({name.casefold(): name for name in reversed(names)}.values())[::-1]
        waiting = once.copy()
        with display_for(self._console, time.monotonic) as display:
            try:
                async with asyncio.TaskGroup() as group:
                    for name in once:
                        group.create_task(self._one(name, job, display, waiting))
            finally:
                self._tell(waiting)
        return worst(summary.exit for summary in self._done.values())

    async def _one(self, name: str, job: Job, display: Display, waiting: list[str]) -> None:
        started = time.monotonic()
        client = self._clients.of(name)
        try:
            async with self._gate, client:
                summary = await job(name, client, self._observer(name, client, display))
        except asyncio.CancelledError:
            status = self._interruption.status or StopError.exit_status
            self._done[name] = failed(name, client, status, SAVED, time.monotonic() - started)
            raise
        except Exception as error:  # noqa: BLE001  one failing repository stops no other
            verdict = judge(error)
            self._console.trace(error)
            duration_s = time.monotonic() - started
            summary = failed(name, client, verdict.status, verdict.message, duration_s)
        self._done[name] = summary
        self._tell(waiting)

    def _observer(self, name: str, client: Client, display: Display) -> Observer:
        def observe(progress: Progress) -> None:
            if not progress.repository:
                progress = replace(progress, repository=name)
            if progress.note is not None:
                self._console.say(f"{progress.repository}: {progress.note}", level="note")
            else:
                display.show(progress, client.spent())

        return observe

    def _tell(self, waiting: list[str]) -> None:
        """Print those at the head of `waiting` that are done, so that the order stays."""
        while waiting and waiting[0] in self._done:
            self._print(self._done[waiting.pop(0)])

    def _print(self, summary: Summary) -> None:
        if self._console.as_json:
            self._console.emit(summary)
        else:
            for line in in_lines(summary):
                self._console.print(line)
        if summary.message is not None:
            self._console.say(
                f"{summary.repository}: {summary.message}", level="error", status=summary.exit
            )
