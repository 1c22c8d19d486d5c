"""`python -m syncer.testing.github`: a simulator for other processes.

Prints `listening on http://127.0.0.1:PORT/graphql` when it is ready and ends at SIGTERM or SIGINT.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from syncer.testing.github.clock import Clock, instant
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.loading import load
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator, newest_stamp
from syncer.testing.github.viewers import Viewer


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    args = _parser().parse_args(argv)
    dataset = _dataset(args)
    now = instant(args.now) if args.now else newest_stamp(dataset) + timedelta(days=1)
    simulator = Simulator(
        dataset,
        tokens=_tokens(args),
        clock=Clock(now) if args.freeze else Clock.running(now),
        seed=args.seed,
        points_per_minute=args.points_per_minute,
        latency_s=args.latency_ms / 1000,
        log=args.log,
        marks=args.mark_dir,
        hold_at=args.hold_at,
        port=args.port,
    )
    del dataset
    asyncio.run(_serve(simulator))
    return 0


async def _serve(simulator: Simulator) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with simulator:
        sys.stdout.write(f"listening on {simulator.url}\n")
        sys.stdout.flush()
        await stop.wait()


def _dataset(args: argparse.Namespace) -> Dataset:
    if args.data is not None:
        return load(args.data)
    return generate(args.seed, args.pulls, _shape(args))


def _shape(args: argparse.Namespace) -> Shape:
    """Special conversations, where the repository is big enough for them to be special."""
    big, some = args.pulls >= 500, args.pulls >= 10
    return Shape(
        name=args.repository,
        long_conversation=3000 if big else 0,
        long_thread=150 if some else 0,
        many_reviews=400 if big else 0,
        many_threads=120 if big else 0,
        huge_bodies=6 if big else 0,
    )


def _tokens(args: argparse.Namespace) -> dict[str, Viewer]:
    """Each `--token` with the `--viewer` and `--zone` at the same place, or the last of them."""
    out: dict[str, Viewer] = {}
    for n, token in enumerate(args.token or [DEFAULT_TOKEN]):
        viewers, zones = args.viewer or ["viewer"], args.zone or [-480]
        out[token] = Viewer(
            login=viewers[min(n, len(viewers) - 1)],
            offset_minutes=zones[min(n, len(zones) - 1)],
            limit=args.limit,
        )
    return out


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m syncer.testing.github", description=__doc__)
    add = parser.add_argument
    add("--data", type=Path, help="a data set in JSON; without it one is generated")
    add("--seed", type=int, default=0, help="of the generated data and of chances")
    add("--pulls", type=int, default=200, help="how many pull requests to generate")
    add("--repository", default="example-org/generated", help="name of the generated repository")
    add("--port", type=int, default=0, help="0: a free one")
    add("--latency-ms", type=float, default=0.0, help="added to every answer")
    add("--now", help="the server's time at the start, in ISO 8601")
    add("--freeze", action="store_true", help="the server's time stands still")
    add("--log", type=Path, help="append a JSON line for each request")
    add("--token", action="append", help=f"a token that is accepted (default {DEFAULT_TOKEN})")
    add("--viewer", action="append", help="the login behind the token at the same place")
    add("--zone", type=int, action="append", help="that viewer's offset from UTC in minutes")
    add("--limit", type=int, default=5000, help="points an hour for each viewer")
    add("--points-per-minute", type=int, help="refuse more than this in any minute")
    add("--mark-dir", type=Path, help="touch received-K and answered-K in this folder")
    add("--hold-at", type=int, help="never answer the K-th request")
    return parser


if __name__ == "__main__":
    sys.exit(main())
