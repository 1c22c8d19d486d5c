"""The measurements, one function each, from the sizes to their figures."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from msgspec import Struct

from syncer.testing.github import Dataset, Shape, dump, generate
from syncer.testing.github.expected import quotient
from tests.bench import audit, bench_birdview
from tests.bench.child import Ran
from tests.bench.figures import Figure
from tests.bench.measures import Took
from tests.bench.processes import GITHUB, REPLAY, measured, serving

__all__ = ["FULL", "QUICK", "STAGES", "Sizes"]

_SEED = 1
_NAME = "example-org/generated"
_MIB = 1024 * 1024
_LIMIT = 10**9  # points an hour: what a run costs is measured, not how long it would be held up
_CHILD, _FLOOR = "tests.bench.child", "tests.bench.floor"

_LARGE = Shape(
    name=_NAME,
    long_conversation=3000,
    long_thread=150,
    many_reviews=400,
    many_threads=120,
    huge_bodies=6,
)
_SMALL = Shape(name=_NAME, long_conversation=110, many_threads=101)


class Sizes(Struct, frozen=True, kw_only=True):
    """How many pull requests each stage is about, and what is special among them."""

    main: int
    few: int
    many: int
    audited: int
    rounds: int  # of answers, of which the median counts
    latency_ms: int
    shape: Shape
    repeats: int  # of what is measured in seconds; the quickest counts, the others were disturbed
    strict: bool  # at small sizes rounding and overhead outweigh what is measured


FULL = Sizes(
    main=2000,
    few=1000,
    many=20_000,
    audited=10_000,
    rounds=15,
    latency_ms=100,
    shape=_LARGE,
    repeats=2,
    strict=True,
)
QUICK = Sizes(
    main=24,
    few=12,
    many=30,
    audited=80,
    rounds=1,
    latency_ms=2,
    shape=_SMALL,
    repeats=1,
    strict=False,
)


def reading(sizes: Sizes, folder: Path) -> list[Figure]:
    """A first run: points and requests, seconds with a near and a far server, and the floor."""
    dataset = generate(_SEED, sizes.main, sizes.shape)
    data = _stored(dataset, folder)
    with _github(data) as url:
        runs = [
            measured(Ran, _CHILD, _NAME, folder / f"near-{n}", url=url)
            for n in range(sizes.repeats)
        ]
    near = min(runs, key=lambda ran: ran.took.cpu_s)
    tape = folder / "tape"
    with _github(data, "--latency-ms", sizes.latency_ms) as url:
        far = measured(Ran, _CHILD, _NAME, folder / "far", "--record", tape, url=url)
    with serving(REPLAY, tape) as url:
        floors = [
            measured(Took, _FLOOR, url, tape, folder / "far" / _NAME, folder / f"least-{n}")
            for n in range(sizes.repeats)
        ]
    least = min(floors, key=lambda took: took.cpu_s)
    stage = f"first run, {sizes.main:,} pull requests"
    return [
        *_price(stage, near, quotient(dataset), sizes),
        *_seconds(stage, near, far, least, sizes),
    ]


def _price(stage: str, ran: Ran, least: float, sizes: Sizes) -> list[Figure]:
    billed = ran.summary.points
    make = _maker(stage)
    return [
        make("points", "points billed", billed, "points"),
        make("pointsPlanned", "points expected by our own model", ran.summary.points_planned, ""),
        make(
            "quotient",
            "(pull requests + non-empty connections + overflow pages) / 100",
            least,
            "points",
        ),
        make(
            "pointsRatio",
            "points billed / quotient",
            billed / least,
            "×",
            1.15 if sizes.strict else None,
        ),
        make("requests", "requests", ran.summary.requests, "requests"),
        make("connections", "connections exhausted", ran.summary.connections.exhausted, ""),
    ]


def _seconds(stage: str, near: Ran, far: Ran, least: Took, sizes: Sizes) -> list[Figure]:
    make = _maker(stage)
    thousands = sizes.main / 1000
    return [
        make("wallNear", "wall time, server without latency", near.took.wall_s, "s"),
        make("wallFar", f"wall time, {sizes.latency_ms} ms latency", far.took.wall_s, "s"),
        make("cpu", "client CPU per 1,000", near.took.cpu_s / thousands, "s"),
        make(
            "cpuFloor", "floor: same bytes read, same files written", least.cpu_s / thousands, "s"
        ),
        make("cpuRatio", "client CPU / floor", near.took.cpu_s / least.cpu_s, "×"),
    ]


def memory(sizes: Sizes, folder: Path) -> list[Figure]:
    """Peaks of memory in fresh processes, for few and for many pull requests, and nothing new."""
    with _github(_stored(generate(_SEED, sizes.few, sizes.shape), folder)) as url:
        few = measured(Ran, _CHILD, _NAME, folder / "few", url=url)
    with _github(_stored(generate(_SEED, sizes.many, sizes.shape), folder)) as url:
        many = measured(Ran, _CHILD, _NAME, folder / "many", url=url)
        again = measured(Ran, _CHILD, _NAME, folder / "many", url=url)
    return [*_peaks(few, many, sizes), *_nothing_new(again, sizes)]


def _peaks(few: Ran, many: Ran, sizes: Sizes) -> list[Figure]:
    make = _maker("memory of a first run")
    bound = 1.5 if sizes.strict else None
    return [
        make("idle", "process with everything imported", few.idle_bytes / _MIB, "MiB"),
        make("peakFew", f"peak, {sizes.few:,} pull requests", few.peak_bytes / _MIB, "MiB"),
        make("peakMany", f"peak, {sizes.many:,} pull requests", many.peak_bytes / _MIB, "MiB"),
        make(
            "peakRatio", "the second over the first", many.peak_bytes / few.peak_bytes, "×", bound
        ),
        make("wallMany", f"wall time, {sizes.many:,}", many.took.wall_s, "s"),
        make("cpuMany", f"client CPU per 1,000, {sizes.many:,}", _per_1000(many, sizes.many), "s"),
    ]


def _nothing_new(again: Ran, sizes: Sizes) -> list[Figure]:
    make = _maker(f"nothing new, {sizes.many:,} pull requests")
    return [
        make("requestsAgain", "requests", again.summary.requests, "requests", 1),
        make("peakAgain", "peak", again.peak_bytes / _MIB, "MiB", 100e6 / _MIB),
        make("wallAgain", "wall time", again.took.wall_s, "s"),
        make("cpuAgain", "client CPU", again.took.cpu_s, "s"),
    ]


def auditing(sizes: Sizes, folder: Path) -> list[Figure]:
    """An audit of what has not changed, and one of what changed without a word."""
    del folder  # it makes its own
    found = asyncio.run(audit.bench(sizes.audited))
    make = _maker(f"audit, {sizes.audited:,} pull requests")
    missing = found["edits"] - found["editsFound"]
    bound = 1.1 if sizes.strict else None
    return [
        make("auditPoints", "points, nothing changed", found["unchangedPoints"], "points"),
        make("auditRatio", "points / quotient", found["unchangedRatio"], "×", bound),
        make("auditTotals", "points of --totals", found["totalsPoints"], "points"),
        make("auditCpu", "processor, both sides", found["unchangedCpuS"], "s"),
        make("edits", "kinds of silent edit made", found["edits"], ""),
        make("editsMissed", "of these not found", missing, "", 0),
        make("pointsMended", "points of finding and reading them", found["mendedPoints"], ""),
    ]


def exploring(sizes: Sizes, folder: Path) -> list[Figure]:
    """A weekly window without a model, in a warm process, against reading and hashing its files."""
    root = folder / "explored"
    asyncio.run(bench_birdview.write(root, sizes.many))
    found = asyncio.run(bench_birdview.measure(root, sizes.rounds))
    make = _maker(f"weekly window, {sizes.many:,} pull requests")
    bound = bench_birdview.MOST if sizes.strict else None
    return [
        make("selected", "pull requests in the window", found["selected"], ""),
        make("exploreWall", "wall time of an answer", found["answerMs"] / 1000, "s"),
        make("exploreRatio", "processor, answer / floor", found["cpuTimes"], "×", bound),
        make("explorePeak", "memory of an answer", found["peakKiB"] / 1024, "MiB"),
    ]


def starting(sizes: Sizes, folder: Path) -> list[Figure]:
    """How long it takes until a command has read its own words."""
    make = _maker("start of a command")
    return [
        make("help", "syncer --help", _quickest(sizes, "-m", "syncer.cli", "--help"), "s"),
        make("bare", "python that does nothing", _quickest(sizes, "-c", "pass"), "s"),
    ]


def _quickest(sizes: Sizes, *arguments: str) -> float:
    return min(_timed([sys.executable, *arguments]) for _ in range(sizes.repeats))


def _timed(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


Stage = Callable[[Sizes, Path], list[Figure]]

STAGES: Mapping[str, Stage] = {
    "reading": reading,
    "memory": memory,
    "auditing": auditing,
    "exploring": exploring,
    "starting": starting,
}


def _maker(stage: str) -> Callable[..., Figure]:
    def make(key: str, meaning: str, value: float, unit: str, most: float | None = None) -> Figure:
        found = round(value, 4)
        return Figure(stage=stage, key=key, meaning=meaning, value=found, unit=unit, most=most)

    return make


def _stored(dataset: Dataset, folder: Path) -> Path:
    path = folder / "data.json"
    path.write_bytes(dump(dataset))
    return path


def _github(data: Path, *options: object) -> AbstractContextManager[str]:
    return serving(GITHUB, "--data", data, "--limit", _LIMIT, *options)


def _per_1000(ran: Ran, pulls: int) -> float:
    return ran.took.cpu_s * 1000 / pulls
