"""What the commands share: options, the console, and how an answer is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from syncer.cli.console import Console

__all__ = ["UNPROVEN", "AsJson", "Model", "Repository", "Root", "console_of", "now", "tell"]

T = TypeVar("T")

UNPROVEN = 3
"""The exit status of an answer that names something as not proven (docs/exit-statuses.md)."""

Repository = Annotated[
    str | None, typer.Argument(metavar="OWNER/REPO", help="Default: the only one below the root.")
]
Root = Annotated[
    Path, typer.Option("--root", metavar="DIR", help="Where corpora are. Default: here.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Results as JSON with stable keys.")]
Model = Annotated[
    str, typer.Option("--model", metavar="MODEL", help="none, extractive or openai:NAME.")
]


def console_of(context: typer.Context, *, as_json: bool) -> Console:
    """The command's console, told how results are wanted."""
    console: Console = context.obj
    console.as_json = as_json
    return console


def tell(
    console: Console,
    found: T,
    lines: Callable[[T], Iterable[str]],
    built: Callable[[T], object] | None = None,
) -> None:
    """Show `found` as an object (as `built` makes it, or as it is), or as `lines` of text."""
    if console.as_json:
        console.emit(found if built is None else built(found))
        return
    for line in lines(found):
        console.print(line)


def now() -> datetime:
    """The clock of this machine."""
    return datetime.now(UTC)
