"""The command line as a shell would see it, and a simulated GitHub that outlives each command."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from syncer.testing.github import DEFAULT_TOKEN, Simulator

ROOT = Path(__file__).resolve().parents[2]
TOKEN = DEFAULT_TOKEN


@dataclass(frozen=True)
class Result:
    """What a command left: its exit status and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Standard output as the JSON lines that it is."""
        return [json.loads(line) for line in self.out.split("\n") if line]

    @property
    def object(self) -> dict[str, Any]:
        (found,) = self.objects
        return found


@contextmanager
def served(simulator: Simulator) -> Iterator[Simulator]:
    """`simulator` on its port, in a thread of its own, while commands run in this one."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(simulator.__aenter__(), loop).result(10)
        yield simulator
        asyncio.run_coroutine_threadsafe(simulator.__aexit__(), loop).result(10)
        asyncio.run_coroutine_threadsafe(_end_others(), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _end_others() -> None:
    """Let go of requests that are held for ever."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def environment(simulator: Simulator | None, **more: str) -> dict[str, str]:
    """The variables of a command that asks `simulator`."""
    found = {"GITHUB_TOKEN": TOKEN, "GITHUB_GRAPHQL_URL": simulator.url} if simulator else {}
    return {**found, **more}


def started(
    *words: str,
    env: Mapping[str, str],
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "syncer.cli", *words],
        cwd=ROOT,
        env={**os.environ, **env},
        stdout=stdout,
        stderr=stderr,
        text=True,
    )


def tree(folder: Path) -> dict[str, bytes]:
    """The bytes of every file below `folder` but the store's and those that tell the time."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".syncer" not in path.parts and path.name != "census.json"
    }
