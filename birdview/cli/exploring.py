"""`birdview explore`: what happened in a window."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from birdview import terminal
from birdview.cli.options import UNPROVEN, AsJson, Model, Repository, Root, console_of, now, tell
from birdview.cli.reaching import reaching
from birdview.envelope import Envelope
from birdview.explore import Tools, explore
from birdview.request import Options, Request, RequestError
from birdview.synthesis import bind
from syncer.cli.console import Console
from syncer.cli.running import Interruption, run
from syncer.errors import ConfigError
from syncer.history import History, Live

__all__ = ["EXAMPLES", "command"]

EXAMPLES = """\b
Examples:
  birdview explore OWNER/REPO --root corpus
  birdview explore OWNER/REPO --root corpus --release v2.0 --resolution merged
  birdview explore OWNER/REPO --root corpus --start 2026-03-01 --end 2026-04-01 --json
  birdview explore OWNER/REPO --root corpus --preset daily --live --model openai:NAME
"""

_EXITS = {"corpus_unreadable": 6, "unexpected": 1}
_UNTOLD = frozenset({"inference_failed", "budget_exhausted"})


def command(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    repository: Repository = None,
    *,
    root: Root = Path(),
    start: Annotated[
        str | None, typer.Option("--start", metavar="TIME", help="With --end: where it begins.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--end", metavar="TIME", help="Where it ends, exclusive.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", help="daily, 3-day, weekly, monthly or quarterly: rolling days."),
    ] = None,
    release: Annotated[
        str | None, typer.Option("--release", metavar="TAG", help="From the cut before to TAG's.")
    ] = None,
    resolution: Annotated[
        str, typer.Option("--resolution", help="merged, closed_unmerged or all_resolved.")
    ] = "all_resolved",
    live: Annotated[
        bool, typer.Option("--live", help="Ask GitHub what changed since; needs a token.")
    ] = False,
    model: Model = "extractive",
    allow_partial: Annotated[
        bool, typer.Option("--allow-partial", help="Tell of what is proven, though not all is.")
    ] = False,
    max_lag: Annotated[
        float, typer.Option("--max-lag", metavar="HOURS", help="How old a census may be.", min=0)
    ] = 24.0,
    max_pulls: Annotated[
        int | None, typer.Option("--max-pulls", metavar="N", help="List at most N.", min=0)
    ] = None,
    max_citations: Annotated[
        int | None, typer.Option("--max-citations", metavar="N", help="Cite at most N.", min=0)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What happened across the pull requests that were resolved in a window.

    Without bounds, preset or release: the last seven days up to the census. A time is ISO 8601 with
    a zone, or a date, which means midnight UTC.
    """
    request = Request(
        origin=repository,
        resolution=resolution,
        preset="release" if release is not None and preset is None else preset,
        window_start=start,
        window_end=end,
        release=release,
        live=live,
        allow_partial=allow_partial,
    )
    options = Options(
        max_lag=timedelta(hours=max_lag), max_pulls=max_pulls, max_citations=max_citations
    )
    console = console_of(context, as_json=as_json)
    raise typer.Exit(run(partial(_explored, console, root, request, options, model)))


async def _explored(
    console: Console,
    root: Path,
    request: Request,
    options: Options,
    model: str,
    interruption: Interruption,
) -> int:
    del interruption  # nothing is kept that an end could harm
    source = History(root)
    async with _live(source, request) as live:
        tools = Tools(
            source=source,
            clock=now,
            binding=bind(model, os.environ),
            live=live,
        )
        try:
            envelope = await explore(request, tools, options)
        except RequestError as error:
            raise _in_options(error) from error
    tell(console, envelope, terminal.envelope_lines)
    return _exit_of(envelope)


@asynccontextmanager
async def _live(source: History, request: Request) -> AsyncGenerator[Live | None, None]:
    if not request.live:
        yield None
        return
    async with reaching(source, os.environ)(request.origin) as live:
        yield live


def _in_options(error: RequestError) -> ConfigError:
    """`error` in the words of this command, whose bounds have names of their own."""
    told = str(error).replace("windowStart", "--start").replace("windowEnd", "--end")
    return ConfigError(told)


def _exit_of(envelope: Envelope) -> int:
    """0 where what was asked is proven, and told if it was to be told."""
    codes = [one.code for one in envelope.coverage.degraded_reasons]
    for code, status in _EXITS.items():
        if code in codes:
            return status
    untold = envelope.synthesis.reason in _UNTOLD
    return UNPROVEN if envelope.coverage.degraded or untold else 0
