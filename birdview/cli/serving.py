"""`birdview serve`: the same answers for an MCP client."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from birdview.cli.options import Model, Root, console_of
from birdview.cli.reaching import Reaching, reaching
from birdview.synthesis import bind
from syncer.cli.console import Console
from syncer.cli.running import Interruption, run
from syncer.errors import ConfigError
from syncer.history import History

__all__ = ["EXAMPLES", "command"]

EXAMPLES = """\b
Examples:
  birdview serve --root corpus
  birdview serve --root corpus --http 127.0.0.1:8765
"""


def command(
    context: typer.Context,
    *,
    root: Root = Path(),
    http: Annotated[
        str | None,
        typer.Option("--http", metavar="HOST:PORT", help="Streamable HTTP, on this machine alone."),
    ] = None,
    model: Model = "extractive",
) -> None:
    """Serve the corpora below the root to an MCP client: on standard input and output, or by HTTP.

    Every tool only reads. Answers that ask for it go to GitHub where a token is set.
    """
    console = console_of(context, as_json=False)
    if not root.is_dir():
        raise ConfigError(f"there is no folder {root}: run `syncer sync`, or choose another --root")
    raise typer.Exit(run(partial(_served, console, root, http, model)))


async def _served(
    console: Console, root: Path, http: str | None, model: str, interruption: Interruption
) -> int:
    del interruption  # nothing is kept that an end could harm
    try:
        from birdview.mcp import serve  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        message = "serve: needs the extra `mcp`: run pip install '.[mcp]' where this project lies"
        raise ConfigError(message) from error
    await serve(
        root,
        http,
        binding=bind(model, os.environ),
        reaching=_reaching(root),
        say=partial(console.say, level="note"),
    )
    return 0


def _reaching(root: Path) -> Reaching | None:
    """The way to GitHub; None without a token: answers then say that they could not go there."""
    if not any(os.environ.get(name) for name in ("GITHUB_TOKEN", "GH_TOKEN")):
        return None
    return reaching(History(root), os.environ)
