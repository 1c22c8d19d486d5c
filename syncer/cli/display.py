"""How a run's progress is shown: bars on a terminal, lines elsewhere, JSON lines in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Protocol, Self

from syncer.cli.clients import Spent
from syncer.cli.console import Console
from syncer.progress import Progress

__all__ = ["Display", "Lines", "display_for", "in_words", "minutes"]

_EVERY_S = 10.0


class Display(Protocol):
    """Shows where each repository of a command stands."""

    def show(self, progress: Progress, spent: Spent) -> None:
        """`progress` is of the repository that it names."""
        ...


def display_for(
    console: Console, monotonic: Callable[[], float]
) -> AbstractContextManager[Display]:
    """The display that suits where standard error leads; open while the work is done."""
    if not console.json_log and sys.stderr.isatty():
        from syncer.cli.bars import Bars  # noqa: PLC0415  rich is needed on a terminal alone

        return Bars(console)
    return nullcontext(Lines(console, monotonic))


class Lines:
    """A line for each new stage of a repository, and now and then one in between."""

    def __init__(self, console: Console, monotonic: Callable[[], float]) -> None:
        self._console = console
        self._monotonic = monotonic
        self._last: dict[str, tuple[str, float]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def show(self, progress: Progress, spent: Spent) -> None:
        """Print, unless the same stage was told of within the last ten seconds."""
        now = self._monotonic()
        stage, told_at = self._last.get(progress.repository, ("", now))
        if stage == progress.stage and now - told_at < _EVERY_S:
            return
        self._last[progress.repository] = (progress.stage, now)
        if self._console.json_log:
            self._record(progress, spent)
        else:
            self._console.say(f"{progress.repository}: {in_words(progress, spent)}")

    def _record(self, progress: Progress, spent: Spent) -> None:
        self._console.record(
            "progress",
            repository=progress.repository,
            stage=progress.stage,
            known=progress.known,
            left=progress.left,
            points=spent.points,
            remaining=spent.remaining,
            resetInS=None if spent.resets_in_s is None else round(spent.resets_in_s),
        )


def in_words(progress: Progress, spent: Spent) -> str:
    """`reading, 41 of 60 left; 3 points used, 4997 left, reset in 59 min`."""
    count = f", {progress.left} of {progress.known} left" if progress.known else ""
    used = f"{spent.points} points used" if spent.points != 1 else "1 point used"
    left = "" if spent.remaining is None else f", {spent.remaining} left"
    reset = "" if spent.resets_in_s is None else f", reset in {minutes(spent.resets_in_s)}"
    return f"{progress.stage}{count}; {used}{left}{reset}"


def minutes(seconds: float) -> str:
    """A duration for people: seconds below two minutes, then minutes."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
