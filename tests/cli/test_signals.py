"""A signal ends a command with everything saved, and its status says which signal it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from syncer.cli.running import SAVED
from syncer.testing.github import Dataset, Simulator
from tests.cli.conftest import NAME, Run
from tests.cli.harness import ROOT, environment, served, started, tree


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "terminate"]
)
def test_an_interrupted_sync_says_that_it_is_saved_and_the_next_one_ends_it(
    run: Run,
    dataset: Dataset,
    synced: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    status: int,
) -> None:
    root = tmp_path / "root"
    simulator = Simulator(dataset, hold_at=3)
    arrived = threading.Event()
    simulator.on_received(lambda k: arrived.set() if k == 3 else None)
    with served(simulator):
        env = environment(simulator)
        process = started("sync", NAME, "--root", str(root), "--json", env=env)
        assert arrived.wait(60)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)

    assert process.returncode == status
    told = json.loads(out)
    assert (told["exit"], told["complete"], told["message"]) == (status, False, SAVED)
    assert f"error: {NAME}: {SAVED}" in err
    assert "Traceback" not in err
    with served(Simulator(dataset)) as simulator:
        for name, value in environment(simulator).items():
            monkeypatch.setenv(name, value)
        assert run("sync", NAME, "--root", root).status == 0
    assert tree(root) == tree(synced)


def test_a_check_that_is_interrupted_stops_at_the_next_file(
    run: Run, synced: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = 0

    def slow(*_: object, progress: Callable[[int], None], **__: object) -> None:
        nonlocal checked
        os.kill(os.getpid(), signal.SIGINT)
        while True:  # until told to stop
            checked += 1
            progress(checked)

    monkeypatch.setattr("syncer.cli.checking.verify", slow)

    assert run("verify", "--root", synced).status == 130
    assert checked > 0


def test_a_second_signal_ends_a_command_that_does_not_let_go() -> None:
    program = """
import asyncio
from syncer.cli.running import run

async def stubborn(interruption):
    print("ready", flush=True)
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            print("once", flush=True)

run(stubborn)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "once\n"
    process.send_signal(signal.SIGINT)

    assert process.wait(30) == 130
    process.stdout.close()
