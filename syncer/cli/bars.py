"""Progress bars on a terminal, one a repository, with the points below the words."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console as Terminal
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as Bar

from syncer.cli.clients import Spent
from syncer.cli.console import Console
from syncer.cli.display import minutes
from syncer.progress import Progress

__all__ = ["Bars"]


class Bars:
    """A display for a terminal on standard error. Messages are printed above the bars."""

    def __init__(self, console: Console, terminal: Terminal | None = None) -> None:
        self._console = console
        self._terminal = terminal or Terminal(stderr=True)
        self._bar = Bar(
            TextColumn("{task.description}"),
            TextColumn("{task.fields[stage]}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[cost]}"),
            console=self._terminal,
            transient=True,
            expand=True,
            # Otherwise results would go where the bars go, though standard output be a file.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bar.start()
        self._console.above = self._above
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._console.above = None
        self._bar.stop()

    def show(self, progress: Progress, spent: Spent) -> None:
        """The share of the known pull requests that need no more reading."""
        task = self._tasks.get(progress.repository)
        if task is None:
            task = self._bar.add_task(escape(progress.repository), total=None, stage="", cost="")
            self._tasks[progress.repository] = task
        self._bar.update(task, stage=progress.stage, cost=_cost(spent))
        if progress.known:
            done = progress.known - progress.left
            self._bar.update(task, total=progress.known, completed=done)

    def _above(self, line: str) -> None:
        self._terminal.print(line, markup=False, highlight=False, soft_wrap=True)


def _cost(spent: Spent) -> str:
    left = "" if spent.remaining is None else f", {spent.remaining} left"
    reset = "" if spent.resets_in_s is None else f", reset in {minutes(spent.resets_in_s)}"
    return f"{spent.points} points{left}{reset}"
