"""`syncer status`: how complete and how fresh the local copies are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from syncer.cli import options
from syncer.cli.console import Console
from syncer.cli.places import Place, chosen
from syncer.cli.running import Interruption, run
from syncer.cli.standing import Pulls, Standing, standing_of
from syncer.cli.summary import problem_lines
from syncer.cli.verdict import judge
from syncer.report import worst

__all__ = ["EXAMPLES", "command"]

EXAMPLES = """\b
Examples:
  syncer status --root corpus
  syncer status OWNER/REPO --root corpus --runs 5
  syncer status --root corpus --json | jq 'select(.complete | not)'
"""


def command(
    context: typer.Context,
    repositories: Annotated[
        list[str] | None,
        typer.Argument(metavar="OWNER/REPO", help="Default: every one below the root."),
    ] = None,
    *,
    root: options.Root = Path(),
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", min=0, help="Tell of the newest N runs as well.")
    ] = 0,
    as_json: options.AsJson = False,
    debug: options.Debug = False,
) -> None:
    """Tell what is known, what is missing and why, without asking GitHub.

    Reads the store, or the corpus's own manifests where there is no store, also while a run is
    under way. Exit 3 when something is known to be incomplete.
    """
    console = options.console_of(context, as_json=as_json, debug=debug)
    raise typer.Exit(run(partial(_status, console, chosen(root, repositories), runs)))


async def _status(
    console: Console, places: list[Place], runs: int, interruption: Interruption
) -> int:
    del interruption  # nothing is changed here that would have to be saved
    return worst([await _tell(console, place, runs) for place in places])


async def _tell(console: Console, place: Place, runs: int) -> int:
    try:
        standing = await standing_of(place, runs)
    except Exception as error:  # noqa: BLE001  one unreadable repository hides no other
        verdict = judge(error)
        console.trace(error)
        console.say(f"{place.name}: {verdict.message}", level="error", status=verdict.status)
        standing = _unreadable(place, verdict.status, verdict.message)
    if console.as_json:
        console.emit(standing)
    elif standing.message is None:
        for line in _lines(standing):
            console.print(line)
    return standing.exit


def _unreadable(place: Place, status: int, message: str) -> Standing:
    return Standing(
        repository=place.name,
        source=None,
        complete=False,
        watermark=None,
        total_count=None,
        discrepancy=None,
        conversations=Pulls(known=0, stored=0, incomplete=0, behind=0, unread=0),
        connections=None,
        behind=(),
        unread=(),
        queued=(),
        problems=(),
        sinks={},
        runs=(),
        exit=status,
        message=message,
    )


def _lines(standing: Standing) -> Iterator[str]:
    pulls, lists = standing.conversations, standing.connections
    verdict = "complete" if standing.complete else f"incomplete, exit {standing.exit}"
    yield f"{standing.repository}: {verdict}, by its {standing.source}"
    yield f"  current as of  {_moment(standing.watermark)}"
    claimed = "an unknown number" if standing.total_count is None else standing.total_count
    yield (
        f"  conversations  {claimed} claimed, {pulls.known} known, {pulls.stored} stored: "
        f"{pulls.incomplete} incomplete, {pulls.behind} behind, {pulls.unread} unread"
    )
    if lists is not None:
        yield (
            f"  connections    {lists.exhausted} exhausted, {lists.short} short, {lists.cut} cut, "
            f"{lists.unknown} unknown"
        )
    for name, sink in standing.sinks.items():
        words = "up to date" if sink.position == sink.head else "has a backlog"
        yield f"  {name:<14} {words}"
    yield from problem_lines(standing.problems)
    for one in standing.queued:
        yield (
            f"  {'queued':<14} #{one.number} since {_moment(one.since)}, tries {one.tries}, "
            f"next {_moment(one.next_try)} ({one.reason})"
        )
    yield from _runs(standing)


def _runs(standing: Standing) -> Iterator[str]:
    for one in standing.runs:
        end = "under way, or killed" if one.ended_at is None else f"exit {one.exit}"
        yield f"  {'run':<14} {_moment(one.started_at)}: {end}"


def _moment(moment: datetime | None) -> str:
    return "never proven" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S} UTC"
