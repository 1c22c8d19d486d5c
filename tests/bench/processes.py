"""Servers and measured runs, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from syncer.testing.github import DEFAULT_TOKEN

__all__ = ["GITHUB", "REPLAY", "measured", "serving"]

T = TypeVar("T")

GITHUB = "syncer.testing.github"
REPLAY = "tests.bench.replay"

_ROOT = Path(__file__).resolve().parent.parent.parent
_READY = "listening on "


@contextmanager
def serving(module: str, *arguments: object) -> Generator[str]:
    """The address at which `python -m module` serves, until the end of the block."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            if not line.startswith(_READY):
                raise RuntimeError(f"{module} ended before it was ready")
            yield line.removeprefix(_READY).strip()
        finally:
            process.terminate()


def measured(shape: type[T], module: str, *arguments: object, url: str = "") -> T:
    """What `python -m module` printed, of `shape`; it must end with status 0."""
    command: Sequence[str] = [sys.executable, "-m", module, *map(str, arguments)]
    environment = os.environ | {"GITHUB_TOKEN": DEFAULT_TOKEN, "GITHUB_GRAPHQL_URL": url}
    done = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, env=environment, check=True)
    return msgspec.json.decode(done.stdout, type=shape)
