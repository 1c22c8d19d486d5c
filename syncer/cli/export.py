"""`syncer export`: the stored conversations as lines of JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Generator
from contextlib import aclosing, contextmanager
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from syncer.cli import options
from syncer.cli.console import leave
from syncer.cli.places import Place, chosen
from syncer.cli.running import Interruption, run
from syncer.cli.stored import conversations

__all__ = ["EXAMPLES", "command"]

EXAMPLES = """\b
Examples:
  syncer export OWNER/REPO --root corpus | jq -c 'select(.state == "OPEN") | .number'
  syncer export OWNER/REPO --root corpus --output conversations.jsonl
"""


class Formats(StrEnum):
    """How conversations can be written."""

    JSONL = "jsonl"


def command(
    context: typer.Context,
    repository: Annotated[
        str, typer.Argument(metavar="OWNER/REPO", help="The repository to write out.")
    ],
    *,
    root: options.Root = Path(),
    format_: Annotated[
        Formats, typer.Option("--format", help="One JSON object a line.")
    ] = Formats.JSONL,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="FILE", help="Default: standard output."),
    ] = None,
    as_json: options.AsJson = False,
    debug: options.Debug = False,
) -> None:
    """Write every conversation as one JSON object a line, sorted by number.

    Read from the store, or from the corpus where there is none. A file appears whole or not at
    all; a reader of standard output who leaves early is no failure.
    """
    options.console_of(context, as_json=as_json, debug=debug)
    del format_  # there is one so far
    (place,) = chosen(root, [repository])
    raise typer.Exit(run(partial(_export, place, output)))


async def _export(place: Place, output: Path | None, interruption: Interruption) -> int:
    del interruption  # nothing is changed here that would have to be saved
    async with aclosing(conversations(place.folder)) as lines:
        if output is None:
            await _to_reader(lines, sys.stdout.buffer)
        else:
            with _whole(output) as file:
                async for line in lines:
                    file.write(line)
    return 0


async def _to_reader(lines: AsyncIterator[bytes], reader: BinaryIO) -> None:
    try:
        async for line in lines:
            reader.write(line)
        reader.flush()
    except BrokenPipeError:
        leave(sys.stdout)


@contextmanager
def _whole(path: Path) -> Generator[BinaryIO, None, None]:
    """A file that takes the place of `path` once everything is in it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        if error.filename is not None:
            error.filename = str(path)  # the name that was asked for
        raise
    finally:
        part.unlink(missing_ok=True)
