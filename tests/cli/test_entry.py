"""The way in: quick to answer, and with one status for whatever happens."""

from __future__ import annotations

import subprocess
import sys

import pytest

from syncer import __version__
from syncer.cli.group import COMMANDS
from tests.cli.conftest import Run
from tests.cli.harness import ROOT

HEAVY = {"aiohttp", "aiosqlite", "asyncio", "gql", "graphql", "rich", "tenacity", "syncer.session"}


def test_help_lists_every_command_and_loads_nothing_heavy() -> None:
    program = (
        "import sys; from syncer.cli import main; status = main(['--help']); "
        "print(sorted(sys.modules), file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert [name for name in COMMANDS if f"\n  {name} " not in done.stdout] == []
    assert {name for name in HEAVY if f"'{name}'" in done.stderr} == set()


def test_the_version_is_told(run: Run) -> None:
    done = run("--version")

    assert (done.status, done.out) == (0, f"syncer {__version__}\n")


def test_without_a_command_the_help_is_shown_as_bad_usage(run: Run) -> None:
    done = run()

    assert done.status == 2
    assert "Commands:" in done.out + done.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run: Run, command: str) -> None:
    done = run(command, "-h")

    assert done.status == 0
    assert done.out.startswith(f"Usage: syncer {command} ")
    assert "Examples:" in done.out


def test_a_failure_outside_every_repository_still_gets_its_status(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("words")

    monkeypatch.setattr("syncer.cli.status.chosen", broken)

    done = run("status")

    assert done.status == 1
    assert "unexpected failure: RuntimeError" in done.err
    assert "words" not in done.err


def test_an_interruption_before_anything_began_ends_in_130(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("syncer.cli.status.chosen", interrupted)

    assert run("status").status == 130
