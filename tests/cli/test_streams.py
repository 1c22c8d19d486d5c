"""Standard streams that are closed, full or left: the verdict is that of the work alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from syncer.testing.github import Simulator
from tests.cli.conftest import NAME
from tests.cli.harness import ROOT, environment

SYNC, EXPORT = ["sync", NAME, "--json"], ["export", NAME]
FULL = Path("/dev/full")


def _through(
    redirection: str, module: str, *words: str | Path, github: Simulator | None = None
) -> tuple[int, str]:
    """The exit status of a command that a shell started so, and what else was said."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -m {module} "$@" {redirection}', sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, **environment(github)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("closed", "words"),
    [("2>&-", SYNC), (">&- 2>&-", SYNC), (">&-", EXPORT), (">&-", ["status"]), ("<&-", EXPORT)],
)
def test_a_stream_that_is_closed_changes_no_verdict(
    closed: str, words: list[str], github: Simulator, synced: Path
) -> None:
    status, said = _through(closed, "syncer.cli", *words, "--root", synced, github=github)

    assert (status, "error" in said) == (0, False)


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("words", [SYNC, EXPORT])
def test_a_result_that_does_not_fit_ends_in_7(
    words: list[str], github: Simulator, synced: Path
) -> None:
    status, said = _through(f">{FULL}", "syncer.cli", *words, "--root", synced, github=github)

    assert status == 7
    assert said.splitlines()[-1].startswith("error: cannot read or write: ")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("word", ["--help", "--version"])
def test_help_that_does_not_fit_ends_in_7(word: str) -> None:
    assert _through(f">{FULL}", "syncer.cli", word)[0] == 7


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
def test_a_log_that_is_full_stops_no_run(github: Simulator, synced: Path) -> None:
    status, said = _through(f"2>{FULL}", "syncer.cli", *SYNC, "--root", synced, github=github)

    assert (status, said.count('"exit":0')) == (0, 1)


@pytest.mark.parametrize(("redirection", "status"), [(">&-", 0), (f">{FULL}", 7)])
def test_bird_view_judges_alike(redirection: str, status: int, synced: Path) -> None:
    if str(FULL) in redirection and not FULL.exists():
        pytest.skip("this system has no device that is always full")

    found, said = _through(redirection, "birdview.cli", "list", NAME, "--json", "--root", synced)

    assert found == status, said
