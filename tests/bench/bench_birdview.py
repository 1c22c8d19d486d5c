"""A weekly window on 20,000 pull requests, against the least that reading it can cost.

    python -m tests.bench.bench_birdview [--pulls N] [--rounds N] [--keep DIR]

The floor reads and hashes the root, the leaves whose range meets the window, and the selected
files. In a warm process the answer, without a model, must stay within five times that (judged by the
processor's time, which does not depend on who else uses the machine); and memory must not grow with
the corpus, nor from one answer to the next. Exit 1 where it does not.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import json
import shutil
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from birdview.envelope import Envelope
from birdview.explore import Tools, explore
from birdview.request import Request
from syncer.corpus import MANIFEST, LeafRef, Window, decode_leaf, decode_root, place
from syncer.history import History
from syncer.history.ask import meets
from syncer.testing.feed import release
from tests.history.corpora import NAME, WATERMARK, Writer, merged

PER_DAY = 18  # 20,000 in three years, as busy projects have it
RELEASE_EVERY = timedelta(days=30)
NOW = WATERMARK + timedelta(hours=1)
MOST = 5.0
MOST_PER_PULL = 32  # bytes of memory: a thousand pull requests are a line of the root
MOST_LEFT_KIB = 64
SAID = "The parser took the second branch, so the cache was never filled. " * 12


async def write(root: Path, count: int) -> None:
    """A corpus of `count` pull requests that ends at its census, an archive but for the newest."""
    first = WATERMARK - timedelta(days=count / PER_DAY)
    cuts = int((WATERMARK - first) / RELEASE_EVERY)
    releases = [release(f"v{n}", first + n * RELEASE_EVERY) for n in range(1, cuts + 1)]
    writer = Writer(root, *releases)
    gap = timedelta(days=1) / PER_DAY
    for number in range(1, count + 1):
        writer.put(merged(number, WATERMARK - (count - number + 1) * gap, body=SAID))
    await writer.flush()


class Floor:
    """The least that reading a window can cost: its files are looked up beforehand."""

    def __init__(self, folder: Path, window: Window) -> None:
        self.files = [folder / MANIFEST]
        self.selected = 0
        for leaf in decode_root((folder / MANIFEST).read_bytes()).leaves:
            if meets(leaf, window):
                self.files.append(folder / leaf.path)
                self._add(folder, leaf, window)

    def read(self) -> None:
        """Read and hash, and nothing else."""
        for file in self.files:
            hashlib.sha256(file.read_bytes()).digest()

    def _add(self, folder: Path, leaf: LeafRef, window: Window) -> None:
        for entry in decode_leaf((folder / leaf.path).read_bytes()).entries:
            if entry.resolved_at is not None and entry.resolved_at in window:
                self.files.append(folder / place(entry.number, leaf.release))
                self.selected += 1


async def answer(root: Path) -> Envelope:
    """The default question, without a model."""
    tools = Tools(source=History(root), clock=lambda: NOW)
    return await explore(Request(origin=NAME), tools)


class Times:
    """Medians in milliseconds: by the clock, and of the processor."""

    def __init__(self) -> None:
        self._wall: list[float] = []
        self._cpu: list[float] = []

    @contextmanager
    def taken(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self._cpu.append(time.process_time() - cpu)
        self._wall.append(time.perf_counter() - wall)

    @property
    def wall_ms(self) -> float:
        return statistics.median(self._wall) * 1000

    @property
    def cpu_ms(self) -> float:
        return statistics.median(self._cpu) * 1000


async def times(root: Path, floor: Floor, rounds: int) -> tuple[Times, Times]:
    """Of the floor and of the answer, taken in turns."""
    floors, answers = Times(), Times()
    for _ in range(rounds):
        with floors.taken():
            floor.read()
        with answers.taken():
            await answer(root)
    return floors, answers


async def memory(root: Path) -> tuple[int, int]:
    """The most memory that one answer takes, and what is left of ten of them, in bytes."""
    tracemalloc.start()
    await answer(root)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    await answer(root)
    _, most = tracemalloc.get_traced_memory()
    for _ in range(10):
        await answer(root)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most - before, after - before


async def measure(root: Path, rounds: int) -> dict[str, float]:
    """Times and memory of one corpus, in a process that has answered before."""
    floor = Floor(root / NAME, Window(WATERMARK - timedelta(days=7), WATERMARK))
    coverage = (await answer(root)).coverage
    if coverage.total_resolved != floor.selected or coverage.degraded:
        raise SystemExit(f"the answer is wrong: {coverage}")
    floors, answers = await times(root, floor, rounds)
    most, left = await memory(root)
    return {
        "selected": floor.selected,
        "floorMs": round(floors.wall_ms, 2),
        "answerMs": round(answers.wall_ms, 2),
        "times": round(answers.wall_ms / floors.wall_ms, 2),
        "cpuTimes": round(answers.cpu_ms / floors.cpu_ms, 2),
        "peakKiB": round(most / 1024),
        "leftKiB": round(left / 1024),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pulls", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--keep", type=Path, help="write the corpora there, or use what is there")
    options = parser.parse_args()
    base = options.keep or Path(tempfile.mkdtemp(prefix="bench-birdview-"))
    found: dict[str, dict[str, float]] = {}
    try:
        for count in (options.pulls // 10, options.pulls):
            root = base / str(count)
            if not (root / NAME / MANIFEST).exists():
                asyncio.run(write(root, count))
            found[str(count)] = asyncio.run(measure(root, options.rounds))
    finally:
        if options.keep is None:
            shutil.rmtree(base)
    small, large = found.values()
    added = options.pulls - options.pulls // 10
    per_pull = round((large["peakKiB"] - small["peakKiB"]) * 1024 / added, 1)
    good = (
        large["cpuTimes"] <= MOST
        and per_pull <= MOST_PER_PULL
        and large["leftKiB"] <= MOST_LEFT_KIB
    )
    print(json.dumps({**found, "peakBytesPerPull": per_pull, "within": good}))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
