"""`python -m tests.soak`: rounds of acts, faults and ends on one repository, by a seed.

Ends with status 1 where anything was lost, torn, damaged, doubled or not said; the seed that is
printed first gives the same rounds again.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.soak.soak import soak

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Soak, and say what came of it."""
    args = _parser().parse_args(argv)
    seed = random.randrange(1_000_000) if args.seed is None else args.seed
    _tell(f"seed {seed}: {args.rounds} rounds on {args.pulls} pull requests")
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        try:
            done = asyncio.run(
                soak(Path(folder), rounds=args.rounds, seed=seed, pulls=args.pulls, tell=_tell)
            )
        except Exception:  # noqa: BLE001 - whatever it was, the seed stands beside it
            traceback.print_exc()
            _tell(f"failed: python -m tests.soak --seed {seed} --rounds {args.rounds}")
            return 1
    _tell(
        f"sound after {done.rounds} rounds: {done.complete} complete, {done.incomplete} incomplete,"
        f" {done.refused} refused, {done.stopped} stopped; {done.requests} requests,"
        f" {done.points} points"
    )
    return 0


def _tell(line: str) -> None:
    sys.stdout.write(f"{line.rstrip()}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--rounds", type=int, default=30, metavar="N", help="default: 30")
    add("--seed", type=int, default=None, metavar="S", help="default: one by chance, printed")
    add("--pulls", type=int, default=300, metavar="N", help="default: 300")
    return parser


if __name__ == "__main__":
    sys.exit(main())
