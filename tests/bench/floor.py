"""The least that the same run could take: same bytes, bare aiohttp, msgspec, same files written.

`python -m tests.bench.floor URL TAPE TREE EMPTY` asks `replay` at URL for everything on the tape,
reads each answer as JSON, writes every file of TREE below EMPTY, and prints what that took. There
is no store, no proof, no order and no retry in it: nobody could use it, but nothing can be faster.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import msgspec

from tests.bench.measures import Took
from tests.bench.tape import Spoken, read_tape

__all__ = ["corpus_files", "main"]

_AT_ONCE = 8


def main(url: str, tape: Path, tree: Path, empty: Path) -> int:
    """Measure, with all input in memory before the clock starts."""
    spoken, files = read_tape(tape), corpus_files(tree)
    took = asyncio.run(_run(url, spoken, files, empty))
    sys.stdout.buffer.write(msgspec.json.encode(took) + b"\n")
    return 0


def corpus_files(tree: Path) -> dict[str, bytes]:
    """Path and bytes of every file below `tree` that belongs to the corpus."""
    paths = (path for path in tree.rglob("*") if path.is_file() and ".syncer" not in path.parts)
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in paths}


async def _run(url: str, spoken: list[Spoken], files: dict[str, bytes], empty: Path) -> Took:
    started = Took.begin()
    waiting = iter(spoken)
    async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(_ask(session, url, waiting))
    _write(files, empty)
    return started.end()


async def _ask(session: aiohttp.ClientSession, url: str, waiting: Iterator[Spoken]) -> None:
    for spoken in waiting:
        async with session.post(url, data=spoken.asked) as response:
            msgspec.json.decode(await response.read())


def _write(files: dict[str, bytes], empty: Path) -> None:
    for parent in {(empty / name).parent for name in files}:
        parent.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (empty / name).write_bytes(data)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(Path, sys.argv[2:])))
