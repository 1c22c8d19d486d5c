"""`python -m tests.bench`: points, requests, seconds and memory against what is possible at least.

Everything runs against the simulator on this machine, each part in a process of its own. Seconds
depend on the machine and on who else uses it: compare those of the processor, and ratios. Ends
with status 1 where one of the project's own bounds does not hold.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tests.bench.figures import Figure, missed, table
from tests.bench.stages import FULL, QUICK, STAGES

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure what was asked for and print it."""
    args = _parser().parse_args(argv)
    sizes = QUICK if args.quick else FULL
    figures: list[Figure] = []
    for name in args.only or STAGES:
        sys.stderr.write(f"measuring: {name} ...\n")
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            figures += STAGES[name](sizes, Path(folder))
    if args.json:
        sys.stdout.buffer.write(msgspec.json.encode(figures) + b"\n")
    else:
        sys.stdout.write(table(figures) + "\n")
    return 1 if missed(figures) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="tiny sizes: shows that it works, measures nothing")
    add("--only", action="append", choices=STAGES, help="this stage alone; repeatable")
    add("--json", action="store_true", help="a JSON array on stdout")
    return parser


if __name__ == "__main__":
    sys.exit(main())
