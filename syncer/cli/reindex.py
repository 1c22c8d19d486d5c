"""`syncer reindex`: read again whatever is known, or write again whatever is there."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from syncer.cli import options
from syncer.cli.clients import Allowance
from syncer.cli.console import Console
from syncer.cli.places import chosen
from syncer.cli.running import Interruption, run
from syncer.cli.sinks import sink_factories
from syncer.cli.standing import standing_of
from syncer.cli.summary import in_lines
from syncer.cli.sync import Plan, run_plan
from syncer.engine import Again
from syncer.errors import ConfigError, SinkError
from syncer.rebuild import rebuild
from syncer.report import Connections, Conversations, Problem, Summary
from syncer.settings import Settings
from syncer.sink import Factory

__all__ = ["EXAMPLES", "command"]

EXAMPLES = """\b
Examples:
  syncer reindex OWNER/REPO 17 42 --root corpus
  syncer reindex OWNER/REPO --root corpus --wait
  syncer reindex OWNER/REPO --local --sink corpus --sink jsonl
"""


def command(  # noqa: PLR0913  one parameter an option
    context: typer.Context,
    repository: Annotated[
        str, typer.Argument(metavar="OWNER/REPO", help="The repository to read again.")
    ],
    numbers: Annotated[
        list[int] | None,
        typer.Argument(metavar="NUMBER", min=1, help="Pull requests. Default: every one."),
    ] = None,
    *,
    root: options.Root = Path(),
    sink: options.Sinks = None,
    local: Annotated[
        bool,
        typer.Option("--local", help="Ask GitHub nothing: write every file anew from the store."),
    ] = False,
    wait: options.Wait = False,
    max_points: options.MaxPoints = None,
    reserve_points: options.ReservePoints = 0,
    points_per_minute: options.PointsPerMinute = None,
    as_json: options.AsJson = False,
    log_format: options.LogFormat = options.LogFormats.TEXT,
    debug: options.Debug = False,
) -> None:
    """Read pull requests again whatever is known of them, or write all files anew.

    With numbers these are read again; without, the repository is walked in full and everything is.
    What has not changed is not written.
    """
    console = options.console_of(context, as_json=as_json, debug=debug, log_format=log_format)
    if local and numbers:
        raise ConfigError("--local writes everything: leave out the numbers")
    sinks = sink_factories(sink)
    if local:
        raise typer.Exit(run(partial(_local, console, repository, root, sinks)))
    plan = Plan(
        root=root,
        sinks=sinks,
        settings=Settings(full=not numbers),
        again=Again(numbers=tuple(numbers or ()), everything=not numbers),
    )
    allowance = Allowance(
        wait=wait,
        max_points=max_points,
        reserve_points=reserve_points,
        points_per_minute=points_per_minute,
    )
    raise typer.Exit(run(partial(run_plan, console, [repository], plan, allowance)))


async def _local(
    console: Console,
    repository: str,
    root: Path,
    sinks: dict[str, Factory],
    interruption: Interruption,
) -> int:
    del interruption  # the next run or rebuild goes on
    started = time.monotonic()
    (place,) = chosen(root, [repository])
    done = await rebuild(place.folder, sinks=sinks)
    for note in done.notes:
        console.say(f"{place.name}: {note}", level="note")
    standing = await standing_of(place, 0)
    failures = tuple(
        Problem(number=None, connection=f"sink:{name}", status="failed", reason=reason)
        for name, reason in done.failures.items()
    )
    pulls = standing.conversations
    summary = Summary(
        repository=standing.repository,
        complete=standing.complete,
        conversations=Conversations(
            total=pulls.known,
            read=0,
            unchanged=max(0, pulls.known - pulls.behind - pulls.unread),
            incomplete=pulls.incomplete,
            behind=pulls.behind,
        ),
        connections=standing.connections or Connections(exhausted=0, short=0, cut=0, unknown=0),
        requests=0,
        points=0,
        points_planned=0,
        duration_s=round(time.monotonic() - started, 3),
        sinks=done.applied,
        problems=(*standing.problems, *failures),
        exit=SinkError.exit_status if failures else standing.exit,
    )
    if console.as_json:
        console.emit(summary)
    else:
        for line in in_lines(summary):
            console.print(line)
    return summary.exit
