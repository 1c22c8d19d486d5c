"""`syncer audit`: whether what is stored is what GitHub holds, where GitHub tells of no change."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from syncer.audit.plan import Depth, Plan, sample_of
from syncer.audit.report import AuditSummary
from syncer.audit.session import audit
from syncer.cli import options
from syncer.cli.clients import Allowance, Client, Clients
from syncer.cli.console import Console
from syncer.cli.places import Place, chosen
from syncer.cli.running import Interruption, run
from syncer.cli.sinks import sink_factories
from syncer.cli.work import Work
from syncer.errors import ConfigError
from syncer.progress import Observer
from syncer.settings import Settings, checked
from syncer.sink import Factory

__all__ = ["EXAMPLES", "command"]

EXAMPLES = """\b
Examples:
  syncer audit --root corpus
  syncer audit OWNER/REPO --root corpus --totals
  syncer audit OWNER/REPO --root corpus --since 2026-01-01 --max-points 200
  syncer audit OWNER/REPO --root corpus --sample 5%
"""

_DEFAULT = Settings()


class _Order(Struct, frozen=True, kw_only=True):
    """What is wanted for every repository."""

    plan: Plan
    sinks: dict[str, Factory]
    settings: Settings
    folders: dict[str, Path]


def command(  # noqa: PLR0913  one parameter an option
    context: typer.Context,
    repositories: Annotated[
        list[str] | None,
        typer.Argument(metavar="OWNER/REPO", help="Default: every one below the root."),
    ] = None,
    *,
    root: options.Root = Path(),
    totals: Annotated[
        bool,
        typer.Option(
            "--totals/--stamps",
            help="Compare counts alone, or (the default) every entry but for its words.",
        ),
    ] = False,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Only what was changed or created since."),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option("--sample", metavar="N|N%", help="Only so many, drawn at random."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", help="Draw the sample of this seed. Default: by day."),
    ] = None,
    sink: options.Sinks = None,
    wait: options.Wait = False,
    max_points: options.MaxPoints = None,
    reserve_points: options.ReservePoints = 0,
    points_per_minute: options.PointsPerMinute = None,
    concurrency: options.Concurrency = _DEFAULT.concurrency,
    batch_ids: options.BatchIds = _DEFAULT.ids,
    page_size: options.PageSize = _DEFAULT.page,
    as_json: options.AsJson = False,
    log_format: options.LogFormat = options.LogFormats.TEXT,
    debug: options.Debug = False,
) -> None:
    """Compare the local copy with GitHub, and read again what differs.

    GitHub tells of no change when a comment is deleted, edited or hidden, a thread resolved, a
    label renamed: only comparing finds that. The price is told first. Where nothing differs,
    nothing is written.
    """
    console = options.console_of(context, as_json=as_json, debug=debug, log_format=log_format)
    if seed is not None and sample is None:
        raise ConfigError("--seed draws a --sample; without one there is nothing to draw")
    plan = Plan(
        depth=Depth.TOTALS if totals else Depth.STAMPS,
        since=None if since is None else _moment(since),
        sample=None if sample is None else sample_of(sample),
        seed=seed,
    )
    settings = checked(Settings(concurrency=concurrency, ids=batch_ids, page=page_size))
    allowance = Allowance(
        wait=wait,
        max_points=max_points,
        reserve_points=reserve_points,
        points_per_minute=points_per_minute,
    )
    places = chosen(root, repositories)
    order = _Order(
        plan=plan,
        sinks=sink_factories(sink),
        settings=settings,
        folders={place.name: place.folder for place in places},
    )
    raise typer.Exit(run(partial(_audit, console, places, order, allowance)))


def _moment(text: str) -> datetime:
    """A date or an instant, in UTC where no zone is said. Raises ConfigError."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        message = f"--since: {text} is no date of the form 2026-01-31 or 2026-01-31T12:00:00Z"
        raise ConfigError(message) from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


async def _audit(
    console: Console,
    places: list[Place],
    order: _Order,
    allowance: Allowance,
    interruption: Interruption,
) -> int:
    def tell_pause(wait_s: float, why: str) -> None:
        console.say(f"waiting {wait_s:.0f} s: {why}", level="note", waitS=round(wait_s))

    clients = Clients(os.environ, allowance, order.settings, tell_pause)
    names = [place.name for place in places]
    return await Work(console, clients, interruption).run(names, partial(_audit_one, order))


async def _audit_one(order: _Order, name: str, client: Client, observer: Observer) -> AuditSummary:
    return await audit(
        client,
        order.folders[name],
        order.plan,
        sinks=order.sinks,
        settings=order.settings,
        observer=observer,
        monotonic=time.monotonic,
        today=datetime.now(UTC),
    )
