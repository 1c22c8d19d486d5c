"""One sync in a process of its own, and what it took: prints a JSON object.

A fresh process makes the peak of memory that of this run alone. Token and address come from the
environment, as for the command line.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from sinks.corpus import open_sink
from syncer.github.access import endpoint_from_env, token_from_env
from syncer.github.client import GitHub
from syncer.github.governor import Governor
from syncer.github.pace import Bounds
from syncer.github.token import Credentials
from syncer.github.transport import WireTransport
from syncer.report import Summary
from syncer.session import sync
from syncer.settings import Settings
from tests.bench.measures import Took, peak_bytes
from tests.bench.tape import Recording

__all__ = ["Ran", "main"]

_UNPACED = Bounds(points_per_minute=1e9, seconds_per_minute=1e9)
"""GitHub's limits a minute would measure the minute."""


class Ran(Struct, frozen=True, rename="camel", kw_only=True):
    """One run: its summary, what it took, and the most memory that its process held."""

    summary: Summary
    took: Took
    idle_bytes: int  # with everything imported, before the run
    peak_bytes: int


def main(argv: Sequence[str] | None = None) -> int:
    """Run as the arguments say."""
    args = _parser().parse_args(argv)
    ran = asyncio.run(_run(args.name, args.root, args.record))
    sys.stdout.buffer.write(msgspec.json.encode(ran) + b"\n")
    return ran.summary.exit


async def _run(name: str, root: Path, record: Path | None) -> Ran:
    credentials = Credentials(token_from_env(os.environ))
    wire = WireTransport(endpoint_from_env(os.environ), credentials)
    client = GitHub(
        credentials,
        Governor(_UNPACED),
        name=name,
        transport=wire if record is None else Recording(wire, record),
    )
    idle, started = peak_bytes(), Took.begin()
    async with client:
        summary = await sync(
            client,
            name,
            root,
            sinks={"corpus": open_sink},
            settings=Settings(),
            observer=lambda _: None,
            monotonic=time.monotonic,
        )
    return Ran(summary=summary, took=started.end(), idle_bytes=idle, peak_bytes=peak_bytes())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.child", description=__doc__)
    parser.add_argument("name", help="owner/name")
    parser.add_argument("root", type=Path)
    parser.add_argument("--record", type=Path, help="keep every exchange in this file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
