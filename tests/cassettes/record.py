"""`python -m tests.cassettes.record [FOLDER]`: record every cassette anew, from the simulator.

The same cassettes come out every time, byte for byte, as long as what is asked and answered is
the same.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from syncer.testing.github import Simulator
from tests.cassettes.playing import path_of, play, tape
from tests.cassettes.scenarios import SCENARIOS, Scenario, dataset
from tests.cassettes.scrub import found_secrets

__all__ = ["FOLDER", "main", "record_all"]

FOLDER = Path(__file__).resolve().parent.parent.parent / "cassettes"


def main(argv: Sequence[str] | None = None) -> int:
    """Record into the folder given, else into the project's own."""
    given = list(sys.argv[1:] if argv is None else argv)
    record_all(Path(given[0]) if given else FOLDER)
    return 0


def record_all(folder: Path) -> None:
    """Record every scenario into `folder`; what else lies there as a cassette is removed."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.yaml"):
        old.unlink()
    for name, scenario in SCENARIOS.items():
        record(scenario, path_of(folder, name))


def record(scenario: Scenario, path: Path) -> None:
    """Record one scenario. Raises ValueError rather than leave a secret in a file."""
    with tempfile.TemporaryDirectory() as root, tape("all").use_cassette(str(path)):
        asyncio.run(_served(scenario, Path(root)))
    if found := found_secrets(path.read_text("utf-8")):
        path.unlink()
        raise ValueError(f"{path.name} would hold: {', '.join(found)}")


async def _served(scenario: Scenario, root: Path) -> None:
    github = Simulator(dataset())
    scenario.arrange(github)
    async with github:
        await play(scenario, root, github.url)


if __name__ == "__main__":
    sys.exit(main())
