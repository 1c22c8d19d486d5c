"""`syncer sync`: one run for each repository named."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct
from msgspec.structs import replace

from syncer.cli import options
from syncer.cli.clients import Allowance, Client, Clients
from syncer.cli.console import Console
from syncer.cli.running import Interruption, run
from syncer.cli.sinks import sink_factories
from syncer.cli.work import Work
from syncer.corpus import repository_path
from syncer.engine import Again
from syncer.errors import LocalError
from syncer.progress import Observer
from syncer.report import Summary
from syncer.repository import Shaping
from syncer.session import sync
from syncer.settings import Settings, checked
from syncer.sink import Factory

__all__ = ["EXAMPLES", "Plan", "command", "run_plan", "sync_one"]

EXAMPLES = """\b
Examples:
  syncer sync OWNER/REPO --root corpus
  syncer sync OWNER/ONE OWNER/TWO --root corpus --json >summary.jsonl
  syncer sync OWNER/REPO --sink corpus --sink jsonl --max-points 500
  syncer sync OWNER/REPO --wait --reserve-points 1000 --log-format json
"""

_DEFAULT = Settings()


class Plan(Struct, frozen=True, kw_only=True):
    """What a command wants done for every repository that it names."""

    root: Path
    sinks: dict[str, Factory]
    settings: Settings
    prereleases: bool | None = None  # None: as the stored records have it
    again: Again = Again()


def command(  # noqa: PLR0913  one parameter an option
    context: typer.Context,
    repositories: Annotated[
        list[str], typer.Argument(metavar="OWNER/REPO", help="The repositories to read.")
    ],
    *,
    root: options.Root = Path(),
    sink: options.Sinks = None,
    full: Annotated[
        bool, typer.Option("--full", help="Walk every pull request, whatever is known.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="Try at once again what an earlier run left unfinished.")
    ] = False,
    prereleases: Annotated[
        bool | None,
        typer.Option(
            "--prereleases/--no-prereleases",
            help="Whether a prerelease closes a window. Default: as stored, and yes at first.",
        ),
    ] = None,
    wait: options.Wait = False,
    max_points: options.MaxPoints = None,
    reserve_points: options.ReservePoints = 0,
    points_per_minute: options.PointsPerMinute = None,
    concurrency: options.Concurrency = _DEFAULT.concurrency,
    batch_ids: options.BatchIds = _DEFAULT.ids,
    page_size: options.PageSize = _DEFAULT.page,
    margin: options.Margin = _DEFAULT.margin_s,
    as_json: options.AsJson = False,
    log_format: options.LogFormat = options.LogFormats.TEXT,
    debug: options.Debug = False,
) -> None:
    """Bring the local copy of repositories up to date, and say how complete it is.

    The first run reads everything, later ones what changed. A run may be stopped at any time; the
    next one goes on from there.
    """
    console = options.console_of(context, as_json=as_json, debug=debug, log_format=log_format)
    settings = Settings(
        concurrency=concurrency, ids=batch_ids, page=page_size, margin_s=margin, full=full
    )
    plan = Plan(
        root=root,
        sinks=sink_factories(sink),
        settings=checked(settings),
        prereleases=prereleases,
        again=Again(unfinished=retry),
    )
    allowance = Allowance(
        wait=wait,
        max_points=max_points,
        reserve_points=reserve_points,
        points_per_minute=points_per_minute,
    )
    raise typer.Exit(run(partial(run_plan, console, repositories, plan, allowance)))


async def run_plan(
    console: Console,
    repositories: list[str],
    plan: Plan,
    allowance: Allowance,
    interruption: Interruption,
) -> int:
    """Do `plan` for every one of `repositories`; the exit status over all of them."""
    # A slip in one name, or in the root, is found before anything is asked.
    for name in repositories:
        repository_path(name)
    if plan.root.exists() and not plan.root.is_dir():
        raise LocalError(f"{plan.root} is not a folder: choose another --root")
    clients = Clients(os.environ, allowance, plan.settings, partial(_tell_pause, console))
    return await Work(console, clients, interruption).run(repositories, partial(sync_one, plan))


async def sync_one(plan: Plan, name: str, client: Client, observer: Observer) -> Summary:
    """Do `plan` for repository `name`, as its folder was shaped unless the plan says otherwise."""
    prereleases = plan.prereleases
    shaping = None if prereleases is None else Shaping(prereleases=prereleases)
    return await sync(
        client,
        name,
        plan.root,
        sinks=plan.sinks,
        settings=replace(plan.settings, shaping=shaping),
        observer=observer,
        monotonic=time.monotonic,
        again=plan.again,
    )


def _tell_pause(console: Console, wait_s: float, why: str) -> None:
    console.say(f"waiting {wait_s:.0f} s: {why}", level="note", waitS=round(wait_s))
