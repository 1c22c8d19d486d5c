"""A small repository on a simulated GitHub, and the command to read it with."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from syncer.cli import main
from syncer.cli.clients import Governor
from syncer.testing.github import Dataset, Shape, Simulator, generate
from tests.cli.harness import TOKEN, Result, environment, served

NAME = "example-org/small"
Run = Callable[..., Result]


@pytest.fixture(scope="session")
def dataset() -> Dataset:
    return generate(6, 30, Shape(name=NAME))


@pytest.fixture
def github(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> Iterator[Simulator]:
    """The repository, served; the variables of this process lead to it."""
    with served(Simulator(dataset)) as simulator:
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        monkeypatch.setenv("GITHUB_GRAPHQL_URL", simulator.url)
        yield simulator


@pytest.fixture(scope="session")
def _synced_once(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("synced")
    with served(Simulator(dataset)) as simulator, pytest.MonkeyPatch.context() as patch:
        for name, value in environment(simulator).items():
            patch.setenv(name, value)
        assert main(["sync", NAME, "--root", str(root)]) == 0
    return root


@pytest.fixture
def synced(_synced_once: Path, tmp_path: Path) -> Path:
    """A root with the repository as a whole run left it, for this test alone."""
    return Path(shutil.copytree(_synced_once, tmp_path / "synced"))


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """`syncer` with these words, in this process."""

    def call(*words: str | Path) -> Result:
        capfd.readouterr()
        status = main([str(word) for word in words])
        captured = capfd.readouterr()
        return Result(status, captured.out, captured.err)

    return call


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting takes no time: the governor's clock moves on by what is slept."""
    now_s = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds
        await asyncio.sleep(0)

    hasty = partial(Governor, clock=lambda: now_s, sleep=sleep, dice=lambda: 0.0)
    monkeypatch.setattr("syncer.cli.clients.Governor", hasty)
