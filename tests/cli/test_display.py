"""Progress on a terminal, in a pipe and in a log."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
from pathlib import Path

import pytest
from rich.console import Console as Terminal

from syncer.cli.bars import Bars
from syncer.cli.clients import Spent
from syncer.cli.console import Console
from syncer.cli.display import Lines, display_for, in_words, minutes
from syncer.progress import Progress
from syncer.testing.github import Simulator
from tests.cli.conftest import NAME
from tests.cli.harness import environment, started

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


def on_a_terminal(github: Simulator, root: Path, *words: str, out: bool) -> tuple[str, str]:
    """Standard output, and the screen: that of standard error, and of standard output if `out`."""
    mine, screen = os.openpty()
    process = started(
        *words,
        "--root",
        str(root),
        env={**environment(github), "TERM": "xterm", "COLUMNS": "120"},
        stdout=screen if out else subprocess.PIPE,
        stderr=screen,
    )
    os.close(screen)
    shown = b""
    with contextlib.suppress(OSError):  # Linux: the other side is closed
        while data := os.read(mine, 65536):
            shown += data
    told = "" if process.stdout is None else process.stdout.read()
    if process.stdout is not None:
        process.stdout.close()
    os.close(mine)
    assert process.wait(60) == 0
    return told, shown.decode()


def test_results_go_to_their_file_while_the_screen_shows_bars(
    github: Simulator, tmp_path: Path
) -> None:
    told, screen = on_a_terminal(github, tmp_path, "sync", NAME, "--json", out=False)

    assert json.loads(told)["exit"] == 0
    assert "30/30" in screen
    assert '"exit"' not in screen


def test_results_stand_above_the_bars_where_both_go_to_the_screen(
    github: Simulator, tmp_path: Path
) -> None:
    _, screen = on_a_terminal(github, tmp_path, "sync", NAME, out=True)

    assert f"{NAME}: complete\r\n" in screen
    assert "30 known: 30 read, 0 unchanged, 0 incomplete, 0 behind\r\n" in screen


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
