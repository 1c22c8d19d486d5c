"""The options that several commands share, said once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from syncer.cli.console import Console

__all__ = [
    "AsJson",
    "BatchIds",
    "Concurrency",
    "Debug",
    "LogFormat",
    "LogFormats",
    "Margin",
    "MaxPoints",
    "PageSize",
    "PointsPerMinute",
    "ReservePoints",
    "Root",
    "Sinks",
    "Wait",
    "console_of",
]


class LogFormats(StrEnum):
    """How messages and progress are written."""

    TEXT = "text"
    JSON = "json"


Root = Annotated[
    Path,
    typer.Option(
        "--root", metavar="DIR", help="Where copies are kept, as DIR/OWNER/REPO. Default: here."
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Results as JSON objects with stable keys, one a line.")
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Add the traceback to the message of a failure.")
]
Sinks = Annotated[
    list[str] | None,
    typer.Option(
        "--sink",
        metavar="NAME[:KEY=VALUE]",
        help="Where conversations go. Repeat it for several sinks, or for several options of one. "
        "Default: corpus.",
    ),
]
Concurrency = Annotated[
    int,
    typer.Option("--concurrency", metavar="N", min=1, max=100, help="Most requests at once."),
]
BatchIds = Annotated[
    int,
    typer.Option("--batch-ids", metavar="N", min=1, max=100, help="Most connections a request."),
]
PageSize = Annotated[
    int,
    typer.Option("--page-size", metavar="N", min=1, max=100, help="Most entries a page."),
]
Margin = Annotated[
    float,
    typer.Option(
        "--margin",
        metavar="SECONDS",
        min=0,
        max=3600,
        help="How long GitHub's stamps may lag; what changed this shortly before is read again.",
    ),
]
Wait = Annotated[
    bool,
    typer.Option(
        "--wait/--no-wait",
        help="When the hour's points are used up, wait for the reset, or stop with exit 5.",
    ),
]
MaxPoints = Annotated[
    int | None,
    typer.Option(
        "--max-points", metavar="N", min=1, help="Stop with exit 5 before a repository costs more."
    ),
]
ReservePoints = Annotated[
    int,
    typer.Option(
        "--reserve-points", metavar="N", min=0, help="Leave so many of the hour's points to others."
    ),
]
PointsPerMinute = Annotated[
    int | None,
    typer.Option(
        "--points-per-minute", metavar="N", min=1, help="Never spend more points in any minute."
    ),
]
LogFormat = Annotated[
    LogFormats,
    typer.Option("--log-format", help="Messages and progress as text or as JSON lines."),
]


def console_of(
    context: typer.Context,
    *,
    as_json: bool,
    debug: bool,
    log_format: LogFormats = LogFormats.TEXT,
) -> Console:
    """The command's console, told how results and messages are wanted."""
    console: Console = context.obj
    console.as_json = as_json
    console.debug = debug
    console.json_log = log_format is LogFormats.JSON
    return console
