"""An audit at size: what it costs where nothing changed, and whether it finds every silent edit.

`python -m tests.bench.audit 10000` prints the figures as JSON; it ends with status 1 where one of
the audit's promises does not hold.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from syncer.audit.plan import Depth, Plan
from syncer.testing.github.expected import quotient
from syncer.testing.github.generator import generate
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator
from syncer.testing.github.viewers import Viewer
from tests.audit.edits import EDITS, Editor, prepare
from tests.audit.harness import audited, everything_stored, files, folder
from tests.bench.measures import Took
from tests.engine.harness import run, tree

__all__ = ["bench", "broken"]

_SEED = 1
_LATER_S = 7200.0
_LIMIT = 10**9  # points an hour: what an audit costs is measured, not how long it would be held up


async def bench(pulls: int) -> dict[str, float]:
    """The figures over a repository of so many pull requests. Promises are 1 where they hold."""
    with tempfile.TemporaryDirectory(prefix="bench-") as made:
        tokens = {DEFAULT_TOKEN: Viewer(limit=_LIMIT)}
        async with Simulator(generate(_SEED, pulls), tokens=tokens) as simulator:
            prepare(simulator)
            return await _measured(simulator, Path(made) / "kept", Path(made) / "fresh")


async def _measured(simulator: Simulator, kept: Path, fresh: Path) -> dict[str, float]:
    synced = await run(simulator, kept)
    simulator.clock.advance(_LATER_S)
    before = (files(kept), await everything_stored(folder(simulator, kept)))
    least, started = quotient(simulator.world), Took.begin()
    still = await audited(simulator, kept)
    took = started.end()
    totals = await audited(simulator, kept, Plan(depth=Depth.TOTALS))
    after = (files(kept), await everything_stored(folder(simulator, kept)))

    editor = Editor(simulator)
    for name in EDITS:
        editor.make(name)
    simulator.clock.advance(_LATER_S)
    mended = await audited(simulator, kept)
    await run(simulator, fresh)
    found = {one.number for one in mended.audit.found}
    return {
        "pulls": len(simulator.world.repository.pull_requests),
        "quotientPoints": least,
        "syncPoints": synced.points,
        "unchangedPoints": still.points,
        "unchangedRatio": round(still.points / least, 4),
        "expectedPoints": still.audit.points_expected,
        "unchangedRequests": still.requests,
        "unchangedWallS": took.wall_s,
        "unchangedCpuS": took.cpu_s,
        "totalsPoints": totals.points,
        "wroteNothing": float(before == after),
        "foundNothing": float(not still.audit.found and not totals.audit.found),
        "edits": len(EDITS),
        "editsFound": sum(expected <= found for expected in editor.expected.values()),
        "pullsEdited": len(set().union(*editor.expected.values())),
        "pullsFound": len(found),
        "mendedPoints": mended.points,
        "mendedExit": mended.exit,
        "treeEqualsFresh": float(tree(kept) == tree(fresh)),
    }


def broken(figures: dict[str, float]) -> list[str]:
    """The promises that do not hold, by the name of their figure."""
    kept = {
        "unchangedRatio": figures["unchangedRatio"] <= 1.1,
        "wroteNothing": bool(figures["wroteNothing"]),
        "foundNothing": bool(figures["foundNothing"]),
        "editsFound": figures["editsFound"] == figures["edits"],
        "pullsFound": figures["pullsFound"] == figures["pullsEdited"],
        "treeEqualsFresh": bool(figures["treeEqualsFresh"]),
    }
    return [name for name, holds in kept.items() if not holds]


if __name__ == "__main__":
    measured = asyncio.run(bench(int(sys.argv[1])))
    sys.stdout.write(json.dumps(measured, indent=1) + "\n")
    sys.exit(1 if broken(measured) else 0)
