"""Progress on a terminal, in a pipe and in a log."""

from __future__ import annotations

import io

import pytest
from rich.console import Console as Terminal

from syncer.cli.bars import Bars
from syncer.cli.clients import Spent
from syncer.cli.console import Console
from syncer.cli.display import Lines, display_for, in_words, minutes
from syncer.progress import Progress

SPENT = Spent(points=3, remaining=4997, resets_in_s=3540.0)


def reading(left: int, name: str = "o/r") -> Progress:
    return Progress(repository=name, stage="reading", known=60, left=left)


def test_words_tell_what_is_known_and_left_and_what_it_cost() -> None:
    unlimited = Spent(points=1, remaining=None, resets_in_s=None)

    assert in_words(reading(41), SPENT) == (
        "reading, 41 of 60 left; 3 points used, 4997 left, reset in 59 min"
    )
    assert in_words(Progress(repository="o/r", stage="census"), unlimited) == (
        "census; 1 point used"
    )
    assert [minutes(one) for one in (0.4, 119, 120, 3600)] == ["0 s", "119 s", "2 min", "60 min"]


def test_a_pipe_gets_a_line_for_each_stage_and_one_every_ten_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = iter([0.0, 1.0, 9.9, 10.0, 10.1, 10.2])
    lines = Lines(Console(), lambda: next(clock))

    lines.show(reading(60), SPENT)
    lines.show(reading(59), SPENT)
    lines.show(reading(50), SPENT)
    lines.show(reading(49), SPENT)
    lines.show(Progress(repository="o/r", stage="writing"), SPENT)
    lines.show(reading(60, "o/other"), SPENT)

    told = [line.split(";")[0] for line in capsys.readouterr().err.splitlines()]
    assert told == [
        "o/r: reading, 60 of 60 left",
        "o/r: reading, 49 of 60 left",
        "o/r: writing",
        "o/other: reading, 60 of 60 left",
    ]


def test_a_terminal_gets_a_bar_for_each_repository_and_messages_above_them() -> None:
    screen = io.StringIO()
    terminal = Terminal(file=screen, force_terminal=True, width=120)
    console = Console()

    with Bars(console, terminal) as bars:
        bars.show(reading(45), SPENT)
        bars.show(reading(60, "o/[bold]"), SPENT)
        console.say("[red]as it is[/red]", level="note")
        bars.show(reading(0), SPENT)

    shown = screen.getvalue()
    assert "15/60" in shown
    assert "o/[bold]" in shown
    assert "3 points, 4997 left, reset in 59 min" in shown
    assert "note: [red]as it is[/red]" in shown
    assert console.above is None


@pytest.mark.parametrize(
    ("terminal", "json_log", "kind"),
    [(True, False, Bars), (True, True, Lines), (False, False, Lines)],
)
def test_the_display_suits_where_standard_error_leads(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, json_log: bool, kind: type
) -> None:
    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return terminal

    monkeypatch.setattr("sys.stderr", Stream())
    console = Console()
    console.json_log = json_log

    with display_for(console, lambda: 0.0) as display:
        assert isinstance(display, kind)
